"""Why records are suppressed or at risk: against a slow, literal twin, and worked examples."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizing_tasks import EXPOSED, OF_OTHER_TABLES, OF_SIZES, OF_TABLES, OF_VALUES, anonymized, tasks
from brute_force import OF_CLASSES, At, Task, failing, holds, individual_risk, is_of_table, loss_of, paths_of
from conftest import examples
from definitions import key
from frames import release_of
from PETWorks import Release, catalogue, reasons_per_record
from PETWorks.anonymizer.anonymization import recode_locally
from PETWorks.errors import NotApplicable, ParameterError
from PETWorks.measures.attacks import uniques
from searches import anonymize

BELOW = st.sampled_from([None, None, 2, 4, 7])


class Part(At):
    """The records of a node by some of their columns; those that were suppressed before are none of them."""

    def __init__(self, at, columns):
        self.task = replace(at.task, quasi_identifiers=list(columns))
        levels = dict(zip(at.task.quasi_identifiers, at.node, strict=True))
        self.node, self.aside, self.rows = tuple(levels[column] for column in columns), at.aside, at.rows
        self.members = {}
        for place, row in enumerate(self.rows):
            if place not in self.aside:
                self.members.setdefault(key(row, columns), []).append(place)
        self.case = self.case_of(self.rows)


def breaks(at, place, rule):
    """Whether the class of a record breaks a rule of single classes."""
    name, parameters = rule
    found = failing(at, name, parameters) if name in OF_CLASSES else set()
    return found is None or key(at.rows[place], at.task.quasi_identifiers) in found


def slow_stands_out(at, place, broken):
    """The smallest set of columns whose group breaks one of the rules; without any, is no larger than the class."""
    columns = at.task.quasi_identifiers
    own = at.people(key(at.rows[place], columns))
    linked = at.task.population is not None and {"k-map", "delta-presence", "journalist-risk"}
    if not linked or linked.isdisjoint(name for name, _ in at.task.rules):  # a column with one value tells nothing
        telling = [column for column in columns if len({at.rows[one][column] for one in unsuppressed(at)}) > 1]
        columns = telling or columns[:1]
    for size in range(1, len(columns) + 1):
        for chosen in combinations(columns, size):
            part = Part(at, chosen)
            if not broken and part.people(key(at.rows[place], chosen)) <= own:
                return list(chosen)
            if any(breaks(part, place, rule) for rule in broken):
                return list(chosen)
    return None


def unsuppressed(at):
    return [place for place in range(len(at.rows)) if place not in at.aside]


def slow_saved(at, place, rules, high):
    """The columns to raise, at most two, and the loss that this adds; (None, None) if nothing saves the record."""
    columns, now = at.task.quasi_identifiers, loss_of(at, set())[1]
    for number in (1, 2):
        saving = []
        for places in combinations(range(len(columns)), number):
            for levels in product(*(range(at.node[own] + 1, high[own] + 1) for own in places)):
                new = dict(zip(places, levels, strict=True))
                node = tuple(new.get(own, level) for own, level in enumerate(at.node))
                coarser = At(at.task, node)
                if not any(breaks(coarser, place, rule) for rule in rules):
                    exact, loss = loss_of(coarser, set())
                    raised = [{"column": columns[own], "level": new[own]} for own in places]
                    saving.append(((exact, sum(node), node), raised, loss - now))
        if saving:
            return min(saving, key=lambda one: one[0])[1:]
    return None, None


def highest(task):
    heights = {column: len(paths[0]) - 1 for column, paths in paths_of(task).items()}
    return [task.bounds.get(column, (0, height))[1] for column, height in heights.items()]


def check_reasons(found, at, rules, names, suppressed, below, high):
    """Every row is what the twin says; `suppressed` are the records that are listed without `below`."""
    demanded = [*rules, *([("k-anonymity", {"k": below})] if below else [])]
    listed = suppressed
    if below:
        listed = {place for place in unsuppressed(at) if breaks(at, place, demanded[-1])}
    assert [row["record"] - 1 for row in found] == sorted(listed)
    for row in found:
        place = row["record"] - 1
        broken = [rule for rule in demanded if breaks(at, place, rule)]
        by_classes = [name for rule, name in zip(rules, names, strict=True) if rule in broken]
        assert not by_classes or row["rule"] == by_classes
        assert row["class_size"] == at.people(key(at.rows[place], at.task.quasi_identifiers))
        same = [rows for known, rows in at.groups() if known == key(at.rows[place], at.task.quasi_identifiers)]
        if "individual-risk" in row and same:  # otherwise an incomplete record, which is in no class that counts
            assert row["individual-risk"] == pytest.approx(individual_risk(at, same[0]), rel=1e-9)
        assert row["stands_out_by"] == slow_stands_out(at, place, broken)
        raised, added = slow_saved(at, place, demanded, high) if broken else (None, None)
        assert row["saved_by"] == raised
        assert row["added_loss"] == (added if added is None else pytest.approx(added, rel=1e-7, abs=1e-7))


def outcome(task):
    try:
        return anonymized(task)
    except NotApplicable:
        assume(False)
        raise


CLASS_RULES = {name: OF_SIZES[name] for name in ("k-anonymity", "profitability", "prosecutor-risk")}
WITH_WEIGHTS = CLASS_RULES | {"individual-risk": st.fixed_dictionaries({"highest": EXPOSED})}


@examples(150)
@given(tasks(WITH_WEIGHTS | OF_VALUES, most_rows=16), BELOW)
def test_suppressed_records_against_a_slow_twin(task, below):
    task = replace(task, limit=max(task.limit, 0.5))
    result = outcome(task)
    at = At(task, tuple(result.levels.values()))
    failed = {place for place in unsuppressed(at) if any(breaks(at, place, rule) for rule in task.rules)}
    names = [rule.name for rule in result.problem.rules]
    whole = task.suppressed == "class" or task.unit is not None  # then more may be suppressed, by the whole release
    assume(not whole or result.suppressed == len(failed))
    check_reasons(result.reasons_per_record(below).to_pylist(), at, task.rules, names, failed, below, highest(task))


@examples(60)
@given(tasks(OF_OTHER_TABLES | CLASS_RULES, plain=True, background=True, most_rows=12, treatments=False), BELOW)
def test_rules_that_look_at_other_tables(task, below):
    rules = [(name, parameters) for name, parameters in task.rules if not is_of_table(name, parameters)]
    assume(rules)
    task = replace(task, rules=rules, limit=0.5)
    result = outcome(task)
    at = At(task, tuple(result.levels.values()))
    failed = {place for place in unsuppressed(at) if any(breaks(at, place, rule) for rule in rules)}
    names = [rule.name for rule in result.problem.rules]
    check_reasons(result.reasons_per_record(below).to_pylist(), at, rules, names, failed, below, highest(task))


@examples(80)
@given(tasks(OF_SIZES | OF_TABLES, most_rows=14, treatments=False))
def test_rules_about_the_whole_table_are_named_where_no_other_is_broken(task):
    task = replace(task, limit=1.0)
    result = outcome(task)
    at = At(task, tuple(result.levels.values()))
    failed = {place for place in unsuppressed(at) if any(breaks(at, place, rule) for rule in task.rules)}
    names = {rule.name: given for rule, given in zip(result.problem.rules, task.rules, strict=True)}
    found = result.reasons_per_record().to_pylist()
    assert len(found) == result.suppressed
    assert {row["record"] - 1 for row in found} >= failed
    for row in found:
        place = row["record"] - 1
        if place not in failed:
            blamed = [names[name] for name in row["rule"]]
            assert blamed
            assert all(is_of_table(*rule) for rule in blamed)
            if len(blamed) < sum(is_of_table(*rule) for rule in task.rules):
                assert all(not holds(at, failed, [rule], None) for rule in blamed)
            assert not any(catalogue[name].worse_by_suppression for name, _ in blamed)
            assert row["stands_out_by"] == slow_stands_out(at, place, [])
            assert row["saved_by"] is None


@examples(100)
@given(tasks(WITH_WEIGHTS | OF_VALUES, most_rows=14), BELOW)
def test_records_at_risk_against_a_slow_twin(task, below):
    """A table that is judged as it stands: the lowest node."""
    task = replace(task, bounds={}, objective="granularity", aggregate=None, weights={}, hierarchies=plain(task))
    at = At(task, (0,) * len(task.quasi_identifiers))
    assume(len(at.aside) < len(at.rows))
    release = release_of(replace(at.case_of(task.rows), original=None))
    found = reasons_per_record(release, task.rules, below=below).to_pylist()
    failed = {place for place in unsuppressed(at) if any(breaks(at, place, rule) for rule in task.rules)}
    rules = anonymize_rules(task)
    check_reasons(found, at, task.rules, rules, failed, below, highest(task))


VALUES = {"a": "xyz", "b": "pq", "c": "12", "d": "mn"}
ROWS = st.fixed_dictionaries({name: st.sampled_from(own) for name, own in (VALUES | {"s": "uv"}).items()})
LEVELS = {
    "a": [["x", "xy", "any"], ["y", "xy", "any"], ["z", "z'", "any"]],
    **{column: [[value, "any"] for value in VALUES[column]] for column in "bcd"},
}


@examples(150)
@given(
    st.lists(
        st.fixed_dictionaries(
            {name: st.sampled_from(own) for name, own in VALUES.items()} | {"s": st.sampled_from("uv")}
        ),
        min_size=12,
        max_size=40,
    ),
    st.integers(2, 4),
    st.sampled_from([0.15, 0.25, 0.4]),
    st.sampled_from([["a", "b"], ["a", "b", "c"], ["b", "c", "d", "a"]]),
)
def test_sets_of_several_columns(rows, k, t, columns):
    """Few values and more records: it takes several columns to stand out, and rules disagree about groups."""
    task = Task(rows, columns, LEVELS, [("k-anonymity", {"k": k}), ("t-closeness", {"t": t})], ["s"])
    at = At(task, (0,) * len(columns))
    failed = {place for place in range(len(rows)) if any(breaks(at, place, rule) for rule in task.rules)}
    found = reasons_per_record(release_of(replace(at.case_of(rows), original=None)), task.rules).to_pylist()
    check_reasons(found, at, task.rules, anonymize_rules(task), failed, None, highest(task))


def plain(task):
    """Hierarchies of which no label stands on two levels: their leaves are the values of the table."""
    return {
        column: [[path[0], *(f"{level}: {label}" for level, label in enumerate(path[1:-1])), "top"] for path in paths]
        for column, paths in task.hierarchies.items()
    }


def anonymize_rules(task):
    from PETWorks.anonymizer.rules import check_rules

    return [rule.name for rule in check_rules(task.rules)]


PEOPLE = {
    "age": ["20", "21", "20", "35", "35", "36"],
    "job": ["nurse", "nurse", "nurse", "nurse", "clerk", "clerk"],
}
ROLES = dict.fromkeys(PEOPLE, "quasi_identifier")
AGES = {"age": {"width": [5, 20]}}
K2 = {"k-anonymity": {"k": 2}}


def told(table):
    return [
        (row["record"], row["rule"], row["class_size"], row["stands_out_by"], row["saved_by"])
        for row in table.to_pylist()
    ]


def test_a_table_as_it_stands():
    """Columns without a hierarchy are not raised."""
    name, age = "k-anonymity (k=2)", [{"column": "age", "level": 1}]
    assert told(reasons_per_record(Release(PEOPLE, ROLES, AGES), K2)) == [
        (2, [name], 1, ["age"], age),
        (4, [name], 1, ["age", "job"], [{"column": "age", "level": 2}]),
        (5, [name], 1, ["age", "job"], age),
        (6, [name], 1, ["age"], age),
    ]


def test_below_lists_small_classes_instead():
    found = told(reasons_per_record(Release(PEOPLE, ROLES, AGES), K2, below=3))
    assert [(record, rule, size) for record, rule, size, _, _ in found][:2] == [
        (1, [], 2),
        (2, ["k-anonymity (k=2)"], 1),
    ]
    assert len(found) == 6
    assert found[0][3:] == (["age"], [{"column": "age", "level": 1}])
    assert told(reasons_per_record(Release(PEOPLE, ROLES, AGES), below=3)) == [
        (record, [], size, by, saved) for record, _, size, by, saved in found
    ]


def test_values_that_are_generalised_already_are_raised_from_there():
    """Level 1 is what the table has; of mixed levels, each value goes up from its own."""
    ages = [["20", "20-24", "20-39", "*"], ["26", "25-29", "20-39", "*"], ["41", "40-44", "40-59", "*"]]
    for values, level in ((["20-24", "20-24", "25-29", "40-44"], 2), (["20", "20", "25-29", "40-44"], 2)):
        found = told(reasons_per_record(Release({"age": values}, {"age": "quasi_identifier"}, {"age": ages}), K2))
        name = "k-anonymity (k=2)"
        assert found == [
            (3, [name], 1, ["age"], [{"column": "age", "level": level}]),
            (4, [name], 1, ["age"], [{"column": "age", "level": 3}]),
        ]


@pytest.mark.parametrize("ages", [{}, {"age": [["1", "*"]]}, {"age": [["20", "a", "*"], ["21", "a", "b", "*"]][:1]}])
def test_without_a_place_in_a_hierarchy_nothing_is_raised(ages):
    found = told(reasons_per_record(Release(PEOPLE, ROLES, ages), K2))
    assert {saved for *_, saved in found} == {None}
    assert [record for record, *_ in found] == [2, 4, 5, 6]


def test_levels_that_do_not_nest_are_not_used():
    crossing = [["20", "x", "a", "*"], ["21", "x", "b", "*"], ["35", "y", "a", "*"], ["36", "y", "b", "*"]]
    found = told(reasons_per_record(Release(PEOPLE, ROLES, {"age": crossing}), K2))
    assert {saved for *_, saved in found} == {None}


def test_a_population_is_compared_on_the_levels_of_the_release():
    """k-map: of 20-24 there are two people; of 40-44 there is one, on level 2 there are two."""
    ages = [["20", "20-24", "*"], ["21", "20-24", "*"], ["41", "40-44", "*"]]
    release = Release(
        {"age": ["20-24", "40-44"]},
        {"age": "quasi_identifier"},
        {"age": ages},
        population={"age": ["20", "21", "41"]},
    )
    name = "k-map (k=2)"
    assert told(reasons_per_record(release, {"k-map": {"k": 2}})) == [
        (2, [name], 1, ["age"], [{"column": "age", "level": 2}])
    ]


def test_a_column_with_one_value_tells_something_to_other_tables():
    """Two people of 20, but one woman of 20."""
    roles = dict.fromkeys(("age", "sex"), "quasi_identifier")
    population = {"age": ["20", "20", "30", "30"], "sex": ["f", "m", "f", "f"]}
    release = Release({"age": ["20", "30"], "sex": ["f", "f"]}, roles, population=population)
    assert told(reasons_per_record(release, {"k-map": {"k": 2}})) == [(1, ["k-map (k=2)"], 1, ["age", "sex"], None)]


def test_records_that_were_suppressed_before_are_not_listed():
    ages = ["20", "20", "*", "35", "21"]
    result = anonymize({"age": ages}, {"age": "quasi_identifier"}, AGES, K2, suppression=0.4, levels={"age": 1})
    assert told(result.reasons_per_record()) == [
        (4, ["k-anonymity (k=2)"], 1, ["age"], None)  # level 2 is not allowed
    ]


def test_a_rule_about_the_whole_table_has_no_generalisation():
    rules = {"sample-uniqueness": {"share": 0}}
    hierarchies, levels = AGES | {"job": [["nurse", "*"], ["clerk", "*"]]}, {"age": 0, "job": 0}
    result = anonymize(PEOPLE, ROLES, hierarchies, rules, suppression=0.7, levels=levels)
    assert told(result.reasons_per_record()) == [
        (record, ["sample-uniqueness (share=0)"], 1, by, None)
        for record, by in ((2, ["age"]), (4, ["age", "job"]), (5, ["age", "job"]), (6, ["age"]))
    ]


def test_left_over_by_local_recoding():
    """Two records fit with nobody, even as coarse as is allowed: they stand out by their own values."""
    ages = ["20", "20", "21", "21", "22", "22", "80", "90"]
    jobs = ["nurse"] * 6 + ["clerk", "clerk"]
    hierarchies = {"age": {"cuts": [[30, 85]]}, "job": [["nurse", "*"], ["clerk", "*"]]}
    rules = {"k-anonymity": {"k": 2}}
    bounds = {"age": (0, 1), "job": (0, 0)}
    result = recode_locally(
        anonymize({"age": ages, "job": jobs}, ROLES, hierarchies, rules, suppression=0.5, levels=bounds)
    )
    assert result.sweep.nodes == ((0, 0),)
    name = "k-anonymity (k=2)"
    assert told(result.reasons_per_record()) == [(7, [name], 1, ["age"], None), (8, [name], 1, ["age"], None)]


@examples(100)
@given(
    st.lists(ROWS, min_size=8, max_size=30),
    st.integers(2, 4),
    st.sampled_from([[], [("t-closeness", {"t": 0.3})], [("l-diversity", {"l": 2})]]),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([(0, 0), (0, 1), (1, 1)])),
    st.sampled_from([None, 3, 6]),
)
def test_left_over_by_local_recoding_against_a_slow_twin(rows, k, others, bounds, below):
    rules = [("k-anonymity", {"k": k}), *others]
    task = Task(rows, ["a", "b", "c"], LEVELS, rules, ["s"], limit=1.0, bounds=bounds)
    result = outcome(task)
    local = recode_locally(result)
    if local.sweep.nodes == (result.classes.node,):  # no better than the best levels for all
        assert local.reasons_per_record(below).equals(result.reasons_per_record(below))
        return
    found = local.reasons_per_record(below).to_pylist()
    low, high = At(task, result.problem.lattice.low), At(task, result.problem.lattice.high)
    table = local.table.to_pylist()
    left = {place for place, row in enumerate(table) if row["a"] == "*"}
    rest = Part(high, task.quasi_identifiers)
    rest.aside = high.aside | {place for place in range(len(table)) if place not in left}
    rest.members = {}
    for place in left:
        rest.members.setdefault(key(rest.rows[place], task.quasi_identifiers), []).append(place)
    looks = {}
    for place, row in enumerate(table):
        looks.setdefault(key(row, task.quasi_identifiers), []).append(place)
    sizes = {
        place: len(rest.members[key(rest.rows[place], task.quasi_identifiers)])
        if place in left
        else len(looks[key(table[place], task.quasi_identifiers)])
        for place in unsuppressed(low)
    }
    listed = sorted(left) if below is None else [place for place, size in sizes.items() if size < below]
    assert [row["record"] - 1 for row in found] == listed
    names = anonymize_rules(task)
    for row in found:
        place = row["record"] - 1
        broken = [rule for rule in task.rules if place in left and breaks(rest, place, rule)]
        if place in left and not broken:
            broken = [rule for rule in task.rules if breaks(low, place, rule)]
        assert row["class_size"] == sizes[place]
        assert row["rule"] == [name for rule, name in zip(task.rules, names, strict=True) if rule in broken]
        asked = [*broken, *([("k-anonymity", {"k": below})] if below else [])]
        assert row["stands_out_by"] == slow_stands_out(low, place, asked)
        assert (row["saved_by"], row["added_loss"]) == (None, None)


def test_a_table_that_is_too_large_for_every_set_gets_the_small_ones(monkeypatch):
    release = Release(PEOPLE, ROLES, AGES)
    monkeypatch.setattr(uniques, "MAX_WORK", 2 * (5 + uniques.PASS_COST))  # sets of one column
    assert [by for _, _, _, by, _ in told(reasons_per_record(release, K2))] == [["age"], None, None, ["age"]]
    people = {
        "age": ["20", "21", "20", "37", "35", "36"],
        "job": ["nurse", "nurse", "nurse", "baker", "clerk", "clerk"],
    }
    jobs = AGES | {"job": [[job, "*"] for job in ("nurse", "baker", "clerk")]}
    both = [{"column": "age", "level": 1}, {"column": "job", "level": 1}]
    assert told(reasons_per_record(Release(people, ROLES, jobs), K2))[1][4] is None
    monkeypatch.undo()
    assert told(reasons_per_record(Release(people, ROLES, jobs), K2))[1][4] == both


def test_mistakes():
    release = Release(PEOPLE, ROLES, AGES)
    with pytest.raises(ParameterError, match="name rules"):
        reasons_per_record(release)
    for below in (1, 2.0, True, "3"):
        with pytest.raises(ParameterError, match="expected below as a number of records, 2 or more"):
            reasons_per_record(release, below=below)
    with pytest.raises(ParameterError, match="no objective is called"):
        reasons_per_record(release, K2, objective="granulartiy")


def test_a_release_of_which_everything_is_suppressed_has_no_record_at_risk():
    assert reasons_per_record(Release({"age": ["*", "*"]}, {"age": "quasi_identifier"}), K2).num_rows == 0


def test_columns_that_no_key_can_hold():
    """Nine columns of eleven bits: keys are ranks."""
    rng = np.random.default_rng(5)
    table = {f"q{n}": [f"v{value}" for value in np.append(np.arange(1100), rng.integers(0, 4, 900))] for n in range(9)}
    hierarchies = {name: [[f"v{value}", "*"] for value in range(1100)] for name in table}
    release = Release(table, dict.fromkeys(table, "quasi_identifier"), hierarchies)
    found = told(reasons_per_record(release, {"k-anonymity": {"k": 2}}))
    rows = list(zip(*table.values(), strict=True))
    single = [record for record, count in enumerate(map(Counter(rows).get, rows), 1) if count == 1]
    assert [record for record, *_ in found] == single
    names, counted = list(table), {}

    def number_of(row, places):
        """The number of records with the same values in these columns."""
        if places not in counted:
            counted[places] = Counter(tuple(other[place] for place in places) for other in rows)
        return counted[places][tuple(row[place] for place in places)]

    for record, _, size, by, saved in found:
        assert size == 1
        assert number_of(rows[record - 1], tuple(map(names.index, by))) == 1
        if record - 1 in range(4, 1100):
            assert (by, saved) == (["q0"], None)
        elif saved is not None:
            assert len(saved) <= 2
            kept = [place for place, name in enumerate(names) if name not in {one["column"] for one in saved}]
            assert number_of(rows[record - 1], tuple(kept)) > 1
