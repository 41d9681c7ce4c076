"""Limits are as documented; beyond them, and under those of the system, there is an error and no traceback."""

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from command import petworks
from conftest import ROOT
from PETWorks import Release
from PETWorks.about.hierarchies import hierarchy
from PETWorks.cli import main
from PETWorks.counting.engines import engine
from PETWorks.errors import InputError
from PETWorks.gate import diff, document
from PETWorks.gate.check.inputs import table_digest
from PETWorks.gate.policy.policy import read_policy
from PETWorks.gate.suggest import starter
from PETWorks.measures.attacks import subsets
from PETWorks.tables import files, yaml_files
from PETWorks.tables.formats import csv as csv_files
from PETWorks.tables.formats import json_lines, packed

MIB = 1 << 20
LIMITS = {
    "line of a CSV file, of JSON lines": f"{csv_files.LONGEST_LINE // MIB} MiB",
    "different keys of JSON lines": f"{json_lines.MAX_COLUMNS:,}",
    "a packed file above 1 GiB": f"{packed.LARGEST_RATIO} times its size",
    "hierarchy file": f"{hierarchy.LARGEST_FILE // MIB} MiB",
    "levels of a hierarchy": f"{hierarchy.MAX_LEVELS:,}",
    "roles file, policy file": f"{yaml_files.LARGEST_FILE // MIB} MiB",
    "result of a check, plan of a release": f"{document.LARGEST_FILE // MIB} MiB",
    "columns of a table for which `petworks init` suggests roles": f"{starter.MAX_COLUMNS_OF_A_POLICY:,}",
    "quasi-identifiers for `attack --subsets`": f"{subsets.MAX_COLUMNS:,}",
    "subsets of the quasi-identifiers": f"{subsets.MAX_SUBSETS:,}",
    "`--memory-limit`": f"at least {engine.SMALLEST_LIMIT // MIB} MiB",
}


def test_limits_are_as_documented():
    page = (ROOT / "docs/input.md").read_text("utf-8").partition("\nLimits:")[2]
    assert dict(re.findall(r"^\| (.+) \| (.*\d.*) \|$", page, re.MULTILINE)) == LIMITS


def limited(*arguments, **limits):
    """The command under limits of the system."""

    def limit():
        for name, most in limits.items():
            resource.setrlimit(getattr(resource, name), (most, most))

    script = str(Path(sys.executable).with_name("petworks"))
    return subprocess.run([script, *arguments], capture_output=True, text=True, preexec_fn=limit)


def test_a_thread_that_does_not_start_is_an_error(monkeypatch, capsys):
    def no_thread(*_, **__):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("PETWorks.cli.evaluate.open_release", no_thread)
    with pytest.raises(SystemExit) as end:
        main.main(["evaluate", "data/delta.csv", "--qi", "zip"])
    assert end.value.code == 2
    assert "starts no further thread" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "LONG.csv", "--qi", "a"),
        ("evaluate", "LONG*.csv", "--qi", "a"),
        ("evaluate", "LONG#t", "--qi", "a"),
        ("evaluate", "data/delta.csv", "--qi", "zip", "--original", "LONG"),
        ("evaluate", "data/delta.csv", "--qi", "zip", "--hierarchies", "LONG"),
        ("evaluate", "data/delta.csv", "--qi", "zip", "--temp-folder", "LONG", "--engine", "duckdb"),
        ("evaluate", "data/delta.csv", "--qi", "zip", "-o", "LONG"),
        ("check", "LONG"),
        ("check", "data/adult_policy.yaml", "--data", "LONG"),
        ("init", "LONG"),
        ("diff", "LONG", "LONG"),
    ],
    ids=" ".join,
)
def test_very_long_paths(arguments):
    done = petworks(*(argument.replace("LONG", "x" * 5000) for argument in arguments))
    assert done.returncode == 2
    assert re.fullmatch(r"petworks: [^\n]{,2100}\n", done.stderr)
    assert "-o" in arguments or "write" not in done.stderr, "nothing was written yet"


def readers(folder, odd):
    """Everything that reads files, with an odd one as a table, a sidecar, a policy, a hierarchy and a result."""
    (folder / "t.csv").write_text("zip\n1\n")
    (folder / "t.yaml").symlink_to(odd)
    (folder / "u.csv").write_text("zip\n1\n")
    roles = {"zip": "quasi_identifier"}
    return (
        lambda: Release(odd, roles),
        lambda: Release(f"{odd}#people", roles),
        lambda: Release(folder / "t.csv"),
        lambda: Release(folder / "u.csv", roles, hierarchies={"zip": odd}),
        lambda: read_policy(folder / "t.yaml"),
        lambda: diff.read_check(odd),
        lambda: table_digest(odd),
    )


ODD = r"cannot read .*: not a regular file: its size is 0, but it is not empty; copy its content to a file"


@pytest.mark.skipif(not Path("/proc/cpuinfo").is_file(), reason="there is no /proc")
def test_files_that_do_not_say_how_large_they_are(tmp_path):
    """Those under /proc have the size 0."""
    for read in readers(tmp_path, Path("/proc/cpuinfo")):
        with pytest.raises(InputError, match=ODD):
            read()


def test_files_whose_reading_would_not_end(tmp_path, monkeypatch):
    """`/proc/kmsg` is one: it waits for the next message of the kernel. An empty file stands for it here."""
    (tmp_path / "log").touch()

    def wait(*_):
        raise BlockingIOError

    monkeypatch.setattr(files.os, "read", wait)
    for read in readers(tmp_path, tmp_path / "log"):
        with pytest.raises(InputError, match=ODD):
            read()


def test_a_policy_for_very_many_columns_is_not_begun(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(";".join(f"c{place}" for place in range(100_000)) + "\n" + ";".join("1" * 100_000) + "\n")
    done = petworks("init", path)
    assert done.returncode == 2
    assert "wide.csv: 100,000 columns; init suggests roles for at most 5,000" in done.stderr


def test_wide_tables_are_read(tmp_path):
    names = tuple(f"c{place}" for place in range(20_000))
    path = tmp_path / "wide.csv"
    path.write_text(";".join(names) + "\n" + ";".join("1" * len(names)) + "\n")
    source = csv_files.CSV(path)

    class Names(tuple):
        def index(self, *_):
            raise AssertionError("looking for each name among all takes too long")

    source.names = Names(source.names)
    assert next(source.read(names)).num_columns == len(names)
