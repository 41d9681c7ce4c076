"""The policy file, which is all that the page remembers: it is changed in place, comments stay, and versions are kept.

A change is checked before it is written. The version before it goes to a hidden folder beside the policy, from where
it comes back if the user undoes the change.
"""

import io
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from PETWorks.errors import InputError
from PETWorks.gate.policy import read_policy
from PETWorks.tables.output import write_whole
from PETWorks.tables.small_files import read_small
from PETWorks.tables.yamlfile import LARGEST_FILE, read_yaml

VERSIONS = ".petworks"
MOST_VERSIONS = 200

Change = Callable[[Any], None]


class PolicyFile:
    """A policy below the folder of the page."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def text(self) -> str:
        """What the file has in it."""
        return read_small(self.path, LARGEST_FILE).decode("utf-8-sig")

    @property
    def digest(self) -> str:
        """By which a page knows whether the file is still as it was shown."""
        return sha256(read_small(self.path, LARGEST_FILE)).hexdigest()

    def change(self, change: Change, seen: str | None = None) -> None:
        """Change the content, as a YAML document whose comments stay; nothing happens if the result has a mistake.

        seen   the digest of the file that the user saw
        """
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError

        if seen is not None and seen != self.digest:
            raise InputError("the policy file was changed by someone else meanwhile; look at it again")
        read_yaml(self.path)  # refuses what is not plain: tags, aliases, several documents
        before = self.text
        yaml = YAML(typ="rt")
        yaml.preserve_quotes = True
        yaml.width = 1 << 20
        yaml.indent(mapping=2, sequence=4, offset=2)
        try:
            document = yaml.load(before)
        except YAMLError:
            raise InputError(f"{self.path.name}: not a YAML file in UTF-8") from None
        change(document)
        written = io.StringIO()
        yaml.dump(document, written)
        self._write(written.getvalue(), before)

    def write(self, text: str) -> None:
        """A new file, or the whole of an edited one."""
        self._write(text, self.text if self.path.exists() else None)

    def _write(self, text: str, before: str | None) -> None:
        if text == before:
            return
        trial = self.path.with_name(f".petworks-trial-{self.path.name}")
        try:
            write_whole({trial: text.encode("utf-8")})
            read_policy(trial)
        except InputError as error:
            shown = str(error).replace(trial.name, self.path.name)
            raise InputError(shown) from None
        finally:
            trial.unlink(missing_ok=True)
        if before is not None:
            self._keep(before)
        write_whole({self.path: text.encode("utf-8")})

    def _keep(self, before: str) -> None:
        folder = self._folder
        folder.mkdir(parents=True, exist_ok=True)
        versions = self.versions
        number = int(versions[-1].stem) + 1 if versions else 1
        write_whole({folder / f"{number:04}.yaml": before.encode("utf-8")})
        for old in versions[: max(0, len(versions) + 1 - MOST_VERSIONS)]:
            old.unlink()

    @property
    def _folder(self) -> Path:
        return self.path.parent / VERSIONS / self.path.name

    @property
    def versions(self) -> list[Path]:
        """Earlier versions, the oldest first."""
        return sorted(path for path in self._folder.glob("*.yaml") if path.stem.isdecimal())

    def undo(self) -> None:
        """Go back to the version before the last change."""
        versions = self.versions
        if not versions:
            raise InputError("there is nothing to undo: this policy was not changed on this page")
        text = read_small(versions[-1], LARGEST_FILE)
        write_whole({self.path: text})
        versions[-1].unlink()
