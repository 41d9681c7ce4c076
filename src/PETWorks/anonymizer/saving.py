"""The smallest generalisation that would save a class: one column raised, or two, with the least loss."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from PETWorks.anonymizer.column_objectives import Reals
from PETWorks.anonymizer.ground import NodeClasses
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.objectives import Objective
from PETWorks.anonymizer.recoding import in_classes
from PETWorks.counting.counts import Integers
from PETWorks.measures.attacks.smallest_sets import NONE, is_affordable
from PETWorks.measures.class_tests import Mask

MOST_RAISED = 2


@dataclass(frozen=True, eq=False)
class Saved:
    """What would save some classes.

    raised   for each choice, the columns that are raised, with their levels
    added    for each choice, what the table loses more
    places   for each class a place in `raised`, NONE where nothing saves it
    """

    raised: tuple[tuple[tuple[str, int], ...], ...]
    added: Reals
    places: Integers

    @classmethod
    def nothing(cls, classes: int) -> "Saved":
        """No class is saved."""
        return cls((), np.zeros(0), np.full(classes, NONE, np.int64))

    def among(self, these: Mask) -> "Saved":
        """The same for more classes, of which nothing saves the others."""
        places = np.full(len(these), NONE, np.int64)
        places[these] = self.places
        return Saved(self.raised, self.added, places)


def least_generalisations(classes: NodeClasses, judge: Judge, objective: Objective, high: Node, which: Mask) -> Saved:
    """For each of some classes, the smallest generalisation on which it keeps the rules of single classes.

    One raised column is smaller than two; then less loss is, then lower levels, then the order of the columns. The
    loss is that of the whole table on these levels, if nothing is suppressed.
    """
    ground, nothing = classes.ground, np.zeros(len(classes.records), np.bool_)
    if not which.any():
        return Saved.nothing(0)
    now, codes = objective.loss(classes, nothing), classes.codes(which)
    best = np.full(int(np.count_nonzero(which)), NONE, np.int64)
    nodes: list[Node] = []
    ranks: list[tuple[float, int, Node]] = []
    added: list[float] = []
    for number in range(1, MOST_RAISED + 1):
        left, candidates = np.flatnonzero(best == NONE), list(_raised(classes, high, number))
        if number > 1 and not is_affordable(len(candidates), len(classes.records)):
            break
        for node in candidates if len(left) else ():
            coarser = NodeClasses(ground, node, classes.rolled.at(ground.lattice.levels(node)))
            failing, _ = judge.failing(coarser)
            saved = in_classes(coarser, ~failing, _lifted(classes, node, [own[left] for own in codes]))
            if not saved.any():
                continue
            loss = objective.loss(coarser, np.zeros(len(failing), np.bool_))
            rank = (_without_rounding(loss), sum(node), node)
            worse = np.array([rank < other for other in ranks] + [True], np.bool_)  # the last is for NONE
            chosen = left[saved & worse[best[left]]]
            best[chosen] = len(nodes)
            nodes.append(node)
            ranks.append(rank)
            added.append(loss - now)
    raised = tuple(
        tuple(
            (name, level) for name, level, own in zip(classes.columns, node, classes.node, strict=True) if level != own
        )
        for node in nodes
    )
    return Saved(raised, np.array(added), best)


def _raised(classes: NodeClasses, high: Node, number: int) -> Iterator[Node]:
    """The nodes with so many columns raised."""
    higher = [range(own + 1, most + 1) for own, most in zip(classes.node, high, strict=True)]
    for places in combinations(range(len(higher)), number):
        for levels in product(*(higher[place] for place in places)):
            new = dict(zip(places, levels, strict=True))
            yield tuple(new.get(place, own) for place, own in enumerate(classes.node))


def _lifted(classes: NodeClasses, node: Node, codes: list[Integers]) -> list[Integers]:
    """Codes on the levels of the classes as codes on those of a coarser node."""
    lifted = []
    for name, low, level, own in zip(classes.columns, classes.node, node, codes, strict=True):
        lift = classes.ground.base.lattice.lift(name, low, level)
        assert lift is not None, "levels nest"
        lifted.append(lift.new_codes.astype(np.int64)[own])
    return lifted


def _without_rounding(loss: float) -> float:
    """A loss by which equal ones are equal."""
    return float(f"{round(loss, 12):.10g}")
