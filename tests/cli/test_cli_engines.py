"""`petworks anonymize --engine`: the same files with each engine, and clear errors for what one cannot do."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import petworks
from command import petworks as run
from spark_cluster import needs_spark

POLICY = """petworks_policy: 1
data: {data}
hierarchies: {{Age: ages.csv, Zip: {{prefix: [1]}}}}
roles: {{identifiers: [Name], quasi_identifiers: [Age, Zip], sensitive_attributes: [Illness]}}
rules: [{{measure: k-anonymity, k: 4}}, {{measure: l-diversity, l: 2}}]
anonymize: {{suppression: 0.1}}
"""
NAMES = ["Name", "Age", "Illness", "Zip"]
ZIPS = ["ab"[n % 2] + str(n % 9 // 8) for n in range(87)] + ["c1"] * 3
ROWS = [[f"n{n}", str(20 + n * n % 7 % 4), f"ill {n % 3}; {n % 2}", ZIPS[n]] for n in range(90)]
AGES = "".join(f"{age};{age // 2 * 2}+;*\n" for age in range(20, 24))


@pytest.fixture
def folder(tmp_path):
    """The same table as CSV and as Parquet, each with its policy."""
    with (tmp_path / "raw.csv").open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows([NAMES, *ROWS])
    columns = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
    pq.write_table(pa.table(columns | {"Age": [int(age) for age in columns["Age"]]}), tmp_path / "raw.parquet", 25)
    (tmp_path / "ages.csv").write_text(AGES)
    for name in ("csv", "parquet"):
        (tmp_path / f"{name}.yaml").write_text(POLICY.format(data=f"raw.{name}"))
    return tmp_path


def told(folder, policy, output, *arguments, run=run):
    """What a command that succeeds says of its release."""
    done = run("anonymize", policy, "-o", output, "--format", "json", *arguments, cwd=folder)
    assert done.returncode == 0, (done.stdout, done.stderr)
    document = json.loads(done.stdout)
    document["notices"] = [notice for notice in document["notices"] if notice["notice"] != "other-releases"]
    return {name: value for name, value in document.items() if name not in ("release", "policy")}


def refused(folder, *arguments, run=run):
    before = sorted(path.name for path in folder.iterdir())
    done = run(*arguments, cwd=folder)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert sorted(path.name for path in folder.iterdir()) == before
    return done.stderr


@pytest.mark.parametrize("options", [(), ("--local",), ("--level", "Age=1-2")])
def test_duckdb_writes_the_same_files(folder, options):
    for policy, suffix in (("csv.yaml", "csv"), ("parquet.yaml", "parquet"), ("parquet.yaml", "tsv")):
        one = told(folder, policy, f"one_{suffix}.{suffix}", "--keep-order", *options)
        limited = ("--engine", "duckdb", "--memory-limit", "256MiB")
        other = told(folder, policy, f"other_{suffix}.{suffix}", *options, *limited)
        assert one == other
        assert one["anonymization"]["suppressed"] or options
        files = [folder / f"{name}_{suffix}.{suffix}" for name in ("one", "other")]
        if suffix == "parquet":
            assert pq.read_table(files[0]).equals(pq.read_table(files[1]))
        else:
            assert files[0].read_bytes() == files[1].read_bytes()


def test_apply_takes_an_engine_too(folder):
    for engine, output in (("memory", "one.csv"), ("duckdb", "other.csv")):
        levels = ("--levels", "Age=1", "--suppress", "--engine", engine, "--keep-order")
        done = run("apply", "csv.yaml", *levels, "-o", output, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert (folder / "one.csv").read_bytes() == (folder / "other.csv").read_bytes()


def test_a_report_is_made_with_the_engine(folder):
    told(folder, "csv.yaml", "r.csv", "--engine", "duckdb", "--json", "report.json")
    assert json.loads((folder / "report.json").read_text())["anonymization"]["suppressed"] > 0


def test_what_an_engine_cannot_write(folder):
    command = ("anonymize", "csv.yaml", "--engine", "duckdb", "-o", "r.csv")
    assert "a random order needs all records in memory" in refused(folder, *command, "--shuffle")
    assert "(the engine duckdb cannot shuffle them)" in run(*command, cwd=folder).stderr
    unit = POLICY.format(data="raw.csv").replace("identifiers: [Name], ", "") + "privacy_unit: Name\n"
    (folder / "csv.yaml").write_text(unit)
    assert "use the engine 'memory'" in refused(folder, *command)


@needs_spark[0]
@needs_spark[1]
@needs_spark[2]
def test_a_cluster_writes_a_folder(folder):
    """The first command starts Spark as users do; the others run here, where it is started once for all tests."""
    one = told(folder, "parquet.yaml", "one.parquet", "--keep-order")
    other = told(folder, "parquet.yaml", "other.parquet", "--engine", "spark")
    # Executors keep no places: what is lost by removed records is not measured.
    before, after = (made["anonymization"].pop("after") for made in (one, other))
    assert after == {name: value for name, value in before.items() if name not in ("granularity", "precision")}
    assert one == other
    parts = sorted((folder / "other.parquet").iterdir())
    assert [part.name for part in parts] == [f"part-{n:06}.parquet" for n in range(4)]
    released = pa.concat_tables([pq.read_table(part) for part in parts])
    assert released.equals(pq.read_table(folder / "one.parquet"))
    limit = (folder / "other_policy.yaml").read_text() + "- {measure: granularity, at_least: 0.1}\n"
    (folder / "limit.yaml").write_text(limit)
    checked = run("check", "other_policy.yaml", cwd=folder)
    assert checked.returncode == 0, checked.stderr
    assert "Suppressed records that left the table: 3." in " ".join(checked.stdout.split())
    limited = run("check", "limit.yaml", cwd=folder)
    assert limited.returncode != 0
    assert "only where records have an order" in " ".join((limited.stdout + limited.stderr).split())
    (folder / "levels").mkdir()
    (folder / "levels/hierarchy_Age.csv").write_text(AGES)
    (folder / "levels/hierarchy_Zip.csv").write_text(
        "".join(f"{zip_code};{zip_code[0]}*;*\n" for zip_code in set(ZIPS))
    )
    roles = ("--identifier", "Name", "--qi", "Age,Zip", "--sensitive", "Illness", "--hierarchies", "levels")
    rules = ("--measure", "k-anonymity:k=4", "--measure", "l-diversity:l=2", "--suppression", "0.1")
    third = told(folder, f"file://{folder}/raw.parquet", "third.parquet", *roles, *rules, run=petworks)
    assert third["anonymization"]["loss"] == one["anonymization"]["loss"]
    parts = sorted((folder / "third.parquet").iterdir())
    assert pa.concat_tables([pq.read_table(part) for part in parts]).to_pydict() == released.to_pydict()
    again = ("anonymize", "parquet.yaml", "--engine", "spark", "-o")
    assert "the folder exists; remove it" in refused(folder, *again, "other.parquet", run=petworks)
    assert "writes a folder of Parquet files" in refused(folder, *again, "r.csv", run=petworks)
    csv_file = ("anonymize", "csv.yaml", "--engine", "spark", "-o", "r.parquet")
    assert "releases Parquet files and Spark data frames" in refused(folder, *csv_file, run=petworks)
