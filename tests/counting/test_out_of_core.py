"""Tables larger than memory: what goes wrong on the way is said, and nothing is left behind."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import Started
from conftest import ROOT
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.errors import InputError, ParameterError
from processes import PATIENCE

pytestmark = pytest.mark.slow  # each starts whole commands, databases or file systems of its own

ENGINES = ("memory", "duckdb")
ROLES = ("--qi", "a,b", "--sensitive", "s")


def table(rows, seed=1):
    random = np.random.default_rng(seed)
    columns = {name: random.integers(0, size, rows) for name, size in (("a", 3000), ("b", 3000), ("s", 9))}
    return pa.table({name: pa.array(cells.astype(str)) for name, cells in columns.items()})


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A million nearly unique records."""
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    pq.write_table(table(1_000_000), path, row_group_size=100_000)
    return path


@pytest.fixture
def temp(tmp_path):
    folder = tmp_path / "temp"
    folder.mkdir()
    return folder


def petworks(*arguments, **options):
    """The running command, in a new Python if it has options of `Popen`."""
    command = [sys.executable, "-m", "PETWorks", *map(str, arguments)]
    if not options:
        return Started(command, ROOT, os.environ)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, **options)


def heeding_interrupts():
    signal.signal(signal.SIGINT, signal.default_int_handler)


def assert_fails(running, temp, *outputs, code=2):
    """One line on standard error, nothing on standard output, nothing left on disk."""
    output, error = running.communicate(timeout=PATIENCE)
    assert running.returncode == code, error
    assert output == ""
    assert error.startswith("petworks: ")
    assert error.count("\n") == 1
    assert list(temp.iterdir()) == []
    assert [path for path in outputs if path.exists()] == []
    return error


@contextmanager
def small_disk(folder, size):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    if done.returncode:
        pytest.skip("this account cannot mount a small file system")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("size", ["1m", "8m"])  # full while the rows are written, and when they are counted
def test_a_full_disk(large, temp, tmp_path, size):
    out = tmp_path / "out.json"
    with small_disk(temp, size):
        arguments = ("--engine", "duckdb", "--temp-folder", temp, "-o", out)
        error = assert_fails(petworks("evaluate", large, *ROLES, *arguments), temp, out)
    assert "(--temp-folder)" in error


def test_files_that_must_not_grow(large, temp, tmp_path):
    """The same without the right to mount: the system refuses what goes beyond a limit."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

    out = tmp_path / "out.json"
    arguments = ("--engine", "duckdb", "--temp-folder", temp, "-o", out)
    error = assert_fails(petworks("evaluate", large, *ROLES, *arguments, preexec_fn=limited), temp, out)
    assert "cannot write its temporary files" in error


def test_a_parquet_file_cut_in_the_middle(large, temp, tmp_path):
    whole = large.read_bytes()
    middle, footer = len(whole) // 2, len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(whole[:middle] + bytes(footer - middle) + whole[footer:])  # its end says that all is there
    out = tmp_path / "out.json"
    arguments = ("--engine", "duckdb", "--temp-folder", temp, "-o", out)
    error = assert_fails(petworks("evaluate", damaged, *ROLES, *arguments), temp, out)
    assert "damaged.parquet: row group" in error
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(whole[:middle])
    error = assert_fails(petworks("evaluate", cut, *ROLES, *arguments), temp, out)
    assert error == "petworks: cut.parquet: not a readable Parquet file; it may be truncated\n"


def test_several_files_are_one_table(temp, tmp_path):
    for number in range(3):
        pq.write_table(table(500, number), tmp_path / f"part-{number}.parquet")
        rows = zip(*table(500, number).to_pydict().values(), strict=True)
        (tmp_path / f"part-{number}.csv").write_text("\n".join(",".join(row) for row in [("a", "b", "s"), *rows]))
    together = pa.concat_tables([table(500, number) for number in range(3)])
    roles = dict.fromkeys("abs", QUASI_IDENTIFIER)
    expected = Release(together, roles, {}).class_sizes().classes.tolist()
    for pattern in ("part-*.parquet", "part-?.csv", "**/part-[0-2].parquet"):
        for engine in ("memory", "duckdb"):
            release = Release(f"{tmp_path}/{pattern}", roles, {}, engine=engine)
            assert release.records == 1500
            assert release.class_sizes().classes.tolist() == expected
    with pytest.raises(InputError, match="no file matches"):
        Release(f"{tmp_path}/none-*.parquet", roles)


def test_a_column_of_another_type_in_the_second_file(temp, tmp_path):
    pq.write_table(table(500), tmp_path / "part-1.parquet")
    other = table(500)
    pq.write_table(other.set_column(1, "b", other["b"].cast(pa.float64())), tmp_path / "part-2.parquet")
    out = tmp_path / "out.json"
    for engine in ("memory", "duckdb"):
        arguments = ("--engine", engine, "--temp-folder", temp, "-o", out)
        error = assert_fails(petworks("evaluate", tmp_path / "part-*.parquet", *ROLES, *arguments), temp, out)
        assert error == "petworks: part-2.parquet: column 'b' is double, but string in part-1.parquet\n"
    pq.write_table(other.rename_columns(["a", "c", "s"]), tmp_path / "part-2.parquet")
    error = assert_fails(petworks("evaluate", tmp_path / "part-*.parquet", *ROLES), temp)
    assert error == "petworks: part-2.parquet and part-1.parquet have different columns: 'b', 'c' only in one of them\n"
    (tmp_path / "part-2.parquet").write_text("a,b,s\n1,2,3\n")
    error = assert_fails(petworks("evaluate", tmp_path / "part-*.parquet", *ROLES), temp)
    assert "are not files of the same kind" in error


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_stopped_leaves_nothing(large, temp, tmp_path, number, code):
    out = tmp_path / "out.json"
    pattern = tmp_path / "many-*.parquet"
    for part in range(12):
        shutil.copy(large, tmp_path / f"many-{part}.parquet")
    arguments = ("--engine", "duckdb", "--temp-folder", temp, "-o", out)
    # Whoever runs the tests in the background may have them ignore Ctrl-C.
    running = petworks("evaluate", pattern, *ROLES, *arguments, preexec_fn=heeding_interrupts)
    while sum(path.stat().st_size for path in temp.rglob("*") if path.is_file()) < 4_000_000:
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    running.send_signal(number)
    output, error = running.communicate(timeout=PATIENCE)
    assert (running.returncode, output) == (code, ""), error
    assert list(temp.iterdir()) == []
    assert not out.exists()


@pytest.mark.slow
def test_auto_says_when_it_counts_out_of_core(temp, tmp_path):
    rows = 5_000_000
    values = pa.DictionaryArray.from_arrays(pa.array(np.arange(rows, dtype=np.int32) % 7), [str(n) for n in range(7)])
    path = tmp_path / "wide.parquet"
    columns = dict.fromkeys("abcdefghijklmnopqrs", values)
    pq.write_table(pa.table(columns), path)
    out = tmp_path / "out.json"
    known = ",".join(name for name in columns if name != "s")
    arguments = ("--qi", known, "--memory-limit", "256MiB", "--temp-folder", temp, "-o", out)
    running = petworks("evaluate", path, *arguments, "--measure", "k-anonymity:k=3")
    output, error = running.communicate()
    assert (running.returncode, output) == (0, "")
    told, written = error.splitlines()
    assert told == "petworks: 0.3 GB may be needed in memory, 0.3 GB are allowed: counted with DuckDB"
    assert written == f"petworks: wrote {out}"
    found = json.loads(out.read_text())
    assert (found["table"]["engine"], found["results"][0]["value"]) == ("duckdb", rows // 7)
    running = petworks("evaluate", path, *arguments, "--engine", "memory")
    assert "more than the limit" in assert_fails(running, temp)


def test_per_record_risks_are_refused_before_any_work(large, temp, tmp_path):
    risks = tmp_path / "risks.csv"
    running = petworks("attack", large, *ROLES, "--per-record", risks, "--engine", "duckdb", "--temp-folder", temp)
    assert "needs the engine 'memory'" in assert_fails(running, temp, risks)


def test_csv_in_pieces_says_what_is_wrong_with_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.formats.csv.PIECE_BYTES", 200)
    path = tmp_path / "table.csv"
    lines = ["a;b"] + [f"{n % 3};x{n % 5}" for n in range(300)]
    roles = dict.fromkeys("ab", QUASI_IDENTIFIER)

    def sizes(engine):
        return Release(path, roles, {}, engine=engine).class_sizes().classes.tolist()

    for odd in ([], [""], ['1;"x\n2"'], ['1; "x"'], ["", "1;x", ""], ["1;"]):
        path.write_text("\n".join(lines[:150] + odd + lines[150:]) + "\n")
        assert sizes("duckdb") == sizes("memory"), odd
    path.write_text("\n".join([*lines[:250], "1;2;3", *lines[250:]]) + "\n")
    for engine in ("memory", "duckdb"):
        with pytest.raises(InputError, match=r"table\.csv, line 251: 3 cells, but the header has 2"):
            sizes(engine)


@pytest.mark.slow
def test_blank_lines_at_the_border_of_a_block(tmp_path):
    from PETWorks.tables.formats.csv import SCAN_BLOCK

    path, row = tmp_path / "table.csv", b"x;y\r\n"
    body = b"a;b\r\n" + row * (SCAN_BLOCK // len(row) - 2)
    body += b"x;" + b"z" * (SCAN_BLOCK - 1 - len(body) - 4) + b"\r\n"
    for end in (b"\r\n", b"\r\nx;y\r\n"):  # the blank line's first byte is the last of a block
        path.write_bytes(body + end)
        numbers = [Release(path, dict.fromkeys("ab", QUASI_IDENTIFIER), engine=name).records for name in ENGINES]
        assert numbers[0] == numbers[1] == body.count(b"\n") - 1 + end.count(b"x")


def test_both_signs_of_zero_are_one_value_in_all_pieces(tmp_path):
    zeros = pa.table({"a": pa.chunked_array([[0.0], [-0.0], [0.0]])})
    pq.write_table(zeros, tmp_path / "zeros.parquet", row_group_size=1)
    for data in (zeros, zeros.combine_chunks(), tmp_path / "zeros.parquet"):
        for engine in ENGINES:
            marginal = Release(data, {"a": QUASI_IDENTIFIER}, engine=engine).marginal("a")
            assert (marginal.values, marginal.counts.tolist()) == (["0.0"], [3])


def test_patterns_leave_nothing_out(tmp_path):
    for number in (1, 2):
        pq.write_table(table(10), tmp_path / f"{number}.parquet")
    (tmp_path / "3.parquet").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match=r"3\.parquet: matches .* but is not a readable file"):
        Release(f"{tmp_path}/*.parquet", {"a": QUASI_IDENTIFIER})
    (tmp_path / "3.parquet").unlink()
    (tmp_path / "4.parquet").mkdir()
    with pytest.raises(InputError, match=r"4\.parquet: matches .* but is not a readable file"):
        Release(f"{tmp_path}/*.parquet", {"a": QUASI_IDENTIFIER})


@pytest.mark.parametrize("limit", ["1TiB", "1YB", "9" * 400, "99999999999999999999TB"])
def test_limits_beyond_reason(limit, temp):
    running = petworks("evaluate", "data/delta.csv", "--qi", "zip", "--engine", "duckdb", "--memory-limit", limit)
    error = running.communicate()[1]
    assert running.returncode == (0 if limit == "1TiB" else 2), error
    assert "Traceback" not in error


def test_a_closed_engine_says_so(temp):
    release = Release("data/patient_anonymized.csv", engine="duckdb", temp_folder=temp)
    release.engine.close()
    with pytest.raises(InputError, match="the engine of this release has been closed"):
        release.class_sizes()
    with pytest.raises(ParameterError, match="expected temp_folder as a path, got int"):
        Release("data/patient_anonymized.csv", engine="duckdb", temp_folder=5)


def test_an_engine_that_cannot_start_leaves_nothing(temp, monkeypatch):
    import duckdb

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(duckdb, "connect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Release("data/patient_anonymized.csv", engine="duckdb", temp_folder=temp)
    assert list(temp.iterdir()) == []


def test_large_row_groups_are_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.formats.parquet.PIECE_ROWS", 100)
    pq.write_table(table(1000), tmp_path / "one.parquet")
    roles = dict.fromkeys("ab", QUASI_IDENTIFIER)
    sizes = [
        Release(tmp_path / "one.parquet", roles, {}, engine=engine).class_sizes().classes.tolist()
        for engine in ("memory", "duckdb")
    ]
    assert sizes[0] == sizes[1]


def test_policies_name_several_files_and_tables_of_databases(tmp_path):
    import duckdb

    for number in range(2):
        pq.write_table(table(200, number), tmp_path / f"part-{number}.parquet")
    with duckdb.connect(str(tmp_path / "census.duckdb")) as connection:
        connection.execute(f"CREATE TABLE people AS FROM '{tmp_path}/part-*.parquet'")
    documents = []
    for place, data in enumerate(("part-*.parquet", "census.duckdb#people")):
        policy = tmp_path / f"policy-{place}.yaml"
        policy.write_text(
            f"petworks_policy: 1\ntitle: t\ndata: '{data}'\nroles:\n  quasi_identifiers: [a, b]\n"
            "  sensitive_attributes: [s]\nrules:\n- measure: k-anonymity\n  k: 2\n"
        )
        out = tmp_path / f"check-{place}.json"
        running = petworks("check", policy, "--json", out)
        running.communicate()
        assert running.returncode == 1
        documents.append(json.loads(out.read_text()))
    assert documents[0]["inputs"][0]["file"] == "part-*.parquet"
    assert documents[0]["inputs"][0]["bytes"] == sum(path.stat().st_size for path in tmp_path.glob("part-*.parquet"))
    assert documents[1]["inputs"][0]["sha256"]
    assert documents[0]["results"] == documents[1]["results"]
    outside = tmp_path / "inner" / "policy.yaml"
    outside.parent.mkdir()
    outside.write_text((tmp_path / "policy-0.yaml").read_text().replace("part-", "../part-"))
    running = petworks("check", outside)
    assert "leads out of the policy's folder" in running.communicate()[1]
    (Path(outside.parent) / "link.parquet").symlink_to(tmp_path / "part-0.parquet")
    outside.write_text((tmp_path / "policy-0.yaml").read_text().replace("part-*", "li*"))
    running = petworks("check", outside)
    assert "leads out of the policy's folder" in running.communicate()[1]
