"""The hierarchy of an earlier table for the values of another one: by the same words, or by the same file."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from PETWorks.about.declaration import KINDS, Words, declared, name_of
from PETWorks.about.hierarchy import Hierarchy
from PETWorks.about.intervals import between_same_cuts
from PETWorks.about.scheme import Scheme
from PETWorks.about.value_groups import rare_limits
from PETWorks.errors import HierarchyError, quoted
from PETWorks.tables.cells import SUPPRESSED

Path = tuple[str, ...]


def _cuts_again(_words: Words, earlier: Hierarchy) -> Callable[[str], Path | None]:
    return between_same_cuts(earlier.levels[1 : earlier.height]).path


def _rare_again(words: Words, earlier: Hierarchy) -> Callable[[str], Path | None]:
    """A value that was not there is one of the rare ones."""
    _, label = rare_limits(words)
    return lambda _value: (label,) * (earlier.height - 1)


# Kinds whose levels depend on the records that were there, and where new values have their place among these levels.
_BY_RECORDS: Mapping[str, Callable[[Words, Hierarchy], Callable[[str], Path | None]]] = {
    "quantiles": _cuts_again,
    "rare": _rare_again,
}
_LISTING = ("order", "groups")  # kinds whose words list all values


def plain_words(words: Words | None) -> Words | None:
    """What has to be written down of a declaration, as JSON can have it; None if the hierarchy itself says all."""
    if words is None or _kind(words) in _LISTING:
        return None
    plain: dict[str, Any] = _plain(words)
    return plain


def needs_earlier(words: Words | None) -> bool:
    """Whether the earlier hierarchy is needed to fit another table."""
    return words is None or _kind(words) in _BY_RECORDS


def hierarchy_digest(hierarchy: Hierarchy) -> str:
    """SHA-256 of a hierarchy as a CSV file."""
    return hashlib.sha256(hierarchy.to_csv().encode("utf-8", "surrogateescape")).hexdigest()


def refitted(
    column: str, values: Iterable[str | None], words: Words | None, earlier: Hierarchy | None, height: int = 1
) -> tuple[Hierarchy, frozenset[str]]:
    """The hierarchy for the values of a column of another table, and the values that have no place in it.

    A value without a place stays itself up to the top, so that measures know it.

    words     what was declared, if the earlier hierarchy does not say all
    earlier   the earlier hierarchy, if it is needed
    height    its highest level, which the words do not say if no value has a place
    """
    told = {value for value in values if value is not None and value != SUPPRESSED}
    fitted = _fitted(column, told, words, earlier)
    if fitted.leaves == [SUPPRESSED]:
        fitted = Hierarchy([[SUPPRESSED] * (height + 1)], fitted.name)
    strange = told - set(fitted.leaves) - _staying(fitted)
    single = sorted(value for value in strange if value not in fitted.levels_of)
    return _extended(fitted, {value: (value,) * (fitted.height - 1) for value in single}), frozenset(strange)


def _fitted(column: str, values: set[str], words: Words | None, earlier: Hierarchy | None) -> Hierarchy:
    name = name_of(column)
    if not needs_earlier(words):
        assert words is not None
        declaration = declared(words, name)
        scheme = declaration.scheme({})
        return declaration.build({value: 1 for value in values if _fits(scheme, value)}, name=name)
    assert earlier is not None
    if words is None:
        return earlier
    declared(words, name)  # for its errors
    path_of = _BY_RECORDS[_kind(words)](words, earlier)
    new = sorted(value for value in values if value not in earlier.levels_of)
    paths = {value: path for value in new if (path := path_of(value)) is not None}
    return _extended(earlier, paths)


def _fits(scheme: Scheme, value: str) -> bool:
    """Whether a declared hierarchy can be built with a value, which may be a label that stands for some."""
    below = scheme.below(value)
    return scheme.path(value) is not None if below is None else next(iter(below), None) is not None


def _staying(hierarchy: Hierarchy) -> set[str]:
    """Labels that can be cells of the table, since they are the same on every level between the leaves and the top."""
    between = hierarchy.levels[1 : hierarchy.height] or [hierarchy.levels[-1]]
    return set.intersection(*map(set, between))


def _extended(hierarchy: Hierarchy, paths: Mapping[str, Path]) -> Hierarchy:
    """A hierarchy with further leaves, given their labels below the top."""
    if not paths:
        return hierarchy
    rows = list(zip(*hierarchy.levels, strict=True))
    new = [(leaf, *path, hierarchy.top) for leaf, path in paths.items()]
    return Hierarchy([*rows, *new], hierarchy.name)


def _kind(words: Words) -> str:
    kind = next((kind for kind in KINDS if kind in words), None)
    if kind is None:
        raise HierarchyError("expected one of the keys {keys}", keys=quoted(KINDS))
    return kind


def _plain(given: Any) -> Any:
    """Words as JSON can have them: numbers of other kinds as text."""
    if isinstance(given, Mapping):
        return {str(key): _plain(one) for key, one in given.items()}
    if isinstance(given, Collection) and not isinstance(given, str):
        return [_plain(one) for one in given]
    return given if type(given) in (str, int, bool) else str(given)
