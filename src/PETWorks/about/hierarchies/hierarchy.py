"""Generalisation hierarchies: the coarser values of each value, and the level on which a column was released."""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from PETWorks.about.treatment import in_one_notation, visible_text
from PETWorks.errors import HierarchyError, Joined, NotApplicable, PETWorksError, Phrase, quoted, system_reason
from PETWorks.tables.arrays import Integers
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.files import read_small
from PETWorks.tables.formats.csv import decode

LARGEST_FILE = 1 << 28

MAX_LEVELS = 1000


class Hierarchy:
    """The leaves of a column's domain and, for each, its value on every level up to the top.

    >>> hierarchy = Hierarchy([["47906", "47*", "*"], ["48970", "48*", "*"]])
    >>> hierarchy.height
    2
    >>> hierarchy.level("48*")
    1
    """

    def __init__(self, rows: Iterable[Sequence[str]], name: str = "hierarchy") -> None:
        self.name = name
        paths = _read_paths(rows, name)
        if len(paths[0]) == 1 or len({path[-1] for path in paths}) > 1:
            paths = [(*path, SUPPRESSED) for path in paths]
        self.levels: list[list[str]] = [list(level) for level in zip(*paths, strict=True)]

    @property
    def height(self) -> int:
        """Number of times a leaf can be generalised."""
        return len(self.levels) - 1

    @property
    def leaves(self) -> list[str]:
        """The values on the lowest level."""
        return self.levels[0]

    @property
    def top(self) -> str:
        """The one value on the highest level."""
        return self.levels[-1][0]

    @cached_property
    def levels_of(self) -> dict[str, list[int]]:
        """For each value, the levels on which it occurs, from the lowest."""
        levels: dict[str, list[int]] = {}
        for level, values in enumerate(self.levels):
            for value in dict.fromkeys(values):
                levels.setdefault(value, []).append(level)
        return levels

    @cached_property
    def leaves_below(self) -> dict[str, int]:
        """For each value, the number of leaves below it on the highest level where it occurs."""
        leaves: dict[str, int] = {}
        for values in self.levels:
            leaves.update(Counter(values))
        return leaves

    def leaf_counts(self, values: Sequence[str | None], column: str) -> Integers:
        """For each released value the number of leaves it may stand for; missing and `*` stand for all."""
        below = self.leaves_below
        leaves = [len(self.leaves) if value is None or value == SUPPRESSED else below.get(value, 0) for value in values]
        unknown = leaves.count(0)
        if unknown:
            known = sum(value not in (None, SUPPRESSED) for value in values)
            raise misfit(column, self, unknown, known, Phrase("released values are not on any level of"))
        return np.array(leaves, np.int64)

    def level(self, value: str | None) -> int | None:
        """The lowest level on which a value occurs; the top for missing and `*`; None if it does not occur."""
        if value is None or value == SUPPRESSED:
            return self.height
        levels = self.levels_of.get(value)
        return levels[0] if levels else None

    def place(self, value: str | None) -> tuple[int, int] | None:
        """The lowest level of a value and one leaf below it; None if it does not occur, or is ambiguous."""
        level = self.level(value)
        if level is None:
            return None
        if level == self.height:
            return level, 0
        leaves = self._leaves_of[level][value]  # type: ignore[index]
        return (level, leaves[0]) if len(set(self.tree[level][leaves].tolist())) == 1 else None

    @cached_property
    def _leaves_of(self) -> list[dict[str, list[int]]]:
        """For each level, the leaves below each value."""
        by_level: list[dict[str, list[int]]] = [{} for _ in self.levels]
        for below, values in zip(by_level, self.levels, strict=True):
            for leaf, value in enumerate(values):
                below.setdefault(value, []).append(leaf)
        return by_level

    def fold(self) -> "Hierarchy":
        """The hierarchy with folded values; raise if equal values have different parents.

        Placeholders for unknown values keep their places: no value that is counted is one of them.
        """
        rows = [
            [in_one_notation(visible_text(cell) or SUPPRESSED) for cell in path]
            for path in zip(*self.levels, strict=True)
        ]
        return Hierarchy(rows, self.name)

    def to_level(self, level: int) -> dict[str, str]:
        """The label of each leaf on a level."""
        return dict(zip(self.leaves, self.levels[level], strict=True))

    def to_csv(self) -> str:
        """The text of a hierarchy file: a row for each leaf, without a header."""
        text = io.StringIO(newline="")
        # The writer puts a cell in quotes if it contains a line feed, but not if it contains a carriage return.
        returns = any("\r" in value for level in self.levels for value in level)
        writer = csv.writer(
            text, delimiter=";", lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
        )
        writer.writerows(zip(*self.levels, strict=True))
        return text.getvalue()

    @cached_property
    def tree(self) -> list[Integers]:
        """For each level, the node of each leaf: leaves share a node if their values agree from there to the top."""
        nodes = [np.zeros(len(self.leaves), np.int64)]
        for values in reversed(self.levels[:-1]):
            numbers: dict[tuple[int, str], int] = {}
            above = nodes[0].tolist()
            below = [numbers.setdefault(node, len(numbers)) for node in zip(above, values, strict=True)]
            nodes.insert(0, np.array(below, np.int64))
        return nodes


def _read_paths(rows: Iterable[Sequence[str]], name: str) -> list[tuple[str, ...]]:
    """The values of each leaf from the lowest level to the highest; raise for rows that are not a hierarchy."""
    leaves: dict[str, tuple[int, tuple[str, ...]]] = {}
    width = None
    for number, row in enumerate(rows, start=1):
        line = getattr(rows, "line_num", number)
        if not isinstance(row, list | tuple) or not all(isinstance(cell, str) for cell in row):
            raise HierarchyError("{name}: row {number} is not a list of strings, leaf first", name=name, number=number)
        cells = tuple(cell.strip() for cell in row)
        if cells in ((), ("",)):
            continue
        width = len(cells) if width is None else width
        _check_path(cells, width, name, line)
        known_line, known = leaves.setdefault(cells[0], (line, cells))
        if known != cells:
            raise HierarchyError(
                "{name}, line {line}: the leaf of line {known_line} again, with a different parent",
                name=name,
                line=line,
                known_line=known_line,
            )
    if not leaves:
        raise HierarchyError("{name}: the file is empty", name=name)
    return [path for _, path in leaves.values()]


def _check_path(cells: Sequence[str], width: int, name: str, line: int) -> None:
    """Raise unless a row has as many levels as those above, and not too many, and none is empty."""
    if len(cells) > MAX_LEVELS:
        raise HierarchyError(
            "{name}, line {line}: {found} levels; at most {most} are allowed",
            name=name,
            line=line,
            found=len(cells),
            most=MAX_LEVELS,
        )
    if len(cells) != width:
        raise HierarchyError(
            "{name}, line {line}: {found} levels, but the lines above have {expected}",
            name=name,
            line=line,
            found=len(cells),
            expected=width,
        )
    if not all(cells):
        raise HierarchyError(
            "{name}, line {line}: level {level} is empty", name=name, line=line, level=list(cells).index("")
        )


def read_hierarchies(folder: str | Path, columns: Iterable[str]) -> dict[str, Hierarchy]:
    """The hierarchies of those columns for which the folder has a file `...hierarchy_<column>.csv`."""
    try:
        if not Path(folder).is_dir():
            raise HierarchyError("the hierarchy folder {folder!r} does not exist", folder=str(folder))
        files = sorted(Path(folder).glob("*hierarchy_*.csv"))
    except OSError as error:
        raise HierarchyError(
            "cannot read the hierarchy folder {folder!r}: {reason}", folder=str(folder), reason=system_reason(error)
        ) from None
    hierarchies: dict[str, Hierarchy] = {}
    for column in columns:
        matching = [file for file in files if file.name.endswith(f"hierarchy_{column}.csv")]
        if len(matching) > 1:
            raise HierarchyError(
                "several hierarchies for column {column!r}: {named}",
                column=column,
                named=quoted(file.name for file in matching),
            )
        if matching:
            hierarchies[column] = read_hierarchy(matching[0])
    if not hierarchies:
        raise HierarchyError(
            "the hierarchy folder {folder!r} has no file '...hierarchy_<column>.csv' for any column of the data",
            folder=str(folder),
        )
    return hierarchies


def misfit(column: str, hierarchy: Hierarchy, unknown: int, values: int, what: Phrase) -> PETWorksError:
    """The error for values that are not in a hierarchy.

    If it has none of the values, it describes another coding of the column, and the measure does not apply.
    """
    kind = NotApplicable if unknown == values else HierarchyError
    return kind(
        Phrase(
            "column {column!r}: {strange} of {values} {misfit} its hierarchy ({hierarchy})",
            column=column,
            strange=unknown,
            values=values,
            misfit=what,
            hierarchy=hierarchy.name,
        ),
        what="hierarchies",
    )


def read_hierarchy(file: Path) -> Hierarchy:
    """The hierarchy in a file, which has a row for each leaf, with `;` between the levels."""
    text = decode(read_small(file, LARGEST_FILE, HierarchyError), file.name)
    if "\0" in text:
        raise HierarchyError(
            "{file}, line {line}: contains a NUL byte",
            file=file.name,
            line=text.count(chr(10), 0, text.index(chr(0))) + 1,
        )
    if ";" not in text and {line.count(",") > 0 for line in text.splitlines() if line.strip()} == {True}:
        raise HierarchyError("{file}: the levels are separated by ','; expected ';'", file=file.name)
    try:
        return Hierarchy(csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True), file.name)
    except csv.Error:
        raise HierarchyError(
            "{file}: a cell is longer than 128 KiB, or a quote is not closed", file=file.name
        ) from None


WHOLLY_SUPPRESSED = "suppressed"


def released_level(column: str, values: Collection[str], hierarchy: Hierarchy | None) -> int | str:
    """The level on which a column was released; without a hierarchy 0 or "suppressed". Ignores missing values."""
    if hierarchy is None:
        if SUPPRESSED not in values:
            return 0
        if set(values) == {SUPPRESSED}:
            return WHOLLY_SUPPRESSED
        raise NotApplicable(
            "column {column!r} has no hierarchy, and some but not all of its cells are suppressed", column=column
        )
    for level, labels in enumerate(hierarchy.levels):
        if set(values) <= set(labels) or (level == hierarchy.height and set(values) == {SUPPRESSED}):
            return level
    levels = [hierarchy.level(value) for value in values]
    unknown = levels.count(None)
    if unknown:
        raise misfit(column, hierarchy, unknown, len(values), Phrase("released values are not on any level of"))
    if len(set(levels)) == 1:
        raise NotApplicable(
            "column {column!r} mixes '*' with the top value of its hierarchy ({hierarchy})",
            column=column,
            hierarchy=hierarchy.name,
        )
    raise NotApplicable(
        "column {column!r} mixes levels {levels} of its hierarchy; one level per column is needed",
        column=column,
        levels=Joined(", ", map(str, sorted(set(levels)))),  # type: ignore[type-var]
    )


def recoding(
    column: str,
    values: Iterable[str | None],
    hierarchy: Hierarchy | None,
    level: int | str,
    released: Collection[str | None],
    what: Phrase,
) -> dict[str | None, str | None]:
    """The mapping of values of another table to the level of the release; `what` describes the values in errors."""
    values = list(values)
    # Missing cells were generalised with the rest, unless the release still has some.
    kept: dict[str | None, str | None] = {None: None} if None in released else {}
    if level == WHOLLY_SUPPRESSED:
        return {**dict.fromkeys(values, SUPPRESSED), **kept}
    if level == 0 or hierarchy is None:
        return {value: value for value in values}
    assert isinstance(level, int)
    if level == hierarchy.height:
        top = hierarchy.top if hierarchy.top in released else SUPPRESSED
        return {**dict.fromkeys(values, top), **kept}
    # Values already on that level stay; missing values stay missing below the top.
    lifted: dict[str | None, str | None] = {None: None}
    lifted.update((label, label) for label in hierarchy.levels[level])
    lifted.update(hierarchy.to_level(level))
    unknown = sum(value not in lifted for value in values)
    if unknown:
        known = len(values) - (None in values)
        raise misfit(column, hierarchy, unknown, known, what)
    return {value: lifted[value] for value in values}
