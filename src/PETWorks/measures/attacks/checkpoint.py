"""The finished part of a long run, in a file that can be read at any time and gone on from.

One JSON object per line: first what was counted, then a line for each finished subset. Lines are only added, so
that a run that is stopped, in whatever way, loses no line but the one it was writing.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PETWorks.errors import Hint, InputError
from PETWorks.tables.output import write_whole

FORMAT = 1
MOST_BYTES = 1 << 32


Counts = tuple[int, ...]


class Checkpoint:
    """The counts of finished subsets of columns: classes, uniques, smallest class and right guesses.

    about     the table and the options; a file that says otherwise is refused
    """

    def __init__(
        self, path: Path, columns: Sequence[str], sensitive: Sequence[str], about: Mapping[str, Any], *, resume: bool
    ) -> None:
        self.path = path
        self.columns, self.sensitive = columns, sensitive
        self.found: dict[frozenset[str], Counts] = {}
        head = {"petworks_subsets": FORMAT, "quasi_identifiers": list(columns)}
        head |= {"sensitive_attributes": list(sensitive), **about}
        try:
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise InputError(
                    f"{path.name}: expected a regular file for the finished subsets, not a link or a folder"
                )
            if not path.exists():
                write_whole({path: (json.dumps(head, ensure_ascii=False) + "\n").encode()})
            elif resume:
                self._read(head)
            else:
                raise InputError(
                    f"{path.name}: the file of an unfinished run; remove it to start over, or resume the run",
                    Hint.RESUME,
                )
        except OSError as error:
            raise InputError(f"cannot write {str(path)!r}: {error.strerror}") from None

    def add(self, finished: Mapping[frozenset[str], Counts]) -> None:
        """Write finished subsets down."""
        lines = []
        for subset, (classes, uniques, smallest, *hits) in finished.items():
            line = {"attributes": [name for name in self.columns if name in subset], "classes": classes}
            line |= {"uniques": uniques, "smallest_class": smallest}
            lines.append({**line, "right_guesses": dict(zip(self.sensitive, hits, strict=True))})
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        except OSError as error:
            raise InputError(f"cannot write {str(self.path)!r}: {error.strerror}") from None

    def _read(self, head: Mapping[str, Any]) -> None:
        """Take over finished subsets; a last line that was cut off is taken away."""
        name = self.path.name
        if self.path.stat().st_size > MOST_BYTES:
            raise InputError(f"{name}: the file is too large for finished subsets")
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        try:
            first, *lines = [json.loads(line) for line in whole.split(b"\n")[:-1]]
            other = [key for key in head if first.get(key) != head[key]]
            self.found = {} if other else dict(self._counts(line, head["sizes"], head["records"]) for line in lines)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(f"{name}: not a file of finished subsets, or damaged; remove it to start over") from None
        if other:
            raise InputError(
                f"{name}: the file of another run, with different {', '.join(key.replace('_', ' ') for key in other)}; "
                "give the same table and options, or remove the file to start over"
            )
        if len(whole) < len(content):
            os.truncate(self.path, len(whole))

    def _counts(self, line: Mapping[str, Any], sizes: Sequence[int], records: int) -> tuple[frozenset[str], Counts]:
        """A finished subset and its counts; an error if they cannot be."""
        names = line["attributes"]
        subset = frozenset(names)
        guesses = [line["right_guesses"][name] for name in self.sensitive]
        classes, uniques, smallest = line["classes"], line["uniques"], line["smallest_class"]
        counts = (classes, uniques, smallest, *guesses)
        whole = all(type(number) is int for number in counts)
        known = subset <= set(self.columns) and len(subset) == len(names) and len(subset) in sizes
        if not whole or not known or not 0 <= uniques <= classes or not 1 <= smallest * classes <= records:
            raise ValueError
        if not all(classes <= guess <= records for guess in guesses):
            raise ValueError
        return subset, counts
