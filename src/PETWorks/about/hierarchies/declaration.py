"""Hierarchies as users declare them: a file, rows, or a few words; and the same declaration for other values."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from PETWorks.about.hierarchies.code_levels import diagnoses, first_characters, masked_characters
from PETWorks.about.hierarchies.dates import periods
from PETWorks.about.hierarchies.groups import Rare, named_groups, neighbours, rare_limits
from PETWorks.about.hierarchies.hierarchy import Hierarchy, read_hierarchies, read_hierarchy
from PETWorks.about.hierarchies.intervals import (
    between_cuts,
    between_quantiles,
    between_same_cuts,
    equal_width,
    parts_of,
)
from PETWorks.about.hierarchies.scheme import Scheme, listed_items
from PETWorks.errors import HierarchyError, Hint, ParameterError, Phrase, quoted, unknown
from PETWorks.tables.cells import SUPPRESSED

Words = Mapping[str, Any]
Named = Path | Mapping[str, "Path | Declaration"]  # a folder, or a file or a declaration for each column
Counts = Mapping[str, int]
MOST_ADDED = 200_000  # leaves that are known from labels alone


def _fixed(read: Callable[[Words], Scheme]) -> Callable[[Words], Callable[[Counts], Scheme]]:
    """A kind of hierarchy that does not depend on the records."""

    def prepare(words: Words) -> Callable[[Counts], Scheme]:
        scheme = read(words)
        return lambda _counts: scheme

    return prepare


def _quantiles(words: Words) -> Callable[[Counts], Scheme]:
    parts = parts_of(words)
    return lambda counts: between_quantiles(parts, counts)


def _rare(words: Words) -> Callable[[Counts], Scheme]:
    limits, label = rare_limits(words)
    return lambda counts: Rare(counts, limits, label)


# The key that says which kind of hierarchy it is, the keys that may accompany it, and what makes it. If several
# kinds fit, the first one counts.
KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[Words], Callable[[Counts], Scheme]]]] = {
    "width": (("start", "bottom", "top"), _fixed(equal_width)),
    "cuts": ((), _fixed(between_cuts)),
    "quantiles": ((), _quantiles),
    "dates": (("calendar",), _fixed(periods)),
    "prefix": ((), _fixed(first_characters)),
    "mask": ((), _fixed(masked_characters)),
    "icd10": ((), _fixed(diagnoses)),
    "order": (("sizes",), _fixed(neighbours)),
    "groups": ((), _fixed(named_groups)),
    "rare": ((), _rare),
    "top": (("bottom",), _fixed(equal_width)),
    "bottom": ((), _fixed(equal_width)),
}
NAMED = ("width", "dates", "prefix", "mask", "icd10")  # kinds whose words say what each level is, without a cell
KEYS = list(dict.fromkeys(key for kind, (others, _) in KINDS.items() for key in (kind, *others)))


@dataclass(frozen=True)
class Declaration:
    """A hierarchy in a few words; its levels do not depend on the order of the records."""

    words: Words
    scheme: Callable[[Counts], Scheme]

    @classmethod
    def of(cls, words: Words) -> "Declaration":
        """What the words declare, checked without the data."""
        for key in words:
            if key not in KEYS:
                raise HierarchyError(unknown("kind of hierarchy", str(key), KEYS).message)
        kind = next((kind for kind in KINDS if kind in words), None)
        if kind is None:
            raise HierarchyError("expected one of the keys {keys}", keys=quoted(KINDS))
        others, prepare = KINDS[kind]
        strange = [key for key in words if key not in (kind, *others)]
        if strange:
            raise HierarchyError("{strange} cannot be combined with {kind!r}", strange=quoted(strange), kind=kind)
        return cls(words, prepare(words))

    def build(
        self,
        counts: Mapping[str | None, int],
        released: Iterable[str | None] = (),
        population: Iterable[str | None] = (),
        name: str = "",
    ) -> Hierarchy:
        """The hierarchy of a column.

        counts       the values of the column before it was generalised, and how many records have each
        released     the values after that: labels of the hierarchy among them are not leaves
        population   values of people who may not be in the table
        """
        present = {value: count for value, count in counts.items() if value is not None and value != SUPPRESSED}
        scheme = self.scheme(present)
        builder = _Builder(scheme)
        for values in (scheme.listed, present, population):
            builder.add({value for value in values if value is not None and value != SUPPRESSED})
        after = {value for value in released if value is not None and value != SUPPRESSED}
        builder.add(after, new_leaves=not scheme.takes_any_text)
        return builder.hierarchy(name)


class _Builder:
    """Gathers the leaves of a hierarchy."""

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.paths: dict[str, tuple[str, ...]] = {}
        self.labels: set[str] = set()
        self.values = self.strange = self.without_values = self.added = 0

    def add(self, values: set[str], *, new_leaves: bool = True) -> None:
        """Add values of a table: leaves first, so that labels of the levels above them are known.

        new_leaves   whether values that are neither known nor labels can be leaves
        """
        new = {value for value in values if value not in self.paths and value not in self.labels}
        self.values += len(new)
        below = {value: leaves for value in new if (leaves := self.scheme.below(value)) is not None}
        paths = {value: self.scheme.path(value) if new_leaves else None for value in new if value not in below}
        self.strange += sum(path is None for path in paths.values())
        self._add_leaves(paths)
        for label in sorted(below):
            if label in self.labels:
                continue
            leaves = list(islice(below[label], max(MOST_ADDED + 1 - self.added, 0)))
            self.added += len(leaves)
            if leaves and self.added <= MOST_ADDED:
                self._add_leaves({value: self.scheme.path(value) for value in leaves})
            else:
                self.without_values += 1

    def _add_leaves(self, paths: Mapping[str, tuple[str, ...] | None]) -> None:
        self.paths.update({value: path for value, path in paths.items() if path is not None})
        self.labels.update(label for path in paths.values() for label in path or ())

    def hierarchy(self, name: str) -> Hierarchy:
        """The hierarchy; an error if some value has no place, or the levels do not nest."""
        if self.strange:
            problem = Phrase(
                "{strange} of {values} values have no place; expected {expects}",
                strange=self.strange,
                values=self.values,
                expects=self.scheme.expects,
            )
            raise HierarchyError("{name}: {problem}", name=name, problem=problem)
        if self.without_values:
            problem = Phrase(
                "{number} of {values} values are generalised already, and the values that they stand for are not "
                "known; give the table before it was generalised",
                number=self.without_values,
                values=self.values,
            )
            raise HierarchyError("{name}: {problem}", Hint.ORIGINAL, name=name, problem=problem)
        leaves = sorted(self.paths, key=self.scheme.order)
        rows = [(leaf, *self.paths[leaf], SUPPRESSED) for leaf in leaves]
        built = Hierarchy(rows or [(SUPPRESSED, SUPPRESSED)], name)
        for level, (lower, upper) in enumerate(zip(built.levels[1:], built.levels[2:], strict=False), start=1):
            if len(set(zip(lower, upper, strict=True))) > len(set(lower)):
                problem = Phrase(
                    "the levels do not nest: a label of level {level} has two labels on level {next_level}",
                    level=level,
                    next_level=level + 1,
                )
                raise HierarchyError("{name}: {problem}", name=name, problem=problem)
        return built


def build_hierarchy(
    values: Iterable[Any] | Mapping[Any, int], words: Words, released: Iterable[Any] = (), name: str = "hierarchy"
) -> Hierarchy:
    """The hierarchy that a few words declare for the values of a column.

    values     the cells of the column, or how many records have each
    words      what a policy says under `hierarchies`, such as `{"width": [5, 10]}`
    released   the cells after they were generalised, if there are any

    >>> build_hierarchy(["31", "36", "47"], {"width": [5, 10]}).levels[1:3]
    [['[30, 35)', '[35, 40)', '[45, 50)'], ['[30, 40)', '[30, 40)', '[40, 50)']]
    """
    counts: Counter[str | None] = Counter()
    for value, count in values.items() if isinstance(values, Mapping) else Counter(values).items():
        counts[_cell(value)] += count
    return declared(words, name).build(counts, map(_cell, released), name=name)


def _cell(value: Any) -> str | None:
    """A value as the text that it is in a table; nothing and NaN are missing."""
    text = "" if value is None or value != value else str(value).strip()
    return text or None


def declared(words: Words, name: str) -> Declaration:
    """What words declare; errors name the hierarchy."""
    try:
        return Declaration.of(words)
    except (HierarchyError, ParameterError) as error:
        raise HierarchyError("{name}: {problem}", name=name, problem=error.message) from None


def as_hierarchies(given: object, columns: Iterable[str]) -> dict[str, Hierarchy | Declaration]:
    """Hierarchies however they were given: nothing, a folder, or by column a file, rows, words or a Hierarchy."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        names = set(columns)
        strange = [column for column in given if column not in names]
        if strange:
            raise HierarchyError("hierarchies for columns that are not in the data: {strange}", strange=quoted(strange))
        return {column: _as_hierarchy(one, column) for column, one in given.items()}
    if isinstance(given, str | Path):
        return {**read_hierarchies(given, columns)}
    raise HierarchyError(
        "expected hierarchies as a folder or as a dict by column, got {type}", type=type(given).__name__
    )


def level_named(words: Words | None, level: int) -> str | None:
    """What a level is, as the words that declare it say: `dates 5-years`, `width 10`; None if they do not name it.

    >>> level_named({"dates": ["month", "year"]}, 2), level_named({"rare": {"fewer_than": 5}}, 1)
    ('dates year', None)
    """
    kind = next((kind for kind in NAMED if words is not None and kind in words), None)
    if words is None or kind is None:
        return None
    named = listed_items(words[kind])
    return f"{kind} {str(named[level - 1]).strip().replace(' ', '-')}" if 1 <= level <= len(named) else None


def hierarchy_files(named: Named | None) -> list[Path]:
    """The files of hierarchies in a policy or a roles file."""
    if named is None:
        return []
    if isinstance(named, Path):
        return sorted(named.glob("*hierarchy_*.csv"))
    return [one for one in named.values() if isinstance(one, Path)]


def name_of(column: str) -> Phrase:
    """What messages call the hierarchy of a column that has no file."""
    return Phrase("hierarchy of {column!r}", column=column)


def _as_hierarchy(given: object, column: str) -> Hierarchy | Declaration:
    if isinstance(given, Hierarchy | Declaration):
        return given
    if isinstance(given, str | Path):
        return read_hierarchy(Path(given))
    if isinstance(given, Mapping):
        return declared(given, name_of(column))
    if not isinstance(given, Iterable):
        raise HierarchyError(
            "{name}: expected a file, rows of levels or a declaration, got {type}",
            name=name_of(column),
            type=type(given).__name__,
        )
    return Hierarchy(given, name_of(column))


Labels = tuple[str, ...]


def _cuts_again(_words: Words, earlier: Hierarchy) -> Callable[[str], Labels | None]:
    return between_same_cuts(earlier.levels[1 : earlier.height]).path


def _rare_again(words: Words, earlier: Hierarchy) -> Callable[[str], Labels | None]:
    """A value that was not there is one of the rare ones."""
    _, label = rare_limits(words)
    return lambda _value: (label,) * (earlier.height - 1)


# Kinds whose levels depend on the records that were there, and where new values have their place among these levels.
_BY_RECORDS: Mapping[str, Callable[[Words, Hierarchy], Callable[[str], Labels | None]]] = {
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


def _extended(hierarchy: Hierarchy, paths: Mapping[str, Labels]) -> Hierarchy:
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
