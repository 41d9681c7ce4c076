"""Why local recoding leaves records over: what they break on the highest levels, and what makes them stand out.

Records with the same values on the lowest levels are released on the same node, so their reasons are the same.
"""

from typing import TYPE_CHECKING

import numpy as np

from PETWorks.anonymizer.ground import NodeClasses
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.local import Sweep
from PETWorks.anonymizer.objectives import Objective
from PETWorks.anonymizer.recoder import LEFT
from PETWorks.anonymizer.recoding import places_in
from PETWorks.anonymizer.record_reasons import ClassReasons, any_of, below_rule, broken_rules, combined, records_of
from PETWorks.anonymizer.saving import Saved
from PETWorks.anonymizer.standing_out import standing_out
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers
from PETWorks.counting.rolling import RolledUp
from PETWorks.counting.weighted_rows import WeightedRows

if TYPE_CHECKING:
    import pyarrow as pa


def reasons_for_left_over(sweep: Sweep, judge: Judge, objective: Objective, below: int | None = None) -> "pa.Table":
    """The records that are left over; with `below`, those in classes of fewer records than that, as they look."""
    ground = sweep.ground
    low = ground.at(ground.lattice.low)
    everything = np.ones(len(low.records), np.bool_)
    own = places_in(low, everything, _codes(sweep, low.node))  # the class of each distinct row
    left_rows = np.flatnonzero(sweep.on_node == LEFT)
    left = np.zeros(len(everything), np.bool_)
    left[own[left_rows]] = True

    broken = np.zeros((len(judge.rules), len(everything)), np.bool_)
    sizes = np.zeros(len(everything), np.int64)
    looked = _classes(sweep, low.node, sweep.recoded())
    sizes[own] = looked.sizes[_places(looked)]
    if len(left_rows):
        highest = _classes(sweep, ground.lattice.high, _on_highest_levels(sweep, left_rows))
        places = _places(highest)
        broken[:, own[left_rows]] = broken_rules(highest, judge, judge.rules)[:, places]
        sizes[own[left_rows]] = highest.sizes[places]
        # Classes that failed only as they looked, with others that have the same labels.
        others = left & ~any_of(broken)
        broken[:, others] = broken_rules(low, judge, judge.rules)[:, others]

    rules, which, demanded = list(judge.rules), left, broken
    if below is not None:
        rules, which = [*rules, below_rule(below)], sizes < below
        demanded = np.vstack([broken, which])
    names, breaks = combined([rule.name for rule in judge.rules], broken[:, which])
    stands_out = standing_out(low, which, rules, demanded[:, which], objective)
    found = ClassReasons(names, breaks, sizes[which], stands_out, Saved.nothing(len(breaks)))
    return found.table(*records_of(low, which))


def _codes(sweep: Sweep, node: Node) -> list[Integers]:
    """The distinct rows as codes on the levels of a node."""
    on_levels = zip(sweep.ground.lattice.columns, node, strict=True)
    return [sweep.ground.codes_on_level(name, level)[sweep.rows.columns[name].codes] for name, level in on_levels]


def _on_highest_levels(sweep: Sweep, rows: Integers) -> WeightedRows:
    """Some of the distinct rows on the highest levels."""
    ground, taken = sweep.ground, sweep.rows.taken(rows)
    columns = dict(taken.columns)
    for name, level in zip(ground.lattice.columns, ground.lattice.high, strict=True):
        codes = ground.codes_on_level(name, level)[columns[name].codes]
        columns[name] = Column(ground.on_level(name, level).labels, codes.astype(np.uint32))
    return WeightedRows(columns, taken.unit, taken.weights, whole=False)


def _classes(sweep: Sweep, node: Node, rows: WeightedRows) -> NodeClasses:
    ground = sweep.ground
    return NodeClasses(ground, node, RolledUp(ground.base.lattice, rows, ground.lattice.levels(node)))


def _places(classes: NodeClasses) -> Integers:
    """For each row the place of its class."""
    keys = classes.rows._packed(classes.columns).keys
    return np.searchsorted(classes.rows._classes(classes.columns).keys, keys)
