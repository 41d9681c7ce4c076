"""Long work: the command itself, as anybody could type it, in a process that can be stopped.

So the page and the command line cannot differ. The process says how far it is in lines of JSON on its standard error.
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
from PETWorks.render.language.language import VARIABLE
from PETWorks.render.languages import ENGLISH
from PETWorks.render.terminal import PROGRESS_LINES, command_line

MOST_JOBS = 20  # that are remembered
MOST_AT_ONCE = 4
LONGEST_OUTPUT = 4_000_000
GRACE = 10.0  # seconds that a process has to end by itself
GOOD = (0, 1)  # exit codes of a command that did its work: every rule holds, or one does not


@dataclass(frozen=True)
class Purpose:
    """What a command is run for.

    policy    the policy that was open
    step      the step of the workflow that started it
    on_end    the page that shows what came out; its address also gets the policy and the id of the job
    values    what else that address says
    can_stop  whether it is a search, which can be stopped with the best that it has found
    """

    policy: Path | None = None
    step: str = "open"
    on_end: str = "/"
    values: Mapping[str, str] = field(default_factory=dict)
    can_stop: bool = False


class Job:
    """A command that runs or has run.

    command    as it is typed in the folder of the page
    progress   what it said last: nodes tried, best loss, bound
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
        self._process = subprocess.Popen(  # noqa: S603 - this program, with arguments that are no shell's
            # -P: Python files in the folder of the page are data like others, and are not imported.
            [sys.executable, "-P", "-m", "PETWorks", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(lang),
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same for Windows
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
                    self._take(line)
                elif len(self.messages) < 100:
                    self.messages.append(line.rstrip("\n"))

    def _take(self, line: str) -> None:
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
        """Whether it has not ended."""
        return self.code is None

    @property
    def state(self) -> str:
        """One of running, done, cancelled and failed."""
        if self.code is None:
            return "running"
        if self.code in GOOD:
            return "done"
        return "cancelled" if self.is_cancelled else "failed"

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return (monotonic() if self._ended is None else self._ended) - self._started

    @property
    def result(self) -> Any:
        """What it printed, as JSON; None if it printed something else."""
        try:
            return json.loads(self.output)
        except ValueError:
            return None

    def stop(self) -> None:
        """End a search with the best that it has found, as Ctrl-C does; as soon as it has found something."""
        self.is_to_stop = self.purpose.can_stop and self.is_running
        self._stop_if_wanted()

    def _stop_if_wanted(self) -> None:
        """Ctrl-C ends the search only while it goes on; before and after it would end the command."""
        if self.is_to_stop and self.progress.get("doing") == "searching" and self.progress.get("best") is not None:
            self.is_to_stop = False
            self._process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))

    def cancel(self) -> None:
        """End it, and everything that it started, without a result."""
        if self._process.poll() is not None:
            return
        self.is_cancelled = True
        if sys.platform == "win32":
            self._process.kill()
        else:
            self._signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
            self._signal(signal.SIGKILL)  # what it has started, and itself if it does not listen
        self._waiter.join()

    def _signal(self, number: signal.Signals) -> None:
        if sys.platform != "win32":
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


def _environment(lang: str) -> dict[str, str]:
    """What the process is told; folders of modules that are named from here are elsewhere for it."""
    environment = {**os.environ, PROGRESS_LINES: "1", VARIABLE: lang, "PYTHONUTF8": "1", "PYTHONSAFEPATH": "1"}
    if modules := environment.get("PYTHONPATH"):
        environment["PYTHONPATH"] = os.pathsep.join(
            str(Path(folder).absolute()) for folder in modules.split(os.pathsep)
        )
    return environment


class Jobs:
    """The commands that this server has started, the last ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()

    def start(self, *arguments: str, purpose: Purpose | None = None, lang: str = ENGLISH) -> Job:
        """Start a command in the folder of the page, which speaks the language of the page."""
        with self._lock:
            if len(self.running) >= MOST_AT_ONCE:
                raise InputError(
                    "{number} commands are running already; wait until one has ended, or cancel it",
                    number=MOST_AT_ONCE,
                )
            job = Job(arguments, self._folder, purpose or Purpose(), lang)
            self._jobs[job.id] = job
            ended = [one for one in self._jobs.values() if not one.is_running]
            for old in ended[: max(0, len(self._jobs) - MOST_JOBS)]:
                del self._jobs[old.id]
        return job

    def of(self, job_id: str) -> Job:
        """A job by its id."""
        if job_id not in self._jobs:
            raise InputError("there is no such job; it may have been of an earlier start of the page")
        return self._jobs[job_id]

    def about(self, policy: Path) -> list[Job]:
        """Those that were started for a policy, the last one first."""
        return [job for job in reversed(list(self._jobs.values())) if job.purpose.policy == policy]

    @property
    def running(self) -> list[Job]:
        """Those that have not ended."""
        return [job for job in list(self._jobs.values()) if job.is_running]

    @property
    def are_running(self) -> bool:
        """Whether any of them has not ended."""
        return bool(self.running)

    def cancel_all(self) -> None:
        """End all of them: nothing goes on when the page is closed."""
        for job in list(self._jobs.values()):
            job.cancel()
