"""The rule `no-hidden-differences`: what is written in several ways fails, with counts and without cells."""

import sqlite3
import zipfile

import duckdb
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from command import petworks
from PETWorks import Release, apply_levels, check, require_release
from PETWorks.errors import ReleaseRefused
from PETWorks.gate.check.built_in_rules import find_file_differences
from PETWorks.tables.frames import spark_session
from policy_checks import CHECK, DAY
from spark_cluster import needs_spark

POLICY = """petworks_policy: 1
data: table.csv
roles: {quasi_identifiers: [age, sex], insensitive_attributes: [ward]}
hierarchies: {age: {rare: {fewer_than: 5}}, sex: {rare: {fewer_than: 5}}}
rules: [{measure: k-anonymity, k: 5}]
"""
PLAIN, QUOTED = "30,F,north\n" * 48, '"30","F","north"\n' * 12
SPARK = [pytest.param("spark", marks=needs_spark)]
WAIVER = "waivers: [{rule: no-hidden-differences, owner: Lin, reason: one export, expires: 2099-01-01}]\n"


def judged(folder, text, more="", **counted):
    (folder / "table.csv").write_text("age,sex,ward\n" + text)
    (folder / "policy.yaml").write_text(POLICY + more)
    result = check(folder / "policy.yaml", as_of=DAY, **counted)
    CHECK.validate(result.to_dict())
    return result, next(rule for rule in result.content.rules if rule.name == "no-hidden-differences")


@pytest.mark.parametrize("engine", ["memory", "duckdb", *SPARK])
def test_two_exports_in_one_file_fail(tmp_path, engine):
    result, rule = judged(tmp_path, PLAIN + QUOTED, engine=engine)
    assert (result.verdict, rule.verdict, rule.value) == ("fail", "fail", ("age", "sex", "ward"))
    assert rule.details == {"columns": [{"column": name, "records": 12} for name in ("age", "sex", "ward")]}
    assert result.content.next_steps[0].step == "write-anew"
    assert "up to 12 records in age, sex, ward" in " ".join(result.to_format("text").split())
    assert "最多有 12 筆" in result.to_format("html", "zh-TW")
    external = result.file("external")
    assert next(one for one in external.rules if one.name == rule.name).details == {}
    assert judged(tmp_path, PLAIN)[1].verdict == "pass"
    assert judged(tmp_path, PLAIN.replace("\n", "\r\n") + PLAIN)[1].value == ("CRLF/LF",)


def test_it_can_be_waived(tmp_path):
    result, rule = judged(tmp_path, PLAIN + QUOTED, WAIVER)
    assert (result.verdict, rule.verdict) == ("waived", "waived")


def test_the_release_of_such_a_table_passes(tmp_path):
    judged(tmp_path, PLAIN + QUOTED + "30,F ,north\r\n")
    made = petworks("anonymize", "policy.yaml", "-o", "r.csv", cwd=tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    assert (tmp_path / "r.csv").read_text() == "age,sex,ward\n" + "30,F,north\n" * 61
    assert petworks("check", "r_policy.yaml", cwd=tmp_path).returncode == 0


INVISIBLE = ["", "\u200b", "\ufeff", "\u2060", "\u00ad", "\u200e", "\ufe0f", "\u202e", "\x01", "\U000e0041"]
WARDS = [f"nor{sign * times}th" for sign in INVISIBLE for times in (1, 2, 3)] * 2
SECRET_POLICY = """petworks_policy: 1
data: table.csv
roles: {quasi_identifiers: [age, sex], sensitive_attributes: [illness], insensitive_attributes: [ward]}
hierarchies: {age: {rare: {fewer_than: 5}}, sex: {rare: {fewer_than: 5}}}
rules: [{measure: k-anonymity, k: 5}, {measure: l-diversity, l: 2}]
"""


def table_with_invisible_characters():
    illnesses = [("flu", "gout")[place % 2] + "\u200b" * (place % 7) for place in range(len(WARDS))]
    return {"age": ["30"] * len(WARDS), "sex": ["F"] * len(WARDS), "illness": illnesses, "ward": WARDS}


def save(table, path):
    if path.suffix == ".csv":
        pd.DataFrame(table).to_csv(path, index=False)
    elif path.suffix == ".xlsx":
        table = {name: [cell.replace("\x01", "\u200d") for cell in cells] for name, cells in table.items()}
        pd.DataFrame(table).to_excel(path, index=False)
    elif path.suffix == ".jsonl":
        pd.DataFrame(table).to_json(path, orient="records", lines=True, force_ascii=False)
    else:
        getattr(pd.DataFrame(table), f"to_{path.suffix[1:]}")(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather", ".xlsx", ".jsonl"])
def test_invisible_characters_that_tell_records_apart_fail(tmp_path, suffix):
    save(table_with_invisible_characters(), tmp_path / f"table{suffix}")
    (tmp_path / "policy.yaml").write_text(SECRET_POLICY.replace(".csv", suffix))
    result = check(tmp_path / "policy.yaml", as_of=DAY)
    rule = next(rule for rule in result.content.rules if rule.name == "no-hidden-differences")
    assert (rule.verdict, *rule.value[:2]) == ("fail", "illness", "ward")
    records = {column["column"]: column["records"] for column in rule.details["columns"]}
    assert records["ward"] >= 48  # all but those that are written without, or in the most common way
    same = {
        "age": ["30", "30\u200b"] * 30,
        "sex": ["F"] * 60,
        "illness": ["fl\u00adu", "gout"] * 30,
        "ward": ["x"] * 60,
    }
    save(same, tmp_path / f"table{suffix}")  # the age is counted as it is, and each illness is always written the same
    rules = check(tmp_path / "policy.yaml", as_of=DAY).content.rules
    assert next(rule for rule in rules if rule.name == "no-hidden-differences").details.get("columns") is None


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather"])
def test_a_release_has_no_invisible_characters(tmp_path, suffix, engine):
    save(table_with_invisible_characters(), tmp_path / "table.csv")
    (tmp_path / "policy.yaml").write_text(SECRET_POLICY)
    made = petworks("anonymize", "policy.yaml", "-o", f"r{suffix}", "--engine", engine, cwd=tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    read = {".csv": pd.read_csv, ".parquet": pd.read_parquet, ".feather": pd.read_feather}[suffix]
    released = read(tmp_path / f"r{suffix}")
    assert (set(released["ward"]), set(released["illness"])) == ({"north"}, {"flu", "gout"})
    assert petworks("check", "r_policy.yaml", cwd=tmp_path).returncode == 0


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")  # what the rules leave open is not the matter
@pytest.mark.parametrize("engine", ["memory", "duckdb", *SPARK])
def test_invisible_characters_are_left_out_of_releases_in_python_and_of_parts(tmp_path, engine):
    table = table_with_invisible_characters()
    save(table, tmp_path / "table.parquet")
    roles = {"age": "quasi_identifier", "sex": "quasi_identifier"}
    roles |= {"illness": "sensitive_attribute", "ward": "insensitive_attribute"}
    release = Release(str(tmp_path / "table.parquet"), roles, engine=engine)
    found = find_file_differences(release).found
    assert set(found.columns) == {"illness", "ward"}
    made = apply_levels(release, {"age": 0, "sex": 0})
    assert set(made.to_arrow()["ward"].to_pylist()) == {"north"}
    if engine == "spark":
        (tmp_path / "parts").mkdir()
        made.write_parts(tmp_path / "parts")
        assert set(pd.read_parquet(tmp_path / "parts")["ward"]) == {"north"}
    release.engine.close()


CELLS = {
    "age": ["30", " 30", "30", "40\u3000", "40"],
    "sex": [None, "", "", "M", "M"],
    "ward": [1.5, float("nan"), None, -0.0, 0.0],
}


@pytest.mark.parametrize("engine", SPARK)
def test_executors_look_at_the_cells_of_a_data_frame(engine):
    rows = [tuple(row) for row in zip(*CELLS.values(), strict=True)] * 3
    frame = spark_session().createDataFrame([(a, s, None if w is None else float(w)) for a, s, w in rows], list(CELLS))
    for counting in (engine, "memory"):
        release = Release(frame, {"age": "quasi_identifier"}, engine=counting)
        found = find_file_differences(release)
        assert found.details == {
            "columns": [
                {"column": "age", "records": 6},
                {"column": "sex", "records": 3},
                {"column": "ward", "records": 6},
            ]
        }
        release.engine.close()


@pytest.mark.parametrize("engine", SPARK)
def test_what_else_is_in_files_of_a_cluster_is_not_looked_at_and_that_is_said(tmp_path, engine):
    pq.write_table(pa.table({"age": ["30"] * 30, "sex": ["F"] * 30, "ward": ["north"] * 30}), tmp_path / "t.parquet")
    address = (tmp_path / "t.parquet").as_uri()
    result, rule = judged(tmp_path, PLAIN, data=address, engine=engine)
    assert (rule.verdict, rule.details) == ("pass", {"looked_at": False})
    assert "differences-unseen" in [one.notice for one in result.content.notices]
    text = " ".join(result.to_format("text").split())
    assert text.index("was not looked at") < text.index("rule measure found")
    assert "未檢視檔案中是否有" in result.to_format("html", "zh-TW")
    spaced = pa.table({"age": ["30"] * 30, "sex": ["F"] * 29 + ["F "], "ward": ["north"] * 30})
    pq.write_table(spaced, tmp_path / "t.parquet")
    result, rule = judged(tmp_path, PLAIN, data=address, engine=engine)
    assert (rule.verdict, rule.value) == ("fail", ("sex",))


def test_a_file_with_more_than_the_table_fails_and_its_release_passes(tmp_path):
    workbook = openpyxl.Workbook()
    for row in ("age,sex,ward\n" + PLAIN).splitlines():
        workbook.active.append(row.split(","))
    workbook.create_sheet("Names").append(["Aiden Okafor"])
    workbook["Names"].sheet_state = "hidden"
    workbook.save(tmp_path / "table.xlsx")
    (tmp_path / "policy.yaml").write_text(POLICY.replace("table.csv", "table.xlsx"))
    result = check(tmp_path / "policy.yaml", as_of=DAY)
    CHECK.validate(result.to_dict())
    rule = next(rule for rule in result.content.rules if rule.name == "no-hidden-differences")
    assert (result.verdict, rule.verdict, rule.value) == ("fail", "fail", ("FILE",))
    assert rule.details == {"further": {"further sheets": 1}}
    (step,) = [step for step in result.content.next_steps if step.rules == (rule.name,)]
    assert step.step == "release-values"
    assert "further sheets: 1" in " ".join(result.to_format("text").split())
    assert "其他工作表" in result.to_format("html", "zh-TW")
    assert "further sheets" not in result.to_format("html", "en", "external")
    made = petworks("anonymize", "policy.yaml", "-o", "r.csv", cwd=tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    assert petworks("check", "r_policy.yaml", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_order_of_keys_fails_json_lines(tmp_path, engine):
    lines = '{"age": 30, "sex": "F", "ward": "north"}\n' * 20 + '{"sex": "F", "age": 30, "ward": "north"}\n' * 3
    (tmp_path / "table.jsonl").write_text(lines)
    (tmp_path / "policy.yaml").write_text(POLICY.replace("table.csv", "table.jsonl"))
    result = check(tmp_path / "policy.yaml", as_of=DAY, engine=engine)
    CHECK.validate(result.to_dict())
    rule = next(rule for rule in result.content.rules if rule.name == "no-hidden-differences")
    assert (rule.verdict, rule.value) == ("fail", ("{...}",))
    assert rule.details == {"columns": [{"column": "{...}", "records": 3}]}
    assert "up to 3 records in {...}" in " ".join(result.to_format("text").split())
    assert "{...}" in result.to_format("html", "zh-TW")
    made = petworks("anonymize", "policy.yaml", "-o", "r.csv", cwd=tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr


def further(path):
    return find_file_differences(Release(path, {})).further


PERSONAL = {"names with personal details": 1}


@pytest.mark.parametrize(("name", "expected"), [("table", {}), ("calls of John Smith", PERSONAL)])
def test_names_inside_files(tmp_path, name, expected):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr(f"{name}.csv", "age,sex\n30,F\n40,M\n")
    workbook = openpyxl.Workbook()
    workbook.active.title = name
    for row in (("age", "sex"), (30, "F"), (40, "M")):
        workbook.active.append(row)
    workbook.properties.creator = ""
    workbook.save(tmp_path / "t.xlsx")
    key = next(iter(PERSONAL))
    for path in (f"{tmp_path}/t.zip", f"{tmp_path}/t.xlsx"):
        assert (further(path) or {}).get(key, 0) == expected.get(key, 0), path


@pytest.mark.parametrize("data", ["table.dta", "table.sqlite#stays", "table.duckdb#stays"])
def test_a_file_that_nobody_can_look_through_fails_and_its_release_passes(tmp_path, data):
    """With other tables, deleted records or labels, of which nothing is found here."""
    frame = pd.DataFrame({"age": ["30"] * 60, "sex": ["F"] * 60, "ward": ["north"] * 60})
    if data.endswith(".dta"):
        pyreadstat.write_dta(frame, tmp_path / "table.dta", file_label="record 7 is the mayor")
    elif "sqlite" in data:
        with sqlite3.connect(tmp_path / "table.sqlite") as connection:
            frame.to_sql("stays", connection, index=False)
            connection.execute("CREATE INDEX wards ON stays (ward) WHERE ward <> 'record 7 is the mayor'")
        connection.close()
    else:
        with duckdb.connect(str(tmp_path / "table.duckdb")) as connection:
            connection.execute("CREATE TABLE stays AS SELECT * FROM frame")
            connection.execute("COMMENT ON TABLE stays IS 'record 7 is the mayor'")
    (tmp_path / "policy.yaml").write_text(POLICY.replace("table.csv", data))
    result = check(tmp_path / "policy.yaml", as_of=DAY)
    CHECK.validate(result.to_dict())
    rule = next(rule for rule in result.content.rules if rule.name == "no-hidden-differences")
    assert (result.verdict, rule.verdict, rule.value) == ("fail", "fail", ("FILE",))
    assert [one.step for one in result.content.next_steps if one.rules == (rule.name,)] == ["export-table"]
    assert "export the table as CSV, Parquet or .xlsx" in " ".join(result.to_format("text").split())
    assert "將資料表匯出為 CSV、Parquet 或 .xlsx" in result.to_format("html", "zh-TW")
    with pytest.raises(ReleaseRefused, match="export the table as CSV"):
        require_release(tmp_path / "policy.yaml")
    for policy in ("policy.yaml", "proposed_policy.yaml"):
        if policy != "policy.yaml":
            made = petworks("init", data, "-o", policy, cwd=tmp_path)
            assert made.returncode == 0, made.stderr
        made = petworks("anonymize", policy, "-o", "r.csv", cwd=tmp_path)
        assert made.returncode == 0, made.stdout + made.stderr
        assert "not looked through" not in made.stdout + made.stderr
        assert petworks("check", "r_policy.yaml", cwd=tmp_path).returncode == 0


def test_records_in_several_files_fail(tmp_path):
    """Whoever gets two files knows of each record in which of them it is, such as that of a clinic."""
    for name in ("clinic_a", "clinic_b"):
        (tmp_path / f"{name}.csv").write_text("age,sex,ward\n" + PLAIN)
    (tmp_path / "policy.yaml").write_text(POLICY.replace("table.csv", "'clinic_*.csv'"))
    result = check(tmp_path / "policy.yaml", as_of=DAY)
    rule = next(rule for rule in result.content.rules if rule.name == "no-hidden-differences")
    assert (rule.verdict, rule.details) == ("fail", {"further": {"files with a part of the records each": 2}})
    made = petworks("anonymize", "policy.yaml", "-o", "r.csv", cwd=tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
