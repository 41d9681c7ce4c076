"""A table as it would be released: on the levels of a node, with some classes suppressed."""

from dataclasses import replace

import numpy as np

from PETWorks.anonymizer.ground import NodeClasses
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers
from PETWorks.counting.keys import Field, pack
from PETWorks.counting.view import View
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.measures.class_tests import Mask
from PETWorks.tables.arrays import strings
from PETWorks.tables.cells import SUPPRESSED


def recoded_columns(classes: NodeClasses, suppressed: Mask) -> tuple[dict[str, Column], Mask]:
    """The quasi-identifiers of all records in the order of the input, and which records are suppressed."""
    ground = classes.ground
    table: WeightedRows = ground.view.table  # type: ignore[assignment]
    on_levels = list(zip(classes.columns, classes.node, strict=True))
    codes = [ground.codes_on_level(name, level)[table.columns[name].codes] for name, level in on_levels]
    out = suppressed_before(classes) | in_classes(classes, suppressed, codes)
    columns = {
        name: _suppressed(ground.on_level(name, level).values, own, out)
        for (name, level), own in zip(on_levels, codes, strict=True)
    }
    return columns, out


def recoded_view(classes: NodeClasses, suppressed: Mask) -> View:
    """The release as measures see it."""
    view = classes.ground.view
    table: WeightedRows = view.table  # type: ignore[assignment]
    columns = {**table.columns, **recoded_columns(classes, suppressed)[0]}
    return replace(view, table=WeightedRows(columns, table.unit, table.weights))


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


def _suppressed(labels: list[str | None], codes: Integers, out: Mask) -> Column:
    """A column with `*` in the suppressed rows."""
    if not out.any():
        return Column(strings(labels), codes.astype(np.uint32))
    star = labels.index(SUPPRESSED) if SUPPRESSED in labels else len(labels)
    known = labels if star < len(labels) else [*labels, SUPPRESSED]
    return Column(strings(known), np.where(out, star, codes).astype(np.uint32))
