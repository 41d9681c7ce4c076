"""The base class of all targets."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from random import Random

from fuzz.case import Case
from fuzz.mutation import mutate_bytes


class Target(ABC):
    """A generator of cases.

    tokens   meaningful pieces in the format of its files
    """

    name: str
    tokens: tuple[bytes, ...] = ()

    @abstractmethod
    def make(self, random: Random) -> Case:
        """Return a new random case."""

    def mutate(self, random: Random, case: Case) -> Case:
        """Return a case with a changed file, from one that reached new lines."""
        name = random.choice(case.mutable)
        return case.with_file(name, mutate_bytes(random, case.files[name], self.tokens))

    def complete(self, case: Case) -> Case:
        """Update files that depend on the mutable files, after these were changed."""
        return case


@dataclass
class Tally:
    """The result of a search: the number of cases, and the failures, each with everything needed to repeat it."""

    cases: int = 0
    failures: list[str] = field(default_factory=list)
