"""The policy file, which is all that the page remembers: it is changed in place, comments stay, and versions are kept.

A change is checked before it is written. The version before it goes to a hidden folder beside the policy, from where
it comes back if the user undoes the change.
"""

import io
import os
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any

from PETWorks.errors import InputError, Joined, Phrase
from PETWorks.gate.policy import read_policy
from PETWorks.tables.output import write_whole
from PETWorks.tables.small_files import read_small
from PETWorks.tables.yamlfile import LARGEST_FILE, read_yaml

VERSIONS = ".petworks"
MOST_VERSIONS = 200
LONGEST_NUMBER = 9  # digits
UNDONE = "undone.yaml"

_LIST = re.compile(r"^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n\1- ", re.M)  # that begins below its key

Change = Callable[[Any], None]
_writing = RLock()  # so that nothing is written between a look at a file and its change


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
        with _writing:
            self._check_seen(seen)
            read_yaml(self.path)  # refuses what is not plain: tags, aliases, several documents
            before = self.text
            self._write(changed(before, change), before)

    def write(self, text: str, seen: str | None = None) -> None:
        """A new file, or the whole of an edited one."""
        with _writing:
            self._check_seen(seen)
            self._write(text, self.text if self.path.exists() else None)

    def _check_seen(self, seen: str | None) -> None:
        if seen is not None and seen != self.digest:
            raise InputError("the policy file was changed by someone else meanwhile; look at it again")

    def _write(self, text: str, before: str | None) -> None:
        if text == before:
            return
        self._try(text)
        if before is not None:
            self._keep(before)
        write_whole({self.path: text.encode("utf-8")})

    def _try(self, text: str) -> None:
        """Raise an error if a text has a mistake."""
        trial = self.path.with_name(f".petworks-{os.getpid()}-{self.path.name}")
        try:
            write_whole({trial: text.encode("utf-8")})
            read_policy(trial)
        except InputError as error:
            raise InputError(_renamed(error.worded(), trial.name, self.path.name)) from None
        finally:
            trial.unlink(missing_ok=True)

    def keep(self) -> None:
        """Keep the file as a version, because a command is about to replace it."""
        with _writing:
            self._keep(self.text)

    def _keep(self, before: str) -> None:
        versions = self.versions
        number = int(versions[-1].stem) + 1 if versions else 1
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole({self.folder / f"{number:04}.yaml": before.encode("utf-8")})
        for old in versions[: max(0, len(versions) + 1 - MOST_VERSIONS)]:
            old.unlink()

    @property
    def folder(self) -> Path:
        """Where earlier versions are."""
        folder = self.path.parent / VERSIONS / self.path.name
        if folder.parent.is_symlink() or folder.is_symlink():
            raise InputError("{folder}: the folder of earlier versions is a symlink; remove it", folder=VERSIONS)
        return folder

    @property
    def versions(self) -> list[Path]:
        """Earlier versions, the oldest first."""
        files = (path for path in self.folder.glob("*.yaml") if path.is_file() and not path.is_symlink())
        numbered = {
            int(path.stem): path for path in files if path.stem.isdecimal() and len(path.stem) <= LONGEST_NUMBER
        }
        return [numbered[number] for number in sorted(numbered)]

    def restore(self, number: str, seen: str | None = None) -> None:
        """Go back to a version, by its number. This is a change like others, so it can be undone."""
        with _writing:
            self._check_seen(seen)
            found = [path for path in self.versions if number.isdecimal() and path.stem == f"{int(number[:9]):04}"]
            if not found:
                raise InputError("there is no such version of the policy any more")
            self._write(read_small(found[0], LARGEST_FILE).decode("utf-8"), self.text)

    def undo(self, seen: str | None = None) -> None:
        """Go back to the version before the last change. What was there stays in the file `undone.yaml`."""
        with _writing:
            self._check_seen(seen)
            versions = self.versions
            if not versions:
                raise InputError("there is nothing to undo: this policy was not changed on this page")
            text = read_small(versions[-1], LARGEST_FILE)
            self._try(text.decode("utf-8"))
            write_whole({self.folder / UNDONE: self.text.encode("utf-8")})
            write_whole({self.path: text})
            versions[-1].unlink()


def changed(text: str, change: Change) -> str:
    """The text of a policy after a change; comments stay."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1 << 20
    # Lists stay as they are indented, so that a change is not about every line.
    is_flush = _LIST.search(text) is not None
    yaml.indent(mapping=2, sequence=2 if is_flush else 4, offset=0 if is_flush else 2)
    try:
        document = yaml.load(text)
    except YAMLError:
        raise InputError("the policy is not a YAML file in UTF-8") from None
    change(document)
    written = io.StringIO()
    yaml.dump(document, written)
    return written.getvalue()


def _renamed(text: Any, trial: str, name: str) -> Any:
    """A text that names a file, under the name of another one."""
    if isinstance(text, Joined):
        return Joined(text.template, [_renamed(part, trial, name) for part in text.values["texts"]])
    if isinstance(text, Phrase):
        values = {field: _renamed(value, trial, name) for field, value in text.values.items()}
        return Phrase(text.template, **values)
    return text.replace(trial, name) if isinstance(text, str) else text
