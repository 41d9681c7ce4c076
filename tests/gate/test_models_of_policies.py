"""Models that a policy names: its mistakes, the check, and what nobody outside may see of them."""

import json

import pytest

from command import petworks
from PETWorks import check, read_policy
from PETWorks.errors import PETWorksError
from policy_checks import CHECK

PEOPLE = [
    (age, sex, school, 20 + 3 * school + age // 2 + (7 if sex == "m" else 0) + age * school % 11)
    for age in range(20, 60)
    for sex in "fm"
    for school in (6, 9, 12)
]
POLICY = """petworks_policy: 1
data: people.csv
roles: {quasi_identifiers: [age, sex, school], sensitive_attributes: [wage]}
hierarchies: {age: {width: [5, 10, 20]}}
rules: [{measure: k-anonymity, k: 4}]
no_rule: {wage: known}
unique_values: {share: 1, reason: known}
models:
  - {outcome: wage, on: [age, sex, school]}
"""


@pytest.fixture
def folder(tmp_path):
    lines = ["age,sex,school,wage", *(",".join(map(str, row)) for row in PEOPLE)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


@pytest.mark.parametrize(
    ("models", "says"),
    [
        ("- {outcome: wage, on: [height]}", "line 9, models.1.: the table has no column 'height'"),
        ("- {outcome: wage, on: [wage]}", "line 9, models.1.: the outcome 'wage' cannot explain itself"),
        ("- {outcome: wage, of: [age]}", "line 9, models.1..of: no key is called"),
        ("- {outcome: wage}", "line 9, models.1.: the key 'on' is missing"),
    ],
)
def test_mistakes_have_a_line(folder, models, says):
    (folder / "policy.yaml").write_text(POLICY.replace("- {outcome: wage, on: [age, sex, school]}", models))
    with pytest.raises(PETWorksError, match=says.replace("[", r"\[")):
        read_policy(folder / "policy.yaml").release()


def test_a_constant_column_is_found_before_the_search(folder):
    (folder / "people.csv").write_text("age,sex,school,wage\n" + "".join(f"{n},f,9,{n}\n" for n in range(20, 60)))
    ran = petworks("anonymize", folder / "policy.yaml", "-o", folder / "out.csv")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "line 9, models[1]: column 'sex' of the model has one value only; leave it out" in ran.stderr
    assert not (folder / "out.csv").exists()


def test_the_command_shows_scores_and_keeps_coefficients_inside(folder):
    reports = {name: folder / f"report.{name}" for name in ("html", "json", "markdown", "junit")}
    options = [part for name, path in reports.items() for part in (f"--{name}", path)]
    ran = petworks("anonymize", folder / "policy.yaml", "-o", folder / "out.csv", "--format", "json", *options)
    printed = json.loads(ran.stdout)
    assert [model["outcome"] for model in printed["models"]] == ["wage"]
    assert "coefficients" not in printed["models"][0]
    document = json.loads(reports["json"].read_text())
    CHECK.validate(document)
    inside = document["models"][0]
    assert {**inside, "coefficients": []} == {**printed["models"][0], "coefficients": []}
    assert 0.8 < inside["after"] <= inside["before"] < 1
    slope = next(one for one in inside["coefficients"] if one["column"] == "school")
    number = str(slope["before"])[:4]
    assert number in reports["html"].read_text()
    for name in ("markdown", "junit"):
        assert number not in reports[name].read_text()
    assert "of the variance in the original" in reports["markdown"].read_text()
    terminal = petworks("check", folder / "out_policy.yaml").stdout
    assert "wage ~ age + sex + school" in terminal
    assert number not in terminal
    for text in external_texts(folder / "out_policy.yaml"):
        assert number not in text
        assert "wage ~" not in text


def external_texts(policy):
    result = check(policy)
    assert result.content.models
    assert "models" not in result.to_dict("external")
    yield from (result.to_format(name, edition="external") for name in ("json", "html", "markdown", "junit", "text"))
