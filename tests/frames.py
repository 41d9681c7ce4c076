"""Convert rows to every form of table that users may pass."""

import gzip
import json
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from PETWorks import CSV, Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE


def columns_of(rows):
    return {column: [row[column] for row in rows] for column in rows[0]}


def arrow(rows):
    return pa.table({column: pa.array(cells, pa.string()) for column, cells in columns_of(rows).items()})


def as_dict(rows, folder):
    return columns_of(rows)


def as_arrow(rows, folder):
    return arrow(rows)


def as_chunked_dictionaries(rows, folder):
    table = arrow(rows)
    halves = [table.slice(0, len(rows) // 2), table.slice(len(rows) // 2)]
    encoded = [pa.table({name: half[name].dictionary_encode() for name in half.column_names}) for half in halves]
    return pa.concat_tables(encoded)


def as_record_batches(rows, folder):
    return pa.RecordBatchReader.from_batches(arrow(rows).schema, arrow(rows).to_batches(max_chunksize=2))


def as_pandas(rows, folder):
    return pd.DataFrame(columns_of(rows))


def as_labelled_pandas(rows, folder):
    """A frame with row labels, objects instead of strings, and spaces around cells, which must all be ignored."""
    padded = [{column: None if cell is None else f" {cell}\t" for column, cell in row.items()} for row in rows]
    return pd.DataFrame(columns_of(padded), dtype=object, index=[f"row {number}" for number in range(len(rows))][::-1])


def as_categories(rows, folder):
    """A frame of categoricals with unused categories, in an arbitrary order."""
    frame = pd.DataFrame(columns_of(rows))
    for column in frame:
        used = list(frame[column].dropna().unique())
        frame[column] = pd.Categorical(frame[column], ["unused", *sorted(used, reverse=True), "*unused*"])
    return frame


def as_polars(rows, folder):
    return pl.DataFrame(columns_of(rows), schema=dict.fromkeys(rows[0], pl.String))


def as_polars_categories(rows, folder):
    pl.Series(["another", "column"], dtype=pl.Categorical)  # the column below shares its pool of codes
    return pl.DataFrame(columns_of(rows), schema=dict.fromkeys(rows[0], pl.Categorical))


def as_duckdb(rows, folder):
    return duckdb.from_arrow(arrow(rows))


def as_csv(rows, folder):
    path = folder / "table.csv"
    lines = [";".join(rows[0])] + [";".join(row[column] or "" for column in rows[0]) for row in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


def as_big5(rows, folder):
    path = folder / "table_big5.csv"
    lines = [" , ".join(rows[0])] + [", ".join(f'"{row[column] or ""}"' for column in rows[0]) for row in rows]
    path.write_bytes("\r\n".join(lines).encode("cp950"))
    return CSV(path, encoding="cp950")


def as_gzip(rows, folder):
    path = folder / "table.csv.gz"
    path.write_bytes(gzip.compress(Path(as_csv(rows, folder)).read_text("utf-8").encode("utf-16")))
    return path


def as_json_lines(rows, folder):
    path = folder / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def as_spss(rows, folder):
    import pyreadstat

    cells = {name: ["" if cell is None else cell for cell in column] for name, column in columns_of(rows).items()}
    pyreadstat.write_sav(pd.DataFrame(cells), folder / "table.sav")
    return folder / "table.sav"


def as_parquet(rows, folder):
    pa.parquet.write_table(arrow(rows), folder / "table.parquet", row_group_size=3)
    return folder / "table.parquet"


def as_feather(rows, folder):
    pa.feather.write_feather(arrow(rows), str(folder / "table.feather"))
    return folder / "table.feather"


FORMS = {name[3:]: form for name, form in sorted(globals().items()) if name.startswith("as_")}


def release_of(case, form=as_arrow, folder=None, **options):
    """The release of a case, with its table in one of the forms."""
    roles = dict.fromkeys(case.quasi_identifiers, QUASI_IDENTIFIER) | dict.fromkeys(case.sensitive, SENSITIVE_ATTRIBUTE)
    original = None if case.original is None else arrow(case.original)
    population = arrow(case.population) if isinstance(case.population, list) else case.population
    return Release(
        form(case.released, folder),
        roles,
        case.hierarchies,
        original,
        population=population,
        suppressed=case.suppressed,
        missing=case.missing,
        several_sensitive=case.several,
        privacy_unit=case.unit,
        sampling_weight=case.weight,
        household=case.household,
        sensitive_values=case.values,
        kind=case.kind,
        control=None if case.control is None else arrow(case.control),
        compare_at=case.compare_at or None,
        **options,
    )
