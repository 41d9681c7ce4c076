"""Results as tables in a file: CSV or Parquet."""

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import Any

import numpy as np

from PETWorks.counting.release import Release
from PETWorks.measures.attacks.subsets import SubsetTable
from PETWorks.measures.attacks.uniques import risks_per_record
from PETWorks.tables.arrays import arrow_integers, numpy_integers, strings

DECIMAL_PLACES = 6  # of losses and risks
FORMULA = "=+@\t\r-"  # first characters by which a spreadsheet recognises a formula


def subsets_file(subsets: SubsetTable, suffix: str) -> bytes:
    """A file with a row for each subset. In CSV, attributes are separated by commas, as in `--qi`."""
    table = subsets.to_arrow()
    if suffix.lower() == ".csv":
        names = strings([join_names(subsets.attributes(mask)) for mask in subsets.masks.tolist()])
        table = _with_column(table, "attributes", names)
    return _write_table(table, suffix)


def per_record_file(release: Release, suffix: str, up_to: int | None, below: int | None = None) -> bytes:
    """A file of `risks_per_record`, with names of attributes separated by commas."""
    table = risks_per_record(release, up_to=up_to, below=below)
    for name in {"unique_attributes", "stands_out_by"}.intersection(table.column_names):
        table = _with_column(table, name, _listed_each(table[name].combine_chunks()))
    return _write_table(table, suffix)


def reasons_file(reasons: Any, suffix: str) -> bytes:
    """Reasons for suppression or risk. In CSV, names are separated by commas and levels are written `age=2`."""
    from pyarrow import compute as pc

    if suffix.lower() == ".csv":
        for name in ("rule", "stands_out_by", "saved_by"):
            reasons = _with_column(reasons, name, _listed_each(reasons[name].combine_chunks()))
        for name in {"individual-risk", "added_loss"}.intersection(reasons.column_names):
            reasons = _with_column(reasons, name, pc.round(reasons[name], DECIMAL_PLACES))
    return _write_table(reasons, suffix)


def _with_column(table: Any, name: str, values: Any) -> Any:
    """The table with other values in a column."""
    return table.set_column(table.schema.get_field_index(name), name, values)


def _listed_each(lists: Any) -> Any:
    """Lists of names, or of columns with levels, as texts."""
    import pyarrow as pa
    from pyarrow import compute as pc

    texts = lists.flatten()
    if pa.types.is_struct(texts.type):
        columns, levels = texts.flatten()
        texts = pc.binary_join_element_wise(columns, levels.cast(pa.large_string()), strings(["="])[0])
    encoded = texts.dictionary_encode()
    quoted = strings([_line([text]) for text in encoded.dictionary.to_pylist()])
    lengths = pc.list_value_length(lists).fill_null(0)
    ends = np.concatenate([[0], np.cumsum(numpy_integers(lengths))]).astype(np.int64)
    items = pa.ListArray.from_arrays(arrow_integers(ends).cast(pa.int32()), quoted.take(encoded.indices))
    joined = pc.binary_join(items, strings([","])[0])
    named = pc.if_else(lists.is_valid(), joined, strings([None])[0])
    return pc.replace_substring_regex(named, f"^([{FORMULA}])", r"'\1")


def join_names(names: Sequence[str]) -> str:
    """Names separated by commas, preceded by an apostrophe if a spreadsheet would take them for a formula."""
    line = _line(names)
    return f"'{line}" if line.startswith(tuple(FORMULA)) else line


def _line(names: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(names)
    return text.getvalue().removesuffix("\r\n")


def _write_table(table: Any, suffix: str) -> bytes:
    file = io.BytesIO()
    if suffix.lower() == ".csv":
        from pyarrow import csv as arrow_csv

        file.write(BOM_UTF8)  # by which spreadsheets recognise the encoding
        arrow_csv.write_csv(table, file)
    else:
        from pyarrow import parquet

        parquet.write_table(table, file)
    return file.getvalue()
