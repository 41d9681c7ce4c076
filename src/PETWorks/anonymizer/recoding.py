"""Recoding: mapping the cells of a table to those of its release, for any engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.treatment import AS_CLASS
from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.counting.codes import Codes, Column, Domain, encode_with_labels, suppress_cells
from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import Field, Layout, pack
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.view import View
from PETWorks.errors import InputError
from PETWorks.measures.classes import Mask
from PETWorks.tables.arrays import strings
from PETWorks.tables.cells import SUPPRESSED

if TYPE_CHECKING:
    import pyarrow as pa

    from PETWorks.anonymizer.lattice import Node


NOT_RELEASED = -1  # the node index of rows that are on no node and so suppressed
STEP = 1 << 16  # rows that are recoded together; they fit into the CPU cache


@dataclass(frozen=True, eq=False)
class ColumnRecoder:
    """The mapping of one column to the levels that are used.

    values      its values in the table
    labels      its values in the release, `*` first
    by_level    for each level that is used, and each value, its index in `labels`; the last row is all `*`
    of_node     for each node the index of its level in `by_level`; the last one is for suppressed rows
    key_codes   for each value its code in the keys
    """

    values: "pa.Array"
    labels: "pa.Array"
    by_level: NDArray[np.uint32]
    of_node: Integers
    key_codes: Integers

    @classmethod
    def of(cls, cube: "DataCube", name: str, levels: Sequence[int], key_level: int) -> "ColumnRecoder":
        """Build the mapping of a column for the level it has on each node; keys use the codes on `key_level`."""
        labels: dict[str | None, int] = {SUPPRESSED: 0}
        used = sorted(set(levels))
        by_level = []
        for level in used:
            label_codes = [labels.setdefault(value, len(labels)) for value in cube.on_level(name, level).values]
            by_level.append(np.array(label_codes, np.uint32)[cube.codes_on_level(name, level)])
        values = cube.on_level(name, 0).labels
        by_level.append(np.zeros(len(values), np.uint32))
        of_node = [*(used.index(level) for level in levels), len(used)]
        key_codes = cube.codes_on_level(name, key_level)
        return cls(values, strings(list(labels)), np.stack(by_level), np.array(of_node), key_codes)

    def recode(self, codes: Codes, nodes: Integers | int) -> Codes:
        """Map rows, given by their codes, to the levels of their nodes."""
        level = self.of_node[nodes]
        return np.asarray(self.by_level[level, codes] if np.ndim(level) else self.by_level[level][codes])


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """The values that some classes show instead of the labels of their levels.

    layout   how codes of labels are packed into keys, one code for each quasi-identifier
    keys     the ascending keys of the classes
    labels   by column, all labels: those of its recoder first
    codes    by column, the code of what each class shows
    """

    layout: Layout
    keys: Codes
    labels: "Mapping[str, pa.Array]"
    codes: Mapping[str, Codes]

    def shown(self, name: str, classes: tuple[Integers, Mask], labels: Codes) -> Codes:
        """The codes of a column for rows of these classes, given the codes of its labels."""
        if name not in self.codes:
            return labels
        index, known = classes
        return np.where(known, self.codes[name][index], labels).astype(np.uint32)

    def classes_of(self, labels: Sequence[Codes]) -> tuple[Integers, Mask]:
        """The class of each row, given the codes of its labels, and whether it is in one."""
        keys, known = self.layout.packed(labels, self.keys.dtype)
        index = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return index, known & (self.keys[index] == keys)


@dataclass(frozen=True, eq=False)
class Recoder:
    """The mapping from any rows of a table to the release.

    columns     the quasi-identifiers
    changed     the quasi-identifiers that differ from the input
    keys        ascending keys of the rows with an entry in `on_node`; all other rows are on the node `otherwise`
    removes     whether suppressed rows leave the table
    class_labels   what classes show instead of some labels
    """

    columns: tuple[str, ...]
    changed: tuple[str, ...]
    by_column: tuple[ColumnRecoder, ...]
    layout: Layout
    keys: Codes
    on_node: Integers
    otherwise: int
    removes: bool = False
    class_labels: ClassLabels | None = None

    @classmethod
    def on_one_node(cls, classes: "NodeClasses", suppressed: "Mask") -> "Recoder":
        """All rows on one node, except those of the suppressed classes."""
        names, node = classes.columns, classes.node
        by_column = [
            ColumnRecoder.of(classes.cube, name, [level], level) for name, level in zip(names, node, strict=True)
        ]
        removes = classes.cube.removes
        has_new_stars = bool(suppressed.any()) and not removes
        changed = tuple(name for name, level in zip(names, node, strict=True) if level or has_new_stars)
        sizes = [len(classes.cube.on_level(*column).labels) for column in zip(names, node, strict=True)]
        codes = classes.codes(suppressed)
        return cls(
            names,
            changed,
            tuple(by_column),
            *_sort_keys(codes, sizes, np.full(len(codes[0]), NOT_RELEASED)),
            0,
            removes,
        )

    @classmethod
    def on_nodes(cls, cube: "DataCube", nodes: "Sequence[Node]", on_node: Integers) -> "Recoder":
        """Each distinct row on its own node, given by index, or LEFT; all other rows are suppressed."""
        names, rows = cube.lattice.columns, cube.base.rows
        by_column = [
            ColumnRecoder.of(cube, name, [node[index] for node in nodes], 0) for index, name in enumerate(names)
        ]
        sizes = [len(rows.domains[name].labels) for name in names]
        codes = [rows.columns[name].codes.astype(np.int64) for name in names]
        has_new_stars = (bool((on_node == NOT_RELEASED).any()) or not nodes) and not cube.removes
        changed = tuple(name for index, name in enumerate(names) if has_new_stars or any(node[index] for node in nodes))
        return cls(names, changed, tuple(by_column), *_sort_keys(codes, sizes, on_node), NOT_RELEASED, cube.removes)

    @property
    def labels(self) -> "dict[str, pa.Array]":
        """For each column that changes, its possible values."""
        columns = zip(self.columns, self.by_column, strict=True)
        labels = {name: column.labels for name, column in columns if name in self.changed}
        return labels if self.class_labels is None else {**labels, **self.class_labels.labels}

    def nodes_of(self, codes: Sequence[Codes]) -> Integers | int:
        """The node of each row; a single number if all rows are on the same node."""
        if not len(self.keys):
            return self.otherwise
        key_codes = [column.key_codes[codes_of] for column, codes_of in zip(self.by_column, codes, strict=True)]
        keys, known = self.layout.packed(key_codes, self.keys.dtype)
        index = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known &= self.keys[index] == keys
        return np.where(known, self.on_node[index], self.otherwise) if known.any() else self.otherwise

    def all_nodes_of(self, codes: Sequence[Codes]) -> Integers | int:
        """The node of each row, found for some rows at a time; a single number if all rows are on the same node."""
        if not len(self.keys):
            return self.otherwise
        nodes = np.empty(len(codes[0]), np.int64)
        for first in range(0, len(nodes), STEP):
            nodes[first : first + STEP] = self.nodes_of([column_codes[first : first + STEP] for column_codes in codes])
        return nodes

    def suppressed(self, codes: Sequence[Codes], nodes: Integers | int | None = None) -> "Mask":
        """Mask of the rows, given by the codes of their values, that are suppressed in the release.

        nodes   the node of each row, if it is known
        """
        is_suppressed = np.empty(len(codes[0]), np.bool_)
        is_suppressed[:] = np.equal(self.all_nodes_of(codes) if nodes is None else nodes, NOT_RELEASED)
        stars = [Domain(column.values).code(SUPPRESSED) for column in self.by_column]
        if None not in stars:
            is_suppressed |= np.logical_and.reduce(
                [column_codes == star for column_codes, star in zip(codes, stars, strict=True)]
            )
        return is_suppressed

    def kept(self, cells: "Sequence[pa.ChunkedArray]", *, spaced_quotes: bool = False) -> "Mask | None":
        """Mask of the rows, given by their cells, that are released; None if all are."""
        return ~self.suppressed(self._codes_of(cells, spaced_quotes)) if self.removes else None

    def recode(self, codes: Sequence[Codes], nodes: Integers | int | None = None) -> dict[str, Column]:
        """The columns that change, for rows given by the codes of their values; and by their nodes, if known."""
        return {name: Column(self.labels[name], new_codes) for name, new_codes in self._new_codes(codes, nodes).items()}

    def new_codes(self, cells: "Sequence[pa.ChunkedArray]", *, spaced_quotes: bool = False) -> dict[str, Codes]:
        """The columns that change, as indices into their labels, for rows given by their cells."""
        return self._new_codes(self._codes_of(cells, spaced_quotes))

    def _codes_of(self, cells: "Sequence[pa.ChunkedArray]", spaced_quotes: bool) -> list[Codes]:
        codes = []
        for chunks, column in zip(cells, self.by_column, strict=True):
            column_codes = encode_with_labels(chunks, column.values, spaced_quotes)
            if column_codes is None:
                raise InputError("the table has changed since its values were counted; it must not while it is read")
            codes.append(column_codes)
        return codes

    def _new_codes(self, codes: Sequence[Codes], all_nodes: Integers | int | None = None) -> dict[str, Codes]:
        rows = len(codes[0])
        new: dict[str, Codes] = {name: np.empty(rows, np.uint32) for name in self.changed}
        for first in range(0, rows, STEP):
            codes_of_step = [column_codes[first : first + STEP] for column_codes in codes]
            nodes = self.nodes_of(codes_of_step) if all_nodes is None else all_nodes
            nodes = nodes if all_nodes is None or isinstance(nodes, int) else nodes[first : first + STEP]
            needed = self.columns if self.class_labels is not None else self.changed
            labels = {
                name: column.recode(column_codes, nodes)
                for name, column, column_codes in zip(self.columns, self.by_column, codes_of_step, strict=True)
                if name in needed
            }
            classes = None if self.class_labels is None else self.class_labels.classes_of(list(labels.values()))
            for name, new_codes in new.items():
                shown = labels[name]
                if self.class_labels is not None and classes is not None:
                    shown = self.class_labels.shown(name, classes, shown)
                new_codes[first : first + STEP] = shown
        return new


def _sort_keys(codes: Sequence[Integers], sizes: Sequence[int], on_node: Integers) -> tuple[Layout, Codes, Integers]:
    """The ascending keys of rows, given by codes and the number of codes per column, and the node of each."""
    fields = [
        Field(column_codes.astype(np.uint64), (size - 1).bit_length())
        for column_codes, size in zip(codes, sizes, strict=True)
    ]
    keys, _, layout = pack(fields)
    distinct, first = np.unique(keys, return_index=True)
    return layout, distinct, on_node[first]


def recoded_view(classes: NodeClasses, suppressed: Mask) -> View:
    """The release on the levels of a node, with some classes suppressed."""
    return view_after(classes.cube, Recoder.on_one_node(classes, suppressed))


def view_after(cube: DataCube, recoder: Recoder) -> View:
    """A view of the recoded rows; if suppressed records leave the table, it can restore them with `*`."""
    view = cube.view
    table: WeightedRows = view.table  # type: ignore[assignment]
    codes = [cube.values_of(name, table.columns[name].codes) for name in recoder.columns]
    if not recoder.removes:
        return replace(view, table=WeightedRows({**table.columns, **recoder.recode(codes)}, table.unit, table.weights))
    nodes = recoder.all_nodes_of(codes)
    is_suppressed = recoder.suppressed(codes, nodes)
    rows = WeightedRows({**table.columns, **recoder.recode(codes, nodes)}, table.unit, table.weights, whole=False)
    left = rows.take(np.flatnonzero(~is_suppressed)) if is_suppressed.any() else rows
    released = WeightedRows(left.columns, left.unit, left.weights)
    released.origin = np.flatnonzero(~is_suppressed)
    treatment = {**view.treatment, "suppressed": AS_CLASS}  # remaining records of all `*` form a class
    return replace(
        view, table=released, treatment=treatment, with_removed=lambda: _with_stars(view, rows, is_suppressed)
    )


def _with_stars(view: View, rows: WeightedRows, is_suppressed: Mask) -> View:
    """The view of a release that keeps its suppressed records, with `*` in every quasi-identifier."""
    columns = dict(rows.columns)
    for name in view.quasi_identifiers:
        columns[name] = suppress_cells(columns[name], is_suppressed)
    return replace(view, table=WeightedRows(columns, rows.unit, rows.weights))


def suppressed_before(classes: NodeClasses) -> Mask:
    """Mask of the records, in input order, that are suppressed in the input."""
    table: WeightedRows = classes.cube.view.table  # type: ignore[assignment]
    stars = [table.columns[name].code(SUPPRESSED) for name in classes.columns]
    if None in stars:
        return np.zeros(table.rows, np.bool_)
    star_of_column = zip(classes.columns, stars, strict=True)
    return np.asarray(np.logical_and.reduce([table.columns[name].codes == star for name, star in star_of_column]))


def in_classes(classes: NodeClasses, selected: Mask, codes: list[Integers]) -> Mask:
    """Mask of the rows, given by their codes on the levels of the node, that are in the selected classes."""
    return class_indices(classes, selected, codes) >= 0


def class_indices(classes: NodeClasses, selected: Mask, codes: list[Integers]) -> Integers:
    """The index of each row's class among the selected classes; -1 if it is in none of them."""
    rows = len(codes[0])
    if not selected.any() or not rows:
        return np.full(rows, -1, np.int64)
    both = [
        np.concatenate([row_codes, class_codes])
        for row_codes, class_codes in zip(codes, classes.codes(selected), strict=True)
    ]
    keys = pack([Field(row_codes.astype(np.uint64), int(row_codes.max()).bit_length()) for row_codes in both]).keys
    known = keys[rows:]  # classes are in the order of their keys
    index = np.minimum(np.searchsorted(known, keys[:rows]), len(known) - 1)
    return np.where(known[index] == keys[:rows], index, -1)
