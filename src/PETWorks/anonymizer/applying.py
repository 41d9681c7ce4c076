"""A table on levels of one's own choice."""

from collections.abc import Mapping

import numpy as np

from PETWorks.anonymizer.column_objectives import Precision
from PETWorks.anonymizer.ground import Ground
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.problem import check_columns, with_original
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import Rule
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER
from PETWorks.errors import RoleError


def apply_levels(release: Release, levels: Mapping[str, int], rules: tuple[Rule, ...] = ()) -> Recoded:
    """A table with each quasi-identifier on the level that is given for it, 0 if none is.

    rules   records of classes that break one of these are suppressed, however many they are; limits for the whole table
            suppress nothing
    """
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    check_columns(release, levels, "levels")
    with_original(release)
    lattice = Lattice.of(
        release.quasi_identifiers, release.hierarchies, dict.fromkeys(release.quasi_identifiers, 0) | dict(levels)
    )
    for rule in rules:
        rule.check(release.view)
    ground = Ground.of(release.view, lattice)
    classes = ground.at(lattice.low)
    judge = Judge(ground, rules, ground.records, Precision.of(ground, [1.0] * len(lattice.columns)))
    failing, _ = judge.failing(classes)
    return Recoded(release, classes, failing if rules else np.zeros(len(classes.records), np.bool_))
