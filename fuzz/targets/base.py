"""What every target has in common."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from random import Random

from fuzz.case import Case
from fuzz.mutation import mutated_bytes


class Target(ABC):
    """Something that makes cases.

    tokens   pieces that mean something in the format of its files
    """

    name: str
    tokens: tuple[bytes, ...] = ()

    @abstractmethod
    def made(self, random: Random) -> Case:
        """A new random case."""

    def mutated(self, random: Random, case: Case) -> Case:
        """A case like one that reached something new: with a changed file."""
        name = random.choice(case.mutable)
        return case.with_file(name, mutated_bytes(random, case.files[name], self.tokens))

    def completed(self, case: Case) -> Case:
        """The case after a change of its mutable files, with what follows from them."""
        return case


@dataclass
class Tally:
    """What a search did: how many cases, and what failed (each with all that is needed to repeat it)."""

    cases: int = 0
    failures: list[str] = field(default_factory=list)
