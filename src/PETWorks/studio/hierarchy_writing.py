"""Hierarchies and bounds of levels in the policy file: how a declaration of the page is written into it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PETWorks.about.declaration import Declaration
from PETWorks.studio.policy_file import Change
from PETWorks.tables.portable_paths import path_from

Words = Mapping[str, Any]
LONG = 12  # items that are listed one below the other
BOUNDS = ("exactly", "at_least", "at_most")


def with_hierarchies(new: Mapping[str, Words | None], given: Mapping[str, Declaration | Path], folder: Path) -> Change:
    """The change that declares the hierarchies of some columns, or removes them.

    new      what is declared for each column; None to remove what is there
    given    all hierarchies as they are now, for a policy that names a folder or leaves it to the file beside the table
    folder   the policy's, from where its paths start
    """

    def change(document: Any) -> None:
        from ruamel.yaml.comments import CommentedMap

        hierarchies = document.get("hierarchies")
        if not isinstance(hierarchies, dict):
            hierarchies = CommentedMap()
            for column, one in given.items():
                hierarchies[column] = _relative(one, folder) if isinstance(one, Path) else _in_yaml(one.words)
            _put(document, "hierarchies", hierarchies)
        below = ""
        for column, words in new.items():
            if words is None:
                below += _remove(hierarchies, _key(hierarchies, column))
            else:
                _put(hierarchies, _key(hierarchies, column), _in_yaml(words))
        if not hierarchies:
            document["hierarchies"] = _in_yaml({})
            _set_comment_below(document, "hierarchies", below)

    return change


def with_bounds(levels: Mapping[str, int], heights: Mapping[str, int], bound: str) -> Change:
    """The change that fixes the levels of columns, or bounds them; a bound that says nothing is removed."""

    def change(document: Any) -> None:
        from ruamel.yaml.comments import CommentedMap

        settings = document.get("anonymize")
        known = settings.get("levels") if isinstance(settings, dict) else None
        bounds = known if isinstance(known, dict) else CommentedMap()
        below = ""
        for column, level in levels.items():
            says_nothing = {"exactly": False, "at_least": level == 0, "at_most": level == heights[column]}[bound]
            if says_nothing:
                below += _remove(bounds, _key(bounds, column))
            else:
                _put(bounds, _key(bounds, column), level if bound == "exactly" else _in_yaml({bound: level}))
        if not bounds and known is not None:
            _set_comment_below(settings, "levels", below)
            below = _remove(settings, "levels")
            if not settings:
                _set_comment_below(document, "anonymize", below)
                _remove(document, "anonymize")
        elif bounds and known is not bounds:
            if not isinstance(settings, dict):
                settings = CommentedMap()
                _put(document, "anonymize", settings)
            _put(settings, "levels", bounds)

    return change


def _key(mapping: Any, column: str) -> Any:
    """The key of a column, which may have blanks around it."""
    return next((key for key in mapping if str(key).strip() == column), column)


def _put(mapping: Any, key: Any, value: Any) -> None:
    """Set a key. A new one comes before the last, which has the comments below it."""
    if key not in mapping:
        mapping.insert(max(len(mapping) - 1, 0), key, value)
        return
    below = _comment_below(mapping, key)
    mapping[key] = value
    mapping.ca.items.pop(key, None)  # at the end of the line: it was about what stood there
    _set_comment_below(mapping, key, below)


def _remove(mapping: Any, key: Any) -> str:
    """Remove a key; comments below it go to the key before, or are returned if there is none."""
    if key not in mapping:
        return ""
    keys = list(mapping)
    below, before = _comment_below(mapping, key), keys[keys.index(key) - 1] if keys[0] != key else None
    del mapping[key]
    mapping.ca.items.pop(key, None)
    if before is None:
        return below
    _set_comment_below(mapping, before, _comment_below(mapping, before) + below, keep=True)
    return ""


def _last(container: Any, key: Any) -> tuple[Any, Any, int]:
    """Where the library keeps the comment behind an entry: at the last scalar in it."""
    value: Any = container[key]
    is_mapping = isinstance(value, dict)
    if hasattr(value, "fa") and value and not value.fa.flow_style():
        return _last(value, list(value)[-1] if is_mapping else len(value) - 1)
    return container, key, 2 if isinstance(container, dict) else 0


def _comment_below(mapping: Any, key: Any) -> str:
    """The comment in the lines behind an entry."""
    container, last, slot = _last(mapping, key)
    token = (container.ca.items.get(last) or [None] * 4)[slot]
    return "" if token is None else str(token.value).partition("\n")[2]


def _set_comment_below(mapping: Any, key: Any, text: str, *, keep: bool = False) -> None:
    """Set the comment in the lines behind an entry; that at the end of its line is kept, or there is none."""
    from ruamel.yaml.error import CommentMark
    from ruamel.yaml.tokens import CommentToken

    container, last, slot = _last(mapping, key)
    tokens = container.ca.items.get(last) or [None, None, None, None]
    first = str(tokens[slot].value).partition("\n")[0] if keep and tokens[slot] is not None else ""
    if first or text:
        mark = tokens[slot].start_mark if first else CommentMark(0)
        tokens[slot] = CommentToken(f"{first}\n{text}", mark, None)
        container.ca.items[last] = tokens


def _in_yaml(given: Any) -> Any:
    """Words as a policy has them: short ones on one line, long lists one item below the other."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    new: Any
    if isinstance(given, Mapping):
        new = CommentedMap({str(key): _in_yaml(one) for key, one in given.items()})
    elif isinstance(given, list | tuple):
        new = CommentedSeq([_in_yaml(one) for one in given])
    else:
        return given
    if _items(given) <= LONG:
        new.fa.set_flow_style()
    else:
        new.fa.set_block_style()
    return new


def _items(given: Any) -> int:
    if isinstance(given, Mapping):
        return sum(map(_items, given.values()))
    return sum(map(_items, given)) if isinstance(given, list | tuple) else 1


def _relative(path: Path, folder: Path) -> str:
    return path_from(folder.resolve(), path.resolve())
