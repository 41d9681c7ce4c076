"""Utility by the sizes of equivalence classes: AECS and discernibility."""

from fractions import Fraction

from PETWorks.counting.counts import ClassSizes
from PETWorks.counting.view import View
from PETWorks.errors import NeedNotMet, NotApplicable
from PETWorks.measures.catalogue import metric
from PETWorks.measures.parameters import AtLeast
from PETWorks.measures.result import Result, no_less_than, normalise_loss

NEEDED = ("quasi-identifiers", "the original table")


@metric(
    family="utility",
    better="higher",
    needs=NEEDED,
    aliases=("average-equivalence-class-size",),
    unit="ratio",
    worse_by_suppression=True,
    sees="class-sizes",
)
def aecs(view: View, *, at_least: AtLeast = None) -> Result:
    """How small the average equivalence class has stayed, between the original's and one class of all records.

    Records that are suppressed, or left out of the release, are in no class.

    LeFevre, DeWitt and Ramakrishnan (2006), *Mondrian Multidimensional k-Anonymity*.

    >>> from PETWorks import Release
    >>> release = Release("data/adult_anonymized.csv", original="data/adult.csv")
    >>> 0.99 < aecs(release).value < 1
    True
    """
    sizes, before, records = view.class_sizes(), view.original_class_sizes, _all_records("aecs", view)
    if not sizes.number or not before.number:
        raise NeedNotMet("needs a class; every record stands aside")
    raw, least = Fraction(sizes.records, sizes.number), Fraction(before.records, before.number)
    value = normalise_loss(raw, least, records)
    return Result(
        "aecs",
        value,
        no_less_than(value, at_least),
        {"at_least": at_least},
        {
            "raw": float(raw),
            "min": float(least),
            "max": float(records),
            "original_classes": before.number,
            "records_left_out": records - view.counted_records,
            **view.class_summary(),
        },
    )


@metric(
    family="utility",
    better="higher",
    needs=NEEDED,
    aliases=("discernability", "discernibility-metric"),
    unit="ratio",
    worse_by_suppression=True,
    sees="class-sizes",
)
def discernibility(view: View, *, at_least: AtLeast = None) -> Result:
    """How well records can still be told apart, between the original and one class of all records.

    Every record counts with the size of its class; one that is suppressed, or left out of the release, with the size
    of the whole table.

    Bayardo and Agrawal (2005), *Data Privacy through Optimal k-Anonymization*.

    >>> from PETWorks import Release
    >>> release = Release("data/adult_anonymized.csv", original="data/adult.csv")
    >>> 0 < discernibility(release).value < 1
    True
    """
    records = _all_records("discernibility", view)
    raw, least = _penalty(view.class_sizes(), records), _penalty(view.original_class_sizes, records)
    value = normalise_loss(Fraction(raw), least, records**2)
    return Result(
        "discernibility",
        value,
        no_less_than(value, at_least),
        {"at_least": at_least},
        {
            "raw": raw,
            "min": least,
            "max": records**2,
            "records_left_out": records - view.counted_records,
            **view.class_summary(),
        },
    )


def _all_records(measure: str, view: View) -> int:
    """The number of records of the original; raise if the release has more."""
    records = view.original_people.rows
    if view.counted_records > records:
        raise NotApplicable(
            "the release has {released} records, more than the original's {records}",
            released=view.counted_records,
            records=records,
            what="original",
            measure=measure,
        )
    return records


def _penalty(sizes: ClassSizes, records: int) -> int:
    """The sum of squared class sizes, plus the number of all records for each record set aside; exact integers."""
    squares = int(sizes.sizes.astype(object) ** 2 @ sizes.classes.astype(object)) if sizes.number else 0
    return squares + records * (records - sizes.records)
