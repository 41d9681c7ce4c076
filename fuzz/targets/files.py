"""Tables in files: CSV, Parquet, Feather, several files, the same table in every format, and hierarchies."""

import csv
import datetime
import decimal
import io
from dataclasses import replace
from random import Random

import pyarrow as pa

from fuzz.case import MARKER, Case
from fuzz.tables import (
    OF_CLASSES,
    PLAIN,
    csv_bytes,
    duckdb_bytes,
    measure_options,
    parquet_bytes,
    random_table,
    roles,
    sqlite_bytes,
)
from fuzz.targets.base import Target

SEPARATORS = [",", ";", "\t", "|"]
ENCODINGS = ["utf-8", "utf-8-sig", "cp950", "big5hkscs", "latin-1", "utf-16", "utf-32", "cp1252", "gb18030", "utf-7"]
TOKENS = (
    b";",
    b",",
    b"|",
    b"\t",
    b'"',
    b'""',
    b'"\n"',
    b"\r\n",
    b"\r",
    b"\n",
    f'"{MARKER}"x'.encode(),
    b"#",
    b"\x0b",
    b"\xc2\x85",
)
ENGINES = ("memory", "duckdb")


def _engines(random: Random, command: list[str]) -> list[list[str]]:
    """The command for one engine, sometimes for both, which must agree. (DuckDB is slow to start.)"""
    return [[*command, engine] for engine in random.choice((ENGINES, ENGINES[:1], ENGINES[:1]))]


class CSVFile(Target):
    """A CSV file, read by both engines, with or without reading options; and by `init`."""

    name, tokens = "csv", TOKENS

    def make(self, random: Random) -> Case:
        """A table in some encoding, separator and style of quotes."""
        encoding = random.choice(ENCODINGS) if random.random() < 0.5 else "utf-8"
        table = random_table(random, cells=PLAIN if random.random() < 0.5 else [*PLAIN, "é", "王", "\u2028"])
        content = csv_bytes(
            table,
            random.choice(SEPARATORS),
            encoding,
            random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC)),
            random.choice(("\n", "\r\n", "\r")),
        )
        options = ["--encoding", encoding] if random.random() < 0.5 else []
        options += ["--separator", random.choice([*SEPARATORS, r"\t"])] if random.random() < 0.2 else []
        if random.random() < 0.15:
            return Case(self.name, {"table.csv": content}, [["init", "table.csv", *options]], ["table.csv"])
        command = ["evaluate", "table.csv", *roles(random, table), *options, "--format", "json", "--engine"]
        return Case(self.name, {"table.csv": content}, _engines(random, command), ["table.csv"], agree=True)


class CSVRows(Target):
    """A CSV file and, as Parquet, the rows that Python's strict reader finds in it; both must give the same answer.

    If that reader rejects the file, there is no Parquet file, so that both commands must fail.
    """

    name, tokens = "csv-rows", TOKENS

    def make(self, random: Random) -> Case:
        """A table in UTF-8 with one of the separators."""
        table, separator = random_table(random), random.choice(",;")
        content = csv_bytes(table, separator, quoting=random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)))
        options = [*roles(random, table), "--format", "json", "--separator", separator, "--encoding", "utf-8"]
        commands = [["evaluate", file, *options] for file in ("table.csv", "twin.parquet")]
        case = Case(self.name, {"table.csv": content}, commands, ["table.csv"], agree=True)
        return self.mutate(random, case)

    def mutate(self, random: Random, case: Case) -> Case:
        """The case with a changed file and its twin."""
        return self.complete(super().mutate(random, case))

    def complete(self, case: Case) -> Case:
        """The case with the twin of its file."""
        options, content = case.commands[0], case.files["table.csv"]
        table = strict_table(content, options[options.index("--separator") + 1])
        twin = {"twin.parquet": parquet_bytes(table)} if table else {}
        return replace(case, files={"table.csv": content, **twin})


def strict_table(content: bytes, separator: str) -> dict[str, list[str]] | None:
    """The table that Python's reader finds in a CSV file; None if anything is wrong with it."""
    try:
        text = content.decode("utf-8-sig")
        names, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    except (ValueError, csv.Error):
        return None
    names = [name.strip() for name in names]
    rows = [row or [""] for row in rows if row or len(names) == 1]
    if "\0" in text or len(set(names)) < len(names) or {len(row) for row in rows} != {len(names)}:
        return None
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


class Parquet(Target):
    """A Parquet or Feather file with columns of any type."""

    name, tokens = "parquet", (b"PAR1", b"ARROW1\0\0", b"\x15", b"\x19", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f")

    def make(self, random: Random) -> Case:
        """A table with typed columns, read by both engines."""
        table = typed_table(random)
        names = [f'"{name}"' for name in table.column_names]
        if random.random() < 0.2:
            content = io.BytesIO()
            with pa.ipc.new_file(content, table.schema) as writer:
                writer.write_table(table)
            file = content.getvalue()
        else:
            file = parquet_bytes(
                table,
                compression=random.choice(("none", "snappy", "zstd", "gzip")),
                row_group_size=random.choice((None, 1, 3)),
                use_dictionary=random.random() < 0.5,
            )
        command = ["evaluate", "table.parquet", "--qi", ",".join(names[:2]), *measure_options(random, OF_CLASSES)]
        commands = _engines(random, [*command, "--format", "json", "--engine"])
        return Case(self.name, {"table.parquet": file}, commands, ["table.parquet"], agree=True)


DAY = datetime.datetime(2020, 2, 29, 23, 59, 59, 123456)
TYPED: list[tuple[pa.DataType, list[object]]] = [
    (pa.string(), [MARKER, "*", "", " x "]),
    (pa.large_string(), [MARKER, "x"]),
    (pa.string_view(), [MARKER, "a long text that is not kept in the view"]),
    (pa.dictionary(pa.int8(), pa.string()), [MARKER, "y"]),
    (pa.int8(), [-128, 0, 127]),
    (pa.uint64(), [0, 2**64 - 1]),
    (pa.int64(), [-(2**63), 1]),
    (pa.float64(), [0.0, -0.0, 1.0, 0.1, 1e16, 1e-5, 1e300, float("nan"), float("inf"), 123456789.123456789]),
    (pa.float32(), [0.1, 1e10, 16777216.0, float("-inf"), 3.4e38]),
    (pa.float16(), [0.1, 1.0]),
    (pa.bool_(), [True, False]),
    (pa.decimal128(10, 2), [decimal.Decimal("1.50"), decimal.Decimal("-0.01"), decimal.Decimal("0.00")]),
    (pa.decimal256(60, 5), [decimal.Decimal("1.5")]),
    (pa.date32(), [DAY.date(), datetime.date(1, 1, 1)]),
    (pa.timestamp("us"), [DAY]),
    (pa.timestamp("ns"), [DAY]),
    (pa.timestamp("ms"), [DAY.replace(microsecond=0)]),
    (pa.timestamp("us", "Asia/Taipei"), [DAY.replace(tzinfo=datetime.UTC)]),
    (pa.time64("us"), [DAY.time()]),
    (pa.duration("us"), [datetime.timedelta(days=3, microseconds=1)]),
    (pa.binary(), [MARKER.encode(), b"\x00a"]),
    (pa.binary(3), [b"abc"]),
    (pa.null(), [None]),
    (pa.list_(pa.string()), [[MARKER]]),
    (pa.struct([("a", pa.string())]), [{"a": MARKER}]),
    (pa.map_(pa.string(), pa.int8()), [[(MARKER, 1)]]),
]


def typed_table(random: Random) -> pa.Table:
    """A table with columns of random types, in which cells may be missing."""
    height = random.choice((1, 2, 6, 12))
    columns = {}
    for name in random.sample(["zip", "age", "sex", " x ", "a.b", "é"], random.choice((1, 2, 3))):
        kind, cells = random.choice(TYPED)
        missing = [None] * random.choice((0, 0, 1))
        columns[name] = pa.array([random.choice([*cells, *missing]) for _ in range(height)], kind)
    return pa.table(columns)


class Formats(Target):
    """The same table of text as CSV, Parquet, SQLite and DuckDB; all must give the same answer."""

    name = "formats"

    def make(self, random: Random) -> Case:
        """A table in every format, two of them read."""
        table = random_table(random, odd=random.choice((0.0, 0.2, 0.6)))
        separator = random.choice(SEPARATORS)
        files = {
            "t.csv": csv_bytes(
                table,
                separator,
                quoting=random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
                line_end=random.choice(("\n", "\r\n")),
            ),
            "t.parquet": parquet_bytes(table, row_group_size=random.choice((None, 1, 7))),
            "t.sqlite": sqlite_bytes(table=table),
        }
        tables = ["t.csv", "t.parquet", "t.sqlite#people"]
        if random.random() < 0.1:
            files["t.duckdb"] = duckdb_bytes(table=table)
            tables.append("t.duckdb#people")
        # The separator of a file with one column cannot be detected.
        options = [*roles(random, table), "--format", "json", "--separator", separator]
        options += random.choice(([], ["--missing", "apart"], ["--suppressed", "class"]))
        commands = [["evaluate", file, *options] for file in ("t.csv", random.choice(tables[1:]))]
        commands += [["evaluate", random.choice(tables[:2]), *options, "--engine", "duckdb"]] * random.randint(0, 1)
        return Case(self.name, files, commands, agree=True)

    def mutate(self, random: Random, case: Case) -> Case:  # noqa: ARG002
        """A new table: the formats cannot all be mutated in the same way."""
        return self.make(random)


class Globs(Target):
    """Several files as one table, by random patterns."""

    name, tokens = "globs", TOKENS
    pieces = [
        "*",
        "?",
        "**",
        "[",
        "]",
        "[a-z]",
        "[!a]",
        "[]",
        "[z-a]",
        "part",
        "-1",
        ".csv",
        ".parquet",
        "/",
        "./",
        "sub",
        "{a,b}",
        "\\",
        "#",
        "~",
    ]

    def make(self, random: Random) -> Case:
        """A few files and a pattern."""
        table = random_table(random)
        files = {}
        for name in random.sample(
            ["part-1.csv", "part-2.csv", "sub/part-3.csv", "part[1].csv", "a.parquet", "*.csv", "b.txt"], 4
        ):
            other = random_table(random) if random.random() < 0.1 else table
            files[name] = parquet_bytes(other) if name.endswith("parquet") else csv_bytes(other, random.choice(",;"))
        pattern = random.choice(("*.csv", "part-?.csv", "**/*.csv", "**", "**/*", "*", "sub/*", "part*", "[p]*.csv"))
        if random.random() < 0.5:
            pattern = "".join(random.choice(self.pieces) for _ in range(random.randint(1, 5))).lstrip("/")
        options = [*roles(random, table), "--format", "json", "--engine"]
        commands = _engines(random, ["evaluate", pattern, *options])
        if "**/" in pattern:  # matches the same files in several ways
            commands.append(["evaluate", pattern.replace("**/", "**/**/"), *options, "memory"])
        return Case(self.name, files, commands, sorted(files), agree=True)


class Hierarchies(Target):
    """A hierarchy file beside a table."""

    name, tokens = "hierarchy", TOKENS

    def make(self, random: Random) -> Case:
        """A table, its original and a hierarchy that more or less fits."""
        values = [f"{MARKER}{n}" for n in range(4)] + ["*", "b", "3"]
        levels = [[value, f"{MARKER}{value[:9]}-{len(value) % 3}", *random.choice(([], ["*"]))] for value in values]
        original = {"zip": [random.choice(values) for _ in range(8)], "age": ["1"] * 8}
        released = {**original, "zip": [random.choice(random.choice(levels)) for _ in range(8)]}
        files = {
            "table.csv": csv_bytes(released),
            "original.csv": csv_bytes(original),
            "h/hierarchy_zip.csv": "\n".join(";".join(row) for row in levels).encode(),
        }
        options = ["--qi", "zip", "--sensitive", "age", "--hierarchies", "h", "--format", "json"]
        options += random.choice(
            (
                ["--measure", "precision", "--measure", "granularity"],
                ["--measure", "utility-bias", "--measure", "aecs", "--original", "original.csv"],
                ["--measure", "delta-presence", "--measure", "precision", "--original", "original.csv"],
                ["--measure", "k-map", "--population", "original.csv"],
                ["--original", "original.csv"],
            )
        )
        commands = _engines(random, ["evaluate", "table.csv", *options, "--engine"])
        return Case(self.name, files, commands, ["h/hierarchy_zip.csv"], agree=True)


TARGETS = (CSVFile(), CSVRows(), Parquet(), Formats(), Globs(), Hierarchies())
