"""A file with the finished part of a long run, from which the run can be continued.

One JSON object per line: first the table and options, then a line for each finished subset. Lines are only appended,
so a run that is stopped in any way loses at most the line it was writing.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PETWorks.counting.subsets.families import CountsBySubset, Subset, SubsetCounts
from PETWorks.errors import Hint, InputError, Joined, Phrase, system_reason
from PETWorks.tables.output import write_whole

FORMAT = 1
MAX_BYTES = 1 << 32


FIELD_NAMES = {
    "quasi_identifiers": Phrase("quasi identifiers"),
    "sensitive_attributes": Phrase("sensitive attributes"),
    "sizes": Phrase("sizes"),
    "records": Phrase("records"),
    "table": Phrase("table"),
    "worth": Phrase("worth"),
}  # names of the fields in error messages


class Checkpoint:
    """The counts of finished subsets of columns, kept in a file.

    about      the table and the options; a file with different ones is refused
    finished   the subsets in the file when it was opened
    """

    def __init__(
        self, path: Path, columns: Sequence[str], sensitive: Sequence[str], about: Mapping[str, Any], *, resume: bool
    ) -> None:
        self.path = path
        self.columns, self.sensitive, self.gains = columns, sensitive, len(about.get("worth", ()))
        self.finished: CountsBySubset = {}
        head = {"petworks_subsets": FORMAT, "quasi_identifiers": list(columns)}
        head |= {"sensitive_attributes": list(sensitive), **about}
        try:
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise InputError(
                    "{file}: expected a regular file for the finished subsets, not a link or a folder", file=path.name
                )
            if not path.exists():
                write_whole({path: (json.dumps(head, ensure_ascii=False) + "\n").encode()})
            elif resume:
                self._read(head)
            else:
                raise InputError(
                    "{file}: the file of an unfinished run; remove it to start over, or resume the run",
                    Hint.RESUME,
                    file=path.name,
                )
        except OSError as error:
            raise InputError("cannot write {path!r}: {reason}", path=str(path), reason=system_reason(error)) from None

    def add(self, finished: Mapping[Subset, SubsetCounts]) -> None:
        """Add finished subsets to the file."""
        lines = [
            {
                "attributes": [name for name in self.columns if name in subset],
                **{name: number for name, number in counts._asdict().items() if name != "gains" or self.gains},
                "right_guesses": dict(zip(self.sensitive, counts.right_guesses, strict=True)),
            }
            for subset, counts in finished.items()
        ]
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        except OSError as error:
            raise InputError(
                "cannot write {path!r}: {reason}", path=str(self.path), reason=system_reason(error)
            ) from None

    def _read(self, head: Mapping[str, Any]) -> None:
        """Read the finished subsets; a last line that was cut off is removed from the file."""
        name = self.path.name
        if self.path.stat().st_size > MAX_BYTES:
            raise InputError("{file}: the file is too large for finished subsets", file=name)
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        try:
            first, *lines = [json.loads(line) for line in whole.split(b"\n")[:-1]]
            other = [key for key in head if first.get(key) != head[key]]
            self.finished = {} if other else dict(self._counts(line, head["sizes"], head["records"]) for line in lines)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                "{file}: not a file of finished subsets, or damaged; remove it to start over", file=name
            ) from None
        if other:
            raise InputError(
                "{file}: the file of another run, with different {other}; give the same table "
                "and options, or remove the file to start over",
                file=name,
                other=Joined(", ", [FIELD_NAMES.get(key, key.replace("_", " ")) for key in other]),
            )
        if len(whole) < len(content):
            os.truncate(self.path, len(whole))

    def _counts(self, line: Mapping[str, Any], sizes: Sequence[int], records: int) -> tuple[Subset, SubsetCounts]:
        """A finished subset and its counts; raise if the counts are impossible."""
        names = line["attributes"]
        subset = frozenset(names)
        guesses = tuple(line["right_guesses"][name] for name in self.sensitive)
        gains = tuple(line["gains"]) if self.gains else ()
        counts = SubsetCounts(line["classes"], line["uniques"], line["smallest_class"], guesses, gains)
        whole = all(type(number) is int for number in (*counts[:3], *guesses, *gains)) and len(gains) == self.gains
        known = subset <= set(self.columns) and len(subset) == len(names) and len(subset) in sizes
        if not whole or not known or not 0 <= counts.uniques <= counts.classes:
            raise ValueError
        if not 1 <= counts.smallest_class * counts.classes <= records:
            raise ValueError
        if not all(counts.classes <= guess <= records for guess in guesses) or any(gain < 0 for gain in gains):
            raise ValueError
        return subset, counts
