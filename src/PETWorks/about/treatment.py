"""The choices for records that can be counted in more than one way: suppressed, incomplete, several of one person."""

from collections.abc import Mapping

from PETWorks.errors import ParameterError

APART, AS_CLASS, AS_VALUE = "apart", "class", "value"
ALONE, AS_QUASI_IDENTIFIERS = "alone", "quasi-identifiers"
TREATMENTS = {
    "missing": (AS_VALUE, APART),
    "suppressed": (APART, AS_CLASS),
    "several_sensitive": (ALONE, AS_QUASI_IDENTIFIERS),
}


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
