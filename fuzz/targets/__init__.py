"""What is fuzzed. To add a target, write a class like those here or a function like a `Search`, and name it here."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from fuzz.case import Case
from fuzz.targets import commands, databases, documents, files


class Target(Protocol):
    """Something that makes cases."""

    name: str

    def made(self, random: Random) -> Case:
        """A new random case."""

    def mutated(self, random: Random, case: Case) -> Case:
        """A case like one that reached something new."""


@dataclass
class Tally:
    """What a search did: how many cases, and what failed (each with all that is needed to repeat it)."""

    cases: int = 0
    failures: list[str] = field(default_factory=list)


# A search of its own kind: gets a random generator and the seconds it may take.
Search = Callable[[Random, float], Tally]

TARGETS: dict[str, Target] = {
    target.name: target for target in (*files.TARGETS, *databases.TARGETS, *documents.TARGETS, *commands.TARGETS)
}
SEARCHES: dict[str, Search] = {}
