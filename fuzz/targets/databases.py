"""Tables and views of SQLite and DuckDB files."""

import functools
from random import Random

from fuzz.case import MARKER, Case
from fuzz.tables import Table, duckdb_bytes, random_table, roles, sqlite_bytes
from fuzz.targets.base import Target

SQLITE_EXTRAS = [
    "CREATE TABLE other (zip INTEGER, age REAL, note BLOB)",
    "INSERT INTO other VALUES (1, 1e16, x'00ff'), ('{m}', 0.1, x'61'), (NULL, -0.0, '{m}')",
    "INSERT INTO other VALUES (9223372036854775807, 9e999, ''), (1, 1.0, CAST(x'ff{x}' AS TEXT))",
    "CREATE VIEW seen AS SELECT * FROM other",
    "CREATE VIEW broken AS SELECT * FROM missing",
    "CREATE VIEW failing AS SELECT json_extract(note, '$.{m}') AS zip FROM other",
    "CREATE VIEW twice AS SELECT zip, zip FROM other",
    'CREATE TABLE "a""b#c" ("x y" TEXT, "" TEXT)',
    """INSERT INTO "a""b#c" VALUES ('{m}', 2)""",
    "CREATE TABLE made (zip TEXT, age TEXT GENERATED ALWAYS AS (zip || 'x'))",
    "INSERT INTO made VALUES ('{m}')",
    "CREATE TABLE kept (zip TEXT PRIMARY KEY) WITHOUT ROWID",
    "INSERT INTO kept VALUES ('{m}')",
    "CREATE TABLE empty (zip TEXT)",
    "PRAGMA encoding",
]
DUCKDB_EXTRAS = [
    "CREATE TABLE other (zip INTEGER, age DOUBLE, note BLOB, day TIMESTAMPTZ, many INTEGER[], big HUGEINT)",
    "INSERT INTO other VALUES (1, 1e16, 'a', '2020-01-01', [1], 1), (NULL, 'nan', '\\xFF', NULL, NULL, NULL)",
    "CREATE VIEW seen AS SELECT zip, age FROM other",
    "CREATE VIEW failing AS SELECT CAST('{m}' || range AS INTEGER) AS zip FROM range(3)",
    "CREATE VIEW raising AS SELECT error('{m}') AS zip FROM range(3)",
    "CREATE VIEW reading AS SELECT content AS zip FROM read_text('/dev/null')",
    "CREATE VIEW twice AS SELECT 1 AS zip, 2 AS zip",
    "CREATE VIEW kinds AS SELECT INTERVAL 3 DAYS AS zip, TIME '10:00' AS age, uuid() AS x, {{'a': '{m}'}} AS s",
    "CREATE TYPE mood AS ENUM ('{m}', 'y')",
    "CREATE TABLE moods AS SELECT 'y'::mood AS zip, 1.50::DECIMAL(5,2) AS age",
    'CREATE SCHEMA "s.t"',
    """CREATE TABLE "s.t"."a#b" AS SELECT '{m}' AS zip, 1 AS " age " """,
    "CREATE TABLE empty (zip TEXT)",
    "CREATE MACRO zip() AS '{m}'",
]
NAMES = ["people", "people", "other", "seen", "broken", "failing", "raising", "twice", 'a"b#c', "made", "kept", "empty"]
NAMES += [
    "",
    "nothing",
    "main.people",
    "s.t.a#b",
    "sqlite_master",
    "kinds",
    "moods",
    "reading",
    "x'; DROP TABLE people",
]


FILES = 8  # of each kind; making one takes longer than reading it


@functools.cache
def _file(kind: str, number: int) -> tuple[Table, bytes]:
    """A table of text and a database with it; most databases have some odd objects besides."""
    table = random_table(Random(number))
    making, extras = (sqlite_bytes, SQLITE_EXTRAS) if kind == "sqlite" else (duckdb_bytes, DUCKDB_EXTRAS)
    statements = [text.format(m=MARKER, x="41") for text in extras] if number else []
    return table, making(*statements, table=table)


class Database(Target):
    """A database file, and the name of an object in it."""

    tokens = (b"CREATE", b"SELECT", b"zip", b"TEXT", b"people", b"\x00\x01", b"\xff\xff")

    def __init__(self, name: str) -> None:
        self.name = name

    def make(self, random: Random) -> Case:
        """A database, and a name that is or is not in it."""
        table, content = _file(self.name, random.randrange(FILES))
        file = f"base.{self.name}"
        wanted = random.choice(NAMES)
        options = roles(random, table) if wanted == "people" else ["--qi", "zip", "--measure", "k-anonymity"]
        command = ["evaluate", f"{file}#{wanted}", *options, "--format", "json", "--engine"]
        commands = [[*command, "duckdb"], [*command, "memory"]][: random.choice((1, 2))]
        return Case(self.name, {file: content}, commands, [file], agree=True)


TARGETS = (Database("sqlite"), Database("duckdb"))
