"""What a release contains: nothing of suppressed records, numbers instead of people."""

from dataclasses import replace

import pyarrow as pa
import pytest

from PETWorks.errors import HierarchyError, ParameterError
from searches import anonymize

ROLES = {"zip": "quasi_identifier"}
HIERARCHIES = {"zip": [["1001", "100*", "*"], ["1002", "100*", "*"], ["SECRETVILLE", "S*", "*"]]}


def test_labels_that_only_suppressed_records_have_are_not_in_the_table():
    table = pa.table({"zip": ["1001"] * 10 + ["1002"] * 10 + ["SECRETVILLE"], "x": list(range(21))})
    for suppressed_records, left in (("remove", 20), ("stars", 21)):
        about = {"suppression": 0.1, "suppressed_records": suppressed_records}
        result = anonymize(table, ROLES, HIERARCHIES, {"k-anonymity": {"k": 5}}, **about)
        assert result.suppressed == 1
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, result.table.schema) as writer:
            writer.write_table(result.table)
        assert b"SECRETVILLE" not in sink.getvalue().to_pybytes()
        assert result.table["x"].to_pylist() == list(range(left))


def test_labels_of_removed_records_are_in_no_dictionary():
    """A column that does not change may be a dictionary, and its labels may be those of removed records alone."""
    illness = pa.array(["flu"] * 20 + ["SECRET"]).dictionary_encode()
    table = pa.table({"zip": ["1001"] * 10 + ["1002"] * 10 + ["SECRETVILLE"], "illness": illness})
    result = anonymize(table, ROLES, HIERARCHIES, {"k-anonymity": {"k": 5}}, suppression=0.1)
    assert result.table["illness"].combine_chunks().dictionary.to_pylist() == ["flu"]
    assert [len(piece) for piece in result.pieces()] == [20]


def test_people_are_counted_and_left_out_or_numbered_in_the_order_in_which_they_appear():
    people = ["Wu", "Li", "Wu", "An", "Li", "Wu"] * 5
    table = pa.table({"who": people, "zip": ["1001", "1002", "1001"] * 10})
    roles = {**ROLES, "who": "identifier"}
    result = anonymize(table, roles, HIERARCHIES, {"k-anonymity": {"k": 2}}, privacy_unit="who")
    assert result.table.column_names == ["zip"]
    assert result.release.people == 3
    kept = replace(result, keeps_unit=True)
    assert kept.table["who"].to_pylist() == ["1", "2", "1", "3", "2", "1"] * 5
    assert kept.release.people == 3


@pytest.mark.parametrize("weight", [1e308, -1, float("nan"), "much"])
def test_weights_that_would_swamp_every_loss_are_refused(weight):
    table = pa.table({"zip": ["1001", "1002"] * 5})
    with pytest.raises(ParameterError, match="0 to 1,000,000"):
        anonymize(table, ROLES, HIERARCHIES, {"k-anonymity": {"k": 2}}, weights={"zip": weight})


def test_a_stopped_search_has_a_release_also_for_rules_about_the_whole_table():
    table = pa.table({"zip": ["1001", "1002", "SECRETVILLE"] * 7, "ill": ["a", "b", "c"] * 7})
    stopped = []

    def stop(_state):
        stopped.append(True)
        raise KeyboardInterrupt

    roles = {"zip": "quasi_identifier", "ill": "sensitive_attribute"}
    hierarchies = {
        "zip": [[leaf, *(f"{leaf[:1]}{n}" for n in range(30)), "any"] for leaf in ("1001", "1002", "SECRETVILLE")]
    }
    result = anonymize(
        table, roles, hierarchies, {"attribute-inference": {"at_most": 0.5}}, progress=stop, levels={"zip": (0, 31)}
    )
    assert stopped
    assert not result.optimal
    assert result.levels == {"zip": 31}
    told = result.explain()
    assert (told.next_best, told.rules) == ((), ())
    assert [reason.column for reason in told.columns] == ["zip"]


def test_identifiers_are_left_out_and_may_be_gone():
    table = pa.table({"name": ["Wu", "Li"] * 5, "zip": ["1001", "1002"] * 5})
    roles = {**ROLES, "name": "identifier", "passport": "identifier"}
    result = anonymize(table, roles, HIERARCHIES, {"k-anonymity": {"k": 2}})
    assert result.table.column_names == ["zip"]
    assert result.release.view.class_sizes().smallest == 5


@pytest.mark.parametrize("objective", ["granularity", "precision"])
def test_values_that_a_hierarchy_does_not_have_are_an_error(objective):
    table = pa.table({"sex": ["f", "m", "x"] * 5})
    with pytest.raises(HierarchyError, match=r"column 'sex': 1 of 3 values of the table are not leaves"):
        anonymize(
            table,
            {"sex": "quasi_identifier"},
            {"sex": [["f", "*"], ["m", "*"]]},
            {"k-anonymity": {"k": 2}},
            objective=objective,
        )
