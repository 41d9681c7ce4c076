"""What a release is still worth: every number equal to a slow twin, and to the measures that define the same."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import brute_force
from anonymizing_tasks import OF_SIZES, OF_VALUES, anonymized, tasks
from brute_force import At, Task, generalised, is_aside, lift, paths_of, share
from conftest import examples
from PETWorks import evaluate
from PETWorks.anonymizer import utility
from PETWorks.anonymizer.anonymization import recode_locally
from PETWorks.anonymizer.local.sweep import NOT_RELEASED
from PETWorks.anonymizer.objectives import LINEAR, OBJECTIVES
from PETWorks.anonymizer.utility import column_kept
from PETWorks.errors import NotApplicable, ParameterError
from searches import anonymize


def with_stars(task):
    """A task whose suppressed records stay, as in the twins here."""
    return replace(task, suppressed_records="stars")


def without_suppressed(task):
    """The same, and they leave the table."""
    return replace(task, suppressed_records="remove")


ANY = tasks(OF_SIZES | OF_VALUES, most_rows=20).filter(lambda task: task.values == "exact")
RANDOM, REMOVING = ANY.map(with_stars), ANY.map(without_suppressed)


def made(task):
    """What `anonymize` makes of a task."""
    try:
        return anonymized(task)
    except NotApplicable:
        assume(False)


def cells_of(result, task):
    """The released cells, record by record."""
    return result.table.select(task.quasi_identifiers).to_pylist()


def cells_with_removed(result, task, levels):
    """The released cells; those of a record that left the table are `*`."""
    stay = iter(cells_of(result, task))
    stars = dict.fromkeys(task.quasi_identifiers, "*")
    cells = [stars if own is None else next(stay) for own in levels]
    assert next(stay, None) is None
    return cells


def levels_of(result, task):
    """For each record its levels; None if it is suppressed, aside included."""
    gone = set(zip(*labels_of(result, result.classes, result.suppressed_classes), strict=True))
    rows = generalised(task.rows, result.classes.node, task)
    return [
        None
        if is_aside(original, task) or tuple(row[name] for name in task.quasi_identifiers) in gone
        else result.classes.node
        for original, row in zip(task.rows, rows, strict=True)
    ]


def labels_of(result, classes, some):
    """For each column, the labels of some classes."""
    cube = result.problem.cube
    columns = zip(classes.columns, classes.node, classes.codes(some), strict=True)
    return [[cube.on_level(name, level).values[code] for code in codes] for name, level, codes in columns]


def local_levels_of(result, task):
    """The same for local recoding: records with the same quasi-identifiers are on the same levels."""
    sweep, names = result.sweep, task.quasi_identifiers
    values = [[column.values[code] for code in column.codes] for column in map(sweep.rows.columns.get, names)]
    on_node = dict(zip(zip(*values, strict=True), sweep.on_node.tolist(), strict=True))
    nodes = [on_node.get(tuple(row[name] for name in names), NOT_RELEASED) for row in task.rows]
    return [None if node == NOT_RELEASED else sweep.nodes[node] for node in nodes]


REMOVED = "removed"


def literal_kept(before, meanings):
    """Shift, values per cell and information kept, given what each released cell may stand for.

    meanings   for each record a set of original values, or REMOVED
    """
    known = [(value, meant) for value, meant in zip(before, meanings, strict=True) if value not in (None, "*")]
    counts = Counter(value for value, _ in known)
    if not known:
        return 0, None, None

    def bits(values):
        return math.log2(len(known) / sum(counts[value] for value in values))

    total = sum(bits({value}) for value, _ in known)
    told = sum(0 if meant == REMOVED else bits(meant) for _, meant in known)
    left = [meant for _, meant in known if meant != REMOVED]
    information = None if len(counts) == 1 else told / total
    if not left:
        return 1, None, information
    spread = {value: sum(Fraction(value in meant, len(meant)) for meant in left) / len(left) for value in counts}
    shift = sum(abs(spread[value] - Fraction(counts[value], len(known))) for value in counts) / 2
    return float(shift), float(Fraction(sum(map(len, left)), len(left))), information


def meanings_of(task, levels, place):
    """For each record, the values of the table that its cell in a quasi-identifier may stand for."""
    name = task.quasi_identifiers[place]
    paths, values = paths_of(task)[name], [row[name] for row in task.rows]
    domain = {
        value
        for value, row in zip(values, task.rows, strict=True)
        if value not in (None, "*") and not is_aside(row, task)
    }
    for value, own in zip(values, levels, strict=True):
        if own is None:
            yield domain if task.suppressed_records == "stars" else REMOVED
        else:
            yield {other for other in domain if lift(other, own[place], paths) == lift(value, own[place], paths)}


def check_columns(task, result, levels):
    told = result.utility()
    assert [own.column for own in told.columns] == [*task.quasi_identifiers, *task.sensitive]
    for place, own in enumerate(told.columns[: len(task.quasi_identifiers)]):
        before = [row[own.column] for row in task.rows]
        assert own.values_before == len(set(before) - {None, "*"})
        wanted = literal_kept(before, list(meanings_of(task, levels, place)))
        assert (own.shift, own.values_per_cell, own.information_kept) == pytest.approx(wanted, abs=1e-9)
    for own in told.columns[len(task.quasi_identifiers) :]:
        before = [row[own.column] for row in task.rows]
        stays = [level is not None or task.suppressed_records == "stars" for level in levels]
        wanted = literal_kept(before, [{value} if stay else REMOVED for value, stay in zip(before, stays, strict=True)])
        assert (own.shift, own.values_per_cell, own.information_kept) == pytest.approx(wanted, abs=1e-9)
    generalised = told.columns[: len(task.quasi_identifiers)]
    shares = [own.information_kept for own in generalised if own.information_kept is not None]
    assert told.information_kept == (pytest.approx(sum(shares) / len(shares)) if shares else None)
    assert told.shift == pytest.approx(sum(own.shift for own in generalised) / len(generalised))


LEVELS = st.lists(st.integers(0, 2), min_size=4, max_size=4)
COUNTS = st.lists(st.integers(0, 9), min_size=4, max_size=4)
CODES = [np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, np.int64)]


@examples(200)
@given(COUNTS, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 9)), max_size=6), st.data())
def test_coarser_cells_never_tell_more(counts, moved, data):
    """Records of any values move to higher levels, or leave: 1 at one end, 0 at the other, monotone in between."""
    known = sum(count > 0 for count in counts)
    assume(known)
    on_level = np.zeros((4, 4), np.int64)  # by level and value; those on level 3 have left
    on_level[0] = before = np.array(counts)

    def kept():
        return column_kept("a", "wxyz", before, list(zip(on_level[:3], CODES, strict=True)))

    last = kept()
    assert (last.shift, last.values_per_cell) == (0, 1)
    assert last.information_kept == (None if known == 1 else pytest.approx(1))
    if known == 1:
        return
    for value, level, number in moved:
        higher = data.draw(st.integers(level + 1, 3))
        number = min(number, on_level[level, value])
        on_level[level, value] -= number
        on_level[higher, value] += number
        now = kept()
        assert now.information_kept <= last.information_kept + 1e-12
        last = now
    on_level[:] = 0
    on_level[2] = before
    starred, shares = kept(), [Fraction(count, sum(counts)) for count in counts if count]
    assert (starred.information_kept, starred.values_per_cell) == (0, known)
    assert starred.shift == pytest.approx(float(sum(abs(share - Fraction(1, known)) for share in shares) / 2))
    on_level[2], on_level[3] = 0, before
    gone = kept()
    assert (gone.information_kept, gone.values_per_cell, gone.shift) == (0, None, 1)


def has_amounts(task):
    return any(name in ("profitability", "publisher-payout") for name, _ in task.rules)


@examples(150)
@given(RANDOM | REMOVING)
def test_columns_and_losses_are_those_of_a_slow_twin(task):
    result = made(task)
    levels = levels_of(result, task)
    check_columns(task, result, levels)
    gone = {
        place
        for place, (row, own) in enumerate(zip(task.rows, levels, strict=True))
        if own is None and not is_aside(row, task)
    }
    node = result.classes.node
    each = {one.objective: one for one in result.utility().losses}
    wanted = [name for name in OBJECTIVES if name != "publisher-payout" or name == task.objective or has_amounts(task)]
    assert list(each) == wanted
    assert each[task.objective].after == pytest.approx(result.loss, abs=1e-12)
    for name, loss in each.items():
        asked = task if name == task.objective else replace(task, objective=name, aggregate=None, weights={})
        at, untouched = At(asked, node), At(asked, (0,) * len(node))
        everything = set(range(len(task.rows))) - at.aside
        for found, own, suppressed in (
            (loss.before, untouched, set()),
            (loss.after, at, gone),
            (loss.most, at, everything),
        ):
            assert found == pytest.approx(brute_force.loss_of(own, suppressed)[1], abs=1e-8), name


def literal_local_loss(name, task, cells, levels):
    """What the released cells lose; classes are what looks equal."""
    columns, records = list(paths_of(task).items()), len(task.rows)
    if name in LINEAR:
        lost = []
        for place, (column, paths) in enumerate(columns):
            least = Fraction(records, len(paths)) if name == "granularity" else 0
            total = sum(
                1 if own is None else literal_cell(name, row[column], own[place], paths)
                for row, own in zip(cells, levels, strict=True)
            )
            lost.append((total - least) / (records - least) if records > least else 0)
        if name == "granularity":
            return math.prod(1 + float(own) for own in lost) ** (1 / len(lost)) - 1
        return float(sum(lost) / len(lost))
    if name != "ambiguity":
        classes, out = {}, {place for place, row in enumerate(cells) if set(row.values()) == {"*"}}
        for place, row in enumerate(cells):
            if place not in out:
                classes.setdefault(tuple(row.values()), []).append(place)
        return float(brute_force.OBJECTIVES[name](SimpleNamespace(rows=cells, members=classes), out, None))
    return sum(
        math.prod(
            len(paths) * (1 if own is None else share(row[column], own[place], paths))
            for place, (column, paths) in enumerate(columns)
        )
        for row, own in zip(cells, levels, strict=True)
    )


def literal_cell(name, label, level, paths):
    if name == "precision":
        return Fraction(level, len(paths[0]) - 1)
    stands_for = share(label, level, paths)
    return stands_for if name == "granularity" else label in (None, "*") or (label == paths[0][-1] and stands_for == 1)


@examples(150)
@given(RANDOM | REMOVING)
def test_columns_and_losses_of_local_recoding_are_those_of_a_slow_twin(task):
    task = replace(task, objective="granularity", aggregate=None, weights={})
    best = made(task)
    result = recode_locally(best)
    levels = local_levels_of(result, task)
    check_columns(task, result, levels)
    cells = cells_with_removed(result, task, levels) if best.problem.cube.removes else cells_of(result, task)
    assert best.problem.cube.removes is (task.suppressed_records == "remove")
    each = {one.objective: one for one in result.utility().losses}
    assert list(each) == [*(name for name in OBJECTIVES if name not in ("non-uniform-entropy", "publisher-payout"))]
    assert each["granularity"].after == pytest.approx(result.loss, abs=1e-12)
    for name, loss in each.items():
        assert loss.after == pytest.approx(literal_local_loss(name, task, cells, levels), abs=1e-8), name


@examples(60)
@given(tasks(OF_SIZES, most_rows=20, plain=True, treatments=False).map(with_stars))
def test_what_is_found_agrees_with_the_catalogue(task):
    """Where definitions are the same: no missing cells, no cells that were suppressed before, one level per label."""
    task = replace(task, rows=[row for row in task.rows if not {None, "*"} & {row[q] for q in task.quasi_identifiers}])
    task = replace(task, objective="granularity", aggregate=None, weights={}, subsets=None)
    assume(task.rows)
    result = made(task)
    assume(result.suppressed < len(task.rows))
    for one in (result, recode_locally(result)):
        lost = {loss.objective: loss.after for loss in one.utility().losses}
        measures: dict = {name: {} for name in ("precision", "missings", "ambiguity")}
        by_name = {found.measure: found for found in evaluate(one.release, measures).results}
        assert lost["missings"] == pytest.approx(by_name["missings"].value)
        assert lost["ambiguity"] == by_name["ambiguity"].details["raw"]
        assert lost["precision"] == pytest.approx(1 - by_name["precision"].value)
        if set(map(tuple, (row.values() for row in cells_of(one, task)))) - {("*",) * len(task.quasi_identifiers)}:
            found = evaluate(one.release, {"discernibility": {}}).results[0]
            assert lost["discernibility"] == found.details["raw"]
    entropy = evaluate(result.release, {"non-uniform-entropy": {}}).results[0].details["raw"]
    lost = {loss.objective: loss.after for loss in result.utility().losses}
    assert lost["non-uniform-entropy"] == pytest.approx(entropy, abs=1e-8)


ROLES = {"age": "quasi_identifier", "town": "quasi_identifier", "ill": "sensitive_attribute"}
TABLE = pa.table(
    {
        "age": ["31", "32", "33", "34", "35", "36", "71", None],
        "town": ["Alton", "Alton", "Alton", "Alton", "Brook", "Brook", "Brook", "Brook"],
        "ill": ["flu", "flu", "flu", "cold", "cold", "cold", "cold", "cold"],
    }
)
HIERARCHIES = {"age": {"width": [10]}, "town": [["Alton", "*"], ["Brook", "*"]]}


def test_a_worked_example():
    """The person of 71 and the one without an age are suppressed: a quarter of Brook's people is missing."""
    rules, stars = {"k-anonymity": {"k": 2}}, {"suppressed_records": "stars"}
    settings = {"suppression": 0.25, "levels": {"age": (0, 1)}}
    result = anonymize(TABLE, ROLES, HIERARCHIES, rules, **settings, **stars)
    assert (result.levels, result.suppressed) == ({"age": 1, "town": 0}, 2)
    told = result.utility()
    age, town, ill = told.columns
    # Ages: six of the seven known cells may stand for the six values from 30 to 39, one for any of the seven.
    assert (age.values_before, age.values_per_cell) == (7, pytest.approx(43 / 7))
    assert age.information_kept == pytest.approx(6 * math.log2(7 / 6) / (7 * math.log2(7)))
    assert age.shift == pytest.approx(6 / 7 * 0 + abs(1 / 7 - 1 / 49))
    # Towns: four in Alton and four in Brook; two of Brook's are `*`.
    assert (town.values_before, town.values_per_cell, town.information_kept) == (2, 10 / 8, 6 / 8)
    assert town.shift == pytest.approx(5 / 8 - 4 / 8)
    assert (ill.values_before, ill.values_per_cell, ill.information_kept, ill.shift) == (2, 1, 1, 0)
    assert told.information_kept == pytest.approx((age.information_kept + 6 / 8) / 2)
    assert told.to_dict()["columns"][1] == town.to_dict()
    town = anonymize(TABLE, ROLES, HIERARCHIES, rules, **settings).utility().columns[1]
    assert (town.values_per_cell, town.information_kept) == (1, 6 / 8)
    assert town.shift == pytest.approx(4 / 6 - 4 / 8)


def older(table):
    assert table.num_rows in (6, 8)  # without and with the suppressed records
    return sum(value is not None and value[:1].isdigit() and int(value[:2]) > 33 for value in table["age"].to_pylist())


def test_a_task_is_told_whether_it_is_a_rule_or_not():
    rules = {"k-anonymity": {"k": 2}, "utility-bias": {"function": older}}
    for method in ("global", "local"):
        result = anonymize(TABLE, ROLES, HIERARCHIES, rules, suppression=0.25, method=method)
        assert result.problem.rules[-1].name == "k-anonymity (k=2)"
        (task,) = result.utility().tasks
        assert (task.function, task.before, task.max_bias) == ("older", 4, None)
        assert task.after == older(result.table)
    limited = {**rules, "utility-bias": {"function": older, "max_bias": 4}}
    result = anonymize(TABLE, ROLES, HIERARCHIES, limited, suppression=0.25)
    assert [one.max_bias for one in result.utility().tasks] == [4]
    assert len(result.problem.rules) == 2


def test_a_task_without_a_limit_is_no_rule():
    with pytest.raises(ParameterError, match="no rule is given"):
        anonymize(TABLE, ROLES, HIERARCHIES, {"utility-bias": {"function": older}})


def test_ambiguity_is_left_out_where_it_is_no_number_any_more(monkeypatch):
    monkeypatch.setattr(utility, "LARGEST", 10)
    result = anonymize(TABLE, ROLES, HIERARCHIES, {"k-anonymity": {"k": 2}}, suppression=0.25)
    assert [one.objective for one in result.utility().losses] == [
        name for name in OBJECTIVES if name not in ("ambiguity", "publisher-payout")
    ]


def test_a_column_with_one_value_told_nothing():
    roles, table = {"town": "quasi_identifier"}, TABLE.set_column(1, "town", pa.array(["Alton"] * 8))
    told = anonymize(table, roles, {"town": HIERARCHIES["town"]}, {"k-anonymity": {"k": 2}}).utility()
    assert (told.information_kept, told.columns[0].information_kept, told.shift) == (None, None, 0)


MIXED = {
    "a": [(leaf, leaf[0], "*") for leaf in ("x1", "x2", "y1", "y2")],
    "b": [("1", "low", "any"), ("2", "low", "any"), ("3", "3", "any")],
}


@examples(60)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"a": st.sampled_from(["x1", "x2", "y1", "y2", None]), "b": st.sampled_from(["1", "2", "3"])}
            | {"s": st.sampled_from("uv")}
        ),
        min_size=8,
        max_size=40,
    ),
    st.integers(2, 4),
)
def test_values_on_several_levels(rows, k):
    """Random tables on which local recoding often mixes levels."""
    task = Task(rows, ["a", "b"], MIXED, [("k-anonymity", {"k": k})], ["s"], limit=1)
    result = recode_locally(anonymized(task))
    event(f"{len(result.sweep.nodes)} combinations of levels")
    cells, levels = cells_of(result, task), local_levels_of(result, task)
    check_columns(task, result, levels)
    for loss in result.utility().losses:
        assert loss.after == pytest.approx(literal_local_loss(loss.objective, task, cells, levels), abs=1e-8)


def test_cells_on_several_levels_are_counted_one_by_one():
    """Three records of six tell that they are a; the others tell that they are one of three."""
    paths = [*((leaf, "A", "*") for leaf in "ae"), *((leaf, "B", "*") for leaf in "bcd")]
    task = Task([{"q": value} for value in "aaabcd"], ["q"], {"q": paths}, [("k-anonymity", {"k": 3})])
    result = recode_locally(anonymized(task))
    assert result.table["q"].to_pylist() == ["a", "a", "a", "B", "B", "B"]
    (own,) = result.utility().columns
    assert (own.values_before, own.values_per_cell, own.shift) == (4, 2, 0)
    assert own.information_kept == pytest.approx((3 * 1 + 3 * 1) / (3 * 1 + 3 * math.log2(6)))


def test_records_that_the_top_node_made_stars_are_suppressed():
    """By what is lost in local recoding, they are no class: nothing is left of any of them."""
    table = pa.table({"age": ["*", "31", "42", "57", "61", "62", "63"]})
    roles, rules = {"age": "quasi_identifier"}, {"k-anonymity": {"k": 3}}
    how = {"method": "local", "suppressed_records": "stars", "suppression": 0.5}
    result = anonymize(table, roles, {"age": {"width": [10]}}, rules, **how)
    assert result.table["age"].to_pylist() == ["*"] * 4 + ["[60, 70)"] * 3
    lost = {one.objective: one.after for one in result.utility().losses}
    assert (lost["discernibility"], lost["aecs"]) == (3**2 + 4 * 7, 7 / 2)
