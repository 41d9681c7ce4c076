"""The risk of each single record, `risks_per_record`."""

from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.release import Release
from PETWorks.measures.attacks.inference import attribute_inference_per_record
from PETWorks.measures.attacks.reidentification import re_identification_per_record, record_class_sizes
from PETWorks.measures.attacks.uniques import in_groups_below, minimal_uniques
from PETWorks.tables.arrays import arrow_integers, arrow_reals, lists, strings, take_or_null

if TYPE_CHECKING:
    import pyarrow as pa


def risks_per_record(release: Release, *, up_to: int | None = None, below: int | None = None) -> "pa.Table":
    """The risk of each record, in input order, as a PyArrow table; it contains no cells, but is for insiders only.

    Its columns are `record` (its number, from 1 on), `class_size` (the number of records that share its
    quasi-identifiers), `re-identification` (the chance of picking this record) and, for each sensitive attribute,
    `attribute-inference of NAME` (the chance of guessing its value).

    up_to   add the smallest set of at most this many attributes by which a record is unique: `unique_with` (its size,
            0 if the record is not unique), `unique_attributes`, and `minimal_uniques`, the number of minimal sets
    below   only records of classes smaller than this, with `stands_out_by`: the smallest set of attributes whose
            values a record shares with fewer records than this

    >>> risks_per_record(Release("data/patient_anonymized.csv")).to_pylist()[0]["re-identification"]
    0.3333333333333333
    """
    import pyarrow as pa

    sizes = record_class_sizes(release)
    columns = {
        "record": arrow_integers(np.arange(1, release.records + 1)),
        "class_size": arrow_integers(sizes),
        "re-identification": arrow_reals(re_identification_per_record(release)),
    }
    for column in release.sensitive_attributes:
        columns[f"attribute-inference of {column}"] = arrow_reals(attribute_inference_per_record(release, column))
    if up_to is not None:
        uniques = minimal_uniques(release, up_to)
        masks, indices = np.unique(uniques.subset, return_inverse=True)
        columns |= {
            "unique_with": arrow_integers(uniques.size.astype(np.int64)),
            "unique_attributes": _names([uniques.attributes(mask) for mask in masks.tolist()]).take(
                arrow_integers(indices.astype(np.int64))
            ),
            "minimal_uniques": arrow_integers(uniques.number),
        }
    if below is not None:
        few = in_groups_below(release, below)
        columns["stands_out_by"] = take_or_null(_names(few.sets), few.indices)
    table = pa.Table.from_arrays(list(columns.values()), list(columns))
    return table if below is None else table.take(arrow_integers(np.flatnonzero(sizes < below)))


def _names(sets: "list[list[str]] | tuple[tuple[str, ...], ...]") -> "pa.Array":
    """Sets of names as an array of lists."""
    return lists([len(names) for names in sets], strings([name for names in sets for name in names]))
