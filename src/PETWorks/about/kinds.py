"""The kinds of release: generalised from the original, synthetic, or with changed values."""

from typing import Any

from PETWorks.errors import ParameterError, Phrase, quoted

GENERALISED, SYNTHETIC, PERTURBED = "generalised", "synthetic", "perturbed"
KINDS = (GENERALISED, SYNTHETIC, PERTURBED)
WORDS = {GENERALISED: Phrase("generalised"), SYNTHETIC: Phrase("synthetic"), PERTURBED: Phrase("perturbed")}
ONE_RECORD_EACH = Phrase(
    "a release that is not generalised is judged by records, as its own belong to nobody; omit the privacy unit, and "
    "if people have several records, keep one of each person in the original and in the control people"
)


def check_kind(kind: Any) -> str:
    """Check and return the kind of a release."""
    if kind not in KINDS:
        raise ParameterError(
            "expected the kind {kinds}, got {kind!r}", kinds=quoted(KINDS), kind=str(kind)[:40], what="kind"
        )
    return str(kind)
