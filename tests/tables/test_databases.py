"""Tables of databases: DuckDB files and relations, SQLite, a real PostgreSQL server."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from urllib.parse import quote

import duckdb
import pytest

import postgres_server
from command import petworks
from conftest import ROOT
from PETWorks import Release, evaluate
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import InputError
from processes import PATIENCE

ROWS = [
    ("47677", "2*", "flu"),
    ("47677", "2*", "ulcer"),
    ("47602", "3*", None),
    ("4767*", "", "flu"),
    (" 47602 ", "3*", "flu"),
]
ROLES = {"zip": QUASI_IDENTIFIER, "age": QUASI_IDENTIFIER, "disease": SENSITIVE_ATTRIBUTE}


def measured(data, **options):
    release = Release(data, ROLES, {}, **options)
    found = [result.to_dict() for result in evaluate(release)]
    release.engine.close()
    return release.engine.name, found


@pytest.fixture(scope="module")
def expected():
    columns = dict(zip(ROLES, zip(*ROWS, strict=True), strict=True))
    return measured({name: list(cells) for name, cells in columns.items()})[1]


@pytest.fixture
def duckdb_file(tmp_path):
    path = tmp_path / "census.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people (zip VARCHAR, age VARCHAR, disease VARCHAR)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
        connection.execute('CREATE SCHEMA "odd ""schema"')
        connection.execute('CREATE VIEW "odd ""schema"."the ""people""; DROP TABLE people" AS FROM people')
    return path


def test_a_table_and_a_view_of_a_duckdb_file(duckdb_file, expected):
    odd = 'the "people"; DROP TABLE people'
    for table in ("people", "main.people", odd, f'odd "schema.{odd}'):
        assert measured(f"{duckdb_file}#{table}") == ("duckdb", expected)


def test_a_relation_selects_its_engine(duckdb_file, expected):
    with duckdb.connect(str(duckdb_file), read_only=True) as connection:
        assert measured(connection.table("people")) == ("duckdb", expected)
        assert measured(connection.sql("SELECT disease, zip, age FROM people")) == ("duckdb", expected)
        assert measured(connection.table("people"), engine="memory") == ("memory", expected)


def test_a_sqlite_file_hands_over_text(tmp_path, expected):
    path = tmp_path / "census.db"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "pe""ople" (zip INTEGER, age NUMERIC, disease)')
    connection.executemany('INSERT INTO "pe""ople" VALUES (?, ?, ?)', ROWS)
    connection.commit()
    connection.close()
    engine, found = measured(f'{path}#pe"ople')
    assert engine == "duckdb"
    assert found == expected


def test_sqlite_cells_are_what_they_are_and_views_are_tables(tmp_path):
    path = tmp_path / "reals.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a REAL, b INT, double_b INT GENERATED ALWAYS AS (b * 2))")
        cells = [(0.1 + 0.2, 1), (0.3, "x"), (1 / 3, None), (0.333333333333333, 2.5), (2, b"3")]
        connection.executemany("INSERT INTO t (a, b) VALUES (?, ?)", cells)
        connection.execute("CREATE VIEW v AS SELECT a, b FROM t")
        connection.commit()
    for table in ("t", "v"):
        release = Release(f"{path}#{table}", {"a": QUASI_IDENTIFIER, "b": QUASI_IDENTIFIER})
        expected = {"0.30000000000000004", "0.3", "0.3333333333333333", "0.333333333333333", "2.0"}
        assert set(release.marginal("a").values) == expected
        assert set(release.marginal("b").values) == {"1", "x", None, "2.5", "3"}
    assert "double_b" in Release(f"{path}#t", {"a": QUASI_IDENTIFIER}).columns
    damaged = bytearray(path.read_bytes())
    damaged[100:] = bytes(255 - byte for byte in damaged[100:])
    (tmp_path / "damaged.sqlite").write_bytes(damaged)
    with pytest.raises(InputError, match=r"damaged\.sqlite#t: the database cannot be read \("):
        Release(f"{tmp_path}/damaged.sqlite#t", {"a": QUASI_IDENTIFIER})


def test_types_that_arrow_would_change_are_written_by_duckdb(tmp_path):
    path = tmp_path / "types.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT unnest(['12:00:00+08'::TIMETZ, '12:00:00+00'::TIMETZ]) AS a, "
            "unnest([340282366920938463463374607431768211455::UHUGEINT, 1::UHUGEINT]) AS b"
        )
        relation = connection.table("t")
        for data in (relation,):
            release = Release(data, {"a": QUASI_IDENTIFIER, "b": QUASI_IDENTIFIER})
            assert set(release.marginal("a").values) == {"12:00:00+08", "12:00:00+00"}
            assert set(release.marginal("b").values) == {"340282366920938463463374607431768211455", "1"}
    release = Release(f"{path}#t", {"a": QUASI_IDENTIFIER, "b": QUASI_IDENTIFIER})
    assert set(release.marginal("a").values) == {"12:00:00+08", "12:00:00+00"}
    duckdb.connect(str(path)).close()  # nobody keeps it open


def test_relations_without_an_order_say_so():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT range AS a FROM range(10)")
        assert Release(connection.table("t"), {"a": QUASI_IDENTIFIER}).keeps_order
        connection.execute("SET preserve_insertion_order = false")
        assert not Release(connection.table("t"), {"a": QUASI_IDENTIFIER}).keeps_order


@pytest.mark.parametrize(
    "address",
    [
        "POSTGRESQL://me:hunter2@127.0.0.1:1/db#t",
        "postgresql+psycopg2://me:hunter2@h/db#t",
        "mysql://me:hunter2@h/db#t",
        "jdbc:postgresql://h/db?password=hunter2#t",
        " postgresql://me:hunter2@127.0.0.1:1/db#t",
        "postgresql://me:12/hunter2@127.0.0.1/db#t",
        "postgresql://me:12#hunter2@127.0.0.1/db#t",
        "postgresql://me:12?hunter2@127.0.0.1/db#t",
        "postgresql://me:hunter2@[bad/db#t",
    ],
)
def test_no_password_in_any_message(address):
    for options in (("evaluate", address), ("evaluate", "data/delta.csv", "--original", address)):
        done = petworks(*options, "--qi", "zip")
        error = done.stderr
        assert (done.returncode, done.stdout) == (2, "")
        assert "petworks: " in error
        assert error.count("\n") == 1
        assert "hunter" not in error
        assert "me:" not in error


def test_errors_name_the_table_and_no_cell(duckdb_file, tmp_path):
    def error(data):
        with pytest.raises(InputError) as caught:
            Release(data, ROLES)
        return str(caught.value)

    assert error(duckdb_file) == "census.duckdb: the file is a database; name one of its tables: 'census.duckdb#TABLE'"
    assert error(f"{duckdb_file}#peopel") == "census.duckdb#peopel: no table is called 'peopel'; did you mean 'people'?"
    assert "leave '#people' out" in error("data/delta.csv#people")
    broken = tmp_path / "broken.duckdb"
    broken.write_bytes(duckdb_file.read_bytes()[: duckdb_file.stat().st_size // 2])
    assert error(f"{broken}#people").startswith("broken.duckdb#people: the database cannot be read (")
    assert "no such file" in error(tmp_path / "none.duckdb#people")


def test_a_server_that_is_not_there_is_named_without_password():
    with pytest.raises(InputError) as caught:
        Release("postgresql://me:secret@127.0.0.1:1/census#people", ROLES)
    assert str(caught.value).startswith("postgresql://127.0.0.1:1/census#people: the database cannot be read (")
    for wrong in ("postgresql://me:secret@127.0.0.1:1/census", "postgresql://me:secret@127.0.0.1:port/census#people"):
        with pytest.raises(InputError, match="postgresql://USER@HOST:PORT/DATABASE#TABLE") as caught:
            Release(wrong, ROLES)
        assert "secret" not in str(caught.value)


@pytest.fixture(scope="module")
def postgres():
    if postgres_server.programs() is None:
        pytest.skip("there is no PostgreSQL server on this machine (Debian: postgresql)")
    with postgres_server.server() as server:
        server.sql("CREATE TABLE people (zip text, age text, disease text)")
        for row in ROWS:
            cells = ", ".join("NULL" if cell is None else f"'{cell}'" for cell in row)
            server.sql(f"INSERT INTO people VALUES ({cells})")
        server.sql('CREATE SCHEMA "odd schema"; CREATE VIEW "odd schema"."the ""people\'" AS TABLE people')
        yield server


@pytest.mark.slow
def test_a_table_and_a_view_of_a_server(postgres, expected):
    for table in ("people", "public.people", "odd schema.the \"people'", "the%20%22people'"):
        assert measured(f"{postgres.url}#{table}") == ("duckdb", expected)


def test_cells_are_the_text_that_the_server_writes(postgres):
    numbers = "(1.50, 'NaN', true), (2, 1e20, false), (NULL, 'Infinity', NULL), (1.50, 0.1, true)"
    postgres.sql(f"CREATE TABLE numbers AS SELECT a::numeric, b::numeric, c FROM (VALUES {numbers}) AS t (a, b, c)")
    release = Release(f"{postgres.url}#numbers", dict.fromkeys("abc", QUASI_IDENTIFIER))
    values = {name: set(release.marginal(name).values) for name in "abc"}
    assert values["a"] == {"1.50", "2", None}
    assert values["b"] == {"NaN", "100000000000000000000", "Infinity", "0.1"}
    assert values["c"] == {"true", "false", None}


@pytest.mark.parametrize("name", ["ours sslmode=require", "it's \\ ours", "'", "\\", "\\' sslmode='require"])
def test_a_value_of_an_option_sets_no_other_option(postgres, name):
    postgres.sql("CREATE OR REPLACE VIEW session AS SELECT current_setting('application_name') AS name")
    release = Release(
        f"{postgres.url}?application_name={quote(name)}&connect_timeout=9#session", {"name": QUASI_IDENTIFIER}
    )
    assert release.marginal("name").values == [name]


def test_wrong_tables_and_passwords(postgres):
    for url, message in (
        (f"{postgres.url}#peopel", "no table is called 'peopel'; did you mean 'people'?"),
        (postgres.url.replace(postgres.password, "wrong") + "#people", "the database cannot be read"),
    ):
        with pytest.raises(InputError) as caught:
            Release(url, ROLES)
        assert message in str(caught.value)
        assert postgres.password not in str(caught.value)


def command(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "PETWorks", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, **options,
    )  # fmt: skip


@pytest.mark.slow
def test_from_the_shell(postgres, tmp_path):
    out = tmp_path / "out.json"
    done = command("evaluate", f"{postgres.url}#people", "--qi", "zip,age", "--sensitive", "disease", "-o", out)
    assert done.communicate() == ("", f"petworks: wrote {out}\n")
    assert done.returncode == 0
    found = json.loads(out.read_text())
    assert found["table"]["engine"] == "duckdb"
    assert found["table"]["records"] == len(ROWS)
    assert postgres.password not in out.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0.0, 0.3])
def test_a_server_that_stops_half_way(tmp_path, moment):
    if postgres_server.programs() is None:
        pytest.skip("there is no PostgreSQL server on this machine (Debian: postgresql)")
    with postgres_server.server() as server:
        server.sql(
            "CREATE TABLE rows AS SELECT (n % 97)::text AS zip, (n % 89)::text AS age, md5(n::text) AS disease "
            "FROM generate_series(1, 300000) AS n"
        )
        # However quick the machine is, it does not get the last row.
        server.sql("CREATE VIEW many AS TABLE rows UNION ALL SELECT '1', '1', (SELECT '1' FROM pg_sleep(600))")
        temp = tmp_path / "temp"
        temp.mkdir()
        out = tmp_path / "out.json"
        arguments = ("--qi", "zip,age", "--sensitive", "disease", "--temp-folder", temp, "-o", out)
        running = command("evaluate", f"{server.url}#many", *arguments)
        others = "state = 'active' AND query LIKE '%many%' AND pid <> pg_backend_pid()"
        busy = f"SELECT count(*) FROM pg_stat_activity WHERE {others}"
        while server.sql(busy) == "0":
            assert running.poll() is None, running.communicate()
            time.sleep(0.02)
        time.sleep(moment)
        server.stop(signal.SIGQUIT)
        output, error = running.communicate(timeout=PATIENCE)
        password = server.password
    assert running.returncode == 2, error
    assert output == ""
    assert error.startswith("petworks: postgresql://127.0.0.1:")
    assert "#many: the database cannot be read (" in error
    assert password not in error
    assert error.count("\n") == 1
    assert not out.exists()
    assert list(temp.iterdir()) == []
