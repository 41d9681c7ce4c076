"""Re-identification, where an adversary who knows a person's quasi-identifiers looks for their record."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.treatment import AS_CLASS, AS_VALUE
from PETWorks.counting.counts import Integers
from PETWorks.counting.memory import weighted_rows
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import Hint, NotApplicable, RoleError, quoted
from PETWorks.measures.catalogue import metric
from PETWorks.measures.parameters import AtMost
from PETWorks.measures.result import Result, all_hold, no_more_than


def table_in_memory(release: Release) -> WeightedRows:
    """The table of a release in memory; raise if it is elsewhere, or there are no quasi-identifiers."""
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    if not isinstance(release.table, WeightedRows):
        raise NotApplicable(
            "results for each record need the engine 'memory'; {engine!r} keeps counts, not records",
            Hint.ENGINE_IN_MEMORY,
            engine=release.engine.name,
        )
    return release.table


def record_class_sizes(release: Release) -> Integers:
    """The class size of each record."""
    table = table_in_memory(release)
    return weighted_rows.record_class_sizes(table, release.quasi_identifiers, _people(release))


def record_class_modes(release: Release, sensitive: str) -> tuple[Integers, Integers]:
    """The class size of each record, and the count of the commonest sensitive value in its class.

    If missing values are left out, both count only records with a value; a class may have none.
    """
    table = table_in_memory(release)
    if sensitive not in release.sensitive_attributes:
        raise RoleError(
            "{sensitive!r} is not a sensitive attribute; expected one of {sensitive_attributes}",
            sensitive=sensitive,
            sensitive_attributes=quoted(release.sensitive_attributes),
        )
    if release.view.required_column(sensitive) is not None:
        people = _people(release, sensitive, required=sensitive)
        once = _people(release, required=sensitive)  # each person once in a class
        return weighted_rows.known_class_modes(table, release.quasi_identifiers, sensitive, people, once)
    people = _people(release, sensitive)
    modes = weighted_rows.record_class_modes(table, release.quasi_identifiers, sensitive, people)
    return record_class_sizes(release), modes


def _people(release: Release, *further: str, required: str | None = None) -> WeightedRows | None:
    """The records that count, if not all do."""
    counted = release.view.counted(*release.quasi_identifiers, *further, required=required)
    return counted if isinstance(counted, WeightedRows) and counted is not release.table else None


# For an adversary, no record is set aside.
ADVERSARY_TREATMENT = {"missing": AS_VALUE, "suppressed": AS_CLASS}


def _asks(view: View, **_limits: float | None) -> list[Question[Any]]:
    return view.summary_questions(attacker=True)


@metric(
    asks=_asks,
    family="attack",
    better="lower",
    treats=ADVERSARY_TREATMENT,
    unit="share",
    outside="classes",
)
def re_identification(view: View, *, at_most: AtMost = None, excess: AtMost = None) -> Result:
    """Chance to pick the record of a random person whose quasi-identifiers are known.

    Before seeing the quasi-identifiers, one record in n is a guess; after, one record in the person's
    equivalence class. Averaged over all records this is (number of classes)/n. The adversary sees suppressed
    records too: here they always count as a class. The details have the excess, (after - before)/(1 - before):
    what is gained beyond guessing, of what guessing leaves; it may be given a limit as well.

    >>> re_identification(Release("data/patient_anonymized.csv")).value
    0.3333333333333333
    """
    sizes = view.class_sizes(attacker=True)
    value, gained = sizes.number / sizes.records, excess_over_guessing(1, sizes.number, sizes.records)
    return Result(
        "re-identification",
        value,
        all_hold(no_more_than(value, at_most), no_more_than(gained, excess)),
        {"at_most": at_most, "excess": excess},
        {
            **vulnerability(1, sizes.number, sizes.records),
            "excess": gained,
            **view.class_summary(attacker=True),
        },
    )


def re_identification_per_record(release: Release) -> NDArray[np.float64]:
    """The chance of re-identification of each record, in input order: 1/(size of its class)."""
    return 1 / record_class_sizes(release)


def excess_over_guessing(before: int, after: int, records: int) -> float:
    """The excess (posterior - prior)/(1 - prior), from numbers of successes; 0 if guessing always succeeds."""
    return (after - before) / (records - before) if records > before else 0.0


def vulnerability(before: int, after: Any, records: int) -> dict[str, Any]:
    """The chance of success before and after learning the quasi-identifiers, and the leakage, from successes."""
    records = max(records, 1)  # 0 if nobody has a value of the attribute
    return {
        "prior": before / records,
        "posterior": after / records,
        "multiplicative_leakage": after / before if before else 1 + 0 * after,  # 1 if no value has a worth
        "additive_leakage": (after - before) / records,
    }
