"""`apply_levels`: a table on levels of one's own choice."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from PETWorks.about.declaration import name_of
from PETWorks.about.hierarchy import Hierarchy
from PETWorks.anonymizer.column_objectives import Precision
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.problem import check_columns, check_hierarchies
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import Rule, Rules, checked_rules
from PETWorks.anonymizer.searched import searched
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import RoleError
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.tables.cells import SUPPRESSED


def apply_levels(
    data: Any,
    roles: Mapping[str, str] | None = None,
    hierarchies: Any = None,
    levels: Mapping[str, int] | None = None,
    rules: Rules | None = None,
    *,
    original: Any = None,
    population: Any = None,
    suppressed: str | None = None,
    missing: str | None = None,
    several_sensitive: str | None = None,
    privacy_unit: str | None = None,
    engine: str = "auto",
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
) -> Recoded:
    """A table on levels of one's own choice.

    See `Release` for data, roles, hierarchies, original, population and the treatment of records.

    levels   the level of each quasi-identifier; those that are not named stay as they are
    rules    as for `anonymize`: records of classes that break one are suppressed, however many they are; limits for the
             whole table suppress nothing

    >>> result = apply_levels("data/delta.csv", {"zip": "quasi_identifier", "nationality": "quasi_identifier"},
    ...                       "data/delta_hierarchy", {"zip": 1}, {"k-anonymity": {"k": 2}})
    >>> result
    <Recoded: levels zip 1, nationality 0; 5 of 9 records suppressed>
    """
    release = Release(
        data,
        roles,
        hierarchies,
        original,
        population=population,
        suppressed=suppressed,
        missing=missing,
        several_sensitive=several_sensitive,
        privacy_unit=privacy_unit,
        engine=engine,
        memory_limit=memory_limit,
        temp_folder=temp_folder,
    )
    return on_levels(release, levels or {}, () if rules is None else checked_rules(rules))


def on_levels(release: Release, levels: Mapping[str, int], rules: tuple[Rule, ...] = ()) -> Recoded:
    """The same for a table that was opened before, and rules that were checked."""
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    check_columns(release, levels, "levels")
    check_hierarchies(release, [name for name in release.quasi_identifiers if levels.get(name, 0) != 0])
    view = with_hierarchies(release.view)
    lattice = Lattice.of(
        release.quasi_identifiers, view.hierarchies, dict.fromkeys(release.quasi_identifiers, 0) | dict(levels)
    )
    ground, rules = searched(release, view.hierarchies, lattice, rules, local=False)
    classes = ground.at(lattice.low)
    judge = Judge(ground, rules, ground.records, Precision.of(ground, [1.0] * len(lattice.columns)))
    failing, _ = judge.failing(classes)
    return Recoded(release, classes, failing if rules else np.zeros(len(classes.records), np.bool_))


def with_hierarchies(view: View) -> View:
    """A view in which columns without a hierarchy, which stay as they are, have one of two levels: values and `*`."""
    without = [name for name in view.quasi_identifiers if name not in view.hierarchies]
    tables = [view.table, *([view.background.original] if view.background.has_original else [])]
    tables += [view.background.population_table] if view.background.has_population_table else []
    made = {}
    for name in without:
        values = {value: None for table in tables for value in table.marginal(name).values}
        rows = [[value] for value in values if value is not None and value != SUPPRESSED]
        made[name] = Hierarchy(rows or [[SUPPRESSED, SUPPRESSED]], name_of(name))
    return replace(view, hierarchies={**view.hierarchies, **made}) if made else view
