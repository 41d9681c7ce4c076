"""The choice among releases by the models that the data are for."""

import random
from dataclasses import dataclass

import pyarrow as pa
import pytest

from PETWorks import Release, anonymize
from PETWorks.anonymizer import model_choice
from PETWorks.anonymizer.anonymization_facts import table_state
from PETWorks.anonymizer.model_choice import weights_for_models
from PETWorks.errors import PETWorksError
from PETWorks.measures.utility.models import parse_models
from PETWorks.render.report import making
from PETWorks.render.report.sections import model_texts

pytestmark = pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
MODELS = [{"outcome": "wage", "on": ["age", "sex"]}]


def people():
    rows = [
        {"age": 20 + number % 37, "sex": "fm"[number % 2], "place": number * 7 % 11, "wage": number * number % 50}
        for number in range(150)
    ]
    roles = {"quasi_identifiers": ["age", "sex", "place"], "sensitive_attributes": ["wage"]}
    hierarchies = {"age": {"width": [5, 10]}, "sex": [["f", "*"], ["m", "*"]], "place": {"width": [3, 6]}}
    table = {name: [row[name] for row in rows] for name in rows[0]}
    return Release(pa.table(table), roles, hierarchies, no_privacy_unit={"wage": "an amount"})


def test_next_best_levels_that_answer_better_are_taken():
    """With a table, and no scores in place of those of the models."""
    draw = random.Random(3)
    ages, places = zip(*((draw.randrange(16), draw.randrange(10)) for _ in range(120)), strict=True)
    table = {"age": ages, "place": places, "wage": [100 * age + draw.randrange(400) for age in ages]}
    roles = {"quasi_identifiers": ["age", "place"], "sensitive_attributes": ["wage"]}
    words = {"age": {"width": [2, 4, 8]}, "place": {"width": [2, 4]}}
    release = Release(pa.table(table), roles, words, no_privacy_unit={"wage": "an amount"})
    models = [{"outcome": "wage", "on": ["age"]}]
    settings = {"suppression": 0.05, "weights": {"place": 1.5}, "show": {"age": "interval"}}
    made = anonymize(release, {"k-anonymity": {"k": 5}}, models=models, **settings)
    taken, *others = made.by_models
    assert taken.next_best
    assert taken.kept == max(way.kept for way in made.by_models)
    assert made.models[0].kept == taken.kept > others[0].kept + model_choice.MIN_EXTRA_KEPT
    assert others[0].method == "local", "which has the smaller loss"
    assert made.loss > made.bound == made.search.best.loss
    assert (made.is_complete, made.optimal) == (True, False)
    assert made.release.class_sizes().smallest >= 8
    texts = making.outcome_texts(made.facts(table_state(made.original), made.release), "en")
    assert any("of 4 releases that were compared: on next-best levels" in text for text in texts)
    assert any("not the levels with the least loss" in text for text in texts)
    assert not any("Proved:" in text or "stopped" in text for text in texts)


@dataclass
class Answer:
    kept: float
    largest_shift: float = 0.0


@pytest.mark.parametrize(
    ("local", "best_levels", "with_means", "taken"),
    [
        (0.9, 0.5, 0.0, "local"),
        (0.5, 0.9, 0.0, "global"),
        (0.9, 0.9, 0.0, "local"),
        (0.9, 0.9005, 0.0, "local"),
        (0.5, 0.9, 0.05, "global"),
        (0.9, 0.5, 0.0005, "local"),
        (0.9, 0.5, -0.0005, "local"),
        (0.9, 0.5, -0.05, "local"),
        (0.5, 0.9, -0.05, "global"),
    ],
)
def test_the_release_that_answers_better_is_taken(monkeypatch, local, best_levels, with_means, taken):
    """`with_means` is what means add to the answer."""
    release = people()

    def answers(made, *_):
        return (Answer((local if hasattr(made, "sweep") else best_levels) + bool(made.shown.columns) * with_means),)

    monkeypatch.setattr(model_choice, "fit_models", answers)
    found = model_choice.anonymize_for_models(
        release,
        anonymize(release, {"k-anonymity": {"k": 3}}, suppression=0.1).problem.rules,
        parse_models(MODELS),
        {"method": "local", "suppression": 0.1},
        may_choose_method=True,
    )
    assert found.by_models[0].method == taken
    assert len(found.by_models) == 8, "record by record, the best levels and two next-best ones, and all with means"
    # Record by record, means stay unless intervals are clearly better; on one level per column it is the reverse.
    means = with_means > (-model_choice.MIN_EXTRA_KEPT if taken == "local" else model_choice.MIN_EXTRA_KEPT)
    assert found.by_models[0].means == bool(found.shown.columns) == means
    assert found.loss == (found.search.best.loss if taken == "global" else found.loss)
    assert hasattr(found, "sweep") == (taken == "local")
    facts = found.facts(None, found.release)
    assert facts.by_models == found.by_models
    assert facts.optimal == (taken == "global")
    said = {text.split()[0] for text in making.by_models_text(facts, "en")[1:]}
    assert said == ({"Means" if means else "Intervals"} if means != (taken == "local") else set())


@pytest.mark.parametrize(
    ("kept", "shifts", "taken"),
    [
        ([0.99, 0.993], [0.9, 2.4], 0),
        ([0.99, 0.993], [2.1, 2.4], 1),
        ([0.99, 0.97], [2.4, 0.1], 0),
        ([0.99, 0.985, 0.981], [2.4, 1.2, 0.3], 2),
        ([0.99, 0.985], [float("inf"), 3.0], 1),
        ([0.0, 0.0], [float("inf"), 0.0], 0),
    ],
)
def test_coefficients_decide_between_releases_that_explain_alike(kept, shifts, taken):
    assert model_choice._best_answers(kept, shifts) == taken


def test_a_weak_effect_that_a_strong_one_hides_is_named():
    """The share of the variance hardly tells what became of the age, the standard errors do."""
    draw = random.Random(2)
    rows = [(18 + int(draw.expovariate(0.06)), draw.choice("abcd")) for _ in range(400)]
    wages = [10 * age + 5000 * "abcd".index(group) + draw.randrange(500) for age, group in rows]
    table = {"age": [age for age, _ in rows], "group": [group for _, group in rows], "wage": wages}
    roles = {"quasi_identifiers": ["age"], "sensitive_attributes": ["wage"], "insensitive_attributes": ["group"]}
    release = Release(table, roles, {"age": {"cuts": [19, 60]}}, no_privacy_unit={"wage": "an amount"})
    models = [{"outcome": "wage", "on": ["age", "group"]}]
    made = anonymize(release, {"k-anonymity": {"k": 5}}, models=models, show={"age": "interval"})
    (answer,) = made.models
    moved = answer.most_shifted
    assert answer.kept > 0.99
    assert moved.column == "age"
    assert (
        answer.largest_shift == abs(moved.shift) == pytest.approx(abs(moved.after - moved.before) / moved.error, 1e-3)
    )
    assert answer.largest_shift > 1
    assert made.by_models[0].largest_shift == answer.largest_shift
    (text,) = model_texts(made.models, "en")
    assert f"The effect of age moves most: it is {100 * moved.after / moved.before:.0f}" in text
    assert "moves most" not in model_texts([answer.without_coefficients()], "en")[0]


def test_python_has_the_results_and_the_columns_weigh_more():
    release = people()
    made = anonymize(release, {"k-anonymity": {"k": 3}}, suppression=0.1, models=MODELS, method="local")
    (answer,) = made.models
    assert answer.records_before == 150
    assert answer.records_after == made.release.records
    assert dict(made.problem.weights) == {"age": 5.0, "sex": 5.0}
    given = anonymize(release, {"k-anonymity": {"k": 3}}, models=MODELS, weights={"place": 2}, method="global")
    assert dict(given.problem.weights) == {"place": 2}


@pytest.mark.parametrize("method", ["local", "global"])
def test_columns_of_models_may_have_missing_cells(method):
    ages = [None if number % 10 == 0 else 20 + number % 20 for number in range(60)]
    table = {"age": ages, "wage": [number * number % 50 for number in range(60)]}
    roles = {"quasi_identifiers": ["age"], "sensitive_attributes": ["wage"]}
    release = Release(table, roles, {"age": {"width": [10]}}, no_privacy_unit={"wage": "an amount"})
    models = [{"outcome": "wage", "on": ["age"]}]
    made = anonymize(release, {"k-anonymity": {"k": 5}}, suppression=0.2, models=models, method=method)
    (answer,) = made.models
    assert answer.records_before == 60
    assert answer.records_after > 50


def test_weights():
    models = parse_models([{"outcome": "wage", "on": ["age", "sex"]}, {"outcome": "age", "on": ["sex"]}])
    assert weights_for_models(models, ["age", "sex", "place"], {}) == {"age": 5.0, "sex": 5.0}
    assert weights_for_models(models, ["age", "sex"], {}) == {}
    assert weights_for_models(models, ["age", "sex", "place"], {"objective": "aecs"}) == {}


def test_a_model_that_the_table_cannot_have():
    with pytest.raises(PETWorksError, match="no column 'height'"):
        anonymize(people(), {"k-anonymity": {"k": 3}}, models=[{"outcome": "wage", "on": ["height"]}])


def test_means_are_taken_where_they_answer_better():
    """The middle of a wide interval is far from where most of its people are; `show` decides otherwise."""
    draw = random.Random(5)
    ages = [18 + int(draw.expovariate(0.1)) for _ in range(400)]
    wages = [1000 + 50 * age + draw.randrange(100) for age in ages]
    table = {"age": ages, "place": [draw.randrange(40) for _ in ages], "wage": wages}
    roles = {"quasi_identifiers": ["age", "place"], "sensitive_attributes": ["wage"]}
    words = {"age": {"cuts": [20, 60]}, "place": {"width": [5, 20]}}
    release = Release(pa.table(table), roles, words, no_privacy_unit={"wage": "an amount"})
    models = [{"outcome": "wage", "on": ["age"]}]
    made = anonymize(release, {"k-anonymity": {"k": 5}}, models=models)
    with_labels = anonymize(release, {"k-anonymity": {"k": 5}}, models=models, show="interval")
    assert dict(made.shown.columns) == {"age": "mean", "place": "mean"} == made.plan["show"]
    assert made.by_models[0].means
    assert made.models[0].after > with_labels.models[0].after
    assert not any(way.means for way in with_labels.by_models)
    levels = anonymize(release, {"k-anonymity": {"k": 5}}, models=models, method="global")
    texts = making.outcome_texts(levels.facts(table_state(levels.original), levels.release), "en")
    assert any(text.startswith("Means and medians of classes answer them better") for text in texts)
