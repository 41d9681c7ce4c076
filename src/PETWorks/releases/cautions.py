"""What the reader of a composition should know about its input."""

from dataclasses import asdict, dataclass
from typing import Any

from PETWorks.errors import Phrase, quoted
from PETWorks.measures.numbers import percent

KNOWN_ELSEWHERE, CODED_DIFFERENTLY = "known elsewhere", "coded differently"


@dataclass(frozen=True)
class Caution:
    """A sensitive attribute of the focal release that another release has in a different way.

    kind    "known elsewhere": adversaries are said to know it there; "coded differently": it seems to have other values
    share   of its values in the other release, those that the focal one does not have
    """

    kind: str
    column: str
    release: str
    focal: str
    share: float | None = None

    @property
    def text(self) -> Phrase:
        """The same in words."""
        names = {"column": self.column, "release": quoted([self.release]), "focal": quoted([self.focal])}
        if self.kind == KNOWN_ELSEWHERE:
            return Phrase(
                "{column!r} is sensitive in {focal} but a quasi-identifier in {release}: whoever joins the records "
                "knows it",
                **names,
            )
        return Phrase(
            "{share} of the values of {column!r} in {release} do not occur in {focal}; the unlinked adversary and "
            "m-invariance need the same coding",
            share=percent(self.share or 0.0),
            **names,
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return asdict(self)
