"""Why records are suppressed or at risk, one by one: the rule, what makes them stand out, what would save them.

Work is done on classes; the records of a class have the same reasons.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from PETWorks.anonymizer.ground import NodeClasses
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.objectives import Objective
from PETWorks.anonymizer.recoding import places_in, suppressed_before
from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.anonymizer.saving import Saved, least_generalisations
from PETWorks.anonymizer.standing_out import standing_out
from PETWorks.counting.counts import Integers
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.measures.attacks.smallest_sets import SmallestSets, checked_below
from PETWorks.measures.catalogue import find
from PETWorks.measures.class_tests import Mask
from PETWorks.tables.arrays import arrow_integers, arrow_reals, lists, strings, taken

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class ClassReasons:
    """What is known of some classes.

    rules        for each combination of rules that some class breaks, their names
    breaks       for each class a place in `rules`
    sizes        how many records (or people, where the privacy unit says who they are) each class has
    stands_out   the smallest set by which the records of each class stand out
    saved        the smallest generalisation that would save each class
    """

    rules: tuple[tuple[str, ...], ...]
    breaks: Integers
    sizes: Integers
    stands_out: SmallestSets
    saved: Saved

    def table(self, records: Integers, places: Integers) -> "pa.Table":
        """A row for each of some records, numbered from 0, whose classes are given by their places."""
        import pyarrow as pa

        choices, chosen = self.saved.raised, self.saved.places[places]
        pairs = [
            strings([column for raised in choices for column, _ in raised]),
            arrow_integers(np.array([level for raised in choices for _, level in raised], np.int64)),
        ]
        raised = lists([len(raised) for raised in choices], pa.StructArray.from_arrays(pairs, ["column", "level"]))
        columns = {
            "record": arrow_integers(records + 1),
            "rule": taken(_names(self.rules), self.breaks[places]),
            "class_size": arrow_integers(self.sizes[places]),
            "stands_out_by": taken(_names(self.stands_out.sets), self.stands_out.places[places]),
            "saved_by": taken(raised, chosen),
            "added_loss": taken(arrow_reals(self.saved.added), chosen),
        }
        return pa.Table.from_arrays(list(columns.values()), list(columns))


def no_reasons() -> "pa.Table":
    """The table without any record."""
    none = np.zeros(0, np.int64)
    return ClassReasons((), none, none, SmallestSets((), none), Saved.nothing(0)).table(none, none)


def _names(sets: Sequence[Sequence[str]]) -> "pa.Array":
    """Sets of names as lists."""
    return lists([len(names) for names in sets], strings([name for names in sets for name in names]))


def below_rule(below: int) -> Rule:
    """A class of fewer records than that as if it broke a rule."""
    k_anonymity = find("k-anonymity")
    return MeasureRule(k_anonymity, k_anonymity.check({"k": checked_below(below)}), f"fewer than {below} records")


def reasons_on_node(
    classes: NodeClasses,
    judge: Judge,
    objective: Objective,
    high: Node,
    *,
    below: int | None = None,
    taken_out: Mask | None = None,
) -> "pa.Table":
    """The records of classes that break a rule or are suppressed; with `below`, those of classes that are so small.

    high        the highest level that each column may be raised to
    taken_out   the classes that are suppressed, if that is known: also those that only rules about the table suppress
    """
    broken = broken_rules(classes, judge, judge.rules)
    failing = any_of(broken)
    suppressed = failing if taken_out is None else taken_out
    told = broken
    if (suppressed & ~failing).any():
        unmet = judge.unmet(classes, failing)
        told = broken | np.outer([rule in unmet for rule in judge.rules], suppressed & ~failing)
    rules, which = list(judge.rules), suppressed
    if below is not None:
        rules.append(below_rule(below))
        which = broken_rules(classes, judge, rules[-1:])[0]
        broken = np.vstack([broken, which])
    names, breaks = combined([rule.name for rule in judge.rules], told[:, which])
    demanding = Judge(classes.ground, rules, classes.ground.records, objective)
    saved = least_generalisations(classes, demanding, objective, high, which & any_of(broken))
    stands_out = standing_out(classes, which, rules, broken[:, which], objective)
    found = ClassReasons(names, breaks, classes.sizes[which], stands_out, saved.among(any_of(broken[:, which])))
    return found.table(*records_of(classes, which))


def any_of(broken: NDArray[np.bool_]) -> Mask:
    """Which classes break some rule."""
    return np.asarray(broken.any(axis=0))


def broken_rules(classes: NodeClasses, judge: Judge, rules: Sequence[Rule]) -> NDArray[np.bool_]:
    """For each rule, which classes break it."""
    none = np.zeros((0, len(classes.records)), np.bool_)
    return np.vstack([none, *(judge.failing(classes, [rule])[0] for rule in rules)])


def combined(names: Sequence[str], broken: NDArray[np.bool_]) -> tuple[tuple[tuple[str, ...], ...], Integers]:
    """The combinations of rules that classes break, and for each class the place of its own."""
    different, places = np.unique(broken, axis=1, return_inverse=True)
    sets = tuple(
        tuple(name for name, is_in in zip(names, column, strict=True) if is_in) for column in different.T.tolist()
    )
    return sets, places.reshape(-1).astype(np.int64)


def records_of(classes: NodeClasses, which: Mask) -> tuple[Integers, Integers]:
    """The records of some classes, numbered from 0 in the order of the input, and which of these classes is theirs."""
    ground = classes.ground
    table: WeightedRows = ground.view.table  # type: ignore[assignment]
    on_levels = zip(classes.columns, classes.node, strict=True)
    codes = [ground.codes_on_level(name, level)[table.columns[name].codes] for name, level in on_levels]
    places = places_in(classes, which, codes)
    records = np.flatnonzero((places >= 0) & ~suppressed_before(classes))
    return records, places[records]
