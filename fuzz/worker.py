"""A separate process that runs cases: one that crashes, hangs or uses too much memory ends only this process."""

import contextlib
import faulthandler
import io
import multiprocessing
import os
import resource
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from fuzz.case import Case

HANG_SECONDS = 20.0
MEMORY_BYTES = 3 << 29  # 1.5 GB
ADDRESS_BYTES = 12 << 30  # far above resident memory: DuckDB and Arrow reserve much
CASES_PER_PROCESS = 2000  # so that memory kept by libraries is not attributed to a case


@dataclass
class CommandResult:
    """The result of a command, and the files that it left.

    changed   input files that it changed
    created   new files, with their content
    """

    code: Any
    stdout: str
    stderr: str
    changed: list[str] = field(default_factory=list)
    created: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Outcome:
    """The result of a case; `died` describes how the process ended, if it did."""

    ended: list[CommandResult] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)
    memory: int = 0
    died: str | None = None


class Worker:
    """The process, started again when needed."""

    def __init__(self, seconds: float = HANG_SECONDS) -> None:
        self._seconds = seconds
        self._process: Any = None
        self._cases = 0

    def run(self, case: Case) -> Outcome:
        """Run a case and wait for it."""
        if self._process is None:
            self._start()
        self._cases += 1
        try:
            self._pipe.send(case)
            if self._pipe.poll(self._seconds):
                outcome: Outcome = self._pipe.recv()
            else:
                outcome = Outcome(died=f"hang: more than {self._seconds:g} seconds\n{self._last_words()}")
        except (EOFError, ConnectionError):
            self._process.join(5)
            outcome = Outcome(died=f"died with exit code {self._process.exitcode}\n{self._last_words()}")
        if outcome.died or outcome.memory > MEMORY_BYTES or self._cases >= CASES_PER_PROCESS:
            self.stop()
        return outcome

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._errors.close()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._errors = tempfile.NamedTemporaryFile()  # noqa: SIM115 - closed in stop
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, self._errors.name, self._seconds), daemon=True)
        self._process.start()
        other.close()
        self._cases = 0
        self._pipe.recv()  # wait until everything is imported

    def _last_words(self) -> str:
        return Path(self._errors.name).read_text("utf-8", "replace")[-3000:]


def _work(pipe: Any, errors: str, seconds: float) -> None:
    """Run each case that arrives, and send back its result."""
    os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND), 2)
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    lines = Lines()
    _warm_up()
    pipe.send("ready")
    target = ""
    while True:
        try:
            case = pipe.recv()
        except EOFError:
            return
        if case.target != target:
            target = case.target
            lines.forget()
        faulthandler.dump_traceback_later(max(seconds - 1, 0.1))  # if it hangs; the parent reads it
        with tempfile.TemporaryDirectory(prefix="petworks-fuzz-") as folder:
            outcome = Outcome(_run(case, Path(folder), lines))
        faulthandler.cancel_dump_traceback_later()
        outcome.reached = lines.take()
        outcome.memory = _peak_memory()
        pipe.send(outcome)


def _peak_memory() -> int:
    """The peak memory of this process in bytes; `getrusage` would include that of the process that forked it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def _warm_up() -> None:
    """Import and compile what commands need, so that it does not count for any case."""
    from PETWorks import Release, every_subset
    from PETWorks.api.check import require_release  # noqa: F401
    from PETWorks.cli import attack, check, evaluate  # noqa: F401

    every_subset(Release({"a": ["x"]}, {"a": "quasi_identifier"}))


def _run(case: Case, folder: Path, lines: "Lines") -> list[CommandResult]:
    """Run the commands of a case in a folder with its files."""
    home = folder / "case"  # files written to .. are still removed with the folder
    for name, content in case.files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    os.chdir(home)
    try:
        ended, before = [], _files(folder)
        for command in case.commands:
            with lines:
                result = _command(command)
            after = _files(folder)
            result.changed = [os.path.relpath(path, home) for path in before if after.get(path) != before[path]]
            result.created = {
                os.path.relpath(path, home): content for path, content in after.items() if path not in before
            }
            before = after
            ended.append(result)
        return ended
    finally:
        os.chdir("/")


def _command(arguments: list[str]) -> CommandResult:
    """Run a command in this process."""
    from PETWorks.cli.main import main

    contents = [io.BytesIO(), io.BytesIO()]
    streams = [io.TextIOWrapper(content, "utf-8", errors="surrogateescape", newline="") for content in contents]
    code: Any = None
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]), warnings.catch_warnings():
        warnings.simplefilter("always")
        try:
            main.main(list(arguments), prog_name="petworks")
        except SystemExit as end:
            code = end.code or 0
    for stream in streams:
        stream.flush()
    stdout, stderr = (content.getvalue().decode("utf-8", "replace") for content in contents)
    return CommandResult(code, stdout, stderr)


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Lines:
    """Records the lines of PETWorks that run while it is open; new lines guide the fuzzer."""

    def __init__(self) -> None:
        import PETWorks

        self._source = str(Path(PETWorks.__file__).parent)
        self._reached: set[tuple[str, int]] = set()
        self._known: set[tuple[str, int]] = set()

    def __enter__(self) -> None:
        sys.settrace(self._trace_call)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def take(self) -> set[str]:
        """Return the lines that this process had not reached before, as texts."""
        new = self._reached - self._known
        self._known |= new
        self._reached = set()
        return {f"{file.removeprefix(self._source)}:{line}" for file, line in new}

    def forget(self) -> None:
        """Start again: each target counts its own lines."""
        self._known = set()

    def _trace_call(self, frame: FrameType, _event: str, _argument: object) -> Any:
        return self._trace_line if frame.f_code.co_filename.startswith(self._source) else None

    def _trace_line(self, frame: FrameType, event: str, _argument: object) -> Any:
        if event == "line":
            self._reached.add((frame.f_code.co_filename, frame.f_lineno))
        return self._trace_line
