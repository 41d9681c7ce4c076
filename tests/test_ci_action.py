"""The reusable action and the hooks for pre-commit: they say what runners need, and their steps run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from command import forked
from conftest import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
POLICY = """\
petworks_policy: 1
data: stays.csv
no_rule: {illness: a test}
roles:
  quasi_identifiers: [age]
  sensitive_attributes: [illness]
cell_size: 2
rules:
- {measure: k-anonymity, k: 2}
"""
WAIVER = (
    "waivers: [{rule: k-anonymity, owner: Lin, reason: pilot, expires: 2099-12-31}]\ncontext: {rules_reason: pilot}\n"
)


@pytest.fixture
def run(tmp_path):
    """Runs the step that checks; the step that installs is replaced by this environment.

    `as_runners_do` runs it with a shell and a new Python, otherwise its program runs in a forked one, which is quicker.
    """
    (tmp_path / "stays.csv").write_text("age,illness\n" + "30-39,flu\n30-39,gout\n" * 10)
    (tmp_path / "raw.csv").write_text("age,illness\n3917,flu\n4028,gout\n")
    (tmp_path / "stays_policy.yaml").write_text(POLICY)
    (tmp_path / "waived_policy.yaml").write_text(POLICY.replace("stays.csv", "raw.csv") + WAIVER)

    def step(as_runners_do=False, **inputs):
        given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        (check,) = [one for one in ACTION["runs"]["steps"] if one.get("id") == "check"]
        files = {name: tmp_path / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        environment = {**os.environ, **{name: str(file) for name, file in files.items()}}
        environment["PETWORKS_PYTHON"] = sys.executable
        for name, value in check["env"].items():
            expression = value.removeprefix("${{ ").removesuffix(" }}")
            environment[name] = str(ROOT) if expression == "github.action_path" else given[expression.split(".")[1]]
        if as_runners_do:
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]]
            done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        else:
            done = forked([ROOT / "integrations/ci/gate.py"], tmp_path, environment)
        return done, *(file.read_text("utf-8") for file in files.values())

    return step


def test_an_action_has_what_runners_need():
    assert ACTION["runs"]["using"] == "composite"
    assert all({"name", "shell", "run"} <= set(step) for step in ACTION["runs"]["steps"])
    assert all(
        one["description"] and ("default" in one) != one.get("required", False) for one in ACTION["inputs"].values()
    )
    used = {value for step in ACTION["runs"]["steps"] for value in step["env"].values()}
    assert used == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]} | {"${{ github.action_path }}"}
    # What users give reaches the shell only by its environment; written into the script, it would be run.
    assert not [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step["run"]]
    assert not [step["name"] for step in ACTION["runs"]["steps"] if "upload" in str(step)]


def test_a_release_that_passes(run):
    done, summary, output = run(as_runners_do=True, policy="stays_policy.yaml\n\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "stays.csv" in summary
    assert output == "verdict=pass\n"


@pytest.mark.parametrize(("fail_on", "codes"), [("fail", (1, 0)), ("waived", (1, 1)), ("never", (0, 0))])
def test_what_fails_the_job(run, fail_on, codes):
    failing, summary, output = run(policy="stays_policy.yaml", data="raw.csv", edition="internal", fail_on=fail_on)
    assert "k ≥ 2" in summary
    assert output == "verdict=fail\n"
    waived, _, output = run(policy="*_policy.yaml", edition="internal", fail_on=fail_on)
    assert output == "verdict=waived\n"
    assert (failing.returncode, waived.returncode) == codes


def test_summary_and_log_are_for_outsiders_unless_asked_otherwise(run):
    done, summary, _ = run(policy="stays_policy.yaml", data="raw.csv")
    assert done.returncode == 1
    for text in (done.stdout, summary):
        assert not [cell for cell in ("3917", "4028", "gout") if cell in text]
        assert "2 records (100 %)" not in text
    assert "2 records (100 %)" in run(policy="stays_policy.yaml", data="raw.csv", edition="internal")[1]
    assert "未通過" in run(policy="stays_policy.yaml", data="raw.csv", lang="zh-TW")[1]


WITHHELD = """\
petworks_policy: 1
data: stays.csv
no_rule: {illness: a test}
roles:
  quasi_identifiers: [age]
  sensitive_attributes: [illness]
cell_size: 11
rules:
- {measure: k-anonymity, k: 10}
"""


@pytest.fixture
def hidden(tmp_path):
    """A rule whose verdict the external edition withholds, with a table that keeps it and one that does not."""
    (tmp_path / "hidden_policy.yaml").write_text(WITHHELD)
    for name, size in (("keeps", 10), ("breaks", 9)):
        lines = [f"{age},flu" for age in ("20-29", "30-39", "40-49") for _ in range(40)]
        lines += ["50-59,gout"] * size + ["60-69,flu"] * (50 - size)
        (tmp_path / f"{name}.csv").write_text("\n".join(["age,illness", *lines]) + "\n")
    return "hidden_policy.yaml"


def test_a_withheld_verdict_stops_the_job_whatever_the_data(run, hidden):
    inside = {name: run(policy=hidden, data=f"{name}.csv", edition="internal") for name in ("keeps", "breaks")}
    assert [done.returncode for done, _, _ in inside.values()] == [0, 1], "the verdicts differ"
    outside = {}
    for name in inside:
        done, summary, output = run(policy=hidden, data=f"{name}.csv")
        assert (done.returncode, output) == (4, "verdict=withheld\n")
        assert "--edition internal" in done.stderr
        assert "--edition internal" in summary
        log = re.sub(r"[0-9a-f]{32}|::stop-commands::|\d{4}-\d\d-\d\dT\S+Z", "", done.stdout + done.stderr + summary)
        outside[name] = log.replace(f"{name}.csv", "table.csv")
    assert re.sub(" +|─+", " ", outside["keeps"]) == re.sub(" +|─+", " ", outside["breaks"])
    assert run(policy=hidden, data="breaks.csv", fail_on="waived")[0].returncode == 4
    assert run(policy=hidden, data="breaks.csv", fail_on="never")[0].returncode == 0
    assert "結束代碼為 4" in run(policy=hidden, data="breaks.csv", lang="zh-TW")[0].stderr


def test_the_worst_of_several_policies(run, hidden, tmp_path):
    (tmp_path / "hidden_policy.yaml").write_text(WITHHELD.replace("stays.csv", "keeps.csv"))
    (tmp_path / "bad_policy.yaml").write_text(POLICY.replace("stays.csv", "raw.csv"))
    assert run(policy=f"stays_policy.yaml\n{hidden}")[0].returncode == 4
    assert run(policy=f"{hidden}\nbad_policy.yaml")[0].returncode == 1, "a rule that is shown fails"
    assert run(policy=f"{hidden}\nno_such.yaml\nbad_policy.yaml")[0].returncode == 2


@pytest.mark.parametrize("fail_on", ["fail", "never"])
@pytest.mark.parametrize("policy", ["", "  ", "\n \n\t\n"])
def test_a_job_that_would_judge_nothing_fails(run, policy, fail_on):
    """A variable of the repository that is not set is an empty text."""
    done, summary, output = run(policy=policy, fail_on=fail_on)
    assert (done.returncode, summary, output) == (2, "", "verdict=error\n")
    assert "policy names no file" in done.stderr


@pytest.mark.parametrize("policy", ["no_such_*.yaml", "stays_policy.yaml\nno_such.yaml", "raw.csv"])
def test_the_verdict_is_an_error_if_something_could_not_be_judged(run, policy):
    done, _, output = run(policy=policy, fail_on="never")
    assert (done.returncode, output) == (2, "verdict=error\n")
    assert "petworks: " in done.stderr
    done, _, output = run(policy="stays_policy.yaml", fail_on="sometimes")
    assert (done.returncode, output) == (2, "verdict=error\n")
    done, _, output = run(policy="stays_policy.yaml", edition="no such")
    assert (done.returncode == 0, output) == (False, "verdict=error\n")


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_without_a_policy_fails(hook, tmp_path):
    command = [sys.executable, "-m", "PETWorks", *HOOKS[hook]["entry"].split()[1:]]
    for given in ([], [""]):
        done = subprocess.run([*command, *given], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2


@pytest.fixture
def install(tmp_path):
    """Runs the step that installs, with a Python that only writes down what pip is asked for."""
    log, tools = tmp_path / "asked", tmp_path / "tools"
    tools.mkdir()
    pip = f'#!/bin/sh\necho "$PIP_CONSTRAINT" "$@" >> {log}\n'
    (tools / "python3").write_text(
        f'#!/bin/sh\nmkdir -p "$3/bin"\ncat > "$3/bin/python" <<"END"\n{pip}END\nchmod +x "$3/bin/python"\n'
    )
    (tools / "python3").chmod(0o755)

    def step(source, extras=""):
        log.unlink(missing_ok=True)
        environment = {"PATH": f"{tools}:{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path)}
        environment |= {"GITHUB_ENV": str(tmp_path / "env"), "SOURCE": str(ROOT), "WANTED": source, "EXTRAS": extras}
        (first,) = [one for one in ACTION["runs"]["steps"] if one["name"] == "Install PETWorks"]
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", first["run"]]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done, log.read_text().strip() if log.exists() else ""

    return step


@pytest.mark.parametrize(
    ("source", "extras", "wanted"),
    [
        ("", "", f"{ROOT}"),
        ("", "duckdb", f"{ROOT}[duckdb]"),
        ("ours", "duckdb", "{here}/ours[duckdb]"),
        ("ours/petworks-1-py3-none-any.whl", "", "{here}/ours/petworks-1-py3-none-any.whl"),
        ("petworks", "", "{here}/petworks"),
        (
            "git+https://git.example/us/petworks@v1",
            "duckdb",
            "petworks[duckdb] @ git+https://git.example/us/petworks@v1",
        ),
    ],
)
def test_what_is_installed_comes_from_no_index_and_with_pinned_versions(install, tmp_path, source, extras, wanted):
    (tmp_path / "ours").mkdir()
    (tmp_path / "petworks").mkdir()
    (tmp_path / "ours/petworks-1-py3-none-any.whl").touch()
    done, asked = install(source, extras)
    assert (done.returncode, done.stderr) == (0, "")
    assert asked == f"{ROOT}/constraints.txt -m pip install --quiet --disable-pip-version-check " + wanted.format(
        here=tmp_path
    )


@pytest.mark.parametrize("source", ["1.2.0", "petworks", "petworks==1.2.0", "git+https://git.example/us/petworks"])
def test_a_name_or_a_version_installs_nothing(install, source):
    done, asked = install(source)
    assert (done.returncode, asked) == (2, "")
    assert "source is a folder, a wheel or git+https://...@REVISION" in done.stderr


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"policy": "no_such.yaml"}, "no_such.yaml"),
        ({"policy": "no_such.yaml", "fail_on": "never"}, "no_such.yaml"),
        ({"policy": "stays_policy.yaml", "fail_on": "always"}, "fail-on is one of fail, waived, never, got 'always'"),
        ({"policy": "stays_policy.yaml", "edition": "secret"}, "edition is 'internal' or 'external'"),
        ({"policy": "$(touch hacked); `touch hacked`"}, "touch hacked"),
    ],
)
def test_mistakes_fail_the_job(run, tmp_path, inputs, message):
    done, _, output = run(as_runners_do="hacked" in message, **inputs)
    assert (done.returncode, output) == (2, "verdict=error\n")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "hacked").exists()


def test_a_column_cannot_give_commands_to_the_runner(run, tmp_path):
    (tmp_path / "raw.csv").write_text("age,illness,::error::hacked\n3917,flu,a\n4028,gout,b\n")
    done, _, _ = run(policy="stays_policy.yaml", data="raw.csv", edition="internal")
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("::stop-commands::")
    assert last == f"::{first.removeprefix('::stop-commands::')}::"


def test_hooks_run_commands_that_exist(run, tmp_path):
    assert set(HOOKS) == {"petworks-lint", "petworks-check"}
    arguments = {"petworks-lint": ["stays_policy.yaml", "waived_policy.yaml"], "petworks-check": ["stays_policy.yaml"]}
    for name, hook in HOOKS.items():
        assert hook["language"] == "python"
        script, *command = hook["entry"].split()
        entry = [Path(sys.executable).with_name(script), *command, *arguments[name]]
        done = subprocess.run(entry, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), name


@pytest.mark.parametrize(
    ("file", "chosen"),
    [
        ("policy.yaml", True),
        ("policies/stays_policy.yml", True),
        ("stays-policy.yaml", True),
        ("stays_policy.yaml.bak", False),
        ("mypolicy.yaml", False),
        ("docs/policy.md", False),
    ],
)
def test_files_that_the_hook_looks_at(file, chosen):
    assert bool(re.search(HOOKS["petworks-lint"]["files"], file)) is chosen


def test_the_page_shows_what_there_is():
    page = (ROOT / "docs/pipelines.md").read_text("utf-8")
    section = page.partition("\n## GitHub, Gitea, Forgejo\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == list(ACTION["inputs"])
    blocks = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)]
    (job,) = [block["jobs"]["gate"] for block in blocks if "jobs" in block]
    assert set(job["steps"][-1]["with"]) <= set(ACTION["inputs"])
    (repository,) = [block["repos"][0] for block in blocks if "repos" in block]
    assert [hook["id"] for hook in repository["hooks"]] == list(HOOKS)
    (model,) = [block["models"][0] for block in blocks if "models" in block]
    for test in model["data_tests"]:
        ((name, given),) = test.items()
        macro = (ROOT / f"integrations/dbt/macros/{name.removeprefix('petworks.')}.sql").read_text("utf-8")
        assert set(given["arguments"]) < set(re.findall(r"\w+", macro.partition("{% test ")[2].partition(" %}")[0]))
