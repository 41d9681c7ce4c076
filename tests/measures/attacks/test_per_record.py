"""The risk of each record, compared with what the table literally says."""

from collections import Counter
from itertools import combinations

import pytest

from PETWorks import Release, risks_per_record
from PETWorks.errors import ParameterError

ROWS = [("a", "x", "u"), ("a", "y", "u"), ("b", "x", "v"), ("b", "x", "w"), ("b", "y", "w"), ("b", "y", "w")]
TABLE = {name: [row[place] for row in ROWS] for place, name in enumerate(("one", "two", "illness"))}
ROLES = {"one": "quasi_identifier", "two": "quasi_identifier", "illness": "sensitive_attribute"}


def alike(row, names):
    """How many records share the cells of a record in some columns."""
    places = [("one", "two").index(name) for name in names]
    return sum(all(other[place] == row[place] for place in places) for other in ROWS)


def smallest(row, below):
    """The first of the smallest sets of columns by which a record is among fewer than so many."""
    sets = (chosen for size in (1, 2) for chosen in combinations(("one", "two"), size) if alike(row, chosen) < below)
    return list(next(sets, ()))


def test_every_record():
    found = risks_per_record(Release(TABLE, ROLES), up_to=2).to_pylist()
    for number, (row, risk) in enumerate(zip(ROWS, found, strict=True), 1):
        peers = [other for other in ROWS if other[:2] == row[:2]]
        commonest = Counter(other[2] for other in peers).most_common(1)[0][1]
        assert risk["record"] == number
        assert risk["class_size"] == len(peers)
        assert risk["re-identification"] == 1 / len(peers)
        assert risk["attribute-inference of illness"] == commonest / len(peers)
        assert risk["unique_attributes"] == smallest(row, 2)
        assert risk["unique_with"] == len(smallest(row, 2))


def test_records_of_small_classes():
    found = risks_per_record(Release(TABLE, ROLES), below=2).to_pylist()
    assert [risk["record"] for risk in found] == [
        place for place, row in enumerate(ROWS, 1) if alike(row, ("one", "two")) < 2
    ]
    assert [risk["stands_out_by"] for risk in found] == [smallest(ROWS[risk["record"] - 1], 2) for risk in found]
    with pytest.raises(ParameterError, match="2 or more; got 1"):
        risks_per_record(Release(TABLE, ROLES), below=1)
