"""Looking people up in a release that is not generalised: worked example, literal definitions, what does not apply."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import frames
from command import petworks
from conftest import HIERARCHIES, TINY_PARTS, ZIP, constants, examples, small_batches, spell
from definitions import LOOKUPS, TWINS, Case, fold_sensitive_values, share_right
from PETWorks import Release, catalogue, evaluate
from PETWorks.errors import HierarchyError, InputError, NeedNotMet, ParameterError
from PETWorks.measures.disclosure.excess import controls_needed, excess_interval, newcombe, wilson
from PETWorks.measures.result import flatten
from spark_cluster import needs_spark

TABLES = {"original": "data/people.csv", "control": "data/people_control.csv", "kind": "synthetic"}
SIMILAR = ("fidelity", "marginals")  # compare on the same levels
WITH_CONTROL = ("found", "certain", "proportional", "best-guess", "copies")


def people(known=("age", "sex"), **options):
    roles = {"quasi_identifiers": list(known), "sensitive_attributes": ["illness"]}
    return Release("data/people_synthetic.csv", roles, **TABLES | options)


def exact(name, release):
    """Share, share of control people and excess, as fractions."""
    details = catalogue[name](release).details
    numbers = details.get("attributes", {"illness": details})["illness"]
    return [numbers[key] for key in ("exact", "control_exact", "excess_exact") if key in numbers]


ANSWERS = {
    ("age", "sex"): {
        "found": ["5/6", "3/4", "1/3"],
        "replicated-uniques": ["1/6"],
        "certain": ["2/3", "1/4", "5/9"],
        "certain-in-both": ["1/2"],
        "proportional": ["2/3", "1/4", "5/9"],
        "best-guess": ["2/3", "1/2", "1/3"],
        "copies": ["2/3", "1/4", "5/12"],
    },
    ("age",): {
        "found": ["5/6", "3/4", "1/3"],
        "replicated-uniques": ["0"],
        "certain": ["1/2", "1/4", "1/3"],
        "certain-in-both": ["1/3"],
        "proportional": ["7/12", "1/4", "4/9"],
        "best-guess": ["7/12", "1/2", "1/6"],
    },
    ("sex",): {
        "found": ["1", "1", "0"],
        "replicated-uniques": ["0"],
        "certain": ["1/3", "1/4", "1/9"],
        "certain-in-both": ["0"],
        "proportional": ["5/8", "7/16", "1/3"],
        "best-guess": ["2/3", "1/2", "1/3"],
    },
}


@pytest.mark.parametrize("known", ANSWERS)
def test_worked_example(known):
    release = people(known)
    assert {name: exact(name, release) for name in ANSWERS[known]} == ANSWERS[known]
    illness = catalogue["certain"](release).details["attributes"]["illness"]
    assert (illness["prior"], illness["control_prior"]) == (1 / 2, 1 / 2)


REFERENCES = {
    ("age", "type_employer"): {
        "found": ["2785/2788", "4873/4879"],
        "certain": ["0", "0"],
        "best-guess": ["7715/11152", "6841/9758"],
    },
    ("age", "fnlwgt", "type_employer"): {
        "found": ["11/4879", "11/4879"],
        "replicated-uniques": ["57/39032"],
        "certain": ["7/5576", "13/9758"],
        "best-guess": ["6751/9758", "3419/4879"],
    },
    ("fnlwgt", "age"): {
        "found": ["81/697", "569/4879"],
        "replicated-uniques": ["207/4879"],
        "certain": ["81/39032", "9/4879"],
        "best-guess": ["53/2091", "1469/58548"],
    },
}
PRIORS = {"type_employer": 13509 / 19516, "age": 73 / 2788}


@pytest.mark.parametrize("columns", REFERENCES)
def test_reference_tables(columns, reference):
    *known, target = columns
    roles = {"quasi_identifiers": known, "sensitive_attributes": [target]}
    tables = {"original": reference / "adults_train.csv", "control": reference / "adults_control.csv"}
    release = Release(reference / "adults_syn_ctgan.csv", roles, kind="synthetic", **tables)
    for name, expected in REFERENCES[columns].items():
        details = catalogue[name](release).details
        numbers = details.get("attributes", {target: details})[target]
        assert [numbers[key] for key in ("exact", "control_exact") if key in numbers] == expected, name
        assert numbers.get("prior", PRIORS[target]) == pytest.approx(PRIORS[target], rel=1e-15)
    inference = catalogue["attribute-inference"](Release(tables["original"], roles)).details["attributes"][target]
    itself = Release(tables["original"], roles, kind="perturbed", original=tables["original"])
    assert catalogue["best-guess"](itself).value == pytest.approx(inference["posterior"], rel=1e-15)


@st.composite
def looked_up(draw, control=True):
    """A table that shares records and values with an original, and perhaps control people."""
    zips = st.sampled_from([path[0] for path in ZIP]) | st.none()
    spellings = draw(st.sampled_from([st.just("same"), st.just("same"), st.sampled_from(["upper", "not known"])]))
    diseases = st.builds(spell, st.sampled_from(["flu", "ulcer", "pneumonia"]), spellings)
    incomes = st.sampled_from(["1", "2", "*"]) | st.none()
    record = st.fixed_dictionaries(
        {"zip": zips, "sex": st.sampled_from(["男", "女"]), "disease": diseases, "income": incomes}
    )
    first = draw(record)  # one record that all tables have, so that no column has values of its own only
    original = [first, *draw(st.lists(record, max_size=12))]
    copied = st.sampled_from(original) | record
    released = draw(st.permutations([first, *draw(st.lists(copied, max_size=12))]))
    others = [first, *draw(st.lists(copied, max_size=8))] if control and draw(st.booleans()) else None
    return Case(
        released,
        draw(st.sampled_from([["zip", "sex"], ["zip"], ["sex", "zip", "income"]])),
        ["disease"],
        HIERARCHIES,
        original,
        draw(st.sampled_from(["apart", "class"])),
        missing=draw(st.sampled_from(["value", "apart"])),
        several=draw(st.sampled_from(["alone", "quasi-identifiers"])),
        values=draw(st.sampled_from(["exact", "folded"])),
        kind=draw(st.sampled_from(["synthetic", "perturbed"])),
        control=others,
        compare_at=draw(st.sampled_from([{}, {}, {"zip": 1}, {"zip": 2}, {"zip": 3}])),
    )


def with_two_targets(case):
    case.sensitive = ["disease", *(["income"] if "income" not in case.quasi_identifiers else [])]
    return case


def measured(case, engine="memory"):
    release = frames.release_of(case, engine=engine)
    results = {name: catalogue[name](release) for name in (*LOOKUPS, *SIMILAR)}
    release.engine.close()
    return results


def assert_as_defined(case, results):
    folded = fold_sensitive_values(case)
    for name in SIMILAR:
        assert results[name].value == pytest.approx(TWINS[name](case), rel=1e-14), name
    for name, by_target in LOOKUPS.items():
        details = results[name].details
        assert results[name].value == pytest.approx(TWINS[name](case), rel=1e-14), name
        for target in case.sensitive if by_target else [None]:
            numbers = details["attributes"][target] if by_target else {"share": results[name].value, **details}
            right = share_right(name, folded, target)
            assert Fraction(numbers["exact"]) == right, name
            if by_target:
                assert numbers["prior"] == pytest.approx(float(share_right("prior", folded, target)), rel=1e-15)
            if case.control is None or name not in WITH_CONTROL:
                assert "control" not in numbers
                continue
            control = share_right(name, folded, target, people="control")
            assert Fraction(numbers["control_exact"]) == control, name
            rest = 1 if name == "copies" else 1 - control  # the excess of copies is the plain difference
            expected = (right - control) / rest if rest else 0
            assert Fraction(numbers["excess_exact"]) == expected, name
            assert numbers["interval"][0] <= float(expected) + 1e-12, name
            assert float(expected) <= numbers["interval"][1] + 1e-12, name


@examples(240)
@given(case=looked_up().map(with_two_targets))
def test_agrees_with_its_definition(case):
    assert_as_defined(case, measured(case))


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "tries"), [("duckdb", 60), pytest.param("spark", 3, marks=needs_spark)])
def test_engines_agree_with_the_definition(engine, tries):
    @examples(tries)
    @given(case=looked_up().map(with_two_targets))
    def agrees(case):
        with constants(**TINY_PARTS):
            results = measured(case, engine)
        assert_as_defined(case, results)
        assert {name: result.to_dict() for name, result in results.items()} == {
            name: result.to_dict() for name, result in measured(case).items()
        }

    agrees()


@examples(60)
@given(case=looked_up().map(with_two_targets), random=st.randoms(use_true_random=False))
def test_batches_and_orders_mean_nothing(case, random):
    whole = {name: result.to_dict() for name, result in measured(case).items()}
    assert json.loads(json.dumps(whole, allow_nan=False)) == whole
    with small_batches(2):
        assert {name: result.to_dict() for name, result in measured(case).items()} == whole
    for rows in (case.original, case.released, case.control or []):
        random.shuffle(rows)
    shuffled = {name: result.to_dict() for name, result in measured(case).items()}
    assert {name: flatten(result) for name, result in shuffled.items()} == {
        name: flatten(result) for name, result in whole.items()
    }


@examples(60)
@given(case=looked_up())
def test_the_release_itself_tells_what_inference_tells(case):
    """Best guesses in the original are those of attribute inference."""
    case.released, case.values = case.original, "exact"
    inference = Release(
        frames.arrow(case.original),
        frames.release_of(case).roles,
        case.hierarchies,
        missing="value",
        suppressed="class",
    )
    case.compare_at = {}
    posterior = catalogue["attribute-inference"](inference).value
    assert catalogue["best-guess"](frames.release_of(case)).value == pytest.approx(posterior, rel=1e-14)


def test_intervals():
    """Those of Newcombe's paper, and as defined."""
    assert [round(end, 4) for end in newcombe(56 / 70, 70, 48 / 80, 80)] == [0.0524, 0.3339]
    assert [round(end, 4) for end in newcombe(9 / 10, 10, 3 / 10, 10)] == [0.1705, 0.8090]
    assert [round(end, 4) for end in newcombe(0, 10, 0, 20)] == [-0.1611, 0.2775]
    assert wilson(0, 10)[0] == 0
    assert wilson(1, 10)[1] == pytest.approx(1)
    assert excess_interval(0.3, 10, 1.0, 10) == (0.0, 0.0)
    low, high = newcombe(0.6, 1000, 0.5, 800)
    assert excess_interval(0.6, 1000, 0.5, 800) == pytest.approx((low / 0.5, high / 0.5))
    assert controls_needed(0.5, 100, 0.5, 0.09) is None  # the original is too small
    needed = controls_needed(0.5, 100_000, 0.5, 0.09)
    assert excess_interval(0.5, 100_000, 0.5, needed)[1] <= 0.09 < excess_interval(0.5, 100_000, 0.5, needed - 1)[1]


def repeated(rows, times):
    return {name: list(cells) * times for name, cells in zip(("q", "t"), zip(*rows, strict=True), strict=True)}


ROLES = {"q": "quasi_identifier", "t": "sensitive_attribute"}


def judged(controls, limit, name="best-guess", released=None):
    """A harmless release: half of all people are guessed right anyway."""
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    control = None if controls is None else repeated(rows, controls // 4)
    table = repeated(rows, 500) if released is None else released
    return catalogue[name](
        Release(table, ROLES, original=repeated(rows, 500), control=control, kind="synthetic"), excess=limit
    )


def test_a_limit_is_compared_with_the_upper_end_of_the_interval():
    enough = judged(4000, 0.09)
    assert (enough.details["excess"], enough.satisfied) == (0, True)
    high = enough.details["interval"][1]
    assert judged(4000, high).satisfied
    assert judged(4000, high - 1e-6).satisfied is False
    too_few = judged(400, 0.09)
    assert too_few.satisfied is False
    assert too_few.details["control_needed"] > 400
    assert "unjudged" not in too_few.details
    assert judged(-(-too_few.details["control_needed"] // 4) * 4, 0.09).satisfied


def test_without_enough_control_people_nothing_passes():
    none, few = judged(None, 1), judged(96, 1)
    assert (none.satisfied, none.details["unjudged"]) == (False, "no control people")
    assert none.details["attributes"]["t"]["over_prior"] == 0
    assert (few.satisfied, few.details["unjudged"]) == (False, "few control people")
    assert len(few.details["interval"]) == 2
    assert judged(96, None).satisfied is None
    assert judged(None, None).satisfied is None
    assert judged(100, 1).satisfied


def test_control_people_must_not_be_in_the_original():
    people = {"q": [str(number) for number in range(400)], "t": ["x", "y"] * 200}
    fresh = {"q": [str(number) for number in range(400)], "t": ["y", "x"] * 200}
    for control, unjudged in ((people, "control people are in the original"), (fresh, None)):
        release = Release(people, ROLES, original=people, control=control, kind="synthetic")
        result = catalogue["found"](release, excess=1)
        assert (result.satisfied, result.details.get("unjudged")) == (unjudged is None, unjudged)
        overlap = evaluate(release, "found").table["control_in_the_original"]
        assert overlap == (400 if unjudged else 0)


def test_measures_of_another_kind_are_left_out():
    found = evaluate(people())
    assert {result.measure for result in found} == {*LOOKUPS, "fidelity", "marginals"}
    assert set(found.reasons) == {"utility-bias"}
    assert "classes" not in found.table
    assert found.table["kind"] == "synthetic"
    generalised = evaluate(Release("data/delta_anonymized.csv", original="data/delta.csv"))
    assert not {*LOOKUPS} & ({result.measure for result in generalised} | {*generalised.reasons})
    for kind in ("synthetic", "perturbed"):
        with pytest.raises(NeedNotMet, match=f"k-anonymity: does not apply to a {kind} table, because its records"):
            catalogue["k-anonymity"](people(kind=kind))
    with pytest.raises(NeedNotMet, match="because nothing in it is generalised or suppressed; measure fidelity"):
        catalogue["precision"](people())
    with pytest.raises(NeedNotMet, match="certain: does not apply to a generalised table, because its records"):
        catalogue["certain"](Release("data/delta_anonymized.csv", original="data/delta.csv"))
    with pytest.raises(NeedNotMet, match="needs the original table"):
        catalogue["found"](Release("data/people_synthetic.csv", kind="synthetic"))


AGES = {"age": {"width": [10, 20]}}
MISTAKES = {
    "expected the kind 'generalised', 'synthetic', 'perturbed', got 'fake'": {"kind": "fake"},
    "a control and compare_at are for a release of the kind": {"kind": "generalised"},
    "expected compare_at as a dict from column to level, got list": {"compare_at": ["age"]},
    "no quasi-identifier or sensitive attribute is called 'ages'; did you mean 'age'": {"compare_at": {"ages": 1}},
    "column 'age' is to be compared on a level, but has no hierarchy": {"compare_at": {"age": 1}},
    "column 'age': expected a level from 0 to 3, got '9'": {"compare_at": {"age": 9}, "hierarchies": AGES},
    "control people and release have different columns: 'sex' only in the release": {
        "control": {"age": ["20"], "illness": ["flu"]}
    },
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes(message):
    with pytest.raises((ParameterError, HierarchyError, InputError), match=message):
        people(**MISTAKES[message])


def release_with(column, values, hierarchies=None, **options):
    table = {"age": ["20", "30"], "sex": ["m", "f"], "illness": ["flu", "cold"]}
    roles = {"age": "quasi_identifier", "sex": "quasi_identifier", "illness": "sensitive_attribute"}
    return Release(
        table | {column: values}, roles, hierarchies, original="data/people.csv", kind="synthetic", **options
    )


def test_columns_in_another_coding():
    with pytest.raises(InputError, match="column 'age': none of its 2 values in the release occurs in the original"):
        catalogue["found"](release_with("age", ["20.5", "30.1"]))
    with pytest.raises(InputError, match="column 'sex': none of its 2 values in the release"):
        catalogue["found"](release_with("sex", ["male", "female"]))
    ages = {"age": [(str(age), f"{age // 20 * 20}+", "*") for age in (20, 30, 40, 50)]}
    with pytest.raises(InputError, match="all 2 values of the release are generalised ones of its hierarchy"):
        catalogue["found"](release_with("age", ["20+", "40+"], ages))
    assert catalogue["found"](release_with("age", ["20+", "40+"], ages, compare_at={"age": 1})).value == 1 / 2
    with pytest.raises(HierarchyError, match="column 'age': 1 of 2 values of the release are not leaves of"):
        catalogue["found"](release_with("age", ["20", "31"], ages, compare_at={"age": 1}))
    values = {"age": ["20", *["31"] * 3], "sex": ["m"] * 4, "illness": ["flu"] * 4}  # cells are counted, not values
    mostly = Release(values, people().roles, original="data/people.csv", kind="synthetic")
    assert evaluate(mostly, "found").table["without_counterpart"] == {"age": {"release": 3 / 4}}
    args = ("evaluate", "data/people.csv", "--kind", "synthetic", "--original", "data/people_synthetic.csv")
    assert "age (16.7 %)" in petworks(*args, "--qi", "age,sex", "--sensitive", "illness").stdout
    control = {"age": ["1", "2"], "sex": ["m", "f"], "illness": ["flu", "cold"]}
    with pytest.raises(InputError, match="column 'age': none of its 2 values in the control people"):
        catalogue["found"](release_with("age", ["20", "30"], control=control))


def test_declared_hierarchies_have_the_values_of_all_tables():
    """A synthetic age that nobody has is a leaf as well, so that it can be compared on a level."""
    control = {"age": ["33", "44"], "sex": ["m", "f"], "illness": ["flu", "cold"]}
    release = release_with("age", ["20", "31"], AGES, control=control, compare_at={"age": 1})
    assert {"20", "31", "33", "50"} <= set(release.hierarchies["age"].leaves)
    assert catalogue["found"](release).details["control_exact"] == "0"
    assert catalogue["found"](release).details["exact"] == "2/3"


def test_too_many_values_to_guess():
    values = [str(number) for number in range(101)]
    tables = {"q": ["a"] * 101, "t": values}
    with pytest.raises(InputError, match="'t' has 101 values, too many to be guessed exactly; give it a hierarchy"):
        catalogue["certain"](Release(tables, ROLES, original=tables, kind="synthetic"))
    release = Release(tables, ROLES, {"t": {"width": [50]}}, tables, kind="synthetic", compare_at={"t": 1})
    assert catalogue["best-guess"](release).value == pytest.approx(50 / 101)
    assert catalogue["found"](Release(tables, ROLES, original=tables, kind="synthetic")).value == 1
    with pytest.raises(InputError, match="the table has columns but no records"):
        Release({"q": [], "t": []}, ROLES, original=tables, kind="synthetic")
