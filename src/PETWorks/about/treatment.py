"""The choices for records that can be counted in more than one way: suppressed, incomplete, several of one person."""

from PETWorks.errors import ParameterError

APART, AS_CLASS, AS_VALUE = "apart", "class", "value"
ALONE, AS_QUASI_IDENTIFIERS = "alone", "quasi-identifiers"
TREATMENTS = {
    "missing": (AS_VALUE, APART),
    "suppressed": (APART, AS_CLASS),
    "several_sensitive": (ALONE, AS_QUASI_IDENTIFIERS),
}


def checked_treatment(**treatment: str | None) -> dict[str, str | None]:
    """The treatment as given, if each choice is one there is."""
    for name, options in TREATMENTS.items():
        if treatment[name] not in options:
            raise ParameterError(f"{name} is {options[0]!r} or {options[1]!r}, got {treatment[name]!r}", what=name)
    return treatment
