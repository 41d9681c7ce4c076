"""The files of a release: inputs and files of others stay, and nothing is left behind where a command fails."""

import csv
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from click import Abort
from click.testing import CliRunner

from command import petworks as run
from PETWorks.anonymizer.anonymization import Anonymization
from PETWorks.cli.anonymize import anonymize_command
from PETWorks.cli.apply import apply_command
from PETWorks.gate import case

POLICY = """petworks_policy: 1
data: raw.csv
hierarchies: {Age: ages.csv, Zip: {prefix: [1]}}
no_rule: {Illness: a test}
roles: {quasi_identifiers: [Age, Zip], sensitive_attributes: [Illness]}
rules: [{measure: k-anonymity, k: 4}]
"""
ROWS = [["Age", "Zip", "Illness"], *([str(20 + n % 4), "ab"[n % 2] + "1", "xyz"[n % 3]] for n in range(48))]
AGES = "".join(f"{age};{age // 2 * 2}+;*\n" for age in range(20, 24))


@pytest.fixture
def folder(tmp_path):
    """A table with a policy, and a hierarchy in a file that is not called like one."""
    with (tmp_path / "raw.csv").open("w", newline="") as file:
        csv.writer(file).writerows(ROWS)
    (tmp_path / "ages.csv").write_text(AGES)
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def refused(folder, *arguments, command="anonymize", policy="policy.yaml"):
    """What a command says that must end with exit code 2 and leave everything as it was."""
    before = content(folder)
    done = run(command, policy, *arguments, cwd=folder)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert content(folder) == before
    return done.stderr


def made(folder, *arguments, command="anonymize", policy="policy.yaml"):
    done = run(command, policy, *arguments, cwd=folder)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done


def table(*roles, hierarchies="levels"):
    """The options that say of the same table what the policy says."""
    return [*("--qi", "Age,Zip", "--sensitive", "Illness", "--hierarchies", hierarchies), *roles]


@pytest.fixture
def levels(folder):
    (folder / "levels").mkdir()
    (folder / "levels/hierarchy_Age.csv").write_text(AGES)
    (folder / "levels/hierarchy_Zip.csv").write_text("a1;a;*\nb1;b;*\n")
    return folder


def test_hierarchies_are_inputs(folder):
    assert "input" in refused(folder, "-o", "ages.csv")
    assert "input" in refused(folder, "-o", "r.csv", "--json", "ages.csv")


def test_hierarchies_of_the_roles_file_are_inputs(folder):
    text = POLICY.replace("petworks_policy: 1\ndata: raw.csv\n", "").partition("rules")[0]
    text = text.replace("no_rule: {Illness: a test}\n", "")
    (folder / "raw.yaml").write_text(text)
    (folder / "policy.yaml").write_text(
        "petworks_policy: 1\ndata: raw.csv\nno_rule: {Illness: a test}\nrules: [{measure: k-anonymity, k: 4}]\n"
    )
    assert "input" in refused(folder, "-o", "ages.csv")
    made(folder, "-o", "r.csv")
    assert run("check", "r_policy.yaml", cwd=folder).returncode == 0


def test_a_folder_of_hierarchies_that_is_an_input_is_not_written_to(levels):
    (levels / "levels").rename(levels / "r_hierarchies")
    options = table("--measure", "k-anonymity:k=4", hierarchies="r_hierarchies")
    assert "r_hierarchies" in refused(levels, *options, "-o", "r.csv", policy="raw.csv")


def test_a_folder_of_somebody_else_is_not_written_to(folder):
    (folder / "r_hierarchies").mkdir()
    (folder / "r_hierarchies/hierarchy_Age.csv").write_text("mine")
    assert "was not written by petworks anonymize" in refused(folder, "-o", "r.csv")
    (folder / "r_hierarchies/hierarchy_Age.csv").unlink()
    made(folder, "-o", "r.csv")
    made(folder, "-o", "r.csv")  # its own files may be replaced


def test_two_rules_of_one_measure(levels):
    rules = ["--measure", "k-anonymity:k=3", "--measure", "k-anonymity:k=4", "--measure", "k-anonymity:k=4"]
    rules += ["--measure", "l-diversity:l=2"]
    made(levels, *table(*rules), "-o", "r.csv", policy="raw.csv")
    assert run("check", "r_policy.yaml", cwd=levels).returncode == 0


@pytest.mark.parametrize(
    ("pattern", "output"),
    [
        ("part*.csv", "part3.csv"),
        ("part?.csv", "part3.csv"),
        ("./part[0-9].csv", "part3.csv"),
        ("**/part*.csv", "part3.csv"),
        ("**/part*.csv", "more/part3.csv"),
        ("part*.csv", "part_of/../part3.csv"),
    ],
)
def test_a_release_that_the_pattern_of_the_input_would_match(folder, pattern, output):
    (folder / "raw.csv").rename(folder / "part1.csv")
    (folder / "part2.csv").write_bytes((folder / "part1.csv").read_bytes())
    (folder / "policy.yaml").write_text(POLICY.replace("data: raw.csv", f"data: '{pattern}'"))
    for name in ("more", "part_of"):
        (folder / name).mkdir()
    assert "would be one of the files" in refused(folder, "-o", output)
    assert "would be one of the files" in refused(folder, "-o", "r.csv", "--json", output)
    made(folder, "-o", "more/released.csv", "--root", ".")


def test_a_folder_of_hierarchies_that_is_a_symlink(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (folder / "r_hierarchies").symlink_to(elsewhere)
    assert "symlink" in refused(folder, "-o", "r.csv")
    assert list(elsewhere.iterdir()) == []


def test_a_release_that_is_a_symlink(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("public")
    (elsewhere / "theirs.csv").write_text("theirs")
    (folder / "r.csv").symlink_to(elsewhere / "theirs.csv")
    assert "not a regular file" in refused(folder, "-o", "r.csv")
    assert [path.read_text() for path in elsewhere.iterdir()] == ["theirs"]


def test_a_folder_where_a_hierarchy_is_to_be_written(folder):
    made(folder, "-o", "r.csv")
    (folder / "r_hierarchies/hierarchy_Age.csv").unlink()
    (folder / "r_hierarchies/hierarchy_Age.csv").mkdir()
    assert "not a regular file" in refused(folder, "-o", "r.csv")


def test_a_report_that_cannot_be_written_leaves_nothing(folder):
    made(folder, "-o", "old.csv")
    (folder / "old.csv").write_text("earlier")
    script, before = Path(sys.executable).with_name("petworks"), content(folder)
    for name in ("r.csv", "old.csv"):
        # The release is small enough for the limit, the report is not.
        command = f"ulimit -f 32; exec {script} anonymize policy.yaml -o {name} --html report.html"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=folder)
        assert done.returncode == 2, done.stderr
        assert "report.html': File too large" in done.stderr
        assert content(folder) == before


def test_a_policy_that_is_no_regular_file(folder):
    os.mkfifo(folder / "r_policy.yaml")
    (folder / "s_policy.yaml").mkdir()
    (folder / "t_policy.yaml").symlink_to("policy.yaml")
    for name in "rst":
        done = run("anonymize", "policy.yaml", "-o", f"{name}.csv", cwd=folder)
        assert done.returncode == 2
        assert "not a regular file" in done.stderr
        assert not (folder / f"{name}.csv").exists()


def test_a_policy_of_another_release_stays(folder):
    made(folder, "-o", "r.csv")
    assert "the policy of another release, 'r.csv'" in refused(folder, "-o", "r.parquet")
    assert "the policy of another release, 'r.csv'" in refused(folder, "-o", "r.parquet", command="apply")
    (folder / "r_policy.yaml").write_text((folder / "r_policy.yaml").read_text() + "rules: [\n")
    assert "was not written by petworks anonymize" in refused(folder, "-o", "r.csv")


def test_two_results_in_one_file(folder):
    assert "same file" in refused(folder, "-o", "r.csv", "--markdown", "a.out", "--json", "a.out")
    assert "same file" in refused(folder, "-o", "r.csv", "--json", "r.csv")
    made(folder, "-o", "r.csv")
    assert "hierarchies of the release" in refused(folder, "-o", "r.csv", "--html", "r_hierarchies/r.html")


def test_a_release_that_is_called_like_a_hierarchy(folder):
    assert "taken for a hierarchy" in refused(folder, "-o", "hierarchy_Age.csv")


def test_a_table_of_a_database_has_no_order_in_memory(levels):
    with sqlite3.connect(levels / "t.sqlite") as base:
        base.execute("create table people (Age text, Zip text, Illness text)")
        base.executemany("insert into people values (?, ?, ?)", ROWS[1:])
    base.close()
    options = table("--measure", "k-anonymity:k=400")
    told = refused(levels, *options, "-o", "r.csv", "--engine", "memory", policy="t.sqlite#people")
    assert "no order of their own" in told, "not that no levels keep the rules"


def test_a_table_of_a_database_is_released_piece_by_piece(levels):
    with sqlite3.connect(levels / "t.sqlite") as base:
        base.execute("create table people (Age text, Zip text, Illness text)")
        base.executemany("insert into people values (?, ?, ?)", ROWS[1:])
    base.close()
    options = table("--measure", "k-anonymity:k=3", "--measure", "l-diversity:l=2")
    made(levels, *options, "-o", "r.csv", policy="t.sqlite#people")
    with (levels / "r.csv").open(newline="") as file:
        released = sorted(map(tuple, csv.reader(file)))
    (levels / "t.csv").write_text("".join(f"{','.join(row)}\n" for row in ROWS))
    made(levels, *options, "-o", "s.csv", policy="t.csv")
    with (levels / "s.csv").open(newline="") as file:
        assert released == sorted(map(tuple, csv.reader(file)))


def test_apply_keeps_columns_without_a_hierarchy(folder):
    (folder / "policy.yaml").write_text(POLICY.replace(", Zip: {prefix: [1]}", ""))
    made(folder, "--levels", "Age=1", "--suppress", "-o", "r.csv", "--keep-order", command="apply")
    with (folder / "r.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Zip"] for row in rows] == [row[1] for row in ROWS[1:]]
    assert {row["Age"] for row in rows} == {"20+", "22+"}
    assert run("check", "r_policy.yaml", cwd=folder).returncode == 0
    assert "'Zip'" in refused(folder, "--levels", "Zip=2", "-o", "s.csv", command="apply")


def test_apply_without_any_hierarchy(folder):
    (folder / "policy.yaml").write_text(POLICY.replace("hierarchies: {Age: ages.csv, Zip: {prefix: [1]}}\n", ""))
    done = made(folder, "-o", "r.csv", command="apply")
    assert "r_hierarchies" not in done.stderr
    assert not (folder / "r_hierarchies").exists()
    assert run("check", "r_policy.yaml", cwd=folder).returncode == 0


@pytest.mark.parametrize("levels", ["Age=1,Age=2", "Age=-1", "Age=1-2", "Age"])
def test_apply_with_wrong_levels(folder, levels):
    told = refused(folder, "--levels", levels, "-o", "r.csv", command="apply")
    assert ("'Age' twice" in told) or (f"got '{levels}'" in told)


def test_ctrl_c_in_the_explanation_keeps_the_release(folder, monkeypatch):
    def stopped(_self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Anonymization, "explain", stopped)
    arguments = [str(folder / "policy.yaml"), "-o", str(folder / "r.csv"), "--explain"]
    done = CliRunner().invoke(anonymize_command, arguments)
    assert done.exit_code == 0, done.output
    assert "the explanation was stopped" in done.output
    assert run("check", "r_policy.yaml", cwd=folder).returncode == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, KeyError, MemoryError])
@pytest.mark.parametrize("command", [anonymize_command, apply_command])
def test_an_error_in_the_judging_leaves_everything_as_it_was(folder, monkeypatch, error, command):
    def failing(*_arguments, **_named):
        raise error

    made(folder, "-o", "r.csv")
    before = content(folder)
    monkeypatch.setattr(case, "judge_rules", failing)
    for name in ("r.csv", "new.csv"):
        with pytest.raises((error, Abort)):  # what click makes of Ctrl-C
            command.main([str(folder / "policy.yaml"), "-o", str(folder / name)], standalone_mode=False)
        assert content(folder) == before


# --- what must not be seen half-done

KILLED_AT = {
    "while the release is written": "PETWorks.tables.output.Staging.write",
    "when it is written": "PETWorks.gate.staged_release.read_policy",
    "while it is judged": "PETWorks.gate.case.judge_rules",
    "when it is judged": "PETWorks.gate.case.notices",
    "while the report is made": "PETWorks.cli.anonymize.check_with_facts",
    "before it is at its place": "PETWorks.tables.output.Staging.publish",
}


@pytest.mark.parametrize("where", KILLED_AT.values(), ids=KILLED_AT)
def test_kill_leaves_nothing_under_the_final_names_and_does_not_block_the_next_run(folder, where):
    before = sorted(path.name for path in folder.iterdir())
    code = f"""
        import os, signal
        from unittest import mock
        import PETWorks.cli.anonymize
        from PETWorks.cli.main import main
        def kill(*_, **__):
            os.kill(os.getpid(), signal.SIGKILL)
        with mock.patch({where!r}, kill):
            main(["anonymize", "policy.yaml", "-o", "r.csv", "--html", "r.html"])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, cwd=folder, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert sorted(path.name for path in folder.iterdir() if not path.name.startswith(".petworks-")) == before
    made(folder, "-o", "r.csv")
    left = {path.name for path in folder.iterdir()} - set(before)
    assert left == {"r.csv", "r_codebook.md", "r_codebook.csv", "r_policy.yaml", "r_plan.json", "r_hierarchies"}


@pytest.mark.parametrize("moved", [2, 5, 8])
def test_kill_while_files_come_to_their_places_does_not_block_the_next_run(folder, moved):
    """The files of an earlier release leave their places first."""
    before = {path.name for path in folder.iterdir()}
    made(folder, "-o", "r.csv")
    code = f"""
        import os, signal
        from pathlib import Path
        from PETWorks.cli.main import main
        usual, moved = Path.replace, []
        def replaced(self, target):
            usual(self, target)
            moved.append(target)
            if len(moved) == {moved}:
                os.kill(os.getpid(), signal.SIGKILL)
        Path.replace = replaced
        main(["anonymize", "policy.yaml", "-o", "r.csv"])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, cwd=folder, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not (folder / "r.csv").exists()
    made(folder, "-o", "r.csv")
    left = {path.name for path in folder.iterdir()} - before
    assert left == {"r.csv", "r_codebook.md", "r_codebook.csv", "r_policy.yaml", "r_plan.json", "r_hierarchies"}


@pytest.mark.parametrize("output", ["r.csv", "r.parquet"])
def test_two_runs_cannot_write_the_same_files(folder, output):
    """Releases of the same stem have one policy."""
    code = """
        import sys
        from unittest import mock
        import PETWorks.gate.case as case
        from PETWorks.cli.main import main
        judge = case.judge_rules
        def wait(*arguments, **named):
            print("judging", flush=True)
            sys.stdin.readline()
            return judge(*arguments, **named)
        with mock.patch.object(case, "judge_rules", wait):
            main(["anonymize", "policy.yaml", "-o", "r.csv"])
    """
    first = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
    )
    assert first.stdout.readline() == b"judging\n"
    said = refused(folder, "-o", output)
    assert (
        said == f"petworks: cannot write '{output}': another run is writing it; wait for it, or name another output\n"
    )
    made(folder, "-o", "another.csv")
    first.communicate(b"\n")
    assert first.returncode == 0
    made(folder, "-o", "r.csv")
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_reports_name_the_final_files(folder):
    made(folder, "-o", "r.csv", "--json", "r.json")
    document = json.loads((folder / "r.json").read_text())
    by_use = {one["is"]: one for one in document["inputs"]}
    assert by_use["data"]["file"] == "r.csv"
    assert by_use["data"]["sha256"] == hashlib.sha256((folder / "r.csv").read_bytes()).hexdigest()
    assert document["policy"]["sha256"] == hashlib.sha256((folder / "r_policy.yaml").read_bytes()).hexdigest()
    assert document["title"] == "r.csv"
    assert "petworks-" not in (folder / "r.json").read_text().replace("petworks-check/1", "")
    again = run("check", "r_policy.yaml", "--json", "-", cwd=folder)
    for name in ("rules", "columns", "table"):
        assert json.loads(again.stdout)[name] == document[name]


# --- permissions


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize(("mode", "expected"), [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o666, 0o644)])
def test_new_files_have_the_permissions_of_the_table(folder, mode, expected):
    before = os.umask(0o022)
    try:
        (folder / "raw.csv").chmod(mode)
        made(folder, "-o", "r.csv", "--html", "r.html", "--reasons", "reasons.csv", "--below", "3")
        code = run("check", "policy.yaml", "--json", "check.json", "--evidence", "evidence", cwd=folder).returncode
        assert code in (0, 1)
        assert run("init", "raw.csv", cwd=folder).returncode == 0
    finally:
        os.umask(before)
    inputs = ("raw.csv", "ages.csv", "policy.yaml")
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in inputs]
    names = {path.name for path in files}
    assert {"r.csv", "r_policy.yaml", "r_plan.json", "r.html", "reasons.csv", "check.json", "raw_policy.yaml"} <= names
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in files} == dict.fromkeys(names, oct(expected))
    assert (folder / "r_hierarchies").stat().st_mode & 0o077 == (expected & 0o044) + ((expected & 0o044) >> 2)
