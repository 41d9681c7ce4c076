"""Small random tables of text with the marker in some cells, and their files."""

import csv
import io
import sqlite3
import tempfile
from pathlib import Path
from random import Random

import pyarrow as pa
from pyarrow import parquet

from fuzz.case import MARKER

Table = dict[str, list[str]]  # cells by column
NAMES = ["zip", "age", "sex", "job", "disease", "salary", "person id", "a.b", "年齡", "x"]
CELLS = ["1", "1.0", "01", "-3", "1e5", "*", "", " ", "a b", "a;b", "a,b", 'a"b', "a\nb", "a\r\nb", "a\tb", "a|b", "'"]
CELLS += ["nan", "NULL", "true", "2020-01-01", "é", "王", "\u3000x", "\x1fx", "x" * 300, "\u2028", "\ufeffy", "=1+1"]
# Cells that cp950 and Latin-1 can encode.
PLAIN = [cell for cell in CELLS if cell.isascii()]


def random_table(random: Random, rows: int | None = None, odd: float = 0.2, cells: list[str] = CELLS) -> Table:
    """A table of a few columns with classes of more than one record; `odd` is the share of odd cells."""
    height = rows or random.choice((1, 2, 5, 12, 40))
    names = random.sample(NAMES, random.choice((1, 2, 3, 4, 5)))
    values = [f"{MARKER}{n}" for n in range(3)] + ["1", "2", "30", "male"]
    return {name: [random.choice(cells if random.random() < odd else values) for _ in range(height)] for name in names}


# Measures that need only the table, without and with a sensitive attribute, and are the same with every engine.
OF_CLASSES = ["k-anonymity", "prosecutor-risk", "sample-uniqueness", "re-identification", "ambiguity", "missings"]
OF_VALUES = ["t-closeness", "l-diversity", "recursive-l-diversity", "attribute-inference", "enhanced-beta-likeness"]


def roles(random: Random, table: Table) -> list[str]:
    """Options that assign roles to the columns, the last one sensitive if there are several; and some measures."""
    *first, last = [f'"{name}"' for name in table]
    if not first or random.random() < 0.1:
        return ["--qi", last, *measure_options(random, OF_CLASSES)]
    return ["--qi", ",".join(first), "--sensitive", last, *measure_options(random, OF_CLASSES, OF_VALUES)]


def measure_options(random: Random, *families: list[str]) -> list[str]:
    """Options for one measure of each family."""
    return [text for family in families for text in ("--measure", random.choice(family))]


def csv_bytes(
    table: Table, separator: str = ",", encoding: str = "utf-8", quoting: int = csv.QUOTE_MINIMAL, line_end: str = "\n"
) -> bytes:
    """The content of a CSV file."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=line_end)  # type: ignore[arg-type]
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue().encode(encoding, "replace")


def parquet_bytes(table: "Table | pa.Table", **options: object) -> bytes:
    """The content of a Parquet file."""
    content = io.BytesIO()
    parquet.write_table(table if isinstance(table, pa.Table) else pa.table(table), content, **options)
    return content.getvalue()


def sqlite_bytes(*statements: str, table: Table | None = None) -> bytes:
    """A SQLite file made by statements; a table of texts is called `people`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "made.sqlite")
        connection = sqlite3.connect(path)
        _fill(connection, table, statements)
        connection.commit()
        connection.close()
        return path.read_bytes()


def duckdb_bytes(*statements: str, table: Table | None = None) -> bytes:
    """A DuckDB file made by statements; a table of texts is called `people`."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "made.duckdb")
        connection = duckdb.connect(str(path), config={"default_block_size": "16384"})  # the smallest
        _fill(connection, table, statements)
        connection.close()
        return path.read_bytes()


def _fill(connection: object, table: Table | None, statements: tuple[str, ...]) -> None:
    execute = connection.execute  # type: ignore[attr-defined]
    if table is not None:
        execute(f"CREATE TABLE people ({', '.join(f'{_quote(name)} TEXT' for name in table)})")
        for row in zip(*table.values(), strict=True):
            execute(f"INSERT INTO people VALUES ({', '.join('?' * len(row))})", row)
    for statement in statements:
        execute(statement)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
