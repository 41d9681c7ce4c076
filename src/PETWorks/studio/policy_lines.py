"""What the step Columns says in a policy, written as a person would: single lines change, and all others stay.

A column that gets another role moves with its line, and so with the comment on it. The text that results is read
again: if some odd layout keeps it from saying what it should, a YAML library lays out these keys anew.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from PETWorks.gate.starter import yaml_text
from PETWorks.studio.policy_file import changed

Lines = list[str]
AFTER = ("roles", "data", "petworks_policy")  # a key that is new comes behind the first of these that is there


class _OddLayoutError(Exception):
    """The lines are not laid out in a way that this module knows."""


def edited(text: str, wanted: Mapping[str, Any]) -> str:
    """A policy that says what is wanted.

    wanted   the content of each key that changes, None for a key that goes: `roles`, `no_role`, `role_reasons`,
             `privacy_unit`; of `subsets` the sizes can change, and it goes by becoming a comment
    """
    expected = {key: value for key, value in {**_read(text), **wanted}.items() if value is not None}
    lines = text.split("\n")
    try:
        for key, value in wanted.items():
            lines = _with(lines, key, value)
        written = "\n".join(lines)
        if _read(written) == expected:
            return written
    except _OddLayoutError:
        pass

    def lay_out(document: Any) -> None:
        for key, value in wanted.items():
            if value is None:
                document.pop(key, None)
            else:
                document[key] = value

    return changed(text, lay_out)


def _read(text: str) -> Any:
    """The content, every scalar a text; what is not YAML says nothing."""
    import yaml

    try:
        return yaml.load(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506 - makes texts alone
    except yaml.YAMLError:
        return None


def _keys(lines: Lines) -> dict[str, tuple[Any, Any]]:
    """The keys of the document with their nodes, which say where they stand."""
    import yaml

    try:
        root = yaml.compose("\n".join(lines), getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError:
        raise _OddLayoutError from None
    return _entries(root)


def _entries(node: Any) -> dict[str, tuple[Any, Any]]:
    if getattr(node, "id", "") != "mapping":
        raise _OddLayoutError
    return {key.value: (key, value) for key, value in node.value}


def _with(lines: Lines, key: str, value: Any) -> Lines:
    keys = _keys(lines)
    if key not in keys:
        return lines if value is None else _with_new_key(lines, keys, key, value)
    name, node = keys[key]
    if key == "subsets":
        return _with_subsets(lines, name, node, value)
    if value is None:
        return _without(lines, name, node)
    if key == "roles":
        return _with_roles(lines, node, value)
    if isinstance(value, str):
        return _with_scalar(lines, node, value)
    return _with_entries(lines, name, node, value)


def _with_new_key(lines: Lines, keys: Mapping[str, tuple[Any, Any]], key: str, value: Any) -> Lines:
    """The key where a comment shows how it would look, otherwise behind the roles."""
    place = next((place for place, line in enumerate(lines) if re.match(rf"# ?{key}:", line)), None)
    comment = None if place is None else re.search(r"\s(#.*)$", lines[place][2:])
    note = "" if comment is None else f"  {comment[1]}"
    if isinstance(value, str):
        new = [f"{key}: {yaml_text(value)}{note}"]
    elif key == "roles":
        new = ["", "roles:", *(line for role, columns in value.items() for line in _new_list("  ", role, columns))]
    else:
        new = [f"{key}:{note}", *(f"  {_entry(name, text)}" for name, text in value.items())]
    if place is not None:
        return [*lines[:place], *new, *lines[place + 1 :]]
    behind = next((keys[one][1] for one in AFTER if one in keys), None)
    if behind is None:
        raise _OddLayoutError
    end = _last_line(behind) + 1
    return [*lines[:end], *new, *lines[end:]]


def _without(lines: Lines, key: Any, node: Any) -> Lines:
    return lines[: key.start_mark.line] + lines[_last_line(node) + 1 :]


def _with_subsets(lines: Lines, key: Any, node: Any, value: Any) -> Lines:
    if value is None:
        first, end = key.start_mark.line, _last_line(node) + 1
        return [*lines[:first], *(f"# {line}" for line in lines[first:end]), *lines[end:]]
    return _with_scalar(lines, _entries(node)["sizes"][1], value["sizes"])


def _with_scalar(lines: Lines, node: Any, text: str) -> Lines:
    """The scalar replaced on its line, and whatever else is on it."""
    place, before, after = _around(lines, node)
    return [*lines[:place], f"{before}{yaml_text(text)}{after}", *lines[place + 1 :]]


def _around(lines: Lines, node: Any) -> tuple[int, str, str]:
    """The line of a node that is on one line, and what stands on it before and after the node."""
    start, end = node.start_mark, node.end_mark
    if start.line != end.line or getattr(node, "style", None) in ("|", ">"):
        raise _OddLayoutError
    return start.line, lines[start.line][: start.column], lines[start.line][end.column :]


def _last_line(node: Any) -> int:
    """The last line that belongs to a node, without comments behind it."""
    if node.id == "scalar" and node.style in ("|", ">"):
        raise _OddLayoutError
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.line)
    last = node.value[-1]
    return _last_line(last[1] if node.id == "mapping" else last)


# Lists of columns


def _with_roles(lines: Lines, node: Any, roles: Mapping[str, Sequence[str]]) -> Lines:
    """The lists of columns; those that are new to a list come last in it, with the line that they had elsewhere."""
    if node.flow_style:
        raise _OddLayoutError
    lists = _entries(node)
    had = {item.value.strip(): _item(lines, item)[1] for _, listed in lists.values() for item in _items(listed)}
    indents = [_item(lines, item)[0] for _, listed in lists.values() for item in _items(listed)]
    indent = " " * min(key.start_mark.column for key, _ in lists.values())
    item_indent = indents[0] if indents else f"{indent}  "
    new: Lines = [
        line
        for role, columns in roles.items()
        if role not in lists and columns
        for line in _new_list(indent, role, [had.get(one, yaml_text(one)) for one in columns], written=True)
    ]
    end = _last_line(node) + 1
    lines = [*lines[:end], *new, *lines[end:]]
    for role, (_, listed) in reversed(list(lists.items())):  # from below, so that the places of those above stay
        lines = _with_list(lines, listed, roles.get(role, ()), had, item_indent)
    return lines


def _new_list(indent: str, role: str, columns: Sequence[str], *, written: bool = False) -> Lines:
    items = columns if written else [yaml_text(one) for one in columns]
    return [f"{indent}{role}:", *(f"{indent}  - {one}" for one in items)] if columns else [f"{indent}{role}: []"]


def _items(listed: Any) -> list[Any]:
    """The items of a list that has each on its own line."""
    if listed.id != "sequence":
        raise _OddLayoutError
    return [] if listed.flow_style or not listed.value else list(listed.value)


def _item(lines: Lines, item: Any) -> tuple[str, str]:
    """The indentation of an item, and what stands on its line behind the hyphen."""
    place, before, _ = _around(lines, item)
    if not before.endswith("- ") or before.rstrip(" ")[:-1].strip():
        raise _OddLayoutError
    return before[: before.index("-")], lines[place][item.start_mark.column :]


def _with_list(lines: Lines, listed: Any, columns: Sequence[str], had: Mapping[str, str], item_indent: str) -> Lines:
    old = [item.value.strip() for item in listed.value]
    if old == list(columns):
        return lines
    new = [f"{item_indent}- {had.get(one, yaml_text(one))}" for one in columns if one not in old]
    if not _items(listed):  # in brackets
        place, before, after = _around(lines, listed)
        if old:
            inside = ", ".join(yaml_text(one) for one in columns)
            return [*lines[:place], f"{before}[{inside}]{after}", *lines[place + 1 :]]
        return [*lines[:place], f"{before.rstrip()}{after}", *new, *lines[place + 1 :]]
    places = {item.start_mark.line: item.value.strip() for item in listed.value}
    first, last = min(places), max(places)
    kept = [line for place, line in enumerate(lines[first : last + 1], first) if places.get(place) in (None, *columns)]
    above = lines[:first]
    if not columns:
        name, colon, rest = above[-1].partition(":")
        if not colon or not re.fullmatch(r"\s*(#.*)?", rest):
            raise _OddLayoutError
        above = [*above[:-1], f"{name}: []{rest}"]
    return [*above, *kept, *new, *lines[last + 1 :]]


# Texts about columns


def _with_entries(lines: Lines, key: Any, node: Any, value: Mapping[str, Any]) -> Lines:
    """A text for each column, one line each."""
    entries = _entries(node)
    if node.flow_style or not entries:
        place, before, after = _around(lines, node)
        new = [f"  {_entry(name, text)}" for name, text in value.items()]
        return [*lines[:place], f"{before.rstrip()}{after}", *new, *lines[place + 1 :]]
    indent = " " * key.start_mark.column + "  "
    read = _read("\n".join(lines))[key.value]
    end = _last_line(node) + 1
    added = [f"{indent}{_entry(name, text)}" for name, text in value.items() if name not in entries]
    lines = [*lines[:end], *added, *lines[end:]]
    for name, (known, text) in reversed(list(entries.items())):
        if name not in value:
            lines = _without(lines, known, text)
        elif value[name] != read[name]:
            first, behind = known.start_mark.line, _last_line(text) + 1
            lines = [*lines[:first], f"{indent}{_entry(name, value[name])}", *lines[behind:]]
    return lines


def _entry(name: str, text: Any) -> str:
    if isinstance(text, Mapping):
        return f"{yaml_text(name)}: {{{', '.join(f'{lang}: {yaml_text(one)}' for lang, one in text.items())}}}"
    return f"{yaml_text(name)}: {yaml_text(text)}"
