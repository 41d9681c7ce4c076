"""The choices for records that can be counted in more than one way: suppressed, incomplete, several of one person."""

APART, AS_CLASS, AS_VALUE = "apart", "class", "value"
ALONE, AS_QUASI_IDENTIFIERS = "alone", "quasi-identifiers"
TREATMENTS = {
    "missing": (AS_VALUE, APART),
    "suppressed": (APART, AS_CLASS),
    "several_sensitive": (ALONE, AS_QUASI_IDENTIFIERS),
}
