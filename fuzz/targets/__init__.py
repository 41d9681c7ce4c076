"""The targets of fuzzing. To add one, write a class like those here or a function like a `Search`, and list it here."""

from collections.abc import Callable
from random import Random

from fuzz.targets import commands, databases, documents, files, foreign, outsiders
from fuzz.targets.base import Tally, Target

# A special search: it gets a random generator and the seconds it may take.
Search = Callable[[Random, float], Tally]

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (*files.TARGETS, *foreign.TARGETS, *databases.TARGETS, *documents.TARGETS, *commands.TARGETS)
}
SEARCHES: dict[str, Search] = {"outsiders": outsiders.pinned_counts}
