"""The audit trail of a check: how to repeat it, what was checked, and the digests of what was read."""

import hashlib
import html
import re
import shlex

import pytest
from test_policy import GOOD, NAMED, TABLE, written

from command import petworks
from PETWorks import check, read_policy
from PETWorks.errors import InputError
from PETWorks.gate.check.verdict import evaluate_requests
from policy_checks import DAY

OTHER = TABLE.replace("40;2;flu\n40", "41;2;flu\n40")


def repeated(result, folder, edition="internal", lang="en"):
    """The digest that the command in the report gives when it is run."""
    found = re.search(r"(petworks check .*? --json) (?:FILE|檔案)", html.unescape(result.to_html(lang, edition)))
    command = shlex.split(found[1])
    done = petworks(*command[1:], "-", cwd=folder)
    assert done.stdout, done.stderr
    return re.search(r'"content_sha256": "(\w+)"', done.stdout)[1]


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_the_command_in_the_report_gives_the_same_digest(tmp_path, edition):
    path = written(tmp_path, GOOD)
    (tmp_path / "it's march.csv").write_text(OTHER)
    for data in (None, tmp_path / "it's march.csv", tmp_path / "table.csv"):
        result = check(path, data=data, as_of=DAY)
        assert repeated(result, tmp_path, edition) == result.file(edition).content_sha256
    assert "--data" not in result.to_html(), "the table of the policy itself"
    assert str(tmp_path) not in result.to_json()


def test_commands_name_files_that_look_like_options(tmp_path):
    path = written(tmp_path, GOOD).rename(tmp_path / "--x.yaml")
    (tmp_path / "--march.csv").write_text(OTHER)
    result = check(path, data=tmp_path / "--march.csv", as_of=DAY)
    assert "petworks check ./--x.yaml --data --march.csv " in result.to_html()
    assert repeated(result, tmp_path) == result.file("internal").content_sha256
    begun = petworks("init", "./--march.csv", cwd=tmp_path).stdout
    assert "then: petworks check ./--march_policy.yaml\n" in begun
    assert "petworks anonymize ./--march_policy.yaml -o ./--march_released.csv " in begun


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_an_earlier_check_is_part_of_the_command_where_it_matters(tmp_path, edition):
    header, *rows = TABLE.splitlines()
    path = written(tmp_path, GOOD)
    (tmp_path / "table.csv").write_text("\n".join([header, *rows * 10]))
    (tmp_path / "first.json").write_text(check(path, as_of=DAY).to_json())
    (tmp_path / "table.csv").write_text("\n".join([header, *rows * 10, rows[0]]))
    plain, warned = check(path, as_of=DAY), check(path, as_of=DAY, previous=tmp_path / "first.json")
    assert repeated(warned, tmp_path, edition) == warned.file(edition).content_sha256
    differ = plain.file(edition).content_sha256 != warned.file(edition).content_sha256
    assert differ == (edition == "internal") == ("--previous first.json" in warned.to_html(edition=edition))


def test_a_root_and_an_engine_that_matters_are_part_of_the_command(tmp_path, monkeypatch):
    (tmp_path / "policies").mkdir()
    (tmp_path / "table.csv").write_text(TABLE)
    policy = read_policy(written(tmp_path / "policies", GOOD.replace("table.csv", "../table.csv")), root=tmp_path)
    assert check(policy, as_of=DAY, engine="duckdb").content.options == {"root": "FOLDER"}
    monkeypatch.setattr("PETWorks.counting.engines.duckdb.DuckEngine.keeps_order", False)
    unordered = check(policy, as_of=DAY, engine="duckdb")
    assert unordered.content.options == {"root": "FOLDER", "engine": "duckdb"}
    assert "--root FOLDER --engine duckdb --as-of" in unordered.to_html()


def test_a_table_in_memory_is_repeated_in_python(tmp_path):
    columns = {"age": ["30", "30"], "zip": ["1", "1"], "disease": ["flu", "flu"]}
    result = check(written(tmp_path, GOOD), data=columns, as_of=DAY)
    assert "data=table, as_of=&#39;2026-11-16T00:00:00Z&#39;)" in result.to_html()
    assert "petworks check" not in result.to_html()


@pytest.mark.parametrize(
    ("title", "expected", "in_memory"),
    [
        ("", "march.csv", {"en": "a table in memory", "zh-TW": "記憶體中的資料表"}),
        ("title: table.csv\n", "march.csv", {"en": "a table in memory", "zh-TW": "記憶體中的資料表"}),
        ("title: Stays\n", "Stays: march.csv", {"en": "Stays: a table in memory", "zh-TW": "Stays：記憶體中的資料表"}),
        (
            "title: {en: Stays, zh-TW: 住院}\n",
            {"en": "Stays: march.csv", "zh-TW": "住院：march.csv"},
            {"en": "Stays: a table in memory", "zh-TW": "住院：記憶體中的資料表"},
        ),
    ],
)
def test_the_title_says_what_was_checked(tmp_path, title, expected, in_memory):
    path = written(tmp_path, GOOD + title)
    (tmp_path / "march.csv").write_text(OTHER)
    assert check(path, data=tmp_path / "march.csv", as_of=DAY).content.title == expected
    columns = {"age": ["30", "30"], "zip": ["1", "1"], "disease": ["flu", "flu"]}
    assert check(path, data=columns, as_of=DAY).content.title == in_memory
    assert "table.csv" not in str(expected)
    assert check(path, data=tmp_path / "table.csv", as_of=DAY).content.title == check(path, as_of=DAY).content.title


@pytest.mark.parametrize("name", ["table.csv", "original.csv", "people.csv", "levels/hierarchy_age.csv", "table.yaml"])
def test_a_file_that_changes_during_a_check_is_an_error(tmp_path, monkeypatch, name):
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels/hierarchy_age.csv").write_text("30;*\n40;*\n")
    (tmp_path / "people.csv").write_text("age;zip\n30;1\n30;1\n40;2\n40;2\n40;2\n")
    (tmp_path / "original.csv").write_text(TABLE)
    roles = GOOD[GOOD.index("roles:") : GOOD.index("rules:")]
    text = GOOD.replace(roles, "") + "original: original.csv\npopulation: people.csv\nhierarchies: levels\n"
    path = written(tmp_path, text)
    kinds = "QUASI_IDENTIFIER: [age, zip], SENSITIVE_ATTRIBUTE: [disease]"
    (tmp_path / "table.yaml").write_text(f"DATASET: {{ATTRIBUTE_TYPE: {{{kinds}}}}}\n")
    same = check(path, as_of=DAY)
    by_file = {one.file: one.sha256 for one in same.content.inputs}
    assert by_file["table.csv"] == hashlib.sha256(TABLE.encode()).hexdigest()
    assert len(by_file) == 5

    def evaluating(*arguments):
        """Someone writes as many other bytes into the file as soon as it has been read."""
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content[:-2] + b"9\n")
        return evaluate_requests(*arguments)

    monkeypatch.setattr("PETWorks.gate.check.verdict.evaluate_requests", evaluating)
    with pytest.raises(InputError, match=f"{name.rpartition('/')[2]}: the file changed while it was checked"):
        check(path, as_of=DAY)


def test_the_plan_of_a_release_is_an_input(tmp_path, monkeypatch):
    """The verdict relies on what it says: which records left the table, and how many were allowed to."""
    levels = "hierarchies: {age: {groups: {any: [30, 40]}}, zip: {groups: {any: [1, 2]}}}\n"
    path = written(tmp_path, GOOD + levels)
    made = petworks("anonymize", path, "-o", tmp_path / "out.csv")
    assert made.returncode == 0, made.stderr
    plan = tmp_path / "out_plan.json"
    (listed,) = (one for one in check(tmp_path / "out_policy.yaml", as_of=DAY).content.inputs if one.use == "plan")
    assert (listed.file, listed.sha256) == (plan.name, hashlib.sha256(plan.read_bytes()).hexdigest())

    def evaluating(*arguments):
        """Someone writes as many other bytes into the plan as soon as it has been read."""
        plan.write_bytes(plan.read_bytes()[:-1] + b" ")
        return evaluate_requests(*arguments)

    monkeypatch.setattr("PETWorks.gate.check.verdict.evaluate_requests", evaluating)
    with pytest.raises(InputError, match=r"out_plan\.json: the file changed while it was checked"):
        check(tmp_path / "out_policy.yaml", as_of=DAY)


def test_the_digest_of_a_policy_is_that_of_the_bytes_that_were_read(tmp_path):
    path = written(tmp_path, GOOD)
    policy, read = read_policy(path), path.read_bytes()
    path.write_text(GOOD.replace("k: 2", "k: 1"))
    assert check(policy, as_of=DAY).content.policy.sha256 == hashlib.sha256(read).hexdigest()


def test_changes_that_a_database_has_not_merged_yet_are_part_of_its_digest(tmp_path):
    import sqlite3

    path = written(tmp_path, GOOD.replace("table.csv", "survey.sqlite#answers"))
    connection = sqlite3.connect(tmp_path / "survey.sqlite")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE answers (age, zip, disease)")
    rows = [line.split(";") for line in TABLE.splitlines()[1:]]
    connection.executemany("INSERT INTO answers VALUES (?, ?, ?)", rows)
    connection.commit()
    first = check(path, as_of=DAY).content.inputs[0]
    connection.executemany("INSERT INTO answers VALUES (?, ?, ?)", rows)
    connection.commit()
    second = check(path, as_of=DAY).content.inputs[0]
    connection.close()
    assert (first.file, second.file) == ("survey.sqlite#answers", "survey.sqlite#answers")
    assert first.sha256 != second.sha256


@pytest.mark.parametrize(
    ("lang", "says"), [("en", "table.csv contains name, which identifies people"), ("zh-TW", "受檢的檔案 table.csv")]
)
@pytest.mark.parametrize("edition", ["internal", "external"])
def test_a_file_with_a_privacy_unit_is_not_the_one_to_release(tmp_path, lang, says, edition):
    result = check(written(tmp_path, GOOD + "privacy_unit: name\n", table=NAMED), as_of=DAY)
    for text in (result.to_format(kind, lang, edition) for kind in ("text", "markdown", "html")):
        assert says in text.replace("\n", " ").replace("「name」", "name"), text
    without = check(written(tmp_path, GOOD), as_of=DAY)
    assert says not in without.to_format("text", lang, edition)
