from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import privattacks
import pytest
from hypothesis import given
from hypothesis import strategies as st
from qif import measure

import definitions
import frames
from conftest import cases, examples
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.measures.attacks.inference import attribute_inference, attribute_inference_per_record
from PETWorks.measures.attacks.reidentification import re_identification, re_identification_per_record

DOCUMENT = {
    "age": ["20", "30", "30", "30", "30", "55", "55", "55"],
    "education": ["Master", "High School", "High School", "PhD", "PhD", "Bachelor", "Bachelor", "Bachelor"],
    "income": ["low", "medium", "low", "medium", "medium", "high", "high", "medium"],
}


def release(table, known, sensitive="income"):
    return Release(table, dict.fromkeys(known, QUASI_IDENTIFIER) | {sensitive: SENSITIVE_ATTRIBUTE})


@pytest.mark.parametrize(
    ("known", "record", "value"),
    [(["age", "education"], 1 / 2, 3 / 4), (["age"], 3 / 8, 3 / 4), (["education"], 1 / 2, 3 / 4)],
)
def test_document_example(known, record, value):
    table = release(DOCUMENT, known)
    found = re_identification(table)
    assert (found.details["prior"], found.details["posterior"], found.value) == (1 / 8, record, record)
    guessed = attribute_inference(table).details["attributes"]["income"]
    assert (guessed["prior"], guessed["posterior"]) == (1 / 2, value)
    assert (guessed["multiplicative_leakage"], guessed["additive_leakage"]) == (1.5, 0.25)
    assert found.details["multiplicative_leakage"] == record * 8
    assert found.details["additive_leakage"] == record - 1 / 8


def test_document_example_per_record_in_input_order():
    rows = [7, 0, 3, 5, 1, 4, 6, 2]
    shuffled = {column: [cells[row] for row in rows] for column, cells in DOCUMENT.items()}
    table = release(shuffled, ["age", "education"])
    by_record = np.array([1, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3])
    by_value = np.array([1, 1 / 2, 1 / 2, 1, 1, 2 / 3, 2 / 3, 2 / 3])
    assert re_identification_per_record(table).tolist() == by_record[rows].tolist()
    assert attribute_inference_per_record(table, "income").tolist() == by_value[rows].tolist()


@given(case=cases())
def test_per_record_agrees_with_the_definition(case):
    table = frames.release_of(case)
    assert re_identification_per_record(table).tolist() == [
        float(c) for c in definitions.re_identification_per_record(case)
    ]
    for column in case.sensitive:
        expected = definitions.attribute_inference_per_record(definitions.fold_sensitive_values(case), column)
        assert attribute_inference_per_record(table, column).tolist() == [float(chance) for chance in expected]


@given(case=cases())
def test_crosswalk(case):
    """Classes over records is the posterior, the mean of 1/(class size) and one over the mean class size at once."""
    case.unit = None
    table = frames.release_of(case)
    sizes = table.class_sizes(attacker=True)
    posterior = re_identification(table).value
    assert posterior == pytest.approx(float(np.mean(re_identification_per_record(table))), rel=1e-12)
    assert posterior == pytest.approx(1 / (sizes.records / sizes.number), rel=1e-12)


def test_suppressed_records_are_seen_by_the_adversary():
    table = Release(
        {"q": ["*", "*", "a"], "income": ["1", "2", "3"]}, {"q": QUASI_IDENTIFIER, "income": SENSITIVE_ATTRIBUTE}
    )
    assert re_identification(table).value == 2 / 3
    assert attribute_inference(table).value == 2 / 3


CELLS = st.lists(st.tuples(*(st.sampled_from("abc") for _ in range(4))), min_size=2, max_size=25)


@examples(40)
@given(rows=CELLS)
def test_privattacks_agrees_on_every_adversary(rows):
    frame = pd.DataFrame(rows, columns=["x", "y", "z", "s"])
    peer = privattacks.Attack(privattacks.Data(dataframe=frame))
    for size in (1, 2, 3):
        for known in combinations("xyz", size):
            table = release(frame, known, "s")
            theirs = peer.posterior_vulnerability("all", list(known), "s", verbose=False)
            assert re_identification(table).value == pytest.approx(theirs["reid"], rel=1e-12)
            assert attribute_inference(table).value == pytest.approx(theirs["ai"]["s"], rel=1e-12)


@examples(40)
@given(rows=CELLS)
def test_qif_agrees(rows):
    """The same numbers as Bayes vulnerabilities of the channel from the sensitive value to the quasi-identifiers."""
    frame = pd.DataFrame(rows, columns=["x", "y", "z", "s"])
    joint = pd.crosstab(frame["s"], [frame["x"], frame["y"], frame["z"]], dropna=False).to_numpy(float)
    joint = joint[joint.sum(axis=1) > 0]
    prior = joint.sum(axis=1) / joint.sum()
    conditional = joint / joint.sum(axis=1, keepdims=True)
    posterior = measure.bayes_vuln.posterior(prior, conditional)
    found = attribute_inference(release(frame, ["x", "y", "z"], "s")).details["attributes"]["s"]
    assert found["posterior"] == pytest.approx(posterior, rel=1e-9)
    assert found["prior"] == pytest.approx(measure.bayes_vuln.prior(prior), rel=1e-9)


def test_exact_fractions():
    found = re_identification(release(DOCUMENT, ["age", "education"]))
    assert Fraction(found.value) == Fraction(1, 2)


def test_excess_of_the_document_example():
    table = release(DOCUMENT, ["age", "education"])
    assert re_identification(table).details["excess"] == 3 / 7
    assert attribute_inference(table).details["excess"] == 1 / 2
    assert re_identification(table, excess=3 / 7).satisfied is True
    assert re_identification(table, excess=3 / 7 - 1e-9).satisfied is False
    assert re_identification(table, excess=1, at_most=0.4).satisfied is False
    assert attribute_inference(table, excess=0.5, at_most=0.75).satisfied is True
    assert attribute_inference(table, excess=0.49, at_most=0.75).satisfied is False
    assert attribute_inference(table).satisfied is None
    same = release({**DOCUMENT, "income": ["low"] * 8}, ["age"])
    assert attribute_inference(same).details["excess"] == 0, "guessing always succeeds"


@given(cases())
def test_excess_is_what_is_gained_of_what_is_left(case):
    table = frames.release_of(case)
    for details in (re_identification(table).details, *attribute_inference(table).details["attributes"].values()):
        prior, posterior = (Fraction(details[name]).limit_denominator(1000) for name in ("prior", "posterior"))
        wanted = (posterior - prior) / (1 - prior) if prior < 1 else 0
        assert details["excess"] == pytest.approx(float(wanted), abs=1e-12)


def literal_gain(rows, known, column, worth):
    """Prior and posterior gain, by loops over rows."""
    classes = {}
    for row in rows:
        classes.setdefault(tuple(row[name] for name in known), []).append(row[column])
    values = [row[column] for row in rows]

    def best(own):
        return max(own.count(value) * worth.get(value, 1) for value in own)

    return Fraction(best(values)) / len(rows), Fraction(sum(map(best, classes.values()))) / len(rows)


@pytest.mark.parametrize(("engine", "tries"), [("memory", 100), ("duckdb", 15)])
def test_gains_are_their_definition(engine, tries):
    @examples(tries)
    @given(
        rows=st.lists(st.tuples(*[st.sampled_from(["1", "2", None])] * 3), min_size=1, max_size=14),
        numbers=st.lists(st.sampled_from([0, 1, 2, Fraction(1, 3), 10]), min_size=3, max_size=3),
    )
    def compared(rows, numbers):
        table = [dict(zip("abs", row, strict=True)) for row in rows]
        worth = {v: n for v, n in zip(["1", "2", None], numbers, strict=True) if v in {row["s"] for row in table}}
        roles = {"a": QUASI_IDENTIFIER, "b": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE}
        release = Release({name: [row[name] for row in table] for name in "abs"}, roles, engine=engine)
        prior, posterior = literal_gain(table, "ab", "s", worth)
        result = attribute_inference(release, worth={"s": worth}, gain=float(posterior))
        assert result.details["attributes"]["s"]["gain"] == {"prior": float(prior), "posterior": float(posterior)}
        assert result.satisfied is True
        if posterior:
            assert attribute_inference(release, worth={"s": worth}, gain=float(posterior) * 0.999).satisfied is False

    compared()


def test_the_worth_of_grades():
    """The published example: ten pupils, whose best grade is worth most."""
    release = Release("data/school_2023.csv")
    worth = {"grade": {"A": 10, "B": 6, "C": 6, "D": 6, "E": 8}, "disability": {"yes": 10, "no": 2}}
    attributes = attribute_inference(release, worth=worth).details["attributes"]
    assert attributes["grade"]["gain"] == {"prior": 2.0, "posterior": 5.6}
    assert attributes["disability"]["gain"] == {"prior": 5.0, "posterior": 5.4}


def test_without_a_worth_the_gain_is_the_chance():
    release = Release("data/school_2023.csv")
    result = attribute_inference(release, gain=0.8)
    assert (result.details["gain"], result.satisfied) == (result.value, True)
    assert "gain" not in attribute_inference(release).details
