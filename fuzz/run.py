"""Fuzz every target for a while, or repeat one case: `python fuzz/run.py --seconds 600`, `--repeat FILE`.

Cases that reach new lines of PETWorks are kept in `.fuzz/corpus` and mutated further; failures are saved in
`.fuzz/failures`. The exit code is 1 if there is a failure.
"""

import argparse
import hashlib
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fuzz.case import Case  # noqa: E402
from fuzz.targets import SEARCHES, TARGETS  # noqa: E402
from fuzz.targets.base import Target  # noqa: E402
from fuzz.verdicts import failures  # noqa: E402
from fuzz.worker import Worker  # noqa: E402

CACHE = ROOT / ".fuzz"
MUTATED = 0.7  # the share of cases that are mutations of others
SHRINK_SECONDS = 10


@dataclass
class Summary:
    """The result of fuzzing a target."""

    name: str
    cases: int = 0
    seconds: float = 0.0
    corpus: int = 0
    lines: int = 0
    new_lines: int = 0
    failures: dict[str, str] = field(default_factory=dict)  # the file of the case, by kind of failure

    def __str__(self) -> str:
        speed = self.cases / self.seconds if self.seconds else 0
        return (
            f"{self.name:13} {self.cases:7} cases {speed:7.1f}/s   corpus {self.corpus:4}   "
            f"lines {self.lines:5} (+{self.new_lines})   failures {len(self.failures)}"
        )


class Fuzzer:
    """Fuzzes one target."""

    def __init__(self, target: Target, random: Random, worker: Worker, cache: Path | None) -> None:
        self._target, self._random, self._worker, self._cache = target, random, worker, cache
        self._corpus: list[Case] = []
        self._reached: set[str] = set()
        self.summary = Summary(target.name)

    def run(self, seconds: float, most_cases: int | None = None) -> Summary:
        """Run cases until the time is over."""
        started = time.monotonic()
        self._load(started + seconds / 4)
        self.summary.lines = len(self._reached)
        while time.monotonic() - started < seconds and self.summary.cases != most_cases:
            if self._corpus and self._random.random() < MUTATED:
                case = self._target.mutate(self._random, self._random.choice(self._corpus))
            else:
                case = self._target.make(self._random)
            self._try(case)
        self.summary.new_lines = len(self._reached) - self.summary.lines
        self.summary.lines = len(self._reached)
        self.summary.corpus = len(self._corpus)
        self.summary.seconds = time.monotonic() - started
        return self.summary

    def _load(self, until: float) -> None:
        """Run the cases that earlier runs kept."""
        for path in sorted((self._cache / "corpus" / self._target.name).glob("*.json")) if self._cache else ():
            if time.monotonic() > until:
                return
            self._try(Case.load(path), kept=True)

    def _try(self, case: Case, *, kept: bool = False) -> None:
        self.summary.cases += 1
        outcome = self._worker.run(case)
        found = failures(case, outcome)
        new = outcome.reached - self._reached
        self._reached |= new
        for failure in found:
            self._record(case, failure)
        if new and not found:
            self._corpus.append(case)
            if self._cache and not kept:
                case.save(self._cache / "corpus" / self._target.name / f"{_digest(case)}.json")

    def _record(self, case: Case, failure: str) -> None:
        """Save a new kind of failure, shrunk as far as a few seconds allow."""
        kind = failure.partition("\n")[0]
        if kind in self.summary.failures:
            return
        worker = Worker()  # a new one, which has not run other cases
        if not _fails(case, kind, worker):
            failure = f"only after other cases: {failure}"
        elif not kind.startswith("hang"):
            case = _shrink(case, kind, worker, self._target)
        worker.stop()
        path = (self._cache or CACHE) / "failures" / f"{self._target.name}-{_digest(kind)}.json"
        case.save(path, failure)
        self.summary.failures[kind] = str(path)


def _fails(case: Case, kind: str, worker: Worker) -> bool:
    """Whether a case fails in this way."""
    return any(failure.partition("\n")[0] == kind for failure in failures(case, worker.run(case)))


def _shrink(case: Case, kind: str, worker: Worker, target: Target) -> Case:
    """Remove as much of the mutable files as possible while the case still fails in the same way."""
    until = time.monotonic() + SHRINK_SECONDS
    for name in case.mutable:
        size = len(case.files[name]) // 2
        while size and time.monotonic() < until:
            start = 0
            while start < len(case.files[name]) and time.monotonic() < until:
                content = case.files[name]
                smaller = target.complete(case.with_file(name, content[:start] + content[start + size :]))
                if _fails(smaller, kind, worker):
                    case = smaller
                else:
                    start += size
            size //= 2
    return case


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def repeat(path: Path) -> int:
    """Run the case in a file, and print its results."""
    case, worker = Case.load(path), Worker()
    outcome = worker.run(case)
    worker.stop()
    for command, result in zip(case.commands, outcome.ended, strict=False):
        print(f"$ petworks {command!a}\n{result.stdout[:2000]}{result.stderr}exit code {result.code}\n")
    found = failures(case, outcome)
    print("\n".join(f"FAILURE: {failure}" for failure in found) or "no failure")
    return 1 if found else 0


def fuzz(names: list[str], seconds: float, seed: int, cache: Path | None = CACHE) -> list[Summary]:
    """Fuzz the targets one after the other, each for its share of the time."""
    share, summaries, worker = seconds / len(names), [], Worker()
    for name in names:
        random = Random(f"{seed} {name}")
        if name in TARGETS:
            summary = Fuzzer(TARGETS[name], random, worker, cache).run(share)
        else:
            started = time.monotonic()
            tally = SEARCHES[name](random, share)
            summary = Summary(name, tally.cases, time.monotonic() - started)
            for failure in tally.failures:
                path = (cache or CACHE) / "failures" / f"{name}-{_digest(failure)}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(failure, "utf-8")
                summary.failures[failure.partition("\n")[0]] = str(path)
        print(summary, *(f"  {kind}\n    {path}" for kind, path in summary.failures.items()), sep="\n", flush=True)
        summaries.append(summary)
    worker.stop()
    return summaries


def main() -> int:
    """Run the command line."""
    known = [*TARGETS, *SEARCHES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=None, help="default: another one each time")
    parser.add_argument("--target", action="append", choices=known, help="only this one; repeat for more")
    parser.add_argument("--repeat", type=Path, metavar="FILE", help="run one saved case, and print what happens")
    arguments = parser.parse_args()
    if arguments.repeat:
        return repeat(arguments.repeat)
    seed = int(time.time()) if arguments.seed is None else arguments.seed
    print(f"seed {seed}, {arguments.seconds:g} seconds")
    return 1 if any(summary.failures for summary in fuzz(arguments.target or known, arguments.seconds, seed)) else 0


if __name__ == "__main__":
    sys.exit(main())
