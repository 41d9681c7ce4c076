"""Hierarchies as users declare them: a file, rows, or a few words; and refitting a declaration to other values."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from PETWorks.about.hierarchies.dates import parse_dates
from PETWorks.about.hierarchies.groups import Rare, label_of_rare, parse_groups, parse_order, rare_limits
from PETWorks.about.hierarchies.hierarchy import Hierarchy, read_hierarchies, read_hierarchy
from PETWorks.about.hierarchies.intervals import (
    between_quantiles,
    between_same_cuts,
    parse_cuts,
    parse_parts,
    parse_style,
    parse_widths,
)
from PETWorks.about.hierarchies.scheme import Scheme, as_list
from PETWorks.about.hierarchies.texts import (
    parse_addresses,
    parse_british_postcodes,
    parse_diagnoses,
    parse_masks,
    parse_prefixes,
)
from PETWorks.errors import HierarchyError, Hint, ParameterError, Phrase, quoted, unknown
from PETWorks.tables.cells import SUPPRESSED

HierarchySpec = Mapping[str, Any]
HierarchySources = Path | Mapping[str, "Path | Declaration"]  # a folder, or a file or a declaration for each column
Counts = Mapping[str, int]
MAX_ADDED_LEAVES = 200_000  # leaves added because a label stands for them


def _independent_of_counts(
    read: Callable[[HierarchySpec], Scheme],
) -> Callable[[HierarchySpec], Callable[[Counts], Scheme]]:
    """Make a kind of hierarchy that does not depend on the records."""

    def prepare(words: HierarchySpec) -> Callable[[Counts], Scheme]:
        scheme = read(words)
        return lambda _counts: scheme

    return prepare


def _quantiles(words: HierarchySpec) -> Callable[[Counts], Scheme]:
    parts, style = parse_parts(words), parse_style(words)
    return lambda counts: between_quantiles(parts, counts, style)


def _rare(words: HierarchySpec) -> Callable[[Counts], Scheme]:
    limits, label = rare_limits(words)
    return lambda counts: Rare(counts, limits, label_of_rare(counts) if label is None else label)


# By the key that determines the kind of hierarchy: the keys that may accompany it, and the function that makes it.
# If several kinds fit, the first one counts.
KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[HierarchySpec], Callable[[Counts], Scheme]]]] = {
    "width": (("start", "bottom", "top", "cuts", "labels"), _independent_of_counts(parse_widths)),
    "cuts": (("labels",), _independent_of_counts(parse_cuts)),
    "quantiles": (("labels",), _quantiles),
    "dates": (("calendar", "day_first", "labels"), _independent_of_counts(parse_dates)),
    "prefix": ((), _independent_of_counts(parse_prefixes)),
    "mask": ((), _independent_of_counts(parse_masks)),
    "icd10": ((), _independent_of_counts(parse_diagnoses)),
    "address": ((), _independent_of_counts(parse_addresses)),
    "uk_postcode": ((), _independent_of_counts(parse_british_postcodes)),
    "order": (("sizes",), _independent_of_counts(parse_order)),
    "groups": ((), _independent_of_counts(parse_groups)),
    "rare": ((), _rare),
    "top": (("bottom", "labels"), _independent_of_counts(parse_widths)),
    "bottom": (("labels",), _independent_of_counts(parse_widths)),
}
KINDS_WITH_LEVEL_NAMES = (
    "width",
    "dates",
    "prefix",
    "mask",
    "icd10",
    "address",
    "uk_postcode",
)  # kinds whose words describe each level without cells
DECLARATION_KEYS = list(dict.fromkeys(key for kind, (extra, _) in KINDS.items() for key in (kind, *extra)))


@dataclass(frozen=True)
class Declaration:
    """A hierarchy in a few words; its levels do not depend on the order of the records."""

    words: HierarchySpec
    scheme: Callable[[Counts], Scheme]

    @classmethod
    def of(cls, words: HierarchySpec) -> "Declaration":
        """Parse and check the words, without the data."""
        for key in words:
            if key not in DECLARATION_KEYS:
                raise HierarchyError(unknown("kind of hierarchy", str(key), DECLARATION_KEYS).message)
        kind = next((kind for kind in KINDS if kind in words), None)
        if kind is None:
            raise HierarchyError("expected one of the keys {keys}", keys=quoted(KINDS))
        other_keys, prepare = KINDS[kind]
        extra_keys = [key for key in words if key not in (kind, *other_keys)]
        if extra_keys:
            raise HierarchyError("{strange} cannot be combined with {kind!r}", strange=quoted(extra_keys), kind=kind)
        return cls(words, prepare(words))

    def build(
        self,
        counts: Mapping[str | None, int],
        released: Iterable[str | None] = (),
        population: Iterable[str | None] = (),
        name: str = "",
    ) -> Hierarchy:
        """The hierarchy of a column.

        counts       the number of records with each value, before the column was generalised
        released     the values after generalisation: labels of the hierarchy among them are not leaves
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
    """Collects the leaves of a hierarchy."""

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.paths: dict[str, tuple[str, ...]] = {}
        self.labels: set[str] = set()
        self.values = self.unplaced = self.without_values = self.added = 0

    def add(self, values: set[str], *, new_leaves: bool = True) -> None:
        """Add values of a table: leaves first, so that labels of the levels above them are known.

        new_leaves   whether values that are neither known nor labels may be leaves
        """
        new_values = {value for value in values if value not in self.paths and value not in self.labels}
        self.values += len(new_values)
        below = {value: leaves for value in new_values if (leaves := self.scheme.below(value)) is not None}
        paths = {value: self.scheme.path(value) if new_leaves else None for value in new_values if value not in below}
        self.unplaced += sum(path is None for path in paths.values())
        self._add_leaves(paths)
        for label in sorted(below):
            if label in self.labels:
                continue
            leaves = list(islice(below[label], max(MAX_ADDED_LEAVES + 1 - self.added, 0)))
            self.added += len(leaves)
            if leaves and self.added <= MAX_ADDED_LEAVES:
                self._add_leaves({value: self.scheme.path(value) for value in leaves})
            else:
                self.without_values += 1

    def _add_leaves(self, paths: Mapping[str, tuple[str, ...] | None]) -> None:
        self.paths.update({value: path for value, path in paths.items() if path is not None})
        self.labels.update(label for path in paths.values() for label in path or ())

    def hierarchy(self, name: str) -> Hierarchy:
        """Build the hierarchy; raise if some value has no place, or the levels do not nest."""
        if self.unplaced:
            problem = Phrase(
                "{strange} of {values} values have no place; expected {expects}",
                strange=self.unplaced,
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
    values: Iterable[Any] | Mapping[Any, int],
    words: HierarchySpec,
    released: Iterable[Any] = (),
    name: str = "hierarchy",
) -> Hierarchy:
    """The hierarchy declared by a few words for the values of a column.

    values     the cells of the column, or the number of records with each
    words      the declaration, as under `hierarchies` in a policy, such as `{"width": [5, 10]}`
    released   the cells after they were generalised, if there are any

    >>> build_hierarchy(["31", "36", "47"], {"width": [5, 10]}).levels[1:3]
    [['[30, 35)', '[35, 40)', '[45, 50)'], ['[30, 40)', '[30, 40)', '[40, 50)']]
    """
    counts: Counter[str | None] = Counter()
    for value, count in values.items() if isinstance(values, Mapping) else Counter(values).items():
        counts[_cell(value)] += count
    return parse_declaration(words, name).build(counts, map(_cell, released), name=name)


def _cell(value: Any) -> str | None:
    """A value as the text of a cell; None for missing values and NaN."""
    text = "" if value is None or value != value else str(value).strip()
    return text or None


def parse_declaration(words: HierarchySpec, name: str) -> Declaration:
    """Parse the words of a declaration; errors name the hierarchy."""
    try:
        return Declaration.of(words)
    except (HierarchyError, ParameterError) as error:
        raise HierarchyError("{name}: {problem}", name=name, problem=error.message) from None


def as_hierarchies(hierarchies: object, columns: Iterable[str]) -> dict[str, Hierarchy | Declaration]:
    """Hierarchies from any argument: None, a folder, or by column a file, rows, words or a Hierarchy."""
    if hierarchies is None:
        return {}
    if isinstance(hierarchies, Mapping):
        names = set(columns)
        unknown_columns = [column for column in hierarchies if column not in names]
        if unknown_columns:
            raise HierarchyError(
                "hierarchies for columns that are not in the data: {strange}", strange=quoted(unknown_columns)
            )
        return {column: _as_hierarchy(item, column) for column, item in hierarchies.items()}
    if isinstance(hierarchies, str | Path):
        return {**read_hierarchies(hierarchies, columns)}
    raise HierarchyError(
        "expected hierarchies as a folder or as a dict by column, got {type}", type=type(hierarchies).__name__
    )


def level_description(words: HierarchySpec | None, level: int) -> str | None:
    """The description of a level in the declaration: `dates 5-years`, `width 10`; None if it has none.

    >>> level_description({"dates": ["month", "year"]}, 2), level_description({"rare": {"fewer_than": 5}}, 1)
    ('dates year', None)
    """
    kind = next((kind for kind in KINDS_WITH_LEVEL_NAMES if words is not None and kind in words), None)
    if words is None or kind is None:
        return None
    descriptions = as_list(words[kind])
    return (
        f"{kind} {str(descriptions[level - 1]).strip().replace(' ', '-')}" if 1 <= level <= len(descriptions) else None
    )


def hierarchy_files(named: HierarchySources | None) -> list[Path]:
    """The hierarchy files named by a policy or a roles file."""
    if named is None:
        return []
    if isinstance(named, Path):
        return sorted(named.glob("*hierarchy_*.csv"))
    return [item for item in named.values() if isinstance(item, Path)]


def hierarchy_name(column: str) -> Phrase:
    """The name in messages of the hierarchy of a column without a file."""
    return Phrase("hierarchy of {column!r}", column=column)


def _as_hierarchy(hierarchy: object, column: str) -> Hierarchy | Declaration:
    if isinstance(hierarchy, Hierarchy | Declaration):
        return hierarchy
    if isinstance(hierarchy, str | Path):
        return read_hierarchy(Path(hierarchy))
    if isinstance(hierarchy, Mapping):
        return parse_declaration(hierarchy, hierarchy_name(column))
    if not isinstance(hierarchy, Iterable):
        raise HierarchyError(
            "{name}: expected a file, rows of levels or a declaration, got {type}",
            name=hierarchy_name(column),
            type=type(hierarchy).__name__,
        )
    return Hierarchy(hierarchy, hierarchy_name(column))


Labels = tuple[str, ...]


def _place_between_earlier_cuts(words: HierarchySpec, earlier: Hierarchy) -> Callable[[str], Labels | None]:
    return between_same_cuts(earlier.levels[1 : earlier.height], parse_style(words)).path


def _place_as_rare(words: HierarchySpec, earlier: Hierarchy) -> Callable[[str], Labels | None]:
    """New values are rare values, and have the label that the rare ones had."""
    _, given = rare_limits(words)
    between = earlier.levels[1 : earlier.height]
    used = (label for level in between for leaf, label in zip(earlier.leaves, level, strict=True) if label != leaf)
    label = given or next(used, None) or label_of_rare(earlier.leaves)
    return lambda _value: (label,) * (earlier.height - 1)


# Kinds whose levels depend on the records, and the function that places new values on the earlier levels.
_BY_RECORDS: Mapping[str, Callable[[HierarchySpec, Hierarchy], Callable[[str], Labels | None]]] = {
    "quantiles": _place_between_earlier_cuts,
    "rare": _place_as_rare,
}
_KINDS_LISTING_ALL_VALUES = ("order", "groups")  # kinds whose words list all values


def declaration_as_json(words: HierarchySpec | None) -> HierarchySpec | None:
    """The words of a declaration as JSON, for a plan; None if the hierarchy itself is enough."""
    if words is None or _kind(words) in _KINDS_LISTING_ALL_VALUES:
        return None
    plain: dict[str, Any] = _plain(words)
    return plain


def needs_earlier_hierarchy(words: HierarchySpec | None) -> bool:
    """Whether the earlier hierarchy is needed to fit another table."""
    return words is None or _kind(words) in _BY_RECORDS


def hierarchy_digest(hierarchy: Hierarchy) -> str:
    """SHA-256 of a hierarchy as a CSV file."""
    return hashlib.sha256(hierarchy.to_csv().encode("utf-8", "surrogateescape")).hexdigest()


def refit_hierarchy(
    column: str, values: Iterable[str | None], words: HierarchySpec | None, earlier: Hierarchy | None, height: int = 1
) -> tuple[Hierarchy, frozenset[str]]:
    """The hierarchy for the values of a column of another table, and the values that have no place in it.

    A value without a place is its own label up to the top, so that measures find it.

    words     the declaration, if the earlier hierarchy is not enough
    earlier   the earlier hierarchy, if it is needed
    height    its highest level, which the words do not determine if no value has a place
    """
    known = {value for value in values if value is not None and value != SUPPRESSED}
    fitted = _fit_hierarchy(column, known, words, earlier)
    if fitted.leaves == [SUPPRESSED]:
        fitted = Hierarchy([[SUPPRESSED] * (height + 1)], fitted.name)
    unplaced = known - set(fitted.leaves) - _labels_on_every_level(fitted)
    single = sorted(value for value in unplaced if value not in fitted.levels_of)
    return _extend_hierarchy(fitted, {value: (value,) * (fitted.height - 1) for value in single}), frozenset(unplaced)


def _fit_hierarchy(column: str, values: set[str], words: HierarchySpec | None, earlier: Hierarchy | None) -> Hierarchy:
    name = hierarchy_name(column)
    if not needs_earlier_hierarchy(words):
        assert words is not None
        declaration = parse_declaration(words, name)
        scheme = declaration.scheme({})
        return declaration.build({value: 1 for value in values if _fits(scheme, value)}, name=name)
    assert earlier is not None
    if words is None:
        return earlier
    parse_declaration(words, name)  # for its errors
    path_of = _BY_RECORDS[_kind(words)](words, earlier)
    new = sorted(value for value in values if value not in earlier.levels_of)
    paths = {value: path for value in new if (path := path_of(value)) is not None}
    return _extend_hierarchy(earlier, paths)


def _fits(scheme: Scheme, value: str) -> bool:
    """Whether a declared hierarchy has a place for a value, which may also be a label that stands for some values."""
    below = scheme.below(value)
    return scheme.path(value) is not None if below is None else next(iter(below), None) is not None


def _labels_on_every_level(hierarchy: Hierarchy) -> set[str]:
    """Labels that can be cells of the table because they are on every level between the leaves and the top."""
    between = hierarchy.levels[1 : hierarchy.height] or [hierarchy.levels[-1]]
    return set.intersection(*map(set, between))


def _extend_hierarchy(hierarchy: Hierarchy, paths: Mapping[str, Labels]) -> Hierarchy:
    """A hierarchy with further leaves, given their labels below the top."""
    if not paths:
        return hierarchy
    rows = list(zip(*hierarchy.levels, strict=True))
    new = [(leaf, *path, hierarchy.top) for leaf, path in paths.items()]
    return Hierarchy([*rows, *new], hierarchy.name)


def _kind(words: HierarchySpec) -> str:
    kind = next((kind for kind in KINDS if kind in words), None)
    if kind is None:
        raise HierarchyError("expected one of the keys {keys}", keys=quoted(KINDS))
    return kind


def _plain(words: Any) -> Any:
    """Words as JSON values: other types as text."""
    if isinstance(words, Mapping):
        return {str(key): _plain(item) for key, item in words.items()}
    if isinstance(words, Collection) and not isinstance(words, str):
        return [_plain(item) for item in words]
    return words if type(words) in (str, int, bool) else str(words)
