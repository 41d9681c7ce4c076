"""Every engine makes the same plan and the same cells, whatever fits into memory."""

import os
import subprocess
import sys
from contextlib import nullcontext
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from anonymizing_tasks import OF_OTHER_TABLES, OF_SIZES, OF_TABLES, OF_VALUES, SUBSETS, anonymized, tasks
from conftest import TINY_PARTS, constants, examples
from PETWorks.anonymizer import data_cube
from PETWorks.anonymizer.anonymization_facts import table_state
from PETWorks.counting.keys import Field, pack
from PETWorks.errors import InputError, NotApplicable
from PETWorks.render.text.anonymization_text import anonymization_text
from PETWorks.tables.output import write_whole
from PETWorks.tables.writing import release_content
from searches import anonymize, apply_levels
from spark_cluster import needs_spark

WITHOUT_ORIGINAL = ("re-identification", "attribute-inference", "granularity", "precision", "missings")
SMALL = {"most_columns": 2, "most_rows": 12}


def outcome(task, engine, **others):
    """What is found, all of it; or why nothing is."""
    try:
        with constants(**TINY_PARTS) if engine == "duckdb" else nullcontext():
            found = anonymized(task, engine=engine, **others)
            assert found.original.engine.name == engine
            explained = found.explain() if found.optimal else None
            told = found.to_dict(), texts(found.table), explained
    except NotApplicable as error:
        return str(error)
    return told


def texts(table):
    return {
        name: [None if cell is None else str(cell) for cell in table[name].to_pylist()] for name in table.column_names
    }


def same(task, **others):
    task.unit = None
    assert outcome(task, "duckdb", **others) == outcome(task, "memory", **others)


@examples(24)
@given(tasks(OF_SIZES | OF_VALUES, **SMALL))
def test_rules_about_classes(task):
    same(task)


@examples(24)
@given(tasks(OF_TABLES | OF_SIZES, **SMALL))
def test_rules_about_the_table(task):
    same(task)


@examples(12)
@given(tasks(OF_OTHER_TABLES | OF_SIZES, **SMALL, plain=True, background=True))
def test_rules_about_other_tables(task):
    same(task)


@examples(6)
@given(tasks(OF_SIZES, **SMALL, most_rules=1), SUBSETS)
def test_limits_for_every_subset(task, subsets):
    task.subsets = subsets
    same(task)


@examples(12)
@given(tasks(OF_SIZES | OF_VALUES, **SMALL), st.sampled_from(["granularity", "precision", "missings"]))
def test_local_recoding(task, objective):
    task.objective, task.aggregate, task.weights = objective, None, {}
    same(task, method="local")


@examples(24)
@given(tasks(OF_SIZES | OF_VALUES | {name: OF_TABLES[name] for name in WITHOUT_ORIGINAL}, **SMALL))
def test_rows_on_the_lowest_levels_that_are_allowed_give_the_same(task):
    """Here the rows as they are count as too many; those on the lowest levels as few enough."""
    task.unit = None
    for row in task.rows:  # so that no record is suppressed already
        row.update({"q0": "v0"} if row["q0"] == "*" else {})
    task.bounds["q0"] = (1, max(1, task.bounds.get("q0", (0, len(task.hierarchies["q0"][0]) - 1))[1]))
    with mock.patch.object(data_cube, "_fits", side_effect=[False, True]) as fits:
        raised = outcome(task, "duckdb")
    assert fits.call_count == 2
    assert raised == outcome(task, "memory")


def test_the_order_of_the_records_decides_nothing():
    """Of two classes that cost the same, one must go."""
    columns = {"a": ["x", "x", "y", "y", "z", "z", "z"]}
    levels = {"a": [("x", "*"), ("y", "*"), ("z", "*")]}
    rules = {"average-risk": {"average": 0.4}}
    kept = set()
    for order in ([0, 1, 2, 3, 4, 5, 6], [6, 3, 2, 5, 1, 0, 4]):
        table = pa.table(columns).take(order)
        found = anonymize(table, {"a": "quasi_identifier"}, levels, rules, suppression=0.3, levels={"a": 0})
        kept.add(tuple(sorted(found.table["a"].to_pylist())))
    assert kept == {("y", "y", "z", "z", "z")}


# --- what does not fit


MANY = {"a": [f"{n % 50:02}" for n in range(2500)], "b": [f"{n // 50:02}" for n in range(2500)]}
ROLES = dict.fromkeys(MANY, "quasi_identifier")
LEVELS = {name: [(f"{n:02}", "zyxwv"[n // 10], "*") for n in range(50)] for name in MANY}  # in another order
K = {"k-anonymity": {"k": 5}}


def few(rows):
    """A limit that so many distinct rows keep."""
    return mock.patch.object(data_cube, "BYTES_PER_ROW", int((256 << 20) * data_cube.SHARE / rows))


def test_too_many_distinct_rows_are_an_error_that_says_what_helps():
    how = {"engine": "duckdb", "memory_limit": "256MiB"}
    with few(100), pytest.raises(InputError, match=r"2,500 distinct rows, and the memory limit allows 100; bound"):
        anonymize(MANY, ROLES, LEVELS, K, **how)
    with few(100), pytest.raises(InputError, match=r"250 distinct rows on the lowest levels that are allowed"):
        anonymize(MANY, ROLES, LEVELS, K, levels={"a": (1, 2)}, **how)
    expected = anonymize(MANY, ROLES, LEVELS, K, levels={"a": (1, 2)})
    with few(250):
        found = anonymize(MANY, ROLES, LEVELS, K, levels={"a": (1, 2)}, **how)
        assert found.to_dict() == expected.to_dict()
        assert texts(found.table) == texts(expected.table)
        local = anonymize(MANY, ROLES, LEVELS, K, levels={"a": (1, 2)}, method="local", **how)
        assert local.why_global == "rows"
        assert local.to_dict() == expected.to_dict()
        with pytest.raises(InputError, match="2,500 distinct rows"):  # it compares with the original
            anonymize(MANY, ROLES, LEVELS, K | {"fidelity": {"at_least": 0}}, levels={"a": (1, 2)}, **how)


def test_values_have_another_order_on_the_lowest_levels():
    skewed = {name: [f"{int(50 * x**3):02}" for x in np.random.default_rng(7).random(3000)] for name in MANY}
    skewed["b"].reverse()
    how = {"suppression": 0.2, "levels": {"a": (1, 2)}}
    expected = anonymize(skewed, ROLES, LEVELS, {"k-anonymity": {"k": 30}}, **how)
    assert expected.suppressed
    with mock.patch.object(data_cube, "_fits", side_effect=[False, True]):
        found = anonymize(skewed, ROLES, LEVELS, {"k-anonymity": {"k": 30}}, engine="duckdb", **how)
    assert found.to_dict() == expected.to_dict()
    assert texts(found.table) == texts(expected.table)
    with pytest.raises(NotApplicable, match="too many distinct rows to compare"):
        found.utility()
    facts, whole = (one.facts(table_state(one.original), one.release) for one in (found, expected))
    assert facts.utility is None
    # What is lost by records that left the table is measured in memory.
    after = replace(facts.after, granularity=whole.after.granularity, precision=whole.after.precision)
    assert replace(facts, utility=whole.utility, after=after) == whole
    told = anonymization_text("r.csv", facts, (), (), (), "en", detailed=True, colour=False, width=100)
    assert "Loss (granularity" in told


def test_what_needs_whole_tables_says_so():
    how = {"engine": "duckdb"}
    with pytest.raises(NotApplicable, match=r"people are counted by 'p'.*use the engine 'memory'"):
        anonymize(MANY | {"p": MANY["a"]}, ROLES, LEVELS, K, privacy_unit="p", **how)
    task = {"utility-bias": {"max_bias": 1, "function": len}}
    with pytest.raises(NotApplicable, match="utility-bias hands whole tables to a function"):
        anonymize(MANY, ROLES, LEVELS, task, **how)


def test_levels_of_ones_own_choice():
    one, other = (apply_levels(MANY, ROLES, LEVELS, {"a": 1}, K, engine=engine) for engine in ("memory", "duckdb"))
    assert (one.suppressed, one.levels) == (other.suppressed, other.levels)
    assert texts(one.table) == texts(other.table)
    assert other.release.records == 2500
    assert other.release.engine.name == "duckdb"


def test_a_row_that_was_not_packed_has_no_key():
    """Where keys are ranks of what was packed, the nearest one is not it."""
    packed = pack([Field(np.array(codes, np.uint64), 30) for codes in ([5, 7], [1, 1], [2, 3])])
    for row, is_known in (
        ([5, 1, 2], True),
        ([7, 1, 3], True),
        ([4, 1, 2], False),
        ([6, 1, 3], False),
        ([9, 1, 3], False),
    ):
        keys, known = packed.layout.packed([np.array([code]) for code in row], packed.keys.dtype)
        assert bool(known[0] and keys[0] in packed.keys) == is_known


def test_keys_of_more_than_64_bits():
    """Rows that are equal in what the first word holds, and differ behind it."""
    random = np.random.default_rng(3)
    values = [f"{n:04}" for n in range(1500)]
    columns = {f"q{n}": [values[i] for i in random.integers(0, 1500, 400)] for n in range(8)}
    for cells in columns.values():
        cells[200:] = cells[:200]
    columns["q7"][390:] = values[:10]
    levels = {name: [(value, "*") for value in values] for name in columns}
    roles = dict.fromkeys(columns, "quasi_identifier")
    found = [
        anonymize(columns, roles, levels, {"k-anonymity": {"k": 2}}, suppression=0.06, method=method, engine=engine)
        for method in ("global", "local")
        for engine in ("memory", "duckdb")
    ]
    for one, other in (found[:2], found[2:]):
        assert one.to_dict() == other.to_dict()
        assert texts(one.table) == texts(other.table)
    assert found[0].suppressed == 20
    expected = {
        name: [cell for n, cell in enumerate(cells) if not (n >= 390 or 190 <= n < 200)]
        for name, cells in columns.items()
    }
    assert texts(found[0].table) == expected


def test_a_large_file_that_changes_meanwhile_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.files.MAX_BYTES", -1)  # smaller files are kept in memory as they were
    path, release = tmp_path / "t.csv", tmp_path / "r.csv"
    text = "a,b\n" + "".join(f"{a},{b}\n" for a, b in zip(*MANY.values(), strict=True))
    path.write_text(text)
    found = anonymize(path, ROLES, LEVELS, K, engine="duckdb")
    for changed in (text.replace("\n07,", "\nxx,"), text[:-6], text + "07,07\n"):
        path.write_text(changed)
        for name in ("r.csv", "r.parquet", "r.tsv"):
            release = tmp_path / name
            with pytest.raises(InputError, match=r"changed since|cannot be read in pieces"):
                write_whole({release: release_content(release, found.original.source, changed=found.changes)})
            assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


# --- Spark


@pytest.mark.parametrize("method", ["global", "local"])
@pytest.mark.parametrize("rules", [K, {"l-diversity": {"l": 2}, "average-risk": {"average": 0.2}}])
@needs_spark[0]
@needs_spark[1]
@needs_spark[2]
def test_a_cluster_finds_and_writes_the_same(tmp_path, method, rules):
    random = np.random.default_rng(5)
    cells = {name: [f"{n:02}" for n in random.integers(0, 50, 3000)] for name in MANY}
    cells |= {"s": [str(n) for n in random.integers(0, 5, 3000)], "n": list(range(3000)), "name": ["x"] * 3000}
    path, folder = tmp_path / "t.parquet", tmp_path / "released"
    pq.write_table(pa.table(cells), path, row_group_size=700)
    folder.mkdir()
    roles = ROLES | {"s": "sensitive_attribute", "name": "identifier"}
    how = {"suppression": 0.1, "method": method}
    with constants(ROWS_PER_BLOCK=200):
        found = anonymize(path, roles, LEVELS, rules, engine="spark", **how)
        expected = anonymize(path, roles, LEVELS, rules, **how)
        assert found.to_dict() == expected.to_dict()
        assert (len(found.parts) > 1) == (method == "local")
        found.write_parts(folder)
    parts = sorted(folder.iterdir())
    assert [part.name for part in parts] == [f"part-{n:06}.parquet" for n in range(5)]
    released = pa.concat_tables([pq.read_table(part) for part in parts])
    assert texts(released) == texts(expected.table)
    assert released.schema.field("n").type == pa.int64()
    assert texts(found.table) == texts(expected.table)


# --- more than fits


@pytest.mark.slow
def test_a_table_larger_than_the_limit_is_released_piece_by_piece(tmp_path):
    rows = 9_000_000
    random = np.random.default_rng(9)
    labels = pa.array([f"{n:02}" for n in range(50)])
    columns = {
        name: pa.DictionaryArray.from_arrays(random.integers(0, 50, rows, np.int32), labels) for name in (*MANY, "s")
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    del columns
    (tmp_path / "levels").mkdir()
    for name, paths in LEVELS.items():
        (tmp_path / f"levels/hierarchy_{name}.csv").write_text("".join(f"{';'.join(path)}\n" for path in paths))
    roles = ["--qi", "a,b", "--sensitive", "s", "--hierarchies", "levels", "--measure", "k-anonymity:k=3600"]
    roles += ["--measure", "l-diversity:l=2"]
    command = [sys.executable, "-m", "PETWorks", "anonymize", "t.parquet", *roles, "--suppression", "0.2", "--global"]
    command += ["-o", "r.parquet", "--memory-limit", "256MiB"]
    with (tmp_path / "told").open("w") as told:
        running = subprocess.Popen(command, stdout=told, stderr=told, cwd=tmp_path)
        _, status, used = os.wait4(running.pid, 0)
    text = (tmp_path / "told").read_text()
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0, text
    assert "counted with DuckDB" in text
    assert used.ru_maxrss < 1_200_000  # kilobytes; the codes alone are 0.03 GB, the texts of the cells 0.1 GB
    released = pq.ParquetFile(tmp_path / "r.parquet")
    assert released.metadata.num_rows == rows
    texts = pa.table({name: released.read([name])[name].cast(pa.string()) for name in ("a", "b")})
    sizes = texts.group_by(["a", "b"]).aggregate([([], "count_all")])
    kept = sizes.filter(pa.compute.not_equal(sizes["a"], "*"))
    assert pa.compute.min(kept["count_all"]).as_py() >= 3600
