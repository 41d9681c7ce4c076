"""A plan on other tables: the same cells on the same table, a slow twin on others, and rules by their definitions."""

import json
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import brute_force
import definitions
from anonymizing_tasks import OF_OTHER_TABLES, OF_SIZES, OF_TABLES, OF_VALUES, anonymized, tables, tasks
from conftest import examples
from frames import arrow
from PETWorks import Release, evaluate
from PETWorks import anonymize as api_anonymize
from PETWorks import apply_plan as api_apply_plan
from PETWorks.anonymizer.objectives import LINEAR
from PETWorks.errors import HierarchyError, InputError, NotApplicable, ParameterError, PETWorksError, RoleError
from PETWorks.gate.policy.plan_files import parse_plan
from PETWorks.gate.policy.sources import read_removed_records
from searches import anonymize, apply_plan

ROLES = {"age": "quasi_identifier", "zip": "quasi_identifier", "illness": "sensitive_attribute"}
WORDS = {"age": {"width": [5, 10, 20]}, "zip": {"prefix": [4, 3]}}


def raw(records, first=0, **others):
    places = range(first, first + records)
    return {
        "age": [str(20 + place * 7 % 40) for place in places],
        "zip": [str(47900 + place * 5 % 12) for place in places],
        "illness": ["abc"[place % 3] for place in places],
        **{name: [cell] * records for name, cell in others.items()},
    }


def found_plan(task, method):
    try:
        result = anonymized(task, method=method)
    except NotApplicable:
        assume(False)
    return result, json.loads(json.dumps(result.plan))


def others_of(task):
    population = task.population
    return {
        "original": None if task.original is None else arrow(task.original),
        "population": arrow(population) if isinstance(population, list) else None,
    }


@pytest.mark.parametrize("method", ["global", "local"])
@examples(60)
@given(data=st.data())
def test_the_same_table_gives_the_same_cells(method, data):
    pool = OF_SIZES | OF_VALUES | OF_TABLES
    background = data.draw(st.booleans())
    task = data.draw(tasks(pool | OF_OTHER_TABLES if background else pool, background=background))
    if method == "local" and task.objective not in LINEAR:
        task = replace(task, objective="precision", aggregate=None)
    result, plan = found_plan(task, method)
    again = apply_plan(arrow(task.rows), plan, task.hierarchies, **others_of(task))
    assert again.table.to_pylist() == result.table.to_pylist()
    assert again.suppressed == result.suppressed == plan["suppressed"]
    assert again.loss == pytest.approx(result.loss, abs=1e-9)
    assert again.within_the_limit
    assert again.without_place == {}


STRANGE = st.sampled_from(["w1", "w2", "w3"])


@st.composite
def planned(draw, pool, method, treatments=False):
    """A task with its plan, and rows of another table: some values have no place."""
    task = draw(tasks(pool, plain=True, treatments=treatments))
    task = replace(task, limit=draw(st.sampled_from([1 / 3, 1, 1])))
    if method == "local":
        task = replace(task, objective="granularity", weights={}, bounds={})
    _, plan = found_plan(task, method)
    rows = draw(tables(task.quasi_identifiers, task.hierarchies, 30))
    for column in task.quasi_identifiers:
        for place in draw(st.lists(st.integers(0, 29), max_size=2)):
            if place < len(rows):
                rows[place] = rows[place] | {column: draw(STRANGE)}
    return task, plan, rows


def placed(task, plan, rows):
    """The rows of which every value has a place, the others suppressed."""
    stars = dict.fromkeys(task.quasi_identifiers, "*")
    heights = [len(paths[0]) - 1 for paths in brute_force.paths_of(task).values()]
    matter = [
        column
        for place, column in enumerate(task.quasi_identifiers)
        if any(node[place] < heights[place] for node in plan["levels"])
    ]
    return [row | stars if any((row[column] or "").startswith("w") for column in matter) else row for row in rows]


def failing_rows(task, rows, rules):
    """The places of rows in classes that fail a rule, as these rows look."""
    at = brute_force.At(replace(task, rows=rows), (0,) * len(task.quasi_identifiers))
    bad = set().union(*(brute_force.failing(at, name, given_) for name, given_ in rules))
    return {place for known in bad for place in at.members.get(known, ())}


@examples(80)
@given(planned({name: OF_SIZES[name] for name in ("k-anonymity", "prosecutor-risk")} | OF_VALUES, "global"))
def test_global_plans_as_a_slow_twin(case):
    task, plan, rows = case
    known = placed(task, plan, rows)
    all_gone = known != rows and all(brute_force.is_aside(row, task) for row in known)
    if all_gone or all(brute_force.is_aside(row, task) for row in rows):
        with pytest.raises(NotApplicable):
            apply_plan(arrow(rows), plan, task.hierarchies)
        return
    at = brute_force.At(replace(task, rows=known), tuple(plan["levels"][0]))
    bad = set().union(*(brute_force.failing(at, name, given_) for name, given_ in task.rules))
    out = {place for columns_of in bad for place in at.members[columns_of]}
    result = apply_plan(arrow(rows), plan, task.hierarchies)
    not_placed = sum(one != other for one, other in zip(known, rows, strict=True))
    assert (result.not_placed, result.suppressed) == (not_placed, not_placed + len(out))
    for (name, given_), failing in zip(task.rules, result.failing.values(), strict=True):
        own = brute_force.failing(at, name, given_)
        assert failing == sum(len(at.members[columns_of]) for columns_of in own)
    gone = out | at.aside if task.suppressed_records == "remove" else set()
    if len(gone) == len(rows):
        with pytest.raises(NotApplicable, match="nothing is left"):
            _ = result.table
        return
    recoded = at.released(out)
    assert result.table.to_pylist() == [
        row | {name: recoded[place][name] for name in task.quasi_identifiers}
        for place, row in enumerate(rows)
        if place not in gone
    ]


def swept(task, plan, rows):
    """Local recoding by hand: on each node of the plan, the classes of what is left that keep the rules."""
    labels = dict(enumerate([None] * len(rows)))
    left = {place for place, row in enumerate(rows) if not brute_force.is_aside(row, task)}
    for node in plan["levels"]:
        lifted = brute_force.generalised(rows, node, task)
        # What is left keeps the rules against the whole table: rows that are released elsewhere stand aside.
        stars = dict.fromkeys(task.quasi_identifiers, "*")
        seen = [row if place in left else row | stars for place, row in enumerate(lifted)]
        released = left - failing_rows(task, seen, task.rules)
        labels |= {place: lifted[place] for place in released}
        left -= released
    while True:
        stars = dict.fromkeys(task.quasi_identifiers, "*")
        looks = [labels[place] or row | stars for place, row in enumerate(rows)]
        bad = failing_rows(task, looks, task.rules)
        if not bad:
            return looks, {place for place in range(len(rows)) if not labels[place]}
        labels |= dict.fromkeys(bad)


SIMPLE = {name: OF_SIZES[name] for name in ("k-anonymity",)} | {
    name: OF_VALUES[name] for name in ("l-diversity", "t-closeness", "alpha-k-anonymity")
}


@examples(60)
@given(planned(SIMPLE, "local"))
def test_local_plans_as_a_slow_twin(case):
    """Plans of earlier versions divide no classes further."""
    task, plan, rows = case
    plan = {key: found for key, found in plan.items() if key not in ("divided_down_to", "homes")}
    known = placed(task, plan, rows)
    assume(not all(brute_force.is_aside(row, task) for row in known))
    result = apply_plan(arrow(rows), plan, task.hierarchies)
    looks, gone = swept(task, plan, known)
    names = task.quasi_identifiers
    empty = [all(row[name] == "*" for name in names) for row in looks]
    aside = [brute_force.is_aside(row, task) for row in known]
    # On several nodes, a record that is all stars is suppressed, whichever node made it so.
    leaving = gone | {place for place, one in enumerate(empty) if one and len(plan["levels"]) > 1}
    leaving = leaving if task.suppressed_records == "remove" else set()
    if len(leaving) == len(rows):
        with pytest.raises(NotApplicable, match="nothing is left"):
            _ = result.table
    else:
        kept = [row for place, row in enumerate(looks) if place not in leaving]
        assert result.table.select(names).to_pylist() == [{name: row[name] for name in names} for row in kept]
    not_placed = sum(one != other for one, other in zip(known, rows, strict=True))
    assert result.not_placed == not_placed
    lifted = brute_force.generalised(known, plan["levels"][0], task)
    becomes_stars = any(
        all(row[name] == "*" for name in names) and not aside[place] for place, row in enumerate(lifted)
    )
    if len(plan["levels"]) > 1:
        assert result.suppressed == not_placed + sum(one and not other for one, other in zip(empty, aside, strict=True))
    elif not becomes_stars:  # as labels, which the twin cannot tell from suppression
        assert result.suppressed == not_placed + sum(not aside[place] for place in gone)


DEFINED = {
    "k-anonymity": lambda case, given_: definitions.k_anonymity(case) >= given_["k"],
    "l-diversity": lambda case, given_: definitions.l_diversity(case) >= given_["l"],
    "t-closeness": lambda case, given_: not brute_force.above(definitions.t_closeness(case), given_["t"]),
    "average-risk": lambda case, given_: not brute_force.above(definitions.average_risk(case), given_["average"]),
    "sample-uniqueness": lambda case, given_: (
        not brute_force.above(definitions.sample_uniqueness(case), given_["share"])
    ),
}
JUDGED = {
    "k-anonymity": OF_SIZES["k-anonymity"],
    "sample-uniqueness": OF_SIZES["sample-uniqueness"],
    "average-risk": st.fixed_dictionaries({"average": st.sampled_from([1.0, 0.5, 0.3])}),
    "l-diversity": OF_VALUES["l-diversity"],
    "t-closeness": OF_VALUES["t-closeness"].map(lambda given_: {"t": given_["t"]}),
}


@pytest.mark.parametrize("method", ["global", "local"])
@examples(80)
@given(data=st.data())
def test_a_rule_that_passes_does_so_by_its_definition(method, data):
    task, plan, rows = data.draw(planned(JUDGED, method, treatments=True))
    try:
        result = apply_plan(arrow(rows), plan, task.hierarchies)
        released = result.table.to_pylist()
    except NotApplicable:
        assume(False)
    places = result.places(result.order)
    people = [rows[place]["person"] for place in (range(len(rows)) if places is None else places)]
    case = definitions.Case(
        [row | {"person": person} for row, person in zip(released, people, strict=True)],
        task.quasi_identifiers,
        task.sensitive,
        task.hierarchies,
        rows,
        task.suppressed,
        missing=task.missing,
        several=task.several,
        unit=task.unit,
        values=task.values,
    )
    for (name, given_), (rule, holds) in zip(task.rules, result.satisfied_by_rule.items(), strict=True):
        assert rule.startswith(name)
        if holds and definitions.classes(case):
            assert DEFINED[name](case, given_), name
    assert not [row for row in released for name in task.quasi_identifiers if str(row[name]).startswith("w")]


def test_next_month():
    """Ages that are new have their place by the words; what has none is suppressed, and counted."""
    result = anonymize(raw(240), ROLES, WORDS, {"k-anonymity": {"k": 5}}, suppression=0.05)
    table = raw(300, first=100)
    table["age"][:3] = ["103", "unknown", "not given"]
    table["zip"][1] = ""
    again = apply_plan(table, result.plan)
    assert again.without_place["age"].values == 2
    assert again.without_place["age"].records == 2
    assert again.not_placed == 2
    assert again.suppressed >= 2
    assert again.levels == result.levels
    assert (again.then.records, again.then.suppressed, again.then.loss) == (240, result.suppressed, result.loss)
    assert evaluate(again.release, {"k-anonymity": {"k": 5}}).satisfied
    told = again.to_dict()
    assert told["now"] == {"records": 300, "suppressed": again.suppressed, "loss": again.loss}
    assert json.loads(json.dumps(told)) == told
    cells = {cell for name in ("age", "zip") for cell in again.table[name].to_pylist()}
    assert not cells & {"unknown", "not given"}
    with pytest.raises(HierarchyError, match=r"'age' \(2 values, 2 records\)"):
        apply_plan(table, result.plan, strict=True)


def test_more_than_the_limit_is_suppressed_and_said():
    result = anonymize(raw(240), ROLES, WORDS, {"k-anonymity": {"k": 5}}, suppression=0.05)
    again = apply_plan(raw(12), result.plan)
    assert again.suppressed == 12
    assert not again.within_the_limit
    few = raw(240)
    few["age"][:13] = ["?"] * 13
    assert not apply_plan(few, result.plan).within_the_limit, "13 of 240 have no place, and 12 may be suppressed"


def test_rules_about_the_table_suppress_within_the_limit():
    rules = {"average-risk": {"average": 0.2}}
    table = raw(240)
    result = anonymize(table, ROLES, WORDS, rules, suppression=0.1, levels={"age": (1, 2), "zip": 2})
    again = apply_plan(table, result.plan)
    assert again.table.to_pylist() == result.table.to_pylist()
    assert again.failing == {"average-risk (average=0.2)": None}
    other = apply_plan(raw(24), result.plan)
    assert other.satisfied_by_rule == {"average-risk (average=0.2)": False}, (
        "no number of records within the limit is enough"
    )


def test_what_has_no_place_counts_against_the_limit():
    rules = {"average-risk": {"average": 0.25}}
    table = {"age": ["20"] * 94 + [str(30 + place) for place in range(6)], "zip": ["47900"] * 100}
    roles = dict.fromkeys(table, "quasi_identifier")
    fixed = {"age": 0, "zip": 0}
    plan = anonymize(
        table, roles, WORDS, rules | {"sample-uniqueness": {"share": 0}}, suppression=0.1, levels=fixed
    ).plan
    assert plan["suppressed"] == 6
    again = apply_plan(table | {"age": ["?"] * 4 + table["age"][4:]}, plan)
    assert (again.not_placed, again.suppressed) == (4, 10)
    again = apply_plan(table | {"age": ["?"] * 5 + table["age"][5:]}, plan)
    assert (again.not_placed, again.suppressed) == (5, 5), "for a rule about the table, no record beyond the limit"
    assert again.satisfied_by_rule["sample-uniqueness (share=0)"] is False


def test_what_has_no_place_is_in_the_original():
    plan = anonymize(raw(60), ROLES, WORDS, {"k-anonymity": {"k": 2}}, levels={"age": (0, 2)}).plan
    table = raw(60)
    table["age"][0] = "unknown"
    again = apply_plan(table, plan)
    assert again.not_placed == 1
    assert repr(again).startswith("<Replayed: 1 of 60 records suppressed; loss ")
    assert "unknown" in again.original.original.marginal("age").values
    assert "unknown" not in again.original.table.marginal("age").values


def test_columns_that_are_missing_or_new():
    table = raw(120, name="x", note="y")
    roles = ROLES | {"name": "identifier", "note": "insensitive_attribute"}
    plan = anonymize(table, roles, WORDS, {"k-anonymity": {"k": 2}}).plan
    fewer = {name: table[name] for name in ROLES}
    again = apply_plan(fewer, plan)
    assert again.missing_columns == ("name", "note")
    assert again.table.column_names == ["age", "zip", "illness"]
    for lacking in ("age", "illness"):
        with pytest.raises(RoleError, match=f"lacks columns that the plan needs: '{lacking}'"):
            apply_plan({name: table[name] for name in table if name != lacking}, plan)
    more = table | {"comment": ["z"] * 120}
    with pytest.raises(RoleError, match=r"nobody has said that they may be released: 'comment';.*\(roles=...\)"):
        apply_plan(more, plan)
    assert "comment" not in apply_plan(more, plan, roles={"comment": "identifier"}).table.column_names
    assert "comment" in apply_plan(more, plan, roles={"comment": "insensitive_attribute"}).table.column_names
    with pytest.raises(RoleError, match="'comment' is new to the plan"):
        apply_plan(more, plan, roles={"comment": "quasi_identifier"})
    with pytest.raises(RoleError, match="says what column 'note' is"):
        apply_plan(table, plan, roles={"note": "identifier"})


def test_a_table_in_another_coding_is_an_error():
    plan = anonymize(raw(60), ROLES, WORDS, {"k-anonymity": {"k": 2}}, levels={"age": (0, 2)}).plan
    with pytest.raises(
        NotApplicable, match="each of the 60 records that are not suppressed has a value without a place"
    ):
        apply_plan(raw(60) | {"age": ["thirty"] * 60}, plan)


def test_on_the_highest_level_every_value_has_a_place():
    plan = anonymize(raw(60), ROLES, WORDS, {"k-anonymity": {"k": 2}}, levels={"age": 4}).plan
    again = apply_plan(raw(60) | {"age": ["thirty"] * 60}, plan)
    assert again.without_place == {}
    assert set(again.table["age"].to_pylist()) == {"*"}


def test_hierarchies_of_files_have_to_be_the_same():
    rows = [[str(age), f"{age // 10}0s", "any"] for age in range(20, 60)]
    hierarchies = WORDS | {"age": rows}
    plan = anonymize(raw(120), ROLES, hierarchies, {"k-anonymity": {"k": 3}}).plan
    assert apply_plan(raw(120), plan, hierarchies).suppressed == 0
    with pytest.raises(HierarchyError, match=r"of 'age' \(hierarchies=...\)"):
        apply_plan(raw(120), plan)
    with pytest.raises(
        HierarchyError, match=r"column 'age': its hierarchy .* is not the one that the plan was made with"
    ):
        apply_plan(raw(120), plan, {"age": rows[:-1]})


@pytest.mark.filterwarnings("ignore::PETWorks.ReleaseWarning")
@pytest.mark.parametrize("words", [{"quantiles": 4}, {"rare": {"fewer_than": 5}}])
def test_levels_that_follow_from_the_records_are_those_of_the_table_of_the_plan(words):
    release = Release(raw(120), ROLES, WORDS | {"age": words})
    rules = {"k-anonymity": {"k": 3}, "l-diversity": {"l": 1}}
    made = api_anonymize(release, rules, suppression=0.5, order="original")
    cells = made.table.to_pydict()
    assert api_apply_plan(raw(120), made, order="original").table.to_pydict() == cells
    again = api_apply_plan(raw(120, 60), made, suppression=0.9)
    assert again.problem.suppression == 0.9
    assert set(again.table["age"].to_pylist()) <= {*cells["age"], *raw(120)["age"], "*", "other"}
    assert api_apply_plan(raw(120), made.plan, made.original.hierarchies, order="original").table.to_pydict() == cells
    assert api_apply_plan(raw(120), again).original.hierarchies["age"].levels
    with pytest.raises(HierarchyError, match="'age' follow from the records of the plan's table"):
        api_apply_plan(raw(120), made.plan, WORDS | {"age": words})
    with pytest.raises(ParameterError, match="a share of the records"):
        api_apply_plan(raw(120), made, suppression=2)
    with pytest.raises(ParameterError, match=r"share of the records, 0 to 1 .*, got 'few'"):
        api_apply_plan(raw(120), made, suppression="few")


def test_values_without_a_place_in_the_hierarchy_of_a_sensitive_attribute_are_counted():
    illnesses = {"illness": [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]}
    rules = {"t-closeness": {"t": 0.9}}
    plan = anonymize(raw(120), ROLES, WORDS | illnesses, rules, suppression=1).plan
    table = raw(120)
    table["illness"][0] = "d"
    again = apply_plan(table, plan, illnesses)
    assert (again.without_place["illness"].records, again.not_placed) == (1, 0)
    assert evaluate(again.release, rules).satisfied


def test_a_population_of_the_plan_and_another():
    plan = anonymize(raw(60), ROLES, WORDS, {"k-anonymity": {"k": 2}}, population=5000).plan
    assert apply_plan(raw(60), plan).release.population_size == 5000
    with pytest.raises(ParameterError, match="has a population already"):
        apply_plan(raw(60), plan, population=6000)


PLAN = anonymize(raw(60), ROLES, WORDS, {"k-anonymity": {"k": 2}}).plan


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"petworks_plan": 2}, "unknown version '2'"),
        ({"petworks_plan": "1"}, "unknown version '1'"),
        ({"petworks_plan": None}, "not a plan: petworks_plan violates 'const'"),
        ({"columns": ["age"]}, "not the quasi-identifiers"),
        ({"columns": []}, "violates"),
        ({"levels": [[0]]}, "expected 2 numbers in each list"),
        ({"levels": [[0, 9]]}, "column 'zip' has a level that is not one of those that were allowed"),
        ({"allowed_levels": {"age": [4, 4]}, "levels": [[0, 0]]}, "column 'age' has a level"),
        ({"allowed_levels": {"age": [4]}}, "column 'age' has a level"),
        ({"levels": [[0, 1.0]]}, "violates 'type'"),
        ({"levels": [[0, -1]]}, "violates 'minimum'"),
        ({"levels": [[0, 1], [1, 1]]}, "the method is 'global'"),
        (
            {"method": "local", "objective": "non-uniform-entropy", "levels": [[0, 1], [1, 1]]},
            "takes every objective but",
        ),
        ({"levels": "0"}, "levels violates 'type'"),
        ({"suppression": 2}, "suppression violates 'maximum'"),
        ({"records": 0}, "records violates 'minimum'"),
        ({"objective": "granularty"}, "did you mean 'granularity'"),
        ({"aggregate": "mean"}, "no aggregate is called 'mean'"),
        ({"weights": {"agee": 2}}, "did you mean 'age'"),
        ({"rules": []}, "rules violates 'minItems'"),
        ({"rules": [{"name": "x", "measure": "k-anonimity", "parameters": {"k": 2}}]}, "did you mean 'k-anonymity'"),
        ({"rules": [{"name": "x", "measure": "k-anonymity", "parameters": {"k": [2]}}]}, "needs a number"),
        ({"rules": [{"name": "x", "measure": "k-anonymity", "parameters": {"k": -2}}]}, "k-anonymity needs"),
        (
            {"rules": [{"name": "x", "measure": "every-subset", "parameters": {"limit": "uniques"}}]},
            "expected the param",
        ),
        ({"rules": [{"name": "x", "measure": "k-anonymity"}]}, "violates 'required'"),
        ({"rules": 2 * [{"name": "x", "measure": "k-anonymity", "parameters": {"k": 2}}]}, "the same name"),
        ({"roles": {"quasi_identifiers": ["age", "zip"], "identifiers": ["age"]}}, "listed twice"),
        ({"hierarchies": {}}, "no hierarchy for 'age'"),
        ({"hierarchies": PLAN["hierarchies"] | {"zip": {"height": 3, "sha256": "0"}}}, "violates 'pattern'"),
        (
            {"hierarchies": PLAN["hierarchies"] | {"zip": {"height": 9, "sha256": "0" * 64, "words": {"mask": [1]}}}},
            "0 to 9",
        ),
        (
            {"hierarchies": PLAN["hierarchies"] | {"zip": {"height": 3, "sha256": "0" * 64, "words": {"mask": {}}}}},
            "mask",
        ),
        ({"hierarchies": PLAN["hierarchies"] | {"zip": {"height": 3, "sha256": "0" * 64, "words": {}}}}, "of the keys"),
        ({"treatment": {"missing": "gone"}}, "missing is 'value' or 'apart'"),
        ({"policy": {"waivers": [1]}}, "the waivers in the plan"),
        (
            {"policy": {"waivers": [{"rule": "k-anonymity (k=2)", "expires": "9999-01-01"}]}},
            "every rule of the plan is waived",
        ),
        ({"further": 1}, "violates 'additionalProperties'"),
    ],
)
def test_what_is_no_plan(change, told):
    with pytest.raises(PETWorksError, match=told):
        apply_plan(raw(60), PLAN | change)


def test_a_plan_lacks_no_key():
    for key in PLAN:
        if key not in ("aggregate", "suppressed_records", "removed"):  # plans of earlier versions lack the last two
            with pytest.raises(InputError):
                parse_plan({name: value for name, value in PLAN.items() if name != key}, "plan")


@pytest.mark.parametrize(
    "content", ["", "no", "[]", "{}", "null", "1", '{"petworks_plan": NaN}', "[" * 100_000, b"\xff\xfe"]
)
def test_files_that_are_no_plans(tmp_path, content):
    path = tmp_path / "plan.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=r"plan\.json"):
        apply_plan(raw(6), path)


def test_a_function_cannot_be_part_of_a_plan():
    def task(_table):
        return 0.0

    result = anonymize(
        raw(60), ROLES, WORDS, {"utility-bias": {"function": task, "max_bias": 1}, "k-anonymity": {"k": 2}}
    )
    with pytest.raises(ParameterError, match="a function of your own"):
        assert result.plan


def test_removed_records_are_taken_from_valid_plans_only(tmp_path):
    for change, told in (({"petworks_plan": 2}, "unknown version '2'"), ({"columns": ["zip", "age"]}, "contradicts")):
        (tmp_path / "plan.json").write_text(json.dumps(PLAN | {"removed": "1"} | change), "utf-8")
        with pytest.raises(InputError, match=told):
            read_removed_records(tmp_path / "plan.json")
