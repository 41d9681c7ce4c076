"""Hierarchies and bounds of levels in the policy file: how a declaration of the page is written into it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PETWorks.about.declaration import Declaration
from PETWorks.studio.policy_file import Change

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
                is_file = isinstance(one, Path)
                hierarchies[column] = _relative(one, folder) if is_file else _in_yaml(one.words)  # type: ignore[union-attr]
            _put(document, "hierarchies", hierarchies, after=("roles", "population", "original", "data"))
        for column, words in new.items():
            key = next((key for key in hierarchies if str(key).strip() == column), None)
            if words is None:
                _remove(hierarchies, key)
            else:
                hierarchies[column if key is None else key] = _in_yaml(words)
                _drop_comment(hierarchies, key)

    return change


def with_bounds(levels: Mapping[str, int], heights: Mapping[str, int], bound: str) -> Change:
    """The change that fixes the levels of columns, or bounds them; a bound that says nothing is removed."""

    def change(document: Any) -> None:
        from ruamel.yaml.comments import CommentedMap

        if not isinstance(document.get("anonymize"), dict):
            _put(document, "anonymize", CommentedMap(), after=("subsets", "rules", "presets"))
        settings = document["anonymize"]
        known = settings.get("levels")
        bounds = known if isinstance(known, dict) else CommentedMap()
        for column, level in levels.items():
            key = next((key for key in bounds if str(key).strip() == column), column)
            says_nothing = {"exactly": False, "at_least": level == 0, "at_most": level == heights[column]}[bound]
            if says_nothing:
                _remove(bounds, key)
            else:
                bounds[key] = level if bound == "exactly" else _in_yaml({bound: level})
        if bounds:
            settings["levels"] = bounds
        else:
            _remove(settings, "levels")
        if not settings:
            _remove(document, "anonymize")

    return change


def _put(document: Any, key: str, value: Any, after: tuple[str, ...]) -> None:
    """Put a new key behind the first of some that is there; at the end otherwise."""
    if key in document:
        document[key] = value
        return
    keys = list(document)
    place = next((keys.index(one) + 1 for one in after if one in keys), len(keys))
    document.insert(place, key, value)


def _remove(mapping: Any, key: Any) -> None:
    if key in mapping:
        del mapping[key]


def _drop_comment(mapping: Any, key: Any) -> None:
    """Remove the comment at the end of a line, which was about what stood there; comments of later lines stay."""
    tokens = mapping.ca.items.get(key)
    if not tokens or len(tokens) < 3 or tokens[2] is None:
        return
    first, newline, rest = tokens[2].value.partition("\n")
    if first.strip():
        tokens[2].value = newline + rest


def _in_yaml(given: Any) -> Any:
    """Words as a policy has them: short ones on one line, long lists one item below the other."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

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
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
