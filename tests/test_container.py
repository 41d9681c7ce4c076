"""The container file: linted, built where there is an engine, and its circumstances tried without one."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

FILE = ROOT / "Containerfile"
LINES = [line for line in FILE.read_text("utf-8").splitlines() if line and not line.startswith("#")]
STAGES = re.split(r"^(?=FROM )", "\n".join(LINES), flags=re.MULTILINE)[1:]


def test_a_linter_has_no_objection():
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint is not installed")
    done = subprocess.run([hadolint, FILE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_is_small_and_runs_as_nobody():
    assert len(STAGES) == 2, "what builds is not shipped"
    pinned = r"^ARG PYTHON=3\.\d+\.\d+-slim-bookworm@sha256:[0-9a-f]{64}$"
    assert re.search(pinned, "\n".join(LINES), re.MULTILINE), "a version of Python by its digest, since tags are moved"
    assert all(stage.splitlines()[0].startswith("FROM docker.io/library/python:${PYTHON}") for stage in STAGES)
    assert "PIP_CONSTRAINT=/source/constraints.txt" in STAGES[0], "the versions that the tests ran with"
    user = re.findall(r"^USER (.+)$", STAGES[1], re.MULTILINE)
    assert user == ["10001:10001"], "a number, so that an orchestrator sees that it is not root"
    assert STAGES[1].index("USER") > STAGES[1].index("COPY"), "its files belong to root, so that it cannot change them"
    assert 'ENTRYPOINT ["petworks"]' in STAGES[1]
    assert not re.search(
        r"^(ADD|EXPOSE|VOLUME|SHELL)|curl|wget|apt|sudo|https?://|ARG .*(TOKEN|PASS)", "\n".join(LINES), re.M
    )


def test_only_what_is_copied_is_sent_to_the_builder():
    copied = {name for line in LINES for name in re.findall(r"^COPY (?!--)(.+) \S+$", line) for name in name.split()}
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert "*" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == copied
    assert all((ROOT / name).exists() for name in copied)


@pytest.fixture(scope="module")
def engine():
    for name in ("docker", "podman"):
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    pytest.skip("no container engine runs here")


@pytest.mark.slow
def test_it_is_built_and_runs_without_network_on_a_read_only_root(engine):
    subprocess.run([engine, "build", "--quiet", "--file", FILE, "--tag", "petworks-test", ROOT], check=True)
    command = [engine, "run", "--rm", "--network", "none", "--read-only", "--volume", f"{ROOT}/data:/data:ro"]
    done = subprocess.run(
        [*command, "petworks-test", "check", "adult_policy.yaml"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pass ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "first"),
    [
        (["check", "adult_policy.yaml"], "pass Adult survey, public file"),
        (["attack", "adult.csv", "--subsets", "1-2"], "If they know all of the attributes"),
    ],
)
def test_the_command_needs_no_network_no_home_and_no_place_to_write(command, first):
    """The circumstances of the container, without one: a root that cannot be written to, and no way to the outside."""
    inside = ["unshare", "--map-root-user", "--net", "--mount", "sh", "-c"]
    locked = "mount -o remount,bind,ro / && "
    if shutil.which("unshare") is None or subprocess.run([*inside, f"{locked}true"], check=False).returncode:
        pytest.skip("needs Linux and the right to make namespaces")
    script = locked + '! touch "$1" 2>/dev/null && cd "$2" && shift 2 && exec env -i PATH= HOME=/nowhere "$@"'
    petworks = Path(sys.executable).with_name("petworks")
    done = subprocess.run(
        [*inside, script, "sh", ROOT / "touched", ROOT / "data", petworks, *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == first
