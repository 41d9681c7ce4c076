"""What the sizes of the equivalence classes say about utility: AECS and discernibility."""

from fractions import Fraction

from PETWorks.counting.counts import ClassSizes
from PETWorks.counting.release import Release
from PETWorks.errors import NotApplicable
from PETWorks.measures.catalogue import metric
from PETWorks.measures.parameters import AtLeast
from PETWorks.measures.result import Result, no_less_than, normalised

NEEDED = ("quasi-identifiers", "the original table")


@metric(
    family="utility",
    better="higher",
    needs=NEEDED,
    aliases=("average-equivalence-class-size",),
    chinese=("平均等價類大小", "平均等價類愈小，數值愈高：與原始資料表相同為 1，所有資料列同屬一個等價類為 0。"),
)
def aecs(release: Release, *, at_least: AtLeast = None) -> Result:
    """How small the average equivalence class has stayed, between the original's and one class of all records.

    Records that are suppressed, or left out of the release, are in no class.

    LeFevre, DeWitt and Ramakrishnan (2006), *Mondrian Multidimensional k-Anonymity*.

    >>> release = Release("data/adult_anonymized.csv", original="data/adult.csv")
    >>> 0.99 < aecs(release).value < 1
    True
    """
    sizes, before, records = release.class_sizes(), release.original_class_sizes, _all_records("aecs", release)
    if not sizes.number or not before.number:
        raise NotApplicable("needs a class; every record stands aside")
    raw, least = Fraction(sizes.records, sizes.number), Fraction(before.records, before.number)
    value = normalised(raw, least, records)
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
            "records_left_out": records - release.counted_records,
            **release.class_summary(),
        },
    )


@metric(
    family="utility",
    better="higher",
    needs=NEEDED,
    aliases=("discernability", "discernibility-metric"),
    chinese=("可區辨度", "資料列仍可彼此區辨的程度：與原始資料表相同為 1，所有資料列同屬一個等價類為 0。"),
)
def discernibility(release: Release, *, at_least: AtLeast = None) -> Result:
    """How well records can still be told apart, between the original and one class of all records.

    Every record counts with the size of its class; one that is suppressed, or left out of the release, with the size
    of the whole table.

    Bayardo and Agrawal (2005), *Data Privacy through Optimal k-Anonymization*.

    >>> release = Release("data/adult_anonymized.csv", original="data/adult.csv")
    >>> 0 < discernibility(release).value < 1
    True
    """
    records = _all_records("discernibility", release)
    raw, least = _penalty(release.class_sizes(), records), _penalty(release.original_class_sizes, records)
    value = normalised(Fraction(raw), least, records**2)
    return Result(
        "discernibility",
        value,
        no_less_than(value, at_least),
        {"at_least": at_least},
        {
            "raw": raw,
            "min": least,
            "max": records**2,
            "records_left_out": records - release.counted_records,
            **release.class_summary(),
        },
    )


def _all_records(measure: str, release: Release) -> int:
    """The records of the original: those that the release lacks were left out."""
    records = release.original_people.rows
    if release.counted_records > records:
        raise NotApplicable(
            f"the release has {release.counted_records} records, more than the original's {records}",
            what="original",
            measure=measure,
        )
    return records


def _penalty(sizes: ClassSizes, records: int) -> int:
    """The sum of squares, and the number of all records for each that stands aside: integers without limit."""
    squares = int(sizes.sizes.astype(object) ** 2 @ sizes.classes.astype(object)) if sizes.number else 0
    return squares + records * (records - sizes.records)
