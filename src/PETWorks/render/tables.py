"""Results as tables in a file: CSV or Parquet."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from PETWorks.counting.release import Release
from PETWorks.measures.attacks.inference import attribute_inference_per_record
from PETWorks.measures.attacks.reidentification import re_identification_per_record
from PETWorks.measures.attacks.subsets import Subsets
from PETWorks.measures.attacks.uniques import minimal_uniques
from PETWorks.tables.arrays import arrow_integers, arrow_reals, strings


def subsets_file(subsets: Subsets, suffix: str) -> bytes:
    """A row for each subset. In a CSV file, attributes are separated by commas, as in `--qi`."""
    table = subsets.to_arrow()
    if suffix == ".csv":
        names = strings([listed(subsets.attributes(mask)) for mask in subsets.masks.tolist()])
        table = table.set_column(table.schema.get_field_index("attributes"), "attributes", names)
    return _written(table, suffix)


def per_record_file(release: Release, suffix: str, up_to: int | None) -> bytes:
    """The risk of each record; with `up_to`, also the fewest attributes that make it unique, up to that many."""
    import pyarrow as pa

    columns = {"re-identification": arrow_reals(re_identification_per_record(release))}
    for column in release.sensitive_attributes:
        columns[f"attribute-inference of {column}"] = arrow_reals(attribute_inference_per_record(release, column))
    if up_to is not None:
        uniques = minimal_uniques(release, up_to)
        masks, places = np.unique(uniques.subset, return_inverse=True)
        texts = strings([listed(uniques.attributes(mask)) for mask in masks.tolist()])
        columns |= {
            "unique_with": arrow_integers(uniques.size.astype(np.int64)),
            "unique_attributes": texts.take(arrow_integers(places)),
            "minimal_uniques": arrow_integers(uniques.number),
        }
    return _written(pa.Table.from_arrays(list(columns.values()), list(columns)), suffix)


def listed(names: Sequence[str]) -> str:
    """Names separated by commas, with an apostrophe in front if a spreadsheet would take them for a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(names)
    line = text.getvalue().removesuffix("\r\n")
    return f"'{line}" if line.startswith(("=", "+", "-", "@", "\t", "\r")) else line


def _written(table: Any, suffix: str) -> bytes:
    file = io.BytesIO()
    if suffix == ".csv":
        from pyarrow import csv as arrow_csv

        arrow_csv.write_csv(table, file)
    else:
        from pyarrow import parquet

        parquet.write_table(table, file)
    return file.getvalue()
