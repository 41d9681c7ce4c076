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
    out = rows_of(classes, suppressed, codes)
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


def rows_of(classes: NodeClasses, some: Mask, codes: list[Integers]) -> Mask:
    """Which rows, given by their codes on the levels of the node, are in some of its classes or suppressed before."""
    ground = classes.ground
    table: WeightedRows = ground.view.table  # type: ignore[assignment]
    rows = len(codes[0])
    stars = [table.columns[name].code(SUPPRESSED) for name in classes.columns]
    out = np.zeros(rows, np.bool_)
    if None not in stars:
        own = zip(classes.columns, stars, strict=True)
        out = np.logical_and.reduce([table.columns[name].codes == star for name, star in own])
    return out | in_classes(classes, some, codes)


def in_classes(classes: NodeClasses, some: Mask, codes: list[Integers]) -> Mask:
    """Which rows, given by their codes on the levels of the node, are in some of its classes."""
    rows = len(codes[0])
    if not some.any():
        return np.zeros(rows, np.bool_)
    both = [np.concatenate([own, theirs]) for own, theirs in zip(codes, classes.codes(some), strict=True)]
    keys = pack([Field(own.astype(np.uint64), int(own.max()).bit_length()) for own in both]).keys
    return np.isin(keys[:rows], keys[rows:])


def _suppressed(labels: list[str | None], codes: Integers, out: Mask) -> Column:
    """A column with `*` in the suppressed rows."""
    if not out.any():
        return Column(strings(labels), codes.astype(np.uint32))
    star = labels.index(SUPPRESSED) if SUPPRESSED in labels else len(labels)
    known = labels if star < len(labels) else [*labels, SUPPRESSED]
    return Column(strings(known), np.where(out, star, codes).astype(np.uint32))
