"""Why a role is suggested for a column: what was noticed, and its English words."""

from dataclasses import dataclass

from PETWorks.errors import Phrase
from PETWorks.measures.numbers import percent

# Each is a message of the languages too; {what} is a subject of the vocabulary, or what values look like.
REASONS = {
    "named": "the name points to {what}",
    "named-unique": "the name points to {what}, but nearly every record has a unique text",
    "looks": "{share} of the values look like {what}",
    "mixed": "most of the values look like {what}",
    "empty": "no suggestion",
    "same": "the same value in all {n} records, which distinguishes nobody",
    "few": "the cautious choice: the name is unknown and the records are few",
    "labelled": "named like a label, and there are nearly as many values as records",
    "assigned": "nearly unique whole numbers that look assigned rather than measured",
    "precise": "a precise number identifies people to anyone who knows it",
    "unique": "nearly every record has a unique text",
    "exact": "too many records could be found by their own value, and the values cannot be rounded",
    "details": "{n} phone numbers, addresses, names or other personal details inside the texts",
    "remarks": "remarks, in which people may be described",
    "long": "long texts, in which people may be named",
    "cautious": "the cautious choice: the name is unknown and an adversary may know the value",
    "beside": "as the YAML file beside the table says",
}


@dataclass(frozen=True)
class Reason:
    """What was noticed about a column; `part` of `whole` values look like `what`, or `whole` records are meant."""

    kind: str
    what: str | None = None
    part: int = 0
    whole: int = 0

    def __str__(self) -> str:
        share = share_of(self.part, self.whole) if self.whole else ""
        return REASONS[self.kind].format(what=self.what, share=share, n=f"{self.whole:,}")


def share_of(part: int, whole: int) -> Phrase:
    """A share as per cent, as it is written everywhere: only all are 100 %, and only none are 0 %."""
    return Phrase("{n} %", n=percent(part / whole, ""))
