"""Tables of databases in a policy: files in its folder, and servers that the user allows."""

import sqlite3

import duckdb
import pytest
from test_policy import GOOD, TABLE, written

import postgres_server
from command import petworks
from PETWorks import check, read_policy
from PETWorks.errors import InputError
from policy_checks import DAY

ROWS = [line.split(";") for line in TABLE.splitlines()[1:]]
NAMES = TABLE.splitlines()[0].split(";")
PLACES = ", ".join("?" * len(NAMES))
TEXTS = ", ".join(f"{name} TEXT" for name in NAMES)
SERVER = "postgresql://me:hunter2@127.0.0.1:1/db#people"


@pytest.fixture
def folder(tmp_path):
    with sqlite3.connect(tmp_path / "survey.sqlite") as connection:
        connection.execute(f"CREATE TABLE answers ({TEXTS})")
        connection.executemany(f"INSERT INTO answers VALUES ({PLACES})", ROWS)
    connection.close()
    with duckdb.connect(tmp_path / "census.duckdb") as connection:
        connection.execute(f"CREATE TABLE people ({TEXTS})")
        connection.executemany(f"INSERT INTO people VALUES ({PLACES})", ROWS)
        lines = "read_csv('/etc/passwd', header=false, delim='|', columns={'line': 'VARCHAR'})"
        cells = ", ".join(f"line AS {name}" for name in NAMES)
        connection.execute(f"CREATE VIEW elsewhere AS SELECT {cells} FROM {lines}")
    return tmp_path


@pytest.mark.parametrize("table", ["survey.sqlite#answers", "census.duckdb#people"])
def test_database_files_are_tables_of_a_policy(folder, table):
    text = GOOD.replace("table.csv", table) + f"original: {table}\npopulation: {table}\n"
    content = check(written(folder, text), as_of=DAY).content
    assert (content.verdict, content.table.records, content.table.population, content.title) == ("fail", 4, 4, table)
    assert [(one.use, one.file) for one in content.inputs] == [
        (use, table) for use in ("data", "original", "population")
    ]
    assert all(one.sha256 for one in content.inputs)
    from_csv = check(written(folder, GOOD), as_of=DAY).content
    differing = [rule.name for rule, other in zip(content.rules, from_csv.rules, strict=True) if rule != other]
    assert differing == ["no-hidden-differences"], "such a file may have more than the table"


def test_database_files_stay_in_the_folder(folder):
    (folder / "inside").mkdir()
    path = written(folder / "inside", GOOD.replace("table.csv", "../census.duckdb#people"))
    with pytest.raises(InputError, match="data: the path leads out"):
        read_policy(path)
    assert read_policy(path, root=folder).release().records == 4
    (folder / "inside/link.duckdb").symlink_to(folder / "census.duckdb")
    with pytest.raises(InputError, match="data: the path leads out"):
        read_policy(written(folder / "inside", GOOD.replace("table.csv", "link.duckdb#people")))


def test_views_read_no_other_file(folder):
    with pytest.raises(InputError, match="cannot be read") as error:
        check(written(folder, GOOD.replace("table.csv", "census.duckdb#elsewhere")))
    assert "root:" not in str(error.value)


@pytest.mark.parametrize("key", ["data", "original", "population"])
def test_servers_need_the_consent_of_the_user(folder, key):
    text = GOOD.replace("data: table.csv", f"data: {SERVER}") if key == "data" else f"{GOOD}{key}: {SERVER}\n"
    path = written(folder, text)
    done = petworks("check", path)
    assert done.returncode == 2
    assert f"{key}: the policy names a server; allow connections to it (--network)" in done.stderr
    allowed = petworks("check", path, "--network")
    assert "postgresql://127.0.0.1:1/db#people: the database cannot be read" in allowed.stderr
    for text in (done.stderr, allowed.stderr):
        assert "hunter2" not in text
        assert "Traceback" not in text


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("file:///etc/passwd", "unknown kind of address; expected a path or one of 'postgresql://'"),
        ("http://me:hunter2@h/t.csv", "unknown kind of address"),
        ("FILE:///etc/passwd", "unknown kind of address"),
        ("' postgresql://me:hunter2@h/db?passfile=/home/me/.pgpass#t'", "others may name files"),
        ("postgresql://me:hunter2@h/db?sslkey=/etc/key&sslmode=require#t", "others may name files"),
        ("postgresql://me:hunter2@[bad/db?sslkey=x#t", "others may name files"),
    ],
)
def test_addresses_that_a_policy_may_not_name(folder, address, says):
    with pytest.raises(InputError, match=f"policy.yaml, line 2, data: .*{says}") as error:
        read_policy(written(folder, GOOD.replace("table.csv", address)), network=True)
    assert "hunter2" not in str(error.value)


def test_a_folder_of_hierarchies_is_on_this_machine(folder):
    with pytest.raises(InputError, match="hierarchies: expected a folder, got an address") as error:
        read_policy(written(folder, GOOD + f"hierarchies: {SERVER}\n"), network=True)
    assert "hunter2" not in str(error.value)


@pytest.mark.slow
@pytest.mark.skipif(postgres_server.programs() is None, reason="there is no PostgreSQL server on this machine")
def test_a_table_of_a_server(folder):
    with postgres_server.server() as server:
        server.sql(f"CREATE TABLE people ({TEXTS})")
        for row in ROWS:
            server.sql(f"INSERT INTO people VALUES {tuple(row)}")
        path = written(folder, GOOD.replace("table.csv", f"{server.url}#people"))
        result = check(read_policy(path, network=True), as_of=DAY)
        by_option = petworks("check", written(folder, GOOD), "--data", f"{server.url}#people", "--json", "-")
    shown = f"postgresql://127.0.0.1:{server.port}/postgres#people"
    (data,) = result.content.inputs
    assert (result.verdict, data.file, data.sha256, result.content.title) == ("pass", shown, None, shown)
    assert result.content.options == {"network": None}
    assert f"policy.yaml --network --as-of {result.content.generated}" in result.to_html()
    for text in (result.to_json(), result.to_html(), result.to_junit(), result.to_markdown(), by_option.stdout):
        assert shown in text.replace("\u200b", "")
        assert server.password not in text
    assert by_option.returncode == 0
