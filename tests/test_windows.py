"""Windows, as far as it can be tried elsewhere: what its Python lacks, paths, code pages, consoles."""

import ast
import ntpath
import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from command import petworks
from conftest import ROOT
from PETWorks.render import terminal
from PETWorks.tables import files, opening
from PETWorks.tables.opening import is_address
from processes import PATIENCE
from source import nodes, parsed_modules

# Modules and names that Python has on other systems only (those of asyncio and multiprocessing, which use them, aside).
MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty")
OS = [
    "fork",
    "forkpty",
    "geteuid",
    "getgid",
    "getuid",
    "killpg",
    "mkfifo",
    "nice",
    "O_DIRECTORY",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "pread",
    "sched_getaffinity",
]
OS += [
    "setsid",
    "statvfs",
    "sync",
    "sysconf",
    "uname",
    "wait4",
    "WNOHANG",
    "getpgid",
    "register_at_fork",
    "getloadavg",
    "openpty",
    "pipe2",
]
SIGNALS = [
    "SIGALRM",
    "SIGCHLD",
    "SIGHUP",
    "SIGKILL",
    "SIGPIPE",
    "SIGQUIT",
    "SIGTSTP",
    "SIGUSR1",
    "SIGUSR2",
    "alarm",
    "setitimer",
    "pause",
    "sigwait",
]

# Libraries are imported first: those for Windows are others. Then everything of ours is, and the command runs.
PRETENDED = f"""
import asyncio, multiprocessing.pool, subprocess, tempfile, shutil, platform, ctypes, uuid, webbrowser, glob, getpass
import click, rich.console, rich.table, rich.progress, yaml, jinja2, jsonschema, numba, duckdb, concurrent.futures
import pyarrow.compute, pyarrow.csv, pyarrow.parquet, pyarrow.ipc, starlette.applications, uvicorn, ruamel.yaml
import importlib, os, pkgutil, signal, sys
subprocess.run([sys.executable, "-c", ""])
for name in {OS}:
    vars(os).pop(name, None)
for name in {SIGNALS}:
    vars(signal).pop(name, None)
sys.modules.update(dict.fromkeys({MODULES}))
import PETWorks
for module in pkgutil.walk_packages(PETWorks.__path__, "PETWorks."):
    if module.name not in ("PETWorks.__main__", "PETWorks.pytest_plugin"):
        importlib.import_module(module.name)
from PETWorks.cli.main import main
for command in COMMANDS:
    try:
        main(command)
    except SystemExit as end:
        print("exit code", end.code or 0)
"""


def test_the_program_needs_nothing_that_windows_lacks(tmp_path):
    """Every module is imported, and a table becomes a release, without what Python has on Unix only."""
    rows = [f"{20 + place % 40},{place % 7},{'flu' if place % 3 else 'gout'}" for place in range(300)]
    (tmp_path / "stays.csv").write_bytes(("\r\n".join(["age,district,diagnosis", *rows]) + "\r\n").encode())
    (tmp_path / "empty.csv").write_bytes(b"")
    commands = [
        ["init", "stays.csv"],
        ["check", "stays_policy.yaml"],
        ["anonymize", "stays_policy.yaml", "-o", "released.csv", "--html", "report.html"],
        ["check", "released_policy.yaml", "--json", "check.json", "--evidence", "evidence"],
        ["evaluate", "stays.csv", "--qi", "age,district", "--engine", "duckdb", "--measure", "k-anonymity"],
        ["attack", "stays.csv", "--qi", "age,district", "--subsets", "1-2"],
        ["evaluate", "*.csv", "--qi", "age"],
        ["evaluate", "empty.csv", "--qi", "age"],
    ]
    code = PRETENDED.replace("COMMANDS", repr(commands))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    codes = [line.removeprefix("exit code ") for line in done.stdout.splitlines() if line.startswith("exit code ")]
    assert codes == ["0", "1", "0", "0", "0", "0", "2", "2"], done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "AttributeError" not in done.stderr
    assert b"\r\n" in (tmp_path / "released.csv").read_bytes(), "the ends of lines stay those of the table"


def test_what_only_unix_has_is_never_imported_at_the_top():
    for path, tree in parsed_modules().items():
        for node in tree.body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert not set(names) & set(MODULES), path


def test_files_are_opened_with_an_encoding():
    """Without one, Windows reads texts in its code page."""
    for path, tree in parsed_modules().items():
        for node in nodes(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            given = {keyword.arg for keyword in node.keywords}
            texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            where = f"{path}:{node.lineno}"
            if name == "read_text":
                assert node.args or "encoding" in given, where
            if (
                name == "write_text"
                and isinstance(node.func, ast.Attribute)
                and ast.unparse(node.func.value) != "super()"
            ):
                assert len(node.args) > 1 or "encoding" in given, where
            if name == "open" and set("".join(texts)) <= set("rwxa+t") and ("r" in texts or "w" in texts):
                assert "encoding" in given, where


@pytest.fixture
def windows_paths(monkeypatch):
    """Paths as Windows has them, where the program makes some for files."""
    monkeypatch.setattr(files, "Path", PureWindowsPath)
    monkeypatch.setattr(files.os, "path", ntpath)


@pytest.mark.parametrize(
    ("folder", "path", "named"),
    [
        (r"C:\work", r"C:\work\exports\stays.csv", "exports/stays.csv"),
        (r"C:\work\policies", r"C:\work\stays.csv", "../stays.csv"),
        (r"\\server\share\a", r"\\server\share\b\stays.csv", "../b/stays.csv"),
    ],
)
def test_policies_name_files_with_slashes(windows_paths, folder, path, named):
    assert files.path_from(PureWindowsPath(folder), PureWindowsPath(path)) == named


def test_files_on_two_drives_do_not_belong_together(windows_paths):
    folder, other = PureWindowsPath(r"C:\work"), PureWindowsPath(r"D:\data\stays.csv")
    for asked in (files.path_from, files.common_folder):
        with pytest.raises(ValueError, match="is on another drive than") as raised:
            asked(folder, other)
        assert type(raised.value).__name__ == "InputError"


@pytest.mark.parametrize(
    "path", [r"C:\exports\stays.csv", "C:/exports/stays.csv", r"\\server\share\a.csv", r"D:\x.duckdb#t"]
)
def test_a_drive_is_not_an_address(path):
    assert not is_address(path)


def test_a_pattern_fits_as_the_system_compares_names(monkeypatch):
    """What would match the pattern of the inputs must not be written; Windows does not tell cases apart."""
    assert not opening._fits(["*.CSV"], ["stays.csv"])
    monkeypatch.setattr(os.path, "normcase", ntpath.normcase)
    assert opening._fits(["*.CSV"], ["stays.csv"])


@pytest.mark.parametrize(
    ("windows", "printed"),
    [
        (False, "petworks check 'my policy.yaml' 'C:\\a\\b.yaml'"),
        (True, 'petworks check "my policy.yaml" C:\\a\\b.yaml'),
    ],
)
def test_commands_are_quoted_for_the_shell_of_the_system(monkeypatch, windows, printed):
    monkeypatch.setattr(terminal, "WINDOWS", windows)
    assert terminal.command_line(["petworks", "check", "my policy.yaml", "C:\\a\\b.yaml"]) == printed


def test_a_policy_with_backslashes_says_what_to_write(tmp_path):
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports/stays.csv").write_text("age\n1\n")
    policy = "petworks_policy: 1\ndata: exports\\stays.csv\nroles: {quasi_identifiers: [age]}\n"
    policy += "rules: [{measure: k-anonymity, k: 1}]\ncontext: {rules_reason: a test}\n"
    (tmp_path / "policy.yaml").write_text(policy)
    done = petworks("check", "policy.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        "policy.yaml, line 2, data: no such file or folder: 'exports\\\\stays.csv'; write paths with / on every system"
        in done.stderr
    )
    (tmp_path / "policy.yaml").write_text(policy.replace("\\", "/"))
    assert petworks("check", "policy.yaml", cwd=tmp_path).returncode == 0


CODE_PAGES = [("cp950", "性別,年齡\r\n女,30\r\n女,30\r\n"), ("cp1252", "Größe,Straße\r\nmäßig,30\r\nmäßig,30\r\n")]
CODE_PAGES += [("utf-8-sig", "性別,年齡\r\n女,30\r\n女,30\r\n"), ("utf-16", "性別,年齡\r\n女,30\r\n女,30\r\n")]


@pytest.mark.parametrize(("encoding", "text"), CODE_PAGES, ids=[encoding for encoding, _ in CODE_PAGES])
def test_tables_in_code_pages(tmp_path, encoding, text):
    (tmp_path / "stays.csv").write_bytes(text.encode(encoding))
    first = text.partition(",")[0]
    options = [] if encoding in ("cp950", "utf-8-sig") else ["--encoding", encoding]  # these two are recognised
    done = petworks("evaluate", "stays.csv", "--qi", first, "--measure", "k-anonymity:k=2", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert first in done.stdout or "k-anonymity" in done.stdout


@pytest.mark.parametrize(
    ("encoding", "lang"), [("cp950", "zh-TW"), ("cp950", "en"), ("cp437", "zh-TW"), ("ascii", "zh-TW")]
)
def test_consoles_that_lack_characters(tmp_path, encoding, lang):
    """A result is printed with question marks instead of failing; an error does not become another one."""
    (tmp_path / "檔.csv").write_bytes("性別,年齡\r\n女,30\r\n".encode())
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "PETWORKS_LANG": lang}
    commands = {
        "evaluate": (["檔.csv", "--qi", "性別", "--measure", "k-anonymity:k=2"], 1),
        "check": ([str(ROOT / "data/adult_policy.yaml"), "--markdown", "-"], 0),
        "lint": (["沒有.yaml"], 2),
    }
    script = Path(sys.executable).with_name("petworks")
    for name, (arguments, code) in commands.items():
        done = subprocess.run(
            [script, name, *arguments], cwd=tmp_path, env=environment, capture_output=True, check=False
        )
        assert done.returncode == code, (name, done.stderr.decode(encoding, "replace"))
        # click takes ASCII for a mistake of the system, and writes UTF-8
        printed = (done.stdout + done.stderr).decode("utf-8" if encoding == "ascii" else encoding)
        assert "Traceback" not in printed
        assert "UnicodeEncodeError" not in printed
        if encoding == "cp950" and lang == "zh-TW":
            assert {"evaluate": "性別", "check": "通過", "lint": "沒有"}[name] in printed
