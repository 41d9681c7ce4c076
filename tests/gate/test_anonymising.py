"""A release made by a policy: what the policy sets applies unless something else is given."""

from datetime import date

import pytest

from PETWorks import read_policy
from PETWorks.gate.anonymising import anonymize_by


@pytest.mark.parametrize(("given", "limit"), [({}, 0.25), ({"suppression": None}, 0.25), ({"suppression": 0.5}, 0.5)])
def test_settings_of_a_policy(tmp_path, given, limit):
    (tmp_path / "ages.csv").write_text("age\n" + "31\n32\n33\n47\n")
    (tmp_path / "policy.yaml").write_text(
        "petworks_policy: 1\ndata: ages.csv\nhierarchies: {age: {width: [10]}}\nroles: {quasi_identifiers: [age]}\n"
        "rules: [{measure: k-anonymity, k: 2}]\nanonymize: {suppression: 0.25}\n"
    )
    policy = read_policy(tmp_path / "policy.yaml")
    result = anonymize_by(policy, policy.release(), date(2026, 1, 1), given)
    assert result.problem.suppression == limit
    assert result.suppressed == 1
