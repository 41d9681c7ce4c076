"""The worst that a release can do to a person, and to how many: numbers that averages hide.

The adversary knows the quasi-identifiers and sees every record, suppressed ones too.
"""

from collections.abc import Iterator
from functools import partial
from operator import add

from PETWorks.counting.counts import ClassValues
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.gate.steps_document import Notice

MOST_COLUMNS = 5  # of which it is said for how many people their value is certain


def worst_case(release: Release) -> Iterator[Notice]:
    """The average and the highest chance to find a person, and for how many people which value is certain."""
    if not release.quasi_identifiers or not release.records:
        return
    view = release.view
    sizes = view.class_sizes(attacker=True)
    smallest = sizes.smallest
    if smallest:
        people = smallest * int(sizes.classes[sizes.sizes == smallest].sum())
        yield Notice("highest-risk", records=people, share=1 / smallest, average=sizes.number / sizes.records)
    certain = {column: view.answer(_certain(view, column)) for column in view.sensitive_attributes}
    most = sorted(certain, key=lambda column: -certain[column])[:MOST_COLUMNS]
    for column in most:
        if certain[column]:
            yield Notice("certain-value", (column,), certain[column])


def worst_case_questions(view: View) -> list[Question[int]]:
    """What has to be counted for it, so that it can be counted together with other questions."""
    return [_certain(view, column) for column in view.sensitive_attributes] if view.quasi_identifiers else []


def _certain(view: View, column: str) -> Question[int]:
    """How many people are in classes with a single value of a sensitive attribute, which is not a missing one?"""
    values = view.overall(column, attacker=True).values
    missing = values.index(None) if None in values else -1
    return view.fold("certain value", column, partial(_of_one_value, missing), add, attacker=True)


def _of_one_value(missing: int, classes: ClassValues) -> int:
    if not len(classes.starts):
        return 0
    alone = (classes.cells_per_class == 1) & (classes.values[classes.starts] != missing)
    return int(classes.persons[alone].sum())
