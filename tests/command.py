"""Run the command in a process forked from one that has already imported it, which is quick."""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from pathlib import Path

# Modules that the package imports only where it needs them.
IMPORTED = ("pyarrow.compute", "pyarrow.csv", "pyarrow.dataset", "pyarrow.parquet", "duckdb", "jsonschema")
IMPORTED += ("encodings.utf_8_sig", "rich.console", "rich.table", "rich.text")
IMPORTED += ("uvicorn.protocols.http.h11_impl", "uvicorn.lifespan.on")
NOT_IMPORTED = ("PETWorks.__main__", "PETWorks.pytest_plugin")
POLICY = """petworks_policy: 1
data: table.csv
roles: {quasi_identifiers: [a]}
rules: [{measure: k-anonymity, k: 2}]
"""
exit_codes = []  # of a command, once it has ended


def petworks(*arguments, cwd=None, env=None):
    """Exit code, standard output and standard error of a command; with `env`, of the installed command.

    Without, it runs in this process: what it imports, compiles and looks up is there for the commands after it.
    """
    if env is not None:
        script = str(Path(sys.executable).with_name("petworks"))
        command = [script, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=env)
    from click.testing import CliRunner

    main = importlib.import_module("PETWorks.cli.main").main
    with contextlib.chdir(cwd or Path.cwd()), warnings.catch_warnings():
        warnings.simplefilter("default")
        done = CliRunner().invoke(main, [*map(str, arguments)], prog_name="petworks")
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def forked(command, cwd, env):
    """The same for a command or a Python file with its arguments, in a process and an environment of its own."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("stdout", "stderr")]
        code = int(_ask([[*map(str, command)], str(cwd), dict(env), *map(str, files)]))
        texts = [path.read_text("utf-8") for path in files]
    return subprocess.CompletedProcess(command, code, *texts)


class Started:
    """A command in a process of its own, which leads a session; it has what jobs and tests use of `Popen`."""

    def __init__(self, command, cwd, env, **_how):
        with tempfile.TemporaryDirectory() as folder:
            pipes = [Path(folder, name) for name in ("stdout", "stderr", "told")]
            for pipe in pipes:
                os.mkfifo(pipe)
            arguments = command[command.index("PETWorks") + 1 :]
            _ask([["petworks", *map(str, arguments)], str(cwd), dict(env), *map(str, pipes)])
            self.stdout, self.stderr, told = (pipe.open(encoding="utf-8", errors="replace") for pipe in pipes)
        self.pid = int(told.readline())
        self.returncode = None
        self._waiter = threading.Thread(target=self._wait, args=[told], daemon=True)
        self._waiter.start()

    def _wait(self, told):
        with told:
            self.returncode = int(told.readline())

    def wait(self, timeout=None):
        self._waiter.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("petworks", timeout)
        return self.returncode

    def communicate(self, timeout=None):
        """The rest of its output, which the pipes can hold, once it has ended."""
        self.wait(timeout)
        with self.stdout, self.stderr:
            return self.stdout.read(), self.stderr.read()

    def poll(self):
        return self.returncode

    def send_signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)


def _ask(request):
    """Send a request to the server; its answer."""
    with _ASKING:
        server = _server()
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        return server.stdout.readline()


_ASKING = threading.Lock()


@functools.cache
def _server():
    """A process that waits for commands; it ends with this one."""
    server = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def end():
        server.stdin.close()
        server.wait()
        server.stdout.close()

    atexit.register(end)
    return server


def _prepare():
    """Import everything that commands import, and compile what they call and the templates of reports."""
    package = importlib.import_module("PETWorks")
    modules = [found.name for found in pkgutil.walk_packages(package.__path__, "PETWorks.")]
    for name in (*IMPORTED, *(name for name in modules if not name.startswith(NOT_IMPORTED))):
        importlib.import_module(name)
    table, roles = {"a": ["x", "y"] * 2}, {"a": "quasi_identifier"}
    package.every_subset(package.Release(table, roles))
    package.anonymize(package.Release(table, roles, {"a": [("x", "*"), ("y", "*")]}), {"k-anonymity": {"k": 2}})
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "table.csv").write_text("a\nx\nx\n", "utf-8")
        Path(folder, "policy.yaml").write_text(POLICY, "utf-8")
        package.check(Path(folder, "policy.yaml")).to_html()
    gc.freeze()


def _serve():
    """Fork for each command; a child leaves the loop and continues as the command.

    With a third file it is not waited for: another process does, and writes its id and its exit code there.
    """
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    while request := sys.stdin.buffer.readline():
        child = os.fork()
        if not child:
            break
        answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        answers.flush()
    else:
        return
    sys.argv, folder, environment, *files = json.loads(request)
    if len(files) > 2:
        _leave_to_another(files.pop())
    os.dup2(nowhere, 0)
    for number, path in enumerate(files, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    try:
        if sys.argv[0].endswith(".py"):
            runpy.run_path(sys.argv[0], run_name="__main__")
        else:
            sys.modules["PETWorks.cli.main"].main()
        exit_codes.append(0)
    except SystemExit as end:
        exit_codes.append(end.code or 0)
    except BaseException:  # noqa: BLE001 - as Python does it
        traceback.print_exc()
        exit_codes.append(1)


def _leave_to_another(told):
    """Continue in a process that leads a session; one between it and the server waits for it."""
    if os.fork():
        os._exit(0)  # the server goes on
    if child := os.fork():
        with Path(told).open("w") as file:
            file.write(f"{child}\n")
            file.flush()
            file.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        os._exit(0)
    os.setsid()


def _leave():
    """End the process of a command without tearing down all imported modules."""
    if exit_codes:
        sys.stdout.flush()
        os._exit(exit_codes[0])


if __name__ == "__main__":
    atexit.register(_leave)  # registered first, called last
    sys.path.pop(0)  # the command must not find the modules of the tests
    _prepare()
    _serve()
