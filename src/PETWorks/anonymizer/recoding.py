"""A table as measures would see it if it were released."""

from dataclasses import replace

import numpy as np

from PETWorks.about.treatment import AS_CLASS
from PETWorks.anonymizer.ground import Ground, NodeClasses
from PETWorks.anonymizer.recoder import Recoder
from PETWorks.counting.codes import suppress_cells
from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import Field, pack
from PETWorks.counting.view import View
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.measures.class_tests import Mask
from PETWorks.tables.cells import SUPPRESSED


def recoded_view(classes: NodeClasses, suppressed: Mask) -> View:
    """The release on the levels of a node, with some classes suppressed."""
    return view_after(classes.ground, Recoder.on_one_node(classes, suppressed))


def view_after(ground: Ground, recoder: Recoder) -> View:
    """A view of rows that are recoded; where suppressed records leave the table, it knows what they were."""
    view = ground.view
    table: WeightedRows = view.table  # type: ignore[assignment]
    codes = [ground.values_of(name, table.columns[name].codes) for name in recoder.columns]
    if not recoder.removes:
        return replace(view, table=WeightedRows({**table.columns, **recoder.recoded(codes)}, table.unit, table.weights))
    out = recoder.suppressed(codes)
    rows = WeightedRows({**table.columns, **recoder.recoded(codes)}, table.unit, table.weights, whole=False)
    left = rows.taken(np.flatnonzero(~out)) if out.any() else rows
    released = WeightedRows(left.columns, left.unit, left.weights)
    released.origin = np.flatnonzero(~out)
    treatment = {**view.treatment, "suppressed": AS_CLASS}  # records of which every value is `*` are left, and a class
    return replace(view, table=released, treatment=treatment, with_removed=lambda: _with_stars(view, rows, out))


def _with_stars(view: View, rows: WeightedRows, out: Mask) -> View:
    """The view of a release that keeps its suppressed records, with `*` in every quasi-identifier."""
    columns = dict(rows.columns)
    for name in view.quasi_identifiers:
        columns[name] = suppress_cells(columns[name], out)
    return replace(view, table=WeightedRows(columns, rows.unit, rows.weights))


def suppressed_before(classes: NodeClasses) -> Mask:
    """Which records, in the order of the input, are suppressed there already."""
    table: WeightedRows = classes.ground.view.table  # type: ignore[assignment]
    stars = [table.columns[name].code(SUPPRESSED) for name in classes.columns]
    if None in stars:
        return np.zeros(table.rows, np.bool_)
    own = zip(classes.columns, stars, strict=True)
    return np.asarray(np.logical_and.reduce([table.columns[name].codes == star for name, star in own]))


def in_classes(classes: NodeClasses, some: Mask, codes: list[Integers]) -> Mask:
    """Which rows, given by their codes on the levels of the node, are in some of its classes."""
    return places_in(classes, some, codes) >= 0


def places_in(classes: NodeClasses, some: Mask, codes: list[Integers]) -> Integers:
    """In which of some classes rows are, given by their codes on the levels of the node; -1 for none of them."""
    rows = len(codes[0])
    if not some.any() or not rows:
        return np.full(rows, -1, np.int64)
    both = [np.concatenate([own, theirs]) for own, theirs in zip(codes, classes.codes(some), strict=True)]
    keys = pack([Field(own.astype(np.uint64), int(own.max()).bit_length()) for own in both]).keys
    known = keys[rows:]  # classes are in the order of their keys
    place = np.minimum(np.searchsorted(known, keys[:rows]), len(known) - 1)
    return np.where(known[place] == keys[:rows], place, -1)
