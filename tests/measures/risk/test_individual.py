"""Individual risk of survey records: the published vector, integrals, households, and mistakes in weights."""

import json
import math
import random
import warnings
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given

import definitions
import frames
from command import petworks
from comparison import close
from conftest import cases, examples, small_batches
from PETWorks import Release, anonymize
from PETWorks.errors import InputError, NotApplicable, ReleaseWarning, RoleError
from PETWorks.measures import (
    average_risk,
    individual_risk,
    journalist_risk,
    k_map,
    marketer_risk,
    population_uniqueness,
)
from PETWorks.measures.attacks.uniques import risks_per_record
from PETWorks.measures.risk.individual import exact_sum, from_exact, individual_risks
from spark_cluster import needs_spark

ENGINES = ["memory", "duckdb", pytest.param("spark", marks=needs_spark)]
ROWS = [(2, 3, 1, 18), (3, 3, 3, 45.5), (2, 3, 1, 39), (2, 3, 2, 17), (3, 3, 1, 92), (3, 3, 1, 8), (1, 4, 1, 123.5)]
ROWS += [(2, 3, 1, 51)]
SURVEY = {name: [row[place] for row in ROWS] for place, name in enumerate(["A", "B", "C", "weight"])}
SURVEY |= {"home": ["1", "1", "2", "2", None, "3", "3", None]}
KNOWN = dict.fromkeys("ABC", "quasi_identifier")
RISKS = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297]
HOMES = [[0, 1], [2, 3], [4], [5, 6], [7]]  # the last of them name no household


def survey(engine="memory", **options):
    return Release(SURVEY, KNOWN, sampling_weight="weight", engine=engine, **options)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_published_vector(engine):
    release = survey(engine, household="home")
    found = individual_risk(release, threshold=0.02, highest=0.18, average=0.05, expected=0.3, at_risk=0.5)
    assert found.value == pytest.approx(max(RISKS), abs=1e-8)
    assert found.details["expected"] == pytest.approx(sum(RISKS), abs=1e-7)
    assert found.details["average"] == pytest.approx(sum(RISKS) / 8, abs=1e-8)
    assert found.details["lowest"] == pytest.approx(min(RISKS), abs=1e-8)
    assert found.details["at_risk"] == 3 / 8
    assert found.details["riskiest_class"] == {"records": 1, "people": 17.0}
    assert found.details["estimated_population"] == 394
    assert {name: row["holds"] for name, row in found.details["limits"].items()} == {
        **dict.fromkeys(("highest", "average", "at_risk"), True),
        "expected": False,
    }
    homes = [1 - math.prod(1 - RISKS[place] for place in home) for home in HOMES]
    members = [risk for risk, home in zip(homes, HOMES, strict=True) for _ in home]
    assert found.details["households"] == {
        "households": 5,
        "highest": pytest.approx(max(homes), abs=1e-8),
        "average": pytest.approx(sum(members) / 8, abs=1e-8),
        "expected": pytest.approx(sum(homes), abs=1e-7),
        "records_at_risk": sum(risk > 0.02 for risk in members),
        "at_risk": sum(risk > 0.02 for risk in members) / 8,
    }
    release.engine.close()


def test_each_class_of_the_vector():
    sizes, people = np.array([3, 1, 3, 1, 2, 2, 1, 3]), np.array([108, 45.5, 108, 17, 100, 100, 123.5, 108])
    assert individual_risks(sizes, people).tolist() == pytest.approx(RISKS, abs=1e-8)


POINTS, SHARES = np.polynomial.legendre.leggauss(30)


def integral(size, people):
    """The integral of u**(f-1)/(1 + c u), with u = exp(-t) and panels that become longer with t."""
    excess = people / size - 1
    edges = np.append(0, np.geomspace(1e-9, 1, 120)) * (math.log1p(excess) + 700) / size
    low, width = edges[:-1, None], np.diff(edges)[:, None]
    t = low + width * (POINTS + 1) / 2
    return float((np.exp(-size * t) / (1 + excess * np.exp(-t)) * SHARES * width / 2).sum())


def test_integrals_for_every_size_of_class():
    draw = random.Random(5)
    sizes = [1, 2, 3, 4, 10, 39, 40, 41, 42, 100, 1000, 9999, 10_000] + [draw.randint(1, 10_000) for _ in range(40)]
    pairs = [
        (size, people)
        for size in sizes
        for people in [size * (1 + 1e-12), size + 0.25, 1.999 * size, 2.0 * size, 2.001 * size, 1e6 + size, 1e9]
        + [size * (1e9 / size) ** draw.random() for _ in range(8)]
    ]
    found = individual_risks(np.array([size for size, _ in pairs]), np.array([people for _, people in pairs]))
    assert found.tolist() == pytest.approx([integral(*pair) for pair in pairs], rel=1e-11)
    assert ((found > 0) & (found <= [1 / size for size, _ in pairs])).all()


def test_a_class_that_is_the_whole_population():
    sizes = np.array([1, 2, 7, 50, 10_000, 3])
    assert individual_risks(sizes, np.array([1, 1.5, 7, 50, 10_000, 0.25])).tolist() == (1 / sizes).tolist()
    assert individual_risks(np.array([], np.int64), np.array([])).tolist() == []


def test_more_records_and_more_people_mean_less_risk():
    """What makes the rule about classes monotone: both grow when classes are merged."""
    sizes = np.concatenate([np.arange(1, 200), np.geomspace(200, 1e4, 40).astype(int)])
    people = np.geomspace(1, 1e9, 150)
    table = individual_risks(np.repeat(sizes, len(people)), np.tile(people, len(sizes))).reshape(len(sizes), -1)
    slack = 1 + 1e-13
    assert (table[1:] <= table[:-1] * slack).all()
    assert (table[:, 1:] <= table[:, :-1] * slack).all()


@given(case=cases())
def test_households_agree_with_their_definition(case):
    case.weight, case.household = "weight", "household"
    release = frames.release_of(case)
    several = case.unit is not None and any(
        len({(row["weight"], row["household"]) for row in case.released if row[case.unit] == person}) > 1
        for person in {row[case.unit] for row in case.released}
    )
    assume(not several)
    with small_batches(2):
        found = individual_risk(release, threshold=0.3).details
    assert found["expected"] == pytest.approx(
        sum(
            definitions.expected_share(len(group), definitions.weight_of(group, case)) * len(group)
            for group in definitions.classes(case)
        )
    )
    risks = definitions.household_risks(case)
    households = found["households"]
    assert households["highest"] == pytest.approx(max(risks, default=0))
    assert households["average"] == pytest.approx(sum(risks) / max(len(risks), 1))
    assume(all(abs(risk - 0.3) > 1e-9 for risk in risks))
    assert households["records_at_risk"] == sum(risk > 0.3 for risk in risks)


@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=needs_spark)])
def test_engines_give_the_same_digits(engine):
    draw = random.Random(9)
    rows = 600 if engine == "spark" else 3000
    table = {
        "area": [f"{draw.randrange(40)}" for _ in range(rows)],
        "age": [f"{draw.randrange(30)}" for _ in range(rows)],
        "weight": [repr(draw.lognormvariate(3, 1)) for _ in range(rows)],
        "home": [f"{draw.randrange(rows // 3)}" for _ in range(rows)],
    }
    roles = {"quasi_identifiers": ["area", "age"]}
    measures = (individual_risk, journalist_risk, marketer_risk, population_uniqueness)
    with small_batches(1 << 8):
        releases = [
            Release(table, roles, sampling_weight="weight", household="home", engine=name)
            for name in ("memory", engine)
        ]
        found = [{measure.name: dict(measure(release).details) for measure in measures} for release in releases]
    assert found[0] == found[1]
    releases[1].engine.close()


@examples(30)
@given(case=cases())
def test_out_of_core_agrees_with_the_definition(case):
    case.weight = "weight"
    release = frames.release_of(case, engine="duckdb")
    for measure in (individual_risk, journalist_risk, marketer_risk):
        expected = definitions.TWINS[measure.name](case)
        if expected != definitions.UNDEFINED and not isinstance(case.population, list):
            assert close(measure(release).value, expected, measure.name)
    release.engine.close()


def test_sums_are_exact_in_any_order():
    draw = random.Random(3)
    numbers = [draw.random() * 10 ** draw.randrange(-12, 1) for _ in range(1000)]
    total = exact_sum(np.array(numbers))
    assert total == exact_sum(np.array(sorted(numbers))) == sum(exact_sum(np.array([number])) for number in numbers)
    assert from_exact(total) == pytest.approx(float(sum(map(Fraction, numbers))), rel=1e-15)
    weights = ["0.1"] * 10
    release = Release({"a": ["x"] * 10, "w": weights}, {"a": "quasi_identifier"}, sampling_weight="w")
    assert individual_risk(release).value == 1 / 10, "ten tenths are one person, fewer than the ten records"


def test_weights_stand_for_the_population_where_none_is_given():
    release = survey()
    assert journalist_risk(release).value == 1 / 17
    assert journalist_risk(release, highest=1 / 17, cell_size=17).satisfied
    assert journalist_risk(release).details["linked_with"] == "a population of about 394 by sampling weights"
    shares = [3 / 108, 1 / 45.5, 1 / 17, 2 / 100, 1 / 123.5]
    assert marketer_risk(release).value == pytest.approx(sum(shares) / 8)
    assert population_uniqueness(release).details["population"] == 394
    assert average_risk(release).value == average_risk(Release(SURVEY, KNOWN)).value
    with pytest.raises(NotApplicable, match="needs a population table"):
        k_map(release)
    given_ = survey(population=10_000)
    assert population_uniqueness(given_).details["population"] == 10_000
    assert journalist_risk(given_).value == 1 / 17, "a number says nothing about classes"
    register = {name: SURVEY[name] * 3 for name in "ABC"}
    assert journalist_risk(survey(population=register)).value == 1 / 3


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["1", None, ""], "it is missing in 2 of 3 records"),
        (["1", "many", "1,5"], "it is not a number in 2 of 3 records"),
        (["1", "nan", "inf"], "it is not a number in 2 of 3 records"),
        (["1", "0", "-3"], "it is not positive in 2 of 3 records"),
        (["1", "1e400", "1"], "it is larger than any population in 1 of 3 records"),
    ],
)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_weights_that_are_none(engine, weights, message):
    with pytest.raises(InputError, match=message) as error:
        Release({"a": list("xyz"), "w": weights}, {"a": "quasi_identifier"}, sampling_weight="w", engine=engine)
    assert error.value.what == "sampling_weight"
    assert "many" not in str(error.value), "no cell"


def test_weights_below_one_are_counted():
    release = Release({"a": list("xyz"), "w": [0.5, 1, 2]}, {"a": "quasi_identifier"}, sampling_weight="w")
    assert release.weights_below_one == 1
    assert individual_risk(release).value == 1


def test_columns_with_another_task():
    roles = {"a": "quasi_identifier", "n": "identifier", "s": "insensitive_attribute"}
    table = {"a": ["x"], "n": ["1"], "s": ["1"], "w": ["1"]}
    for wrong in ("a", "n"):
        with pytest.raises(RoleError, match="cannot also have the role"):
            Release(table, roles, sampling_weight=wrong)
    for options in ({"sampling_weight": "w", "privacy_unit": "w"}, {"sampling_weight": "w", "household": "w"}):
        with pytest.raises(RoleError, match="cannot"):
            Release(table, roles, **options)
    with pytest.raises(RoleError, match="the household 'z' is not in the data"):
        Release(table, roles, household="z")
    assert individual_risk(Release(table, roles, sampling_weight="s", household="n")).value == 1


def test_each_record_and_its_household():
    found = risks_per_record(survey(household="home")).to_pydict()
    assert found["individual-risk"] == pytest.approx(RISKS, abs=1e-8)
    homes = {place: 1 - math.prod(1 - RISKS[member] for member in home) for home in HOMES for place in home}
    assert found["household-risk"] == pytest.approx([homes[place] for place in range(8)], abs=1e-8)
    assert "household-risk" not in risks_per_record(survey()).column_names
    assert "individual-risk" not in risks_per_record(Release(SURVEY, KNOWN)).column_names


def households(rows):
    draw = random.Random(4)
    return {
        "age": [f"{draw.randrange(20, 80)}" for _ in range(rows)],
        "area": [draw.choice("abcdefgh") for _ in range(rows)],
        "w": [draw.choice(["1.5", "40", "80", "120.25"]) for _ in range(rows)],
        "home": [f"{place // 3}" for place in range(rows)],
    }


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("method", ["global", "local"])
def test_a_release_that_keeps_the_rule_and_shows_neither_weights_nor_households(engine, method):
    table = households(300)
    hierarchies = {"age": {"width": [5, 10, 20]}, "area": [[letter, "*"] for letter in "abcdefgh"]}
    roles = {"quasi_identifiers": ["age", "area"]}
    release = Release(table, roles, hierarchies, sampling_weight="w", household="home", engine=engine)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReleaseWarning)
        made = anonymize(release, {"individual-risk": {"highest": 0.05}}, suppression=0.1, method=method)
        assert made.table.column_names == ["age", "area"]
        assert made.plan["sampling_weight"] == "w"
        found = individual_risk(made.release, highest=0.05)
        assert found.satisfied
        rows = made.table.to_pylist()
        kept = [row | {"w": weight} for row, weight in zip(rows, in_order(made, table["w"]), strict=True)]
        case = definitions.Case(kept, ["age", "area"], [], weight="w")
        assert found.value == pytest.approx(definitions.individual_risk(case), rel=1e-9)
    made.release.engine.close()
    release.engine.close()


def test_rules_that_take_the_population_from_weights_are_judged_with_them(tmp_path):
    """The verdicts are in the plan, too: without weights and population, the release could not be judged again."""
    table = households(300)
    pq.write_table(pa.table({"area": table["area"], "w": table["w"]}), tmp_path / "t.parquet")
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.parquet\nroles: {quasi_identifiers: [area]}\nsampling_weight: w\n"
        "rules: [{measure: marketer-risk, average: 0.01}, {measure: journalist-risk, highest: 0.01},\n"
        "  {measure: population-uniqueness, share: 0.05}]\n"
    )
    petworks("anonymize", tmp_path / "p.yaml", "-o", tmp_path / "out.csv")
    done = petworks("check", tmp_path / "out_policy.yaml", "--json", tmp_path / "again.json")
    assert done.returncode in (0, 1), done.stderr
    again = {rule["name"]: rule["satisfied"] for rule in json.loads((tmp_path / "again.json").read_text())["rules"]}
    assert [again[name] for name in ("marketer-risk", "journalist-risk", "population-uniqueness")] == [True] * 3


def test_the_first_sentence_sets_no_record_aside(tmp_path):
    """A record with a missing value is judged by no rule here, but whoever sees the table finds it."""
    table = {"area": [*"nnnnnnsssss", None], "w": ["90"] * 11 + ["2"]}
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.parquet\nroles: {quasi_identifiers: [area]}\nsampling_weight: w\n"
        "treatment: {missing: apart}\nrules: [{measure: k-anonymity, k: 2}]\n"
    )
    petworks("check", tmp_path / "p.yaml", "--json", tmp_path / "found.json")
    notices = json.loads((tmp_path / "found.json").read_text())["notices"]
    found = next(notice for notice in notices if notice["notice"] == "individual-risk")
    assert found["share"] == pytest.approx(math.log(2))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_command_judges_weights_that_its_release_does_not_show(engine, tmp_path):
    """The verdict is in the plan; with it, the release passes the rule again, although it has no weights."""
    pq.write_table(pa.table(households(300)), tmp_path / "t.parquet")
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.parquet\nroles: {quasi_identifiers: [age, area]}\nsampling_weight: w\n"
        "household: home\nhierarchies: {age: {width: [5, 10, 20]}}\n"
        "rules: [{measure: individual-risk, highest: 0.05, average: 0.04}]\n"
        "anonymize: {suppression: 0.1, order: original}\n"
    )
    target = tmp_path / "out.parquet"
    made = petworks("anonymize", tmp_path / "p.yaml", "--engine", engine, "-o", target)
    judged = json.loads((tmp_path / "out_plan.json").read_text())["judged"]
    assert [rule["satisfied"] for rule in judged] == [True], made.stderr
    released = pq.read_table(target).to_pylist()
    assert set(released[0]) == {"age", "area"}
    assert 0 < judged[0]["value"] <= 0.05
    if engine != "memory":
        in_memory = tmp_path / "memory.parquet"
        petworks("anonymize", tmp_path / "p.yaml", "--engine", "memory", "-o", in_memory)
        assert json.loads((tmp_path / "memory_plan.json").read_text())["judged"] == judged
    assert not [path.name for path in tmp_path.rglob("*") if "sampled" in path.name or ".partial" in path.name]
    petworks("check", tmp_path / "out_policy.yaml", "--json", tmp_path / "again.json")
    again = json.loads((tmp_path / "again.json").read_text())["rules"]
    assert [rule["satisfied"] for rule in again if rule["name"] == "individual-risk"] == [True]


def test_a_table_with_weights_has_to_have_the_same_records():
    shown = {name: SURVEY[name] for name in "ABC"}
    found = Release(shown, KNOWN, sampling_weight="weight", sampled=pa.table(SURVEY))
    assert individual_risk(found).value == pytest.approx(max(RISKS), abs=1e-8)
    for other in ({**SURVEY, "A": [2, 3, 2, 2, 3, 3, 1, 3]}, {name: cells[1:] for name, cells in SURVEY.items()}):
        with pytest.raises(InputError, match="not those that have the sampling weights"):
            Release(shown, KNOWN, sampling_weight="weight", sampled=pa.table(other))


def in_order(made, cells):
    """Cells of the original in the order of the records of its release."""
    places = made.places(made.order)
    return cells if places is None else [cells[place] for place in places]


def test_people_with_several_weights():
    table = {"a": ["x", "x", "y"], "who": ["1", "1", "2"], "w": ["2", "3", "4"]}
    release = Release(table, {"a": "quasi_identifier"}, sampling_weight="w", privacy_unit="who")
    for measure in (individual_risk, journalist_risk):
        with pytest.raises(NotApplicable, match="1 records of people who have several sampling weights"):
            measure(release)
