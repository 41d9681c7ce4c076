"""What a release loses by every objective, not only by the one that was minimised: before, after, and at most."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from PETWorks.anonymizer.ground import Ground, NodeClasses
from PETWorks.anonymizer.local import Sweep
from PETWorks.anonymizer.objectives import NOT_LOCAL, OBJECTIVES, Objective, make_objective
from PETWorks.anonymizer.problem import Problem, amounts
from PETWorks.measures.class_tests import Mask

ROUNDING = 1e-12  # of what can be lost
LARGEST = 1e300  # what an objective may come to, so that it is a finite number


@dataclass(frozen=True)
class Loss:
    """What is lost by an objective: of the table as it was, of the release, and if every record were suppressed."""

    objective: str
    before: float
    after: float
    most: float


class Losses(NamedTuple):
    """What is lost by each objective that applies, and the objectives that are not defined for such a release."""

    each: tuple[Loss, ...]
    undefined: tuple[str, ...] = ()


def losses(problem: Problem, classes: NodeClasses, suppressed: Mask) -> Losses:
    """What a node loses, some of its classes suppressed, by every objective that applies."""
    untouched, everything = _untouched(problem.ground), np.ones(len(suppressed), np.bool_)
    nothing = np.zeros(len(untouched.records), np.bool_)
    return Losses(
        tuple(
            _loss(
                name,
                objective.loss(untouched, nothing),
                objective.loss(classes, suppressed),
                objective.loss(classes, everything),
            )
            for name, objective in _objectives(problem)
        )
    )


def local_losses(problem: Problem, sweep: Sweep) -> Losses:
    """The same for values on several levels, by the objectives that are defined for them.

    Records lose their own part; classes are what looks equal, and records of which every cell is `*` are in none.
    """
    ground = problem.ground
    untouched = _untouched(ground)
    nothing, everything = (np.full(len(untouched.records), is_suppressed) for is_suppressed in (False, True))
    undefined = {NOT_LOCAL, "publisher-payout"} - {problem.objective_name}
    each = [(name, objective) for name, objective in _objectives(problem) if name not in undefined]
    return Losses(
        tuple(
            _loss(name, one.loss(untouched, nothing), sweep.loss(one), one.loss(untouched, everything))
            for name, one in each
        ),
        tuple(name for name, _ in _objectives(problem) if name in undefined),
    )


def _loss(name: str, before: float, after: float, most: float) -> Loss:
    """A loss without what rounding has left of nothing."""
    nothing = ROUNDING * most
    return Loss(name, before if abs(before) > nothing else 0.0, after if abs(after) > nothing else 0.0, most)


def _untouched(ground: Ground) -> NodeClasses:
    """The table as it was."""
    return NodeClasses(ground, (0,) * len(ground.lattice.columns), ground.base)


def _objectives(problem: Problem) -> Iterator[tuple[str, Objective]]:
    """The objective that was minimised, with its weights; the others without any."""
    ground, money = problem.ground, amounts(problem.rules)
    leaves = [len(ground.view.hierarchies[column].leaves) for column in ground.lattice.columns]
    for name in OBJECTIVES:
        if name == problem.objective_name:
            yield name, problem.objective
        elif (name != "publisher-payout" or money is not None) and (
            name != "ambiguity" or math.prod(leaves) * ground.records < LARGEST
        ):
            yield name, make_objective(ground, name, "geometric", [1.0] * len(leaves), money)
