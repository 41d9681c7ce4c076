"""The three published attacks of the package anonymeter: parameters, keys, seeds, and what is wrong with them."""

import os
import re

import numpy as np
import pandas as pd
import pytest

from command import forked
from PETWorks import PETAnonymization, PETValidation, dataProcess
from PETWorks.api import anonymeter
from PETWorks.api.anonymeter import ATTACKS, PARAMETERS, RATES, _frames
from PETWorks.errors import PETWorksError

AUXILIARY = [["type_employer", "fnlwgt"], ["age"]]
OPTIONS = {"SinglingOutRisk": {}, "LinkabilityRisk": {"auxiliaryColumns": AUXILIARY}, "InferenceRisk": {}}
SCRIPT = """
from PETWorks import PETValidation, report

synthetic = "data/adults_syn_ctgan.csv"
original = "data/adults_train.csv"
control = "data/adults_control.csv"
auxiliaryColumns = [
    ["type_employer", "fnlwgt"],
    ["age"]
]

result = PETValidation(synthetic, original, "SinglingOutRisk", control=control)
report(result, "json")
result = PETValidation(
    synthetic,
    original,
    "LinkabilityRisk",
    control=control,
    auxiliaryColumns=auxiliaryColumns,
)
report(result, "json")
result = PETValidation(synthetic, original, "InferenceRisk", control=control)
report(result, "json")
"""


def people(number, seed):
    """Random people; some do not say what they do."""
    draws = np.random.default_rng(seed)
    employers = np.array(["Private", "State-gov", "Self-emp", "?", None], object)
    return pd.DataFrame(
        {
            "age": draws.integers(17, 91, number),
            "type_employer": employers[draws.choice(5, number, p=[0.6, 0.15, 0.1, 0.1, 0.05])],
            "fnlwgt": draws.integers(20_000, 400_000, number),
            "gain": (draws.lognormal(8, 2, number)).astype(int),
            "loss": (draws.lognormal(6, 2, number)).astype(int),
        }
    )


def middle(successes, attacks):
    """The middle of Wilson's interval at 95 %."""
    z = 1.959963984540054**2
    return pytest.approx((successes + z / 2) / (attacks + z), abs=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Attack is as good or worse as baseline model")
def test_a_copy_is_recognised_and_a_seed_repeats_the_result():
    table, control = people(400, 1), people(300, 2)
    state = np.random.get_state()[1].tolist()
    for attack, options in OPTIONS.items():
        first, again, other = (
            PETValidation(table, table, attack, control=control, nAttack=40, seed=seed, **options)
            for seed in (7, "7", 8)
        )
        assert first == again
        assert first.details == again.details
        assert first != other
        rates = first if attack == "InferenceRisk" else {"": first}
        assert all(list(rate) == list(RATES) for rate in rates.values())
        assert (first.details["anonymeter"], first.details["seed"]) == ("1.1.0", "7")
        for rate in rates.values():
            main, _, of_control = rate.values()
            if attack != "LinkabilityRisk":  # many people are equally near by age alone
                assert main == middle(40, 40)  # everybody
            assert of_control < min(main, 0.9)
    # What others draw is as random as before.
    assert np.random.get_state()[1].tolist() == state
    assert np.random.default_rng().random() != np.random.default_rng().random()
    drawn = PETValidation(table, table, "singling_out risk", nAttack=20)
    assert drawn["Success rate of control attack"] is None
    assert PETValidation(table, table, "SinglingOutRisk", nAttack=20, seed=drawn.details["seed"]) == drawn


@pytest.mark.slow
def test_a_published_script_runs_as_it_is_and_another_process_draws_the_same(tmp_path):
    (tmp_path / "data").mkdir()
    for seed, name in enumerate(("adults_syn_ctgan", "adults_train", "adults_control")):
        people(2000, seed).to_csv(tmp_path / f"data/{name}.csv", index=False)
    (tmp_path / "script.py").write_text(SCRIPT, "utf-8")
    done = forked(["script.py"], tmp_path, os.environ)
    assert done.returncode == 0, done.stderr
    assert [key for key in re.findall(r'"(.*?)"', done.stdout) if key in RATES] == list(RATES) * 7
    assert re.findall(r'^    "(\w+)": \{', done.stdout, re.MULTILINE) == list(people(1, 1))


@pytest.mark.slow
def test_another_process_draws_the_same(tmp_path):
    people(300, 1).to_csv(tmp_path / "people.csv", index=False)
    script = """
from PETWorks import PETValidation
print(PETValidation("people.csv", "people.csv", "SinglingOutRisk", nAttack=20, seed=5))
"""
    (tmp_path / "script.py").write_text(script, "utf-8")
    table = tmp_path / "people.csv"
    found = PETValidation(table, table, "SinglingOutRisk", nAttack=20, seed=5)
    assert forked(["script.py"], tmp_path, os.environ).stdout == f"{found}\n"


@pytest.mark.slow
def test_what_is_wrong_in_version_1_1_0():
    """As said on the page about compatibility; if a newer version mends it, the page is to be changed."""
    from anonymeter.evaluators.inference_evaluator import evaluate_inference_guesses

    guesses, secrets = pd.Series([-5.0, 103.0, 120.0]), pd.Series([100.0, 100.0, 100.0])
    assert evaluate_inference_guesses(guesses, secrets, regression=True).tolist() == [True, True, False]
    table = pd.DataFrame({"pay": np.arange(-500, 500), "ward": ["a"] * 1000})
    control = pd.DataFrame({"pay": np.arange(1000), "ward": ["a"] * 1000})
    with pytest.warns(UserWarning, match="as good or worse as baseline"):
        found = PETValidation(table, control, "InferenceRisk", nAttack=50, seed=1)
    # A baseline that guesses a value that everybody has is right for everybody.
    assert found["ward"]["Success rate of baseline attack"] < 0.3
    assert found.details["notices"] == [
        "anonymeter 1.1.0 loses most guesses of the baseline attack and counts them as wrong",
        "anonymeter 1.1.0 counts every negative guess of a number as correct, here in 'pay'",
    ]


def test_columns_of_numbers_are_those_of_all_tables():
    first = {"n": ["1", "02", None], "x": ["1", "2.5", "3"], "t": ["1", "2", "3"], "i": [1, 2, 3]}
    second = {"n": ["4"], "x": ["5"], "t": ["?"], "i": ["7"]}
    frames = _frames({"synthetic": first, "original": second})
    assert [kind.kind for kind in frames["synthetic"].dtypes] == ["f", "f", "O", "i"]
    assert [kind.kind for kind in frames["original"].dtypes] == ["f", "f", "O", "i"]
    assert frames["synthetic"]["n"].tolist()[:2] == [1, 2]
    assert np.isnan(frames["synthetic"]["n"][2])
    assert frames["synthetic"]["t"].tolist() == ["1", "2", "3"]
    assert frames["original"].to_dict("list") == {"n": [4.0], "x": [5.0], "t": ["?"], "i": [7]}


@pytest.mark.parametrize(
    ("attack", "options", "message"),
    [
        ("SinglingOutRisk", {"nAttacks": 9}, r"no parameter of SinglingOutRisk is called 'nAttacks'; .* 'nAttack'\?"),
        ("SinglingOutRisk", {"auxiliaryColumns": AUXILIARY}, r"no parameter of SinglingOutRisk is called"),
        ("SinglingOutRisk", {"nAttack": 0}, r"SinglingOutRisk needs 1 <= nAttack, got nAttack=0"),
        ("SinglingOutRisk", {"n_col": 6}, r"SinglingOutRisk needs 1 <= n_col <= 5, got n_col=6"),
        ("InferenceRisk", {"seed": -1}, r"InferenceRisk needs 0 <= seed, got seed=-1"),
        ("InferenceRisk", {"seed": 1.5}, r"InferenceRisk needs seed to be a whole number"),
        ("LinkabilityRisk", {}, r"LinkabilityRisk needs auxiliaryColumns: two lists of columns"),
        ("LinkabilityRisk", {"auxiliaryColumns": [["age"], []]}, r"two lists of columns"),
        ("LinkabilityRisk", {"auxiliaryColumns": [["ages"], ["fnlwgt"]]}, r"no column is called 'ages'; did .*'age'\?"),
        (
            "LinkabilityRisk",
            {"auxiliaryColumns": AUXILIARY, "control": people(11, 3), "nAttack": 12},
            r"LinkabilityRisk needs 12 records in the control table, and there are 11; nAttack is how many",
        ),
        (
            "InferenceRisk",
            {"control": {"age": [1]}},
            r"the control and the original table have different columns: .*'fn",
        ),
    ],
)
def test_mistakes(attack, options, message):
    table = people(20, 1)
    with pytest.raises(PETWorksError, match=message):
        PETValidation(table, table, attack, **options)


@pytest.mark.parametrize("attack", PARAMETERS)
def test_tables_and_the_package_are_needed(attack, monkeypatch):
    with pytest.raises(PETWorksError, match=f"{attack} needs the synthetic table first, then the original one"):
        PETValidation(None, people(20, 1), attack)
    monkeypatch.setattr(anonymeter, "find_spec", lambda _: None)
    message = rf"{attack} needs the package anonymeter: pip install 'petworks\[anonymeter\]', then anonymeter==1"
    with pytest.raises(PETWorksError, match=message):
        PETValidation(people(20, 1), people(20, 1), attack)


def test_numbers_of_attacks_are_as_published():
    assert ATTACKS == {"SinglingOutRisk": 100, "LinkabilityRisk": 2000, "InferenceRisk": 1000}


@pytest.mark.parametrize("name", ["MIATest", "FL", "ImageSimilarity", "TLSv1.2OrLater", "tlsv12 or later"])
def test_techniques_about_other_things_are_out_of_scope(name):
    with pytest.raises(PETWorksError, match="is out of scope: PETWorks measures and anonymizes tables about people"):
        PETValidation("recovered.png", "original.png", name)
    with pytest.raises(PETWorksError, match="no technique of anonymization is called"):
        PETAnonymization("data/adult.csv", name, 0)


def test_processing_of_other_data_is_out_of_scope():
    with pytest.raises(PETWorksError, match=r"dataProcess is out of scope: .* homomorphic encryption"):
        dataProcess("model", "gradient", "FL", "recover")
    with pytest.raises(PETWorksError, match="is out of scope"):
        dataProcess(128, None, "HomomorphicEncryption", "GenerateKey", library="phe")
