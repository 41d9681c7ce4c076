"""What goes out: the columns that change, and the release that can be evaluated."""

from typing import TYPE_CHECKING

from PETWorks.anonymizer.ground import NodeClasses
from PETWorks.anonymizer.recoding import recoded_columns
from PETWorks.counting.release import Release
from PETWorks.measures.class_tests import Mask
from PETWorks.tables.arrays import dictionary

if TYPE_CHECKING:
    import pyarrow as pa


def changed_columns(classes: NodeClasses, suppressed: Mask) -> "dict[str, pa.Array]":
    """The quasi-identifiers that are not as they were, as texts, in the order of the input."""
    columns, _ = recoded_columns(classes, suppressed)
    touched = bool(suppressed.any())
    return {
        name: dictionary(column.codes, column.labels)
        for (name, column), level in zip(columns.items(), classes.node, strict=True)
        if level or touched
    }


def as_release(original: Release, table: "pa.Table") -> Release:
    """The release with what is known of the original."""
    given, population = original.view.background.given, original.view.background.population
    treatment = {name: way for name, way in original.treatment.items() if name != "privacy_unit"}
    unit = original.privacy_unit if original.privacy_unit in table.column_names else None
    return Release(
        table,
        {name: role for name, role in original.roles.items() if name in table.column_names},
        original.hierarchies,
        given[0] if given[1] is None else given[1],
        population=None if population is None else population.given_as,
        privacy_unit=unit,
        engine="memory",
        memory_limit=original.memory_limit,
        **treatment,
    )
