"""Lost columns: the same on a node, in a sweep and in the written release, and as a literal count of cells says."""

from dataclasses import replace

import pytest
from hypothesis import assume, given

from anonymizing_tasks import OF_SIZES, anonymized, as_written, tasks
from conftest import examples
from frames import arrow
from PETWorks import Release
from PETWorks.anonymizer.anonymization import recode_locally
from PETWorks.anonymizer.lost_columns import lost_in_release, lost_in_sweep, lost_on_node
from PETWorks.errors import NotApplicable

ROLES = {"quasi_identifiers": ["sex", "age"]}
HIERARCHIES = {
    "sex": [["f", "*"], ["m", "*"]],
    "age": [[str(age), "young" if age < 40 else "old", "all"] for age in (20, 30, 40, 50)],
}


def literally_lost(before, after, column, top):
    """The definition, cell by cell, of records that are not suppressed."""
    known = [row[column] for row in before if row[column] not in (None, "*")]
    if len(set(known)) < 2:
        return False
    cells = [row[column] for row in after]
    values = {cell for cell in cells if cell not in (None, "*", top)}
    return len(values) < 2 or 10 * sum(cell in ("*", top) for cell in cells) > 9 * len(cells)


@examples(100)
@given(tasks(OF_SIZES))
def test_they_are_those_of_the_definition(task):
    task = replace(task, objective="granularity")
    try:
        best = anonymized(task)
    except NotApplicable:
        assume(False)
    columns, before = task.quasi_identifiers, as_written(task, task.rows)
    tops = {name: best.problem.original.hierarchies[name].levels[-1][0] for name in columns}
    local = recode_locally(best)
    for made, lost in (
        (best, lost_on_node(best.classes, best.suppressed_classes)),
        (local, lost_in_sweep(local.sweep)),
    ):
        kept = [row for row in made.table.to_pylist() if any(row[name] != "*" for name in columns)]
        assert lost == tuple(name for name in columns if literally_lost(before, kept, name, tops[name]))


def release(rows, original=True):
    before = [{"sex": "fm"[number % 2], "age": ("20", "30", "40", "50")[number % 4]} for number in range(len(rows))]
    after = [dict(zip(("sex", "age"), row, strict=True)) for row in rows]
    return Release(arrow(after), ROLES, HIERARCHIES, arrow(before) if original else None)


@pytest.mark.parametrize(
    ("rows", "lost"),
    [
        ([("f", "young"), ("m", "old")] * 10, ()),
        ([("*", "young"), ("*", "old")] * 10, ("sex",)),
        ([("f", "young"), ("m", "young")] * 10, ("age",)),
        ([("f", "young"), ("*", "old")] * 10, ("sex",)),
        ([("f", "20"), ("m", "30"), *[("*", "old")] * 18], ()),
        ([("f", "20"), ("m", "30"), *[("*", "old")] * 19], ("sex",)),
        ([("f", "20"), ("m", "30"), *[("f", "all")] * 19], ("age",)),
        ([("f", "young"), ("m", "old"), *[("*", "*")] * 40], ()),
        ([("*", "*")] * 10, ("sex", "age")),
    ],
)
def test_columns_lost_in_a_file(rows, lost):
    assert lost_in_release(release(rows)) == lost
    assert set(lost_in_release(release(rows, original=False))) <= set(lost)


def test_what_was_constant_before_is_not_lost():
    same = [{"sex": "f", "age": str(20 + 10 * (number % 4))} for number in range(8)]
    after = [row | {"sex": "*"} for row in same]
    assert lost_in_release(Release(arrow(after), ROLES, HIERARCHIES, arrow(same))) == ()
