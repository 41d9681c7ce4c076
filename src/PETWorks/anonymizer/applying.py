"""A table on levels of one's own choice."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from PETWorks.about.declaration import name_of
from PETWorks.about.hierarchy import Hierarchy
from PETWorks.anonymizer.column_objectives import Precision
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.plan import plan_of
from PETWorks.anonymizer.problem import REMOVE, Problem, check_columns, check_hierarchies, check_suppressed_records
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import Rule
from PETWorks.anonymizer.searched import searched
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import RoleError
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.tables.cells import SUPPRESSED


@dataclass(frozen=True, eq=False, repr=False)
class OnLevels(Recoded):
    """A table on levels of one's own choice; records of classes that break a rule are suppressed, if there are any."""

    problem: Problem

    @property
    def plan(self) -> dict[str, Any]:
        """How the table was recoded, as `Anonymization.plan`; its loss is that of precision."""
        loss = self.problem.objective.loss(self.classes, self.taken_out)
        node, seed = self.classes.node, self.order.seed
        return plan_of(self.problem, "global", (node,), self.suppressed, loss, seed, self.removed)


def on_levels(
    release: Release, levels: Mapping[str, int], rules: tuple[Rule, ...] = (), suppressed_records: str = REMOVE
) -> OnLevels:
    """A table on levels of one's own choice; see `apply_levels`."""
    check_suppressed_records(suppressed_records)
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    check_columns(release, levels, "levels")
    check_hierarchies(release, [name for name in release.quasi_identifiers if levels.get(name, 0) != 0])
    view = with_hierarchies(release.view)
    lattice = Lattice.of(
        release.quasi_identifiers, view.hierarchies, dict.fromkeys(release.quasi_identifiers, 0) | dict(levels)
    )
    ground, rules = searched(
        release, view.hierarchies, lattice, rules, local=False, removes=suppressed_records == REMOVE
    )
    classes = ground.at(lattice.low)
    precision = Precision.of(ground, [1.0] * len(lattice.columns))
    judge = Judge(ground, rules, ground.records, precision)
    failing, _ = judge.failing(classes)
    problem = Problem(release, lattice, ground, rules, ground.records, precision, "precision", None, 1.0, {})
    taken_out = failing if rules else np.zeros(len(classes.records), np.bool_)
    return OnLevels(release, classes, taken_out, problem)


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
