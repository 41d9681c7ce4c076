"""What suppression gives away: few removed records, records that are all alike, and groups of one value."""

import json

import pytest

from command import petworks

POLICY = """petworks_policy: 1
data: table.csv
roles: {quasi_identifiers: [town, sex], sensitive_attributes: [illness]}
hierarchies: {town: {groups: {any: [Taipei, Penghu, Kinmen]}}, sex: {groups: {person: [M, F]}}}
rules: [{measure: k-anonymity, k: 5}, {measure: l-diversity, l: 2}]
anonymize: {suppression: 0.1}
"""
MANY = [f"Taipei,{'MF'[n % 2]},{('flu', 'cold', 'asthma')[n % 3]}" for n in range(400)]


def made(folder, rows, *options):
    """The notices of a release, and how many records it has."""
    (folder / "table.csv").write_text("\n".join(["town,sex,illness", *rows]) + "\n")
    (folder / "policy.yaml").write_text(POLICY)
    done = petworks("anonymize", folder / "policy.yaml", "-o", folder / "r.csv", "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    notices = json.loads(done.stdout)["notices"]
    again = json.loads(petworks("check", folder / "r_policy.yaml", "--json", "-").stdout)
    assert again["notices"] == notices, "what is signed later says the same"
    told = {one["notice"]: one.get("records") for one in notices}
    return told, len((folder / "r.csv").read_text().splitlines()) - 1


def test_one_person_of_an_island(tmp_path):
    told, left = made(tmp_path, [*MANY, "Penghu,M,hiv"])
    assert (told["few-removed"], left) == (1, 400)
    assert not {"removed-alike", "minimality"} & set(told)
    assert "hiv" not in (tmp_path / "r.csv").read_text()
    plan = json.loads((tmp_path / "r_plan.json").read_text())
    plan.pop("notices", None)  # a plan of an earlier version
    (tmp_path / "r_plan.json").write_text(json.dumps(plan))
    again = json.loads(petworks("check", tmp_path / "r_policy.yaml", "--json", "-").stdout)
    assert [one["records"] for one in again["notices"] if one["notice"] == "few-removed"] == [1]


@pytest.mark.parametrize("options", [(), ("--local",)])
def test_two_groups_of_one_value(tmp_path, options):
    told, left = made(tmp_path, [*MANY, *["Penghu,M,hiv"] * 12, *["Kinmen,F,hiv"] * 15], *options)
    assert (told["removed-alike"], told["minimality"], left) == (27, 27, 400)
    assert "few-removed" not in told
    assert json.loads((tmp_path / "r_plan.json").read_text())["removed"] == "401-427"


def test_groups_that_were_made_coarser(tmp_path):
    """Sizes alone would allow the finer level of the town."""
    told, left = made(
        tmp_path,
        [*MANY, *["Penghu,M,hiv"] * 12, *["Kinmen,F,hiv"] * 15],
        "--global",
        "--suppression",
        "0",
        "--level",
        "sex=0",
    )
    assert (told["minimality"], left) == (27, 427)
    assert "removed-alike" not in told


def test_mixed_groups_are_no_reason_to_warn(tmp_path):
    told, _ = made(tmp_path, [*MANY, *["Penghu,M,hiv", "Penghu,M,flu"] * 6])
    assert not {"few-removed", "removed-alike", "minimality"} & set(told)
