"""Why records are suppressed or at risk: the rules, the columns that distinguish them, and what would save them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.declaration import hierarchy_name
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.anonymizer.data_cube import DataCube, NodeClasses
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lattice import Lattice, Node
from PETWorks.anonymizer.local.sweep import Sweep
from PETWorks.anonymizer.objectives import Objective, Reals, check_objective, make_objective
from PETWorks.anonymizer.problem import profitability_amounts
from PETWorks.anonymizer.recoding import NOT_RELEASED, class_indices, in_classes, suppressed_before
from PETWorks.anonymizer.rules import MeasureRule, Rule, Rules, check_rules
from PETWorks.counting.codes import Column
from PETWorks.counting.counts import Integers
from PETWorks.counting.memory.distinct_rows import RolledUpRows
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.release import Release
from PETWorks.counting.table import Table
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import ParameterError, RoleError
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.measures.attacks.reidentification import table_in_memory
from PETWorks.measures.attacks.uniques import NO_SET, SmallestSets, check_below, is_affordable, smallest_sets
from PETWorks.measures.catalogue import find_measure
from PETWorks.measures.classes import ClassTest, Mask, view_weights
from PETWorks.measures.risk.individual import individual_risks
from PETWorks.tables.arrays import arrow_integers, arrow_reals, lists, strings, take_or_null
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.writing import check_ordered

if TYPE_CHECKING:
    import pyarrow as pa


def distinguishing_sets(
    classes: NodeClasses, which: Mask, rules: Sequence[Rule], broken: NDArray[np.bool_], objective: Objective
) -> SmallestSets:
    """For each selected class, the smallest set of columns that puts its records in a group that breaks a rule.

    A group is the records with the same values in these columns. The rule is one that the class itself breaks; if it
    breaks none, the group must have no more records than the class.

    broken   for each rule, a mask of the selected classes that break it
    """
    tests = [test for rule in rules for test in rule.tests(classes.cube.view)]
    rows = _with_tested_columns(classes, tests)
    _, first = np.unique(rows._packed(classes.columns).keys, return_index=True)
    first, sizes = first[which], classes.sizes[which]
    breaks_none = np.asarray(~broken.any(axis=0))

    def stands_out(chosen: tuple[str, ...], items: Integers) -> Mask:
        groups = _group_by(classes, rows, chosen)
        judge = Judge(groups.cube, rules, 0, objective)
        known, keys = groups.rows._classes(chosen).keys, groups.rows._packed(chosen).keys
        group_of = np.searchsorted(known, keys[first[items]])
        hit = breaks_none[items] & (groups.sizes[group_of] <= sizes[items])
        for rule, breaking in zip(rules, broken[:, items], strict=True):
            if breaking.any():
                hit |= breaking & judge.failing(groups, [rule])[0][group_of]
        return hit

    columns = classes.columns
    if not any(test.background for test in tests):  # a column with one value matters only for comparisons
        columns = tuple(name for name in columns if len(np.unique(rows.columns[name].codes)) > 1) or columns[:1]
    return smallest_sets(columns, len(first), len(rows.columns[columns[0]].codes), stands_out)


def _with_tested_columns(classes: NodeClasses, tests: Sequence[ClassTest]) -> WeightedRows:
    """The rows of a node with only the columns that the tests use."""
    view, rows = classes.cube.view, classes.rows
    tested = [test.sensitive for test in tests if test.sensitive is not None]
    values = [*view.sensitive_attributes, *tested] if tested else []
    names = [*classes.columns, *values, *([rows.unit] if rows.unit else ())]
    columns = {name: rows.columns[name] for name in dict.fromkeys(names)}
    if len(columns) == len(rows.columns):
        return WeightedRows(columns, rows.unit, rows.weights, whole=False)
    return WeightedRows(columns, rows.unit, rows.weights, whole=False).distinct()


def _group_by(classes: NodeClasses, rows: WeightedRows, chosen: tuple[str, ...]) -> NodeClasses:
    """The groups formed by some of the columns: the classes of a table with only these quasi-identifiers."""
    whole, levels = classes.cube, classes.cube.lattice.levels(classes.node)
    node = tuple(levels[name] for name in chosen)
    cube: DataCube = replace(
        whole, view=replace(whole.view, quasi_identifiers=chosen), lattice=Lattice(chosen, node, node)
    )
    names = [*chosen, *(name for name in rows.columns if name not in classes.columns)]
    chosen_rows = WeightedRows({name: rows.columns[name] for name in names}, rows.unit, rows.weights, whole=False)
    return NodeClasses(cube, node, RolledUpRows(whole.base.lattice, chosen_rows, dict(zip(chosen, node, strict=True))))


MAX_RAISED_COLUMNS = 2  # columns


@dataclass(frozen=True, eq=False)
class SavingGeneralisations:
    """The generalisations that would save some classes.

    raised   for each generalisation, the raised columns with their levels
    added    for each generalisation, the loss it adds to the table
    indices   for each class an index into `raised`; NONE if nothing saves it
    """

    raised: tuple[tuple[tuple[str, int], ...], ...]
    added: Reals
    indices: Integers

    @classmethod
    def nothing(cls, classes: int) -> "SavingGeneralisations":
        """The result if no class can be saved."""
        return cls((), np.zeros(0), np.full(classes, NO_SET, np.int64))

    def among(self, is_present: Mask) -> "SavingGeneralisations":
        """The result for more classes, where `is_present` marks those of this result and nothing saves the others."""
        indices = np.full(len(is_present), NO_SET, np.int64)
        indices[is_present] = self.indices
        return SavingGeneralisations(self.raised, self.added, indices)


def smallest_generalisations(
    classes: NodeClasses, judge: Judge, objective: Objective, high: Node, which: Mask
) -> SavingGeneralisations:
    """For each selected class, the smallest generalisation on which it satisfies the rules about classes.

    One raised column is smaller than two; then less loss counts, then lower levels, then the order of the columns. The
    loss is that of the whole table on these levels, with nothing suppressed.
    """
    cube, nothing = classes.cube, np.zeros(len(classes.records), np.bool_)
    if not which.any():
        return SavingGeneralisations.nothing(0)
    loss_now, codes = objective.loss(classes, nothing), classes.codes(which)
    best = np.full(int(np.count_nonzero(which)), NO_SET, np.int64)
    nodes: list[Node] = []
    ranks: list[tuple[float, int, Node]] = []
    added: list[float] = []
    for number in range(1, MAX_RAISED_COLUMNS + 1):
        left, candidates = np.flatnonzero(best == NO_SET), list(_nodes_with_raised(classes, high, number))
        if number > 1 and not is_affordable(len(candidates), len(classes.records)):
            break
        for node in candidates if len(left) else ():
            coarser = NodeClasses(cube, node, classes.rolled.at(cube.lattice.levels(node)))
            failing, _ = judge.failing(coarser)
            saved = in_classes(
                coarser, ~failing, _codes_on_coarser_node(classes, node, [column_codes[left] for column_codes in codes])
            )
            if not saved.any():
                continue
            loss = objective.loss(coarser, np.zeros(len(failing), np.bool_))
            rank = (_round_loss(loss), sum(node), node)
            worse = np.array([rank < other for other in ranks] + [True], np.bool_)  # the last is for NONE
            chosen = left[saved & worse[best[left]]]
            best[chosen] = len(nodes)
            nodes.append(node)
            ranks.append(rank)
            added.append(loss - loss_now)
    raised = tuple(
        tuple(
            (name, level)
            for name, level, before in zip(classes.columns, node, classes.node, strict=True)
            if level != before
        )
        for node in nodes
    )
    return SavingGeneralisations(raised, np.array(added), best)


def _nodes_with_raised(classes: NodeClasses, high: Node, number: int) -> Iterator[Node]:
    """The nodes with this number of columns raised."""
    higher = [range(low + 1, most + 1) for low, most in zip(classes.node, high, strict=True)]
    for indices in combinations(range(len(higher)), number):
        for levels in product(*(higher[index] for index in indices)):
            new = dict(zip(indices, levels, strict=True))
            yield tuple(new.get(index, level) for index, level in enumerate(classes.node))


def _codes_on_coarser_node(classes: NodeClasses, node: Node, codes: list[Integers]) -> list[Integers]:
    """Codes on the levels of the classes, as codes on the levels of a coarser node."""
    lifted = []
    for name, low, level, column_codes in zip(classes.columns, classes.node, node, codes, strict=True):
        lift = classes.cube.base.lattice.lift(name, low, level)
        assert lift is not None, "levels nest"
        lifted.append(lift.new_codes.astype(np.int64)[column_codes])
    return lifted


def _round_loss(loss: float) -> float:
    """The loss, rounded so that losses that differ by rounding errors are equal."""
    return float(f"{round(loss, 12):.10g}")


@dataclass(frozen=True, eq=False)
class ClassReasons:
    """Why some classes are suppressed or at risk, and what would save them.

    rules        the combinations of rules that classes break, each as names
    breaks       for each class an index into `rules`
    sizes        number of records in each class, or of people if there is a privacy unit
    stands_out   the smallest set of columns that distinguishes the records of each class
    saved        the smallest generalisation that would save each class
    risks        the individual risk of the records of each class, if the rows have sampling weights
    """

    rules: tuple[tuple[str, ...], ...]
    breaks: Integers
    sizes: Integers
    stands_out: SmallestSets
    saved: SavingGeneralisations
    risks: Reals | None = None

    def table(self, records: Integers, indices: Integers) -> "pa.Table":
        """A table with a row for each record; records are numbered from 0, `indices` gives their classes."""
        import pyarrow as pa

        choices, chosen = self.saved.raised, self.saved.indices[indices]
        pairs = [
            strings([column for raised in choices for column, _ in raised]),
            arrow_integers(np.array([level for raised in choices for _, level in raised], np.int64)),
        ]
        raised = lists([len(raised) for raised in choices], pa.StructArray.from_arrays(pairs, ["column", "level"]))
        columns = {
            "record": arrow_integers(records + 1),
            "rule": take_or_null(_names(self.rules), self.breaks[indices]),
            "class_size": arrow_integers(self.sizes[indices]),
            **({} if self.risks is None else {"individual-risk": arrow_reals(self.risks[indices])}),
            "stands_out_by": take_or_null(_names(self.stands_out.sets), self.stands_out.indices[indices]),
            "saved_by": take_or_null(raised, chosen),
            "added_loss": take_or_null(arrow_reals(self.saved.added), chosen),
        }
        return pa.Table.from_arrays(list(columns.values()), list(columns))


def class_risks(classes: NodeClasses) -> Reals | None:
    """The individual risk of the records of each class; None if the rows have no sampling weights."""
    view, weight = classes.cube.view, str(classes.cube.view.sample.weight)
    if not view.has_weights or weight not in classes.rows.domains:
        return None
    values = classes.of_values(weight).values
    return individual_risks(values.persons, view_weights(view).sums(values))


def no_reasons() -> "pa.Table":
    """The table of reasons without any rows."""
    none = np.zeros(0, np.int64)
    return ClassReasons((), none, none, SmallestSets((), none), SavingGeneralisations.nothing(0)).table(none, none)


def _names(sets: Sequence[Sequence[str]]) -> "pa.Array":
    """Sets of names as an Arrow list array."""
    return lists([len(names) for names in sets], strings([name for names in sets for name in names]))


def small_class_rule(below: int) -> Rule:
    """A rule that classes with fewer records than `below` break."""
    k_anonymity = find_measure("k-anonymity")
    return MeasureRule(k_anonymity, k_anonymity.check({"k": check_below(below)}), f"fewer than {below} records")


def reasons_on_node(
    classes: NodeClasses,
    judge: Judge,
    objective: Objective,
    high: Node,
    *,
    below: int | None = None,
    suppressed_classes: Mask | None = None,
) -> "pa.Table":
    """The records of classes that break a rule or are suppressed; with `below`, of classes with fewer records.

    high                 the highest level that each column may be raised to
    suppressed_classes   mask of the suppressed classes, if known: also those suppressed for rules about the whole
                         table only
    """
    broken = broken_rules(classes, judge, judge.rules)
    failing = breaks_any_rule(broken)
    suppressed = failing if suppressed_classes is None else suppressed_classes
    reported = broken
    if (suppressed & ~failing).any():
        unmet = judge.unmet(classes, failing)
        reported = broken | np.outer([rule in unmet for rule in judge.rules], suppressed & ~failing)
    rules, which = list(judge.rules), suppressed
    if below is not None:
        rules.append(small_class_rule(below))
        which = broken_rules(classes, judge, rules[-1:])[0]
        broken = np.vstack([broken, which])
    names, breaks = rule_combinations([rule.name for rule in judge.rules], reported[:, which])
    demanding = Judge(classes.cube, rules, classes.cube.records, objective)
    saved = smallest_generalisations(classes, demanding, objective, high, which & breaks_any_rule(broken))
    stands_out, risks = distinguishing_sets(classes, which, rules, broken[:, which], objective), class_risks(classes)
    found = ClassReasons(
        names,
        breaks,
        classes.sizes[which],
        stands_out,
        saved.among(breaks_any_rule(broken[:, which])),
        None if risks is None else risks[which],
    )
    return found.table(*records_of(classes, which))


def breaks_any_rule(broken: NDArray[np.bool_]) -> Mask:
    """Mask of the classes that break some rule."""
    return np.asarray(broken.any(axis=0))


def broken_rules(classes: NodeClasses, judge: Judge, rules: Sequence[Rule]) -> NDArray[np.bool_]:
    """For each rule, a mask of the classes that break it."""
    none = np.zeros((0, len(classes.records)), np.bool_)
    return np.vstack([none, *(judge.failing(classes, [rule])[0] for rule in rules)])


def rule_combinations(names: Sequence[str], broken: NDArray[np.bool_]) -> tuple[tuple[tuple[str, ...], ...], Integers]:
    """The combinations of rules that classes break, and for each class the index of its combination."""
    different, indices = np.unique(broken, axis=1, return_inverse=True)
    sets = tuple(
        tuple(name for name, is_in in zip(names, column, strict=True) if is_in) for column in different.T.tolist()
    )
    return sets, indices.reshape(-1).astype(np.int64)


def records_of(classes: NodeClasses, which: Mask) -> tuple[Integers, Integers]:
    """The records of the selected classes, numbered from 0 in input order, and the index of the class of each."""
    cube = classes.cube
    table: WeightedRows = cube.view.table  # type: ignore[assignment]
    on_levels = zip(classes.columns, classes.node, strict=True)
    codes = [cube.codes_on_level(name, level)[table.columns[name].codes] for name, level in on_levels]
    indices = class_indices(classes, which, codes)
    records = np.flatnonzero((indices >= 0) & ~suppressed_before(classes))
    return records, indices[records]


def reasons_for_left_over(sweep: Sweep, judge: Judge, objective: Objective, below: int | None = None) -> "pa.Table":
    """The records left over by local recoding; with `below`, those in smaller classes of the release."""
    cube = sweep.cube
    low = cube.at(cube.lattice.low)
    everything = np.ones(len(low.records), np.bool_)
    class_of = class_indices(low, everything, _codes(sweep, low.node))  # the class of each distinct row
    left_rows = np.flatnonzero(sweep.on_node == NOT_RELEASED)
    left = np.zeros(len(everything), np.bool_)
    left[class_of[left_rows]] = True

    broken = np.zeros((len(judge.rules), len(everything)), np.bool_)
    sizes = np.zeros(len(everything), np.int64)
    released = _classes(sweep, low.node, sweep.recode())
    sizes[class_of] = released.sizes[_class_of_row(released)]
    if (risks := class_risks(released)) is not None:
        risks_on_low = np.zeros(len(everything))
        risks_on_low[class_of] = risks[_class_of_row(released)]
    if len(left_rows):
        highest = _classes(sweep, cube.lattice.high, _on_highest_levels(sweep, left_rows))
        indices = _class_of_row(highest)
        broken[:, class_of[left_rows]] = broken_rules(highest, judge, judge.rules)[:, indices]
        sizes[class_of[left_rows]] = highest.sizes[indices]
        if (risks_left := class_risks(highest)) is not None:
            risks_on_low[class_of[left_rows]] = risks_left[indices]
        # Classes that failed only together with others that have the same labels.
        failed_together = left & ~breaks_any_rule(broken)
        broken[:, failed_together] = broken_rules(low, judge, judge.rules)[:, failed_together]

    rules, which, demanded = list(judge.rules), left, broken
    if below is not None:
        rules, which = [*rules, small_class_rule(below)], sizes < below
        demanded = np.vstack([broken, which])
    names, breaks = rule_combinations([rule.name for rule in judge.rules], broken[:, which])
    stands_out = distinguishing_sets(low, which, rules, demanded[:, which], objective)
    nothing = SavingGeneralisations.nothing(len(breaks))
    shown = None if risks is None else risks_on_low[which]
    found = ClassReasons(names, breaks, sizes[which], stands_out, nothing, shown)
    return found.table(*records_of(low, which))


def _codes(sweep: Sweep, node: Node) -> list[Integers]:
    """The distinct rows as codes on the levels of a node."""
    on_levels = zip(sweep.cube.lattice.columns, node, strict=True)
    return [sweep.cube.codes_on_level(name, level)[sweep.rows.columns[name].codes] for name, level in on_levels]


def _on_highest_levels(sweep: Sweep, rows: Integers) -> WeightedRows:
    """Some of the distinct rows on the highest levels."""
    cube, rows_left = sweep.cube, sweep.rows.take(rows)
    columns = dict(rows_left.columns)
    for name, level in zip(cube.lattice.columns, cube.lattice.high, strict=True):
        codes = cube.codes_on_level(name, level)[columns[name].codes]
        columns[name] = Column(cube.on_level(name, level).labels, codes.astype(np.uint32))
    return WeightedRows(columns, rows_left.unit, rows_left.weights, whole=False)


def _classes(sweep: Sweep, node: Node, rows: WeightedRows) -> NodeClasses:
    cube = sweep.cube
    return NodeClasses(cube, node, RolledUpRows(cube.base.lattice, rows, cube.lattice.levels(node)))


def _class_of_row(classes: NodeClasses) -> Integers:
    """The index of the class of each row."""
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
    """Why records of a table are at risk: those in classes that break a rule about classes.

    One row per record: its number from 1 on (`record`), the rules that its class breaks (`rule`), the size of the
    class, the smallest set of quasi-identifiers that distinguishes it, and the smallest generalisation that would save
    it, with the loss that this adds to the table. Meant for people who may see the table; it contains no cells.

    rules     as for `evaluate`: `{"k-anonymity": {"k": 5}}`; limits for the whole table concern no record
    below     report records in classes with fewer records than this, instead of those that break a rule
    others    the loss that a generalisation minimises: see `anonymize`

    >>> roles = {"zip": "quasi_identifier", "age": "quasi_identifier", "nationality": "quasi_identifier"}
    >>> release = Release("data/delta.csv", roles, "data/delta_hierarchy")
    >>> reasons = reasons_per_record(release, {"k-anonymity": {"k": 2}})
    >>> reasons.num_rows, reasons["stands_out_by"][0].as_py()
    (9, ['age'])
    """
    if rules is None and below is None:
        raise ParameterError("name rules, such as {'k-anonymity': {'k': 5}}, or a class size as below", what="rules")
    checked = () if rules is None else check_rules(rules)
    return reasons_of_release(release, checked, below, objective, aggregate, weights)


def reasons_of_release(
    release: Release,
    rules: Sequence[Rule],
    below: int | None = None,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
) -> "pa.Table":
    """Why records of a table are at risk, for rules that are already checked; see `reasons_per_record`."""
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    table_in_memory(release)
    check_ordered(release.source)
    columns = release.quasi_identifiers
    name, put_together, weighed = check_objective(objective, aggregate, weights, columns)
    for rule in rules:
        rule.check(release.view)
    of_classes = [rule for rule in rules if rule.tests(release.view)]
    compared = {test.background for rule in of_classes for test in rule.tests(release.view) if test.background}
    if release.view.suppressed_records == release.records:
        return no_reasons()
    view, high = _with_values_as_leaves(release.view, compared)
    cube = DataCube.of(view, Lattice(columns, (0,) * len(columns), tuple(high[column] for column in columns)))
    loss = make_objective(cube, name, put_together, weighed, profitability_amounts(tuple(rules)))
    judge = Judge(cube, of_classes, cube.records, loss)
    return reasons_on_node(cube.at(cube.lattice.low), judge, loss, cube.lattice.high, below=below)


def _with_values_as_leaves(view: View, compared: set[str]) -> tuple[View, dict[str, int]]:
    """The view with hierarchies whose leaves are the values of the table, and the highest level of each column.

    compared   the other tables that rules use, "original" and "population"; they are put on the levels of the release
    """
    before = view.background
    other_tables: dict[str, Table] = {}
    if "original" in compared:
        other_tables["original"] = view.on_released_levels(before.original, "original")
    if "population" in compared:
        other_tables["population"] = view.on_released_levels(before.population_table, "population")
    background = replace(
        before,
        load_original=_loader_of(other_tables.get("original")),
        load_population=_loader_of(other_tables.get("population")),
    )
    hierarchies, high = dict(view.hierarchies), {}
    for column in view.quasi_identifiers:
        values = {
            value: None for table in (view.table, *other_tables.values()) for value in table.marginal(column).values
        }
        known = [value for value in values if value is not None and value != SUPPRESSED]
        hierarchy = _hierarchy_above(hierarchies.get(column), known)
        high[column] = 0 if hierarchy is None else hierarchy.height
        hierarchies[column] = hierarchy or Hierarchy(
            [[value] for value in known or [SUPPRESSED]], hierarchy_name(column)
        )
    return replace(view, hierarchies=hierarchies, background=background), high


def _loader_of(table: Table | None) -> Callable[[], Table] | None:
    return None if table is None else lambda: table


def _hierarchy_above(hierarchy: Hierarchy | None, values: Sequence[str]) -> Hierarchy | None:
    """The hierarchy above values that may be generalised already; None if there is no such hierarchy that nests."""
    if hierarchy is None or not values:
        return None
    if not set(values) <= set(hierarchy.leaves):
        positions = [(value, hierarchy.place(value)) for value in values]
        rows = [
            [value if level <= position[0] else labels[position[1]] for level, labels in enumerate(hierarchy.levels)]
            for value, position in positions
            if position is not None
        ]
        if len(rows) < len(values):
            return None
        hierarchy = Hierarchy(rows, hierarchy.name)
    nested = all(len(set(zip(low, up, strict=True))) == len(set(low)) for low, up in pairwise(hierarchy.levels))
    return hierarchy if nested else None
