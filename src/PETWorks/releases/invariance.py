"""m-invariance: a person's classes offer the same values in every release, each of them once.

Xiao, Tao (2007), *m-invariance: towards privacy preserving re-publication of dynamic datasets*, SIGMOD.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PETWorks.errors import Phrase
from PETWorks.measures.numbers import count


@dataclass(frozen=True)
class Invariance:
    """The largest m that holds for a sensitive attribute; None, and why, if none does.

    smallest_class   the size of the smallest class in all releases
    repeated         by release, classes in which a value occurs more than once
    changing         people whose classes do not have the same values in every release they are in
    """

    smallest_class: int
    repeated: Mapping[str, int]
    changing: int

    @property
    def m(self) -> int | None:
        """The largest m."""
        return None if self.changing or any(self.repeated.values()) else self.smallest_class

    @property
    def reasons(self) -> list[Phrase]:
        """Why there is no m."""
        reasons = [
            Phrase(
                "{n} class of {release!r} with a value more than once"
                if classes == 1
                else "{n} classes of {release!r} with a value more than once",
                n=count(classes),
                release=name,
            )
            for name, classes in self.repeated.items()
            if classes
        ]
        if self.changing:
            people = Phrase("1 person") if self.changing == 1 else Phrase("{n} people", n=count(self.changing))
            reasons.append(Phrase("{people} with other values in another release", people=people))
        return reasons

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "m": self.m,
            "smallest_class": self.smallest_class,
            "classes_with_a_repeated_value": dict(self.repeated),
            "people_with_another_set_of_values": self.changing,
            "reasons": self.reasons,
        }
