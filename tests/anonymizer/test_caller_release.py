"""A search works on a view of its own: the release that a user passes stays as it is."""

import pytest

from PETWorks.anonymizer.anonymization import anonymize_release
from PETWorks.anonymizer.chosen_levels import recode_to_levels
from PETWorks.anonymizer.frontier import find_frontier
from PETWorks.anonymizer.rules import check_rules
from PETWorks.counting.release import Release

TABLE = {"age": ["31", "32", "41", "42", "*"], "town": ["b", "b", "a", "a", "a"], "ill": ["x", "y", "x", "y", "x"]}
ROLES = {"age": "quasi_identifier", "town": "quasi_identifier", "ill": "sensitive_attribute"}
RULES = check_rules({"k-anonymity": {"k": 2}})
SEARCHES = {
    "best levels": lambda release: anonymize_release(release, RULES, suppression=0.5),
    "local": lambda release: anonymize_release(release, RULES, suppression=0.5, method="local"),
    "own levels": lambda release: recode_to_levels(release, {"age": 1}, RULES),
    "frontier": lambda release: find_frontier(release, RULES, suppression=0.5),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_search_does_not_change_the_release(search):
    release = Release(TABLE, ROLES, {"age": {"width": [10]}})
    before, view = dict(vars(release)), release.view
    search(release)
    assert vars(release) == before
    assert release.view is view
    assert set(release.hierarchies) == {"age"}
