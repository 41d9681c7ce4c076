"""The choices where there is more than one way to count: suppressed and incomplete records, sensitive values."""

from collections.abc import Mapping
from typing import Any

from PETWorks.errors import ParameterError

APART, AS_CLASS, AS_VALUE = "apart", "class", "value"
ALONE, AS_QUASI_IDENTIFIERS = "alone", "quasi-identifiers"
EXACT, FOLDED = "exact", "folded"
TREATMENTS = {
    "missing": (AS_VALUE, APART),
    "suppressed": (APART, AS_CLASS),
    "several_sensitive": (ALONE, AS_QUASI_IDENTIFIERS),
    "sensitive_values": (EXACT, FOLDED),
}

# What a decision to release is based on, unless something else is said.
CAREFUL: Mapping[str, Any] = {"sensitive_values": FOLDED, "suppressed": AS_CLASS}


def checked_treatment(given: Mapping[str, str | None]) -> dict[str, str | None]:
    """The treatment, if each choice is one there is; the first one where none is given."""
    for name, options in TREATMENTS.items():
        if given[name] not in (None, *options):
            raise ParameterError(
                "{name} is {usual!r} or {other!r}, got {given!r}",
                name=name,
                usual=options[0],
                other=options[1],
                given=given[name],
                what=name,
            )
    return {name: given[name] or options[0] for name, options in TREATMENTS.items()}
