"""`petworks studio` as a command: how it starts, what it prints, and how it ends."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import petworks
from conftest import ROOT
from processes import PATIENCE
from studio_server import Server


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    shutil.copy(ROOT / "data/adult.csv", folder)
    return folder


def alive(pid):
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_it_prints_the_address_and_nothing_else(folder):
    server = Server(folder, new=True)
    assert server.address == f"http://127.0.0.1:{server.port}/enter?token={server.token}"
    assert server.note == "The address works once, for you alone. Ctrl-C ends the page.\n"
    server.enter()
    assert "adult.csv" in server.ask("/").text
    assert server.ask("/nowhere").status == 404
    assert server.ask("/columns?policy=nothing.yaml").status in (400, 404)
    assert server.post("/open", {"table": "adult.csv"}).status == 303
    server.raw(b"nonsense\r\n\r\n", 1.0)
    assert server.end() == (130, "", "petworks: interrupted\n"), "as other commands; and no line about any request"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 0)])
def test_other_signals_end_it_too(folder, number, code):
    assert Server(folder, new=True).end(number) == (code, "", "")


@pytest.mark.slow
def test_it_ends_while_a_page_is_still_loading(folder):
    server = Server(folder)
    server.enter()
    with socket.create_connection(("127.0.0.1", server.port)) as waiting:
        waiting.sendall(f"GET / HTTP/1.1\r\nHost: {server.host}\r\nX-Slow:".encode())
        assert server.end()[0] == 130  # it does not wait for the rest


@pytest.mark.slow
def test_two_servers_at_once_have_their_own_ports_and_folders(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "elsewhere.csv").write_text("a,b\n1,2\n", "utf-8")
    with Server(folder) as first, Server(other) as second:
        assert first.port != second.port
        first.enter()
        second.enter()
        assert "adult.csv" in first.ask("/").text
        assert "elsewhere.csv" in second.ask("/").text
        assert "adult.csv" not in second.ask("/").text


def test_the_folder_is_removed_meanwhile(folder):
    with Server(folder) as server:
        server.enter()
        server.post("/open", {"table": "adult.csv"})
        shutil.rmtree(folder)
        assert server.ask("/").status == 200
        for path in ("/bar", "/columns", "/risk"):
            assert server.ask(f"{path}?policy=adult_policy.yaml").status in (400, 404)
        assert server.post("/open", {"table": "adult.csv"}).status == 400


SHORT = """
import sys
from pathlib import Path
from PETWorks.studio.server import serving
if "job" in sys.argv:
    make_app = serving.make_app
    def with_job(folder):
        app = make_app(folder)
        print(app.state.studio.jobs.start("studio", ".", "--no-browser")._process.pid, flush=True)
        return app
    serving.make_app = with_job
serving.serve(Path(sys.argv[1]), 1.0, lambda address: print(address, flush=True), browser=False)
"""


def test_it_ends_when_nobody_uses_it(folder):
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", SHORT, str(folder)], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - started > 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are looked up in /proc")
def test_it_waits_for_a_job_and_leaves_no_process(folder):
    """The job is a server itself, which would go on for an hour."""
    with subprocess.Popen(
        [sys.executable, "-c", SHORT, str(folder), "job"], stdout=subprocess.PIPE, text=True
    ) as server:
        job = int(server.stdout.readline())
        assert server.stdout.readline().startswith("http://")
        time.sleep(3)
        assert server.poll() is None, "it does not end while a job runs"
        assert alive(job)
        os.killpg(job, signal.SIGKILL)
        assert server.wait(PATIENCE) == 0, "but afterwards"
    with subprocess.Popen(
        [sys.executable, "-c", SHORT, str(folder), "job"], stdout=subprocess.PIPE, text=True
    ) as server:
        job = int(server.stdout.readline())
        assert server.stdout.readline().startswith("http://")
        server.send_signal(signal.SIGTERM)
        server.wait(PATIENCE)
        assert not alive(job)


def test_what_cannot_be_served(folder):
    for arguments, message in (
        (["nowhere"], "'nowhere' is not a folder; name the one with your tables"),
        ([folder / "adult.csv"], "adult.csv' is not a folder; name the one with your tables"),
        ([folder, "--idle", "0"], "--idle expects at least 1 minute, got 0"),
    ):
        done = petworks("studio", *arguments, "--no-browser")
        assert done.returncode == 2
        assert done.stdout == ""
        assert message in done.stderr


def test_without_the_extra_it_says_what_to_install(folder, tmp_path):
    missing = tmp_path / "missing"
    missing.mkdir()
    for package in ("starlette", "uvicorn"):
        (missing / f"{package}.py").write_text(f"raise ModuleNotFoundError('No module named {package}')\n", "utf-8")
        path = os.pathsep.join(filter(None, [str(missing), os.environ.get("PYTHONPATH")]))
        done = petworks("studio", folder, env={**os.environ, "PYTHONPATH": path})
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "petworks: the page needs more packages: pip install 'petworks[studio]'\n"
        (missing / f"{package}.py").unlink()
        shutil.rmtree(missing / "__pycache__", ignore_errors=True)


def test_help():
    done = petworks("studio", "--help")
    assert done.returncode == 0
    for text in ("Everything stays on this machine", "--no-browser", "--idle MINUTES", "petworks studio releases/2026"):
        assert text in done.stdout
    assert "studio" in petworks("--help").stdout


def test_other_commands_do_not_load_the_server():
    script = "import sys, PETWorks.cli.main, PETWorks.cli.studio; PETWorks.check; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "PETWorks.cli.studio" in loaded
    assert not {"starlette", "uvicorn", "ruamel.yaml", "anyio", "asyncio"} & set(loaded)
