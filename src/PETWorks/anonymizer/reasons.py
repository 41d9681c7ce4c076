"""Why records are suppressed or at risk: the rule, the columns that distinguish them, what would save them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.declaration import name_of
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.local import Sweep
from PETWorks.anonymizer.objectives import Objective, Reals, checked_objective, make_objective
from PETWorks.anonymizer.problem import amounts
from PETWorks.anonymizer.recoding import LEFT, in_classes, places_in, suppressed_before
from PETWorks.anonymizer.rows import Ground, NodeClasses
from PETWorks.anonymizer.rules import MeasureRule, Rule, Rules, checked_rules
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers
from PETWorks.counting.memory.distinct_rows import RolledUp
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.release import Release
from PETWorks.counting.table import Table
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import ParameterError, RoleError
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.measures.attacks.reidentification import table_in_memory
from PETWorks.measures.attacks.uniques import NONE, SmallestSets, checked_below, is_affordable, smallest_sets
from PETWorks.measures.catalogue import find
from PETWorks.measures.classes import ClassTest, Mask
from PETWorks.tables.arrays import arrow_integers, arrow_reals, lists, strings, taken
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.writing import check_ordered

if TYPE_CHECKING:
    import pyarrow as pa


def standing_out(
    classes: NodeClasses, which: Mask, rules: Sequence[Rule], broken: NDArray[np.bool_], objective: Objective
) -> SmallestSets:
    """For each of some classes, the smallest set by which its records are in a group that breaks a rule.

    A group are the records with the same values in these columns. The rule is one that the class itself breaks; where
    it breaks none, the group has no more records than the class.

    broken   for each rule, which of the classes break it
    """
    tests = [test for rule in rules for test in rule.tests(classes.ground.view)]
    rows = _with_what_tests_see(classes, tests)
    _, first = np.unique(rows._packed(classes.columns).keys, return_index=True)
    first, sizes = first[which], classes.sizes[which]
    breaks_none = np.asarray(~broken.any(axis=0))

    def stands_out(chosen: tuple[str, ...], items: Integers) -> Mask:
        groups = _grouped_by(classes, rows, chosen)
        judge = Judge(groups.ground, rules, 0, objective)
        known, keys = groups.rows._classes(chosen).keys, groups.rows._packed(chosen).keys
        own = np.searchsorted(known, keys[first[items]])
        hit = breaks_none[items] & (groups.sizes[own] <= sizes[items])
        for rule, breaking in zip(rules, broken[:, items], strict=True):
            if breaking.any():
                hit |= breaking & judge.failing(groups, [rule])[0][own]
        return hit

    columns = classes.columns
    if not any(test.background for test in tests):  # a column that has one value tells nothing, unless to another table
        columns = tuple(name for name in columns if len(np.unique(rows.columns[name].codes)) > 1) or columns[:1]
    return smallest_sets(columns, len(first), len(rows.columns[columns[0]].codes), stands_out)


def _with_what_tests_see(classes: NodeClasses, tests: Sequence[ClassTest]) -> WeightedRows:
    """The rows of a node with no other columns than the tests look at."""
    view, rows = classes.ground.view, classes.rows
    values = any(test.sensitive is not None for test in tests)
    names = [*classes.columns, *(view.sensitive_attributes if values else ()), *([rows.unit] if rows.unit else ())]
    columns = {name: rows.columns[name] for name in dict.fromkeys(names)}
    if len(columns) == len(rows.columns):
        return WeightedRows(columns, rows.unit, rows.weights, whole=False)
    return WeightedRows(columns, rows.unit, rows.weights, whole=False).distinct()


def _grouped_by(classes: NodeClasses, rows: WeightedRows, chosen: tuple[str, ...]) -> NodeClasses:
    """The groups that some of the columns make: the classes of a table with no other quasi-identifiers."""
    whole, levels = classes.ground, classes.ground.lattice.levels(classes.node)
    node = tuple(levels[name] for name in chosen)
    ground: Ground = replace(
        whole, view=replace(whole.view, quasi_identifiers=chosen), lattice=Lattice(chosen, node, node)
    )
    names = [*chosen, *(name for name in rows.columns if name not in classes.columns)]
    some = WeightedRows({name: rows.columns[name] for name in names}, rows.unit, rows.weights, whole=False)
    return NodeClasses(ground, node, RolledUp(whole.base.lattice, some, dict(zip(chosen, node, strict=True))))


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


def reasons_per_record(
    release: Release,
    rules: Rules | None = None,
    *,
    below: int | None = None,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
) -> "pa.Table":
    """Why records of a table are at risk: those in classes that break a rule of single classes.

    One row per record: its number from 1 on (`record`), the rules that its class breaks (`rule`), the size of the
    class, the smallest set of quasi-identifiers by which it stands out, and the smallest generalisation that would save
    it, with what the table loses by that. It is for those who may see the table; it has no cell.

    rules     as for `evaluate`: `{"k-anonymity": {"k": 5}}`; limits for the whole table concern no record
    below     the records of classes of fewer records than that, instead of those that break a rule
    others    what is to be small in a generalisation: see `anonymize`

    >>> roles = {"zip": "quasi_identifier", "age": "quasi_identifier", "nationality": "quasi_identifier"}
    >>> release = Release("data/delta.csv", roles, "data/delta_hierarchy")
    >>> reasons = reasons_per_record(release, {"k-anonymity": {"k": 2}})
    >>> reasons.num_rows, reasons["stands_out_by"][0].as_py()
    (9, ['age'])
    """
    if rules is None and below is None:
        raise ParameterError("name rules, such as {'k-anonymity': {'k': 5}}, or a class size as below", what="rules")
    checked = () if rules is None else checked_rules(rules)
    return reasons_of_release(release, checked, below, objective, aggregate, weights)


def reasons_of_release(
    release: Release,
    rules: Sequence[Rule],
    below: int | None = None,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
) -> "pa.Table":
    """The same for rules that were checked."""
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    table_in_memory(release)
    check_ordered(release.source)
    columns = release.quasi_identifiers
    name, put_together, weighed = checked_objective(objective, aggregate, weights, columns)
    for rule in rules:
        rule.check(release.view)
    of_classes = [rule for rule in rules if rule.tests(release.view)]
    compared = {test.background for rule in of_classes for test in rule.tests(release.view) if test.background}
    if release.view.suppressed_records == release.records:
        return no_reasons()
    view, high = _as_it_stands(release.view, compared)
    ground = Ground.of(view, Lattice(columns, (0,) * len(columns), tuple(high[column] for column in columns)))
    loss = make_objective(ground, name, put_together, weighed, amounts(tuple(rules)))
    judge = Judge(ground, of_classes, ground.records, loss)
    return reasons_on_node(ground.at(ground.lattice.low), judge, loss, ground.lattice.high, below=below)


def _as_it_stands(view: View, compared: set[str]) -> tuple[View, dict[str, int]]:
    """The view with hierarchies whose leaves are the values of the table, and how far each column can be raised.

    compared   the other tables that rules look at, "original" and "population": on the levels of the release
    """
    given = view.background
    others: dict[str, Table] = {}
    if "original" in compared:
        others["original"] = view.on_released_levels(given.original, "original")
    if "population" in compared:
        others["population"] = view.on_released_levels(given.population_table, "population")
    background = replace(
        given, load_original=_loading(others.get("original")), load_population=_loading(others.get("population"))
    )
    hierarchies, high = dict(view.hierarchies), {}
    for column in view.quasi_identifiers:
        values = {value: None for table in (view.table, *others.values()) for value in table.marginal(column).values}
        told = [value for value in values if value is not None and value != SUPPRESSED]
        own = _standing(hierarchies.get(column), told)
        high[column] = 0 if own is None else own.height
        hierarchies[column] = own or Hierarchy([[value] for value in told or [SUPPRESSED]], name_of(column))
    return replace(view, hierarchies=hierarchies, background=background), high


def _loading(table: Table | None) -> Callable[[], Table] | None:
    return None if table is None else lambda: table


def _standing(hierarchy: Hierarchy | None, values: Sequence[str]) -> Hierarchy | None:
    """The hierarchy of values that may be generalised already, each up from its level; None if there is none."""
    if hierarchy is None or not values:
        return None
    if not set(values) <= set(hierarchy.leaves):
        places = [(value, hierarchy.place(value)) for value in values]
        rows = [
            [value if level <= place[0] else labels[place[1]] for level, labels in enumerate(hierarchy.levels)]
            for value, place in places
            if place is not None
        ]
        if len(rows) < len(values):
            return None
        hierarchy = Hierarchy(rows, hierarchy.name)
    nested = all(len(set(zip(low, up, strict=True))) == len(set(low)) for low, up in pairwise(hierarchy.levels))
    return hierarchy if nested else None
