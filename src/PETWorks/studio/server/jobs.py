"""Long-running commands: each is an ordinary `petworks` command in a process that can be stopped.

So the page and the command line cannot differ. The process reports its progress as lines of JSON on standard error.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Any

from PETWorks.errors import InputError
from PETWorks.locale import ENGLISH
from PETWorks.render.language.messages import VARIABLE
from PETWorks.render.terminal import PROGRESS_LINES, command_line

MAX_JOBS = 20  # kept in memory
MAX_AT_ONCE = 4
LONGEST_OUTPUT = 4_000_000
GRACE = 10.0  # seconds that a process gets to end by itself
FINISHED = (0, 1)  # exit codes of a command that finished: all rules hold, or some do not


@dataclass(frozen=True)
class Purpose:
    """Why a command is run.

    policy    the policy that was open
    step      the step of the workflow that started it
    on_end    the page that shows the result; its address also gets the policy and the id of the job
    values    further parameters of that address
    can_stop  whether it is a search, which can be stopped and then returns the best release found so far
    """

    policy: Path | None = None
    step: str = "open"
    on_end: str = "/"
    values: Mapping[str, str] = field(default_factory=dict)
    can_stop: bool = False


class Job:
    """A command that is running or has ended.

    command    the command line, as one would type it in the folder of the page
    progress   the last progress report: nodes tried, best loss, bound
    code       its exit code; None while it runs
    """

    def __init__(self, arguments: Sequence[str], folder: Path, purpose: Purpose, lang: str) -> None:
        self.id = secrets.token_urlsafe(12)
        self.arguments = tuple(arguments)
        self.command = command_line(["petworks", *arguments])
        self.purpose = purpose
        self._started = monotonic()
        self._ended: float | None = None
        self.is_to_stop = False
        self.progress: dict[str, Any] = {}
        self.messages: list[str] = []
        self.output = ""
        self.code: int | None = None
        self.is_cancelled = False
        self._process = subprocess.Popen(  # noqa: S603 - this program itself, without a shell
            # -P: Python files in the user's folder must not be imported.
            [sys.executable, "-P", "-m", "PETWorks", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(lang),
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # like start_new_session, on Windows
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        reader = Thread(target=self._read_output, daemon=True)
        self._readers = [reader, Thread(target=self._read_errors, daemon=True)]
        for thread in self._readers:
            thread.start()
        self._waiter = Thread(target=self._wait, daemon=True)
        self._waiter.start()

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            self.output = stream.read(LONGEST_OUTPUT)
            while stream.read(1 << 16):
                pass

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in stream:
                if line.startswith('{"progress"'):
                    self._read_progress(line)
                elif len(self.messages) < 100:
                    self.messages.append(line.rstrip("\n"))

    def _read_progress(self, line: str) -> None:
        try:
            self.progress = dict(json.loads(line)["progress"])
        except (ValueError, KeyError, TypeError):
            return
        self._stop_if_wanted()

    def _wait(self) -> None:
        code = self._process.wait()
        for thread in self._readers:
            thread.join()
        self._ended = monotonic()
        self.code = code

    @property
    def is_running(self) -> bool:
        """Whether the command is still running."""
        return self.code is None

    @property
    def state(self) -> str:
        """One of running, done, cancelled and failed."""
        if self.code is None:
            return "running"
        if self.code in FINISHED:
            return "done"
        return "cancelled" if self.is_cancelled else "failed"

    @property
    def seconds(self) -> float:
        """Seconds since the start, or until the end if it has ended."""
        return (monotonic() if self._ended is None else self._ended) - self._started

    @property
    def result(self) -> Any:
        """The JSON document that the command printed; None if it printed something else."""
        try:
            return json.loads(self.output)
        except ValueError:
            return None

    def stop(self) -> None:
        """Stop a search as Ctrl-C does, once it has found a release: it returns the best one so far."""
        self.is_to_stop = self.purpose.can_stop and self.is_running
        self._stop_if_wanted()

    def _stop_if_wanted(self) -> None:
        """Send Ctrl-C only while the search runs; before and after it would end the whole command."""
        if self.is_to_stop and self.progress.get("doing") == "searching" and self.progress.get("best") is not None:
            self.is_to_stop = False
            self._process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))

    def cancel(self) -> None:
        """Kill the command and every process that it started, without a result."""
        if self._process.poll() is not None:
            return
        self.is_cancelled = True
        if sys.platform == "win32":
            self._process.kill()
        else:
            self._signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
            self._signal(signal.SIGKILL)  # its children, and itself if it ignores SIGTERM
        self._waiter.join()

    def _signal(self, number: signal.Signals) -> None:
        if sys.platform != "win32":
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


def _environment(lang: str) -> dict[str, str]:
    """The environment of the process; relative entries of PYTHONPATH are made absolute, as its folder differs."""
    environment = {**os.environ, PROGRESS_LINES: "1", VARIABLE: lang, "PYTHONUTF8": "1", "PYTHONSAFEPATH": "1"}
    if python_path := environment.get("PYTHONPATH"):
        environment["PYTHONPATH"] = os.pathsep.join(
            str(Path(folder).absolute()) for folder in python_path.split(os.pathsep)
        )
    return environment


class Jobs:
    """The commands that this server started last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()

    def start(self, *arguments: str, purpose: Purpose | None = None, lang: str = ENGLISH) -> Job:
        """Start a command in the folder of the page, with messages in the language of the page."""
        with self._lock:
            if len(self.running) >= MAX_AT_ONCE:
                raise InputError(
                    "{number} commands are running already; wait until one has ended, or cancel it", number=MAX_AT_ONCE
                )
            job = Job(arguments, self._folder, purpose or Purpose(), lang)
            self._jobs[job.id] = job
            ended = [started for started in self._jobs.values() if not started.is_running]
            for old in ended[: max(0, len(self._jobs) - MAX_JOBS)]:
                del self._jobs[old.id]
        return job

    def of(self, job_id: str) -> Job:
        """Return a job by its id."""
        if job_id not in self._jobs:
            raise InputError("there is no such job; it may have been of an earlier start of the page")
        return self._jobs[job_id]

    def about(self, policy: Path) -> list[Job]:
        """The jobs that were started for a policy, the last one first."""
        return [job for job in reversed(list(self._jobs.values())) if job.purpose.policy == policy]

    @property
    def running(self) -> list[Job]:
        """The jobs that have not ended."""
        return [job for job in list(self._jobs.values()) if job.is_running]

    @property
    def are_running(self) -> bool:
        """Whether any job has not ended."""
        return bool(self.running)

    def cancel_all(self) -> None:
        """Cancel all jobs: nothing keeps running after the page is closed."""
        for job in list(self._jobs.values()):
            job.cancel()
