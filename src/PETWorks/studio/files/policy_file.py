"""Edit the policy file, in which the page stores all its state: comments stay, earlier versions are kept."""

import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any

from PETWorks.errors import InputError, Joined, PETWorksError, Phrase
from PETWorks.gate.policy.policy import read_policy
from PETWorks.tables.files import read_small
from PETWorks.tables.output import write_whole
from PETWorks.tables.yaml_files import LARGEST_FILE, read_yaml, yaml_text

Lines = list[str]
Edit = tuple[int, int, Lines]  # the first line, the line after the last one, and the lines that replace them
Keys = Mapping[str, tuple[Any, Any]]
Change = Callable[[Any], None]

ANCHORS = ("roles", "data", "petworks_policy")  # a new key is added after the first of these that exists
VERSIONS = ".petworks"  # the folder of earlier versions
MAX_VERSIONS = 200
LONGEST_NUMBER = 9  # digits of the number of a version
UNDONE = "undone.yaml"

# A list that is not indented below its key.
_FLUSH_LIST = re.compile(r"^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n\1- ", re.M)
CHANGED = Phrase("the settings were changed in another window or program meanwhile, so your changes are not saved yet")
_write_lock = RLock()  # so that nothing is written between reading a file and changing it


class ConflictError(InputError):
    """The policy was changed since the user saw it: in another tab, by another program."""


class _OddLayoutError(Exception):
    """The lines of the policy have a layout that this module cannot edit."""


def edit_policy(text: str, wanted: Mapping[str, Any]) -> str:
    """Return the text of a policy after some keys were changed.

    wanted   the new content of each key, None to remove it: `roles`, `no_role`, `role_reasons`, `privacy_unit`;
             of `subsets` only the sizes can change, and it is removed by turning it into a comment
    """
    content = parse_text(text)
    expected = {key: value for key, value in {**content, **wanted}.items() if value is not None}
    lines = text.split("\n")
    with suppress(_OddLayoutError):
        keys = _entries(_compose(text))
        known_first = sorted(wanted, key=lambda key: key not in keys)  # new keys come after new lines of others
        edits = [edit for key in known_first for edit in _edit_key(lines, keys, key, wanted[key], content)]
        edits.sort(key=lambda edit: edit[:2])
        for first, end, new in reversed(edits):  # from below, so that the line numbers above stay valid
            lines[first:end] = new
        written = "\n".join(lines)
        if parse_text(written) == expected:
            return written

    def change(document: Any) -> None:
        for key, value in wanted.items():
            set_in(document, (key,), value)

    return apply_change(text, change)


def parse_text(text: str) -> Any:
    """The content of a YAML text with every scalar as text; None if it is not YAML."""
    import yaml

    try:
        return yaml.load(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506 - creates texts only
    except yaml.YAMLError:
        return None


def _compose(text: str) -> Any:
    """The nodes of a YAML text, which have their positions."""
    import yaml

    try:
        return yaml.compose(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError:
        raise _OddLayoutError from None


def _entries(node: Any) -> dict[str, tuple[Any, Any]]:
    """The keys of a mapping, each with its node and that of its value."""
    if getattr(node, "id", "") != "mapping":
        raise _OddLayoutError
    return {key.value: (key, value) for key, value in node.value}


def _edit_key(lines: Lines, keys: Keys, key: str, value: Any, content: Any) -> Iterator[Edit]:
    if key not in keys:
        if value is not None:
            yield _add_key(lines, keys, key, value)
        return
    name, node = keys[key]
    if key == "subsets" and value is None:
        first, end = _range(name, node)
        yield first, end, [f"# {line}" for line in lines[first:end]]
    elif key == "subsets":
        yield _edit_scalar(lines, _entries(node)["sizes"][1], value["sizes"])
    elif value is None:
        yield (*_range(name, node), [])
    elif key == "roles":
        yield from _edit_roles(lines, node, value)
    elif isinstance(value, str):
        yield _edit_scalar(lines, node, value)
    else:
        yield from _edit_entries(lines, name, node, value, content[key])


def _add_key(lines: Lines, keys: Keys, key: str, value: Any) -> Edit:
    """Add a key where a comment shows an example of it, otherwise after the roles."""
    example = next((number for number, line in enumerate(lines) if re.match(rf"# ?{key}:", line)), None)
    comment = None if example is None else re.search(r"\s(#.*)$", lines[example][2:])
    note = "" if comment is None else f"  {comment[1]}"
    if isinstance(value, str):
        new = [f"{key}: {yaml_text(value)}{note}"]
    elif key == "roles":
        new = ["", "roles:", *(line for role, columns in value.items() for line in _new_list("  ", role, columns))]
    else:
        new = [f"{key}:{note}", *(f"  {_entry_text(name, text)}" for name, text in value.items())]
    if example is not None:
        return example, example + 1, new
    node = next((keys[known][1] for known in ANCHORS if known in keys), None)
    if node is None:
        raise _OddLayoutError
    end = _last_line(node) + 1
    return end, end, new


def _edit_scalar(lines: Lines, node: Any, text: str) -> Edit:
    """Replace a scalar on its line; the rest of the line stays."""
    number, before, after = _around(lines, node)
    return number, number + 1, [f"{before}{yaml_text(text)}{after}"]


def _around(lines: Lines, node: Any) -> tuple[int, str, str]:
    """The line number of a single-line node, and the text before and after it on that line."""
    start, end = node.start_mark, node.end_mark
    if start.line != end.line or getattr(node, "style", None) in ("|", ">"):
        raise _OddLayoutError
    return start.line, lines[start.line][: start.column], lines[start.line][end.column :]


def _range(key: Any, node: Any) -> tuple[int, int]:
    """The first line of a key with its value, and the line after them."""
    return key.start_mark.line, _last_line(node) + 1


def _last_line(node: Any) -> int:
    """The last line that belongs to a node, without comments after it."""
    if node.id == "scalar" and node.style in ("|", ">"):
        raise _OddLayoutError
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.line)
    last = node.value[-1]
    return _last_line(last[1] if node.id == "mapping" else last)


# Lists of columns


def _edit_roles(lines: Lines, node: Any, roles: Mapping[str, Sequence[str]]) -> Iterator[Edit]:
    """Update the lists of columns; columns new to a list come last, with the text of the line they had elsewhere."""
    if node.flow_style:
        raise _OddLayoutError
    lists = _entries(node)
    items = [(item.value.strip(), *_split_item(lines, item)) for _, listed in lists.values() for item in _items(listed)]
    texts = {column: text for column, _, text in items}
    indent = " " * min(key.start_mark.column for key, _ in lists.values())
    item_indent = items[0][1] if items else f"{indent}  "
    for role, (_, listed) in lists.items():
        old, columns = [item.value.strip() for item in listed.value], roles.get(role, ())
        new = [f"{item_indent}- {texts.get(column, yaml_text(column))}" for column in columns if column not in old]
        if old != list(columns):
            yield from _edit_list(lines, listed, columns, new)
    end = _last_line(node) + 1
    for role, columns in roles.items():
        if role not in lists and columns:
            yield end, end, _new_list(indent, role, columns, texts)


def _new_list(indent: str, role: str, columns: Sequence[str], texts: Mapping[str, str] | None = None) -> Lines:
    """The lines of a new list; `texts` has columns as they are already written as YAML."""
    items = [f"{indent}  - {(texts or {}).get(column, yaml_text(column))}" for column in columns]
    return [f"{indent}{role}:", *items] if columns else [f"{indent}{role}: []"]


def _items(listed: Any) -> list[Any]:
    """The items of a list with one item per line; none if the list is in brackets."""
    if listed.id != "sequence":
        raise _OddLayoutError
    return [] if listed.flow_style or not listed.value else list(listed.value)


def _split_item(lines: Lines, item: Any) -> tuple[str, str]:
    """The indentation of an item, and the text of its line after the hyphen."""
    number, before, _ = _around(lines, item)
    if not before.endswith("- ") or before.rstrip(" ")[:-1].strip():
        raise _OddLayoutError
    return before[: before.index("-")], lines[number][item.start_mark.column :]


def _edit_list(lines: Lines, listed: Any, columns: Sequence[str], new: Lines) -> Iterator[Edit]:
    """Update a list; `new` has the lines of columns that it did not have."""
    if not _items(listed):  # in brackets
        number, before, after = _around(lines, listed)
        if listed.value:
            inside = ", ".join(yaml_text(column) for column in columns)
            yield number, number + 1, [f"{before}[{inside}]{after}"]
        else:
            yield number, number + 1, [f"{before.rstrip()}{after}", *new]
        return
    numbers = [item.start_mark.line for item in listed.value]
    for number, item in zip(numbers, listed.value, strict=True):
        if item.value.strip() not in columns:
            yield number, number + 1, []
    yield numbers[-1] + 1, numbers[-1] + 1, new
    if not columns:
        above = numbers[0] - 1
        name, colon, rest = lines[above].partition(":")
        if not colon or not re.fullmatch(r"\s*(#.*)?", rest):
            raise _OddLayoutError
        yield above, above + 1, [f"{name}: []{rest}"]


# Texts about columns


def _edit_entries(
    lines: Lines, key: Any, node: Any, value: Mapping[str, Any], old: Mapping[str, Any]
) -> Iterator[Edit]:
    """Set the texts about columns, one line each."""
    entries = _entries(node)
    if node.flow_style or not entries:
        number, before, after = _around(lines, node)
        new = [f"  {_entry_text(name, text)}" for name, text in value.items()]
        yield number, number + 1, [f"{before.rstrip()}{after}", *new]
        return
    indent = " " * key.start_mark.column + "  "
    for name, (entry_key, text) in entries.items():
        if name not in value:
            yield (*_range(entry_key, text), [])
        elif value[name] != old[name]:
            yield (*_range(entry_key, text), [f"{indent}{_entry_text(name, value[name])}"])
    end = _last_line(node) + 1
    yield end, end, [f"{indent}{_entry_text(name, text)}" for name, text in value.items() if name not in entries]


def _entry_text(name: str, text: Any) -> str:
    if isinstance(text, Mapping):
        return f"{yaml_text(name)}: {{{', '.join(f'{lang}: {yaml_text(words)}' for lang, words in text.items())}}}"
    return f"{yaml_text(name)}: {yaml_text(text)}"


class PolicyFile:
    """A policy below the folder of the page."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def text(self) -> str:
        """The content of the file."""
        return read_small(self.path, LARGEST_FILE).decode("utf-8-sig")

    @property
    def digest(self) -> str:
        """The SHA-256 of the file, by which a page notices that it has changed."""
        return sha256(read_small(self.path, LARGEST_FILE)).hexdigest()

    def change(self, change: Change, seen_digest: str | None = None) -> None:
        """Change the content as a YAML document, keeping comments; write nothing if the result is not valid.

        seen_digest   the digest of the file when the user saw it
        """
        with _write_lock:
            self.check_seen(seen_digest)
            read_yaml(self.path)  # refuses tags, aliases and several documents
            before = self.text
            self._write(apply_change(before, change), before)

    def accepts(self, change: Change) -> bool:
        """Whether the content would be valid after a change."""
        try:
            self._validate(apply_change(self.text, change))
        except PETWorksError:
            return False
        return True

    def write(self, text: str, seen_digest: str | None = None) -> None:
        """Write a new file, or replace the whole text of one."""
        with _write_lock:
            self.check_seen(seen_digest)
            self._write(text, self.text if self.path.exists() else None)

    def check_seen(self, seen_digest: str | None) -> None:
        """Raise if the file is not the one that the user saw."""
        if seen_digest is not None and seen_digest != self.digest:
            raise ConflictError(CHANGED)

    def _write(self, text: str, before: str | None) -> None:
        if text == before:
            return
        self._validate(text)
        if before is not None:
            self._keep_version(before)
        write_whole({self.path: text.encode("utf-8")})

    def _validate(self, text: str) -> None:
        """Raise if a text is not a valid policy."""
        trial = self.path.with_name(f".petworks-{os.getpid()}-{self.path.name}")
        try:
            write_whole({trial: text.encode("utf-8")})
            read_policy(trial)
        except InputError as error:
            raise InputError(_rename_in(error.worded(), trial.name, self.path.name)) from None
        finally:
            trial.unlink(missing_ok=True)

    def keep_version(self) -> None:
        """Keep the present file as a version, because a command is about to replace it."""
        with _write_lock:
            self._keep_version(self.text)

    def _keep_version(self, text: str) -> None:
        versions = self.versions
        number = int(versions[-1].stem) + 1 if versions else 1
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole({self.folder / f"{number:04}.yaml": text.encode("utf-8")})
        for old in versions[: max(0, len(versions) + 1 - MAX_VERSIONS)]:
            old.unlink()

    @property
    def folder(self) -> Path:
        """The folder of earlier versions."""
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

    def restore(self, number: str, seen_digest: str | None = None) -> None:
        """Go back to a version, by its number. This is an ordinary change, so it can be undone."""
        with _write_lock:
            self.check_seen(seen_digest)
            found = [path for path in self.versions if number.isdecimal() and path.stem == f"{int(number[:9]):04}"]
            if not found:
                raise InputError("there is no such version of the policy any more")
            self._write(read_small(found[0], LARGEST_FILE).decode("utf-8"), self.text)

    def undo(self, seen_digest: str | None = None) -> None:
        """Go back to the version before the last change. The present text is kept in the file `undone.yaml`."""
        with _write_lock:
            self.check_seen(seen_digest)
            versions = self.versions
            if not versions:
                raise InputError("there is nothing to undo: this policy was not changed on this page")
            text = read_small(versions[-1], LARGEST_FILE)
            self._validate(text.decode("utf-8"))
            write_whole({self.folder / UNDONE: self.text.encode("utf-8")})
            write_whole({self.path: text})
            versions[-1].unlink()


def apply_change(text: str, change: Change) -> str:
    """Return the text of a policy after a change; comments stay."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1 << 20
    # Keep the indentation of lists, so that a diff shows only the changed lines.
    is_flush = _FLUSH_LIST.search(text) is not None
    yaml.indent(mapping=2, sequence=2 if is_flush else 4, offset=0 if is_flush else 2)
    try:
        document = yaml.load(text)
    except YAMLError:
        raise InputError("the policy is not a YAML file in UTF-8") from None
    change(document)
    written = io.StringIO()
    yaml.dump(document, written)
    return written.getvalue()


def number_or_text(text: str) -> int | float | str:
    """A number if YAML would read the text as that number, otherwise the text, for the error message to quote."""
    if re.fullmatch(r"[+-]?(0|[1-9]\d{0,17})", text, re.ASCII):
        return int(text)
    if re.fullmatch(r"-?(0|[1-9]\d{0,8})\.\d{1,9}", text, re.ASCII) and str(float(text)) == text:
        return float(text)
    return text


def set_in(document: Any, path: Sequence[Any], value: Any) -> str:
    """Set the value at a place in a document that keeps comments.

    None removes it, with all parts of the document that are empty then. Comments in the lines below stay; those that
    have lost their place are returned.
    """
    from ruamel.yaml.comments import CommentedMap

    key, below = next((key for key in document if str(key).strip() == path[0]), path[0]), ""
    if len(path) > 1:
        inside = document.get(key)
        inside = inside if isinstance(inside, dict) else CommentedMap()
        below = set_in(inside, path[1:], value)
        value = inside or None
    if value is None:
        return _remove(document, key, below)
    if not hasattr(document, "ca"):  # a new part, which has no comments
        document[key] = value
    elif key not in document:
        has_comments_below = bool(document) and bool(_comment_below(document, list(document)[-1]))
        document.insert(len(document) - has_comments_below, key, value)
    elif document[key] is not value:
        below, is_scalar = _comment_below(document, key), not isinstance(document[key], dict | list)
        document[key] = value
        if not is_scalar or isinstance(value, dict | list):  # a comment at the end of the line was about the old value
            document.ca.items.pop(key, None)
            _set_comment_below(document, key, below)
    return ""


def _remove(mapping: Any, key: Any, below: str) -> str:
    """Remove a key; comments below it move to the key before, or are returned if there is none."""
    if key not in mapping or not hasattr(mapping, "ca"):
        mapping.pop(key, None)
        return ""
    keys = list(mapping)
    below, before = _comment_below(mapping, key) + below, keys[keys.index(key) - 1] if keys[0] != key else None
    del mapping[key]
    mapping.ca.items.pop(key, None)
    if before is None:
        return below
    _set_comment_below(mapping, before, _comment_below(mapping, before) + below, keep=True)
    return ""


def _comment_slot(container: Any, key: Any) -> tuple[Any, Any, int]:
    """The container, key and slot where ruamel.yaml keeps the comment after an entry: at the last scalar in it."""
    value: Any = container[key]
    is_mapping = isinstance(value, dict)
    if hasattr(value, "fa") and value and not value.fa.flow_style():
        return _comment_slot(value, list(value)[-1] if is_mapping else len(value) - 1)
    return container, key, 2 if isinstance(container, dict) else 0


def _comment_below(mapping: Any, key: Any) -> str:
    """The comment in the lines after an entry."""
    container, last, slot = _comment_slot(mapping, key)
    token = (container.ca.items.get(last) or [None] * 4)[slot]
    return "" if token is None else str(token.value).partition("\n")[2]


def _set_comment_below(mapping: Any, key: Any, text: str, *, keep: bool = False) -> None:
    """Set the comment in the lines after an entry; `keep` keeps the one at the end of its line."""
    from ruamel.yaml.error import CommentMark
    from ruamel.yaml.tokens import CommentToken

    container, last, slot = _comment_slot(mapping, key)
    tokens = container.ca.items.get(last) or [None, None, None, None]
    first = str(tokens[slot].value).partition("\n")[0] if keep and tokens[slot] is not None else ""
    if first or text:
        mark = tokens[slot].start_mark if first else CommentMark(0)
        tokens[slot] = CommentToken(f"{first}\n{text}", mark, None)
        container.ca.items[last] = tokens


def _rename_in(text: Any, trial: str, name: str) -> Any:
    """Replace the name of the trial file in a message by that of the policy."""
    if isinstance(text, Joined):
        return Joined(text.template, [_rename_in(part, trial, name) for part in text.values["texts"]])
    if isinstance(text, Phrase):
        values = {field: _rename_in(value, trial, name) for field, value in text.values.items()}
        return Phrase(text.template, **values)
    return text.replace(trial, name) if isinstance(text, str) else text
