"""A small table about people that several tests use, and releases of such tables."""

from PETWorks import Release

DOCUMENT = {
    "age": [20, 30, 30, 30, 30, 55, 55, 55],
    "education": ["Master", "High School", "High School", "PhD", "PhD", "Bachelor", "Bachelor", "Bachelor"],
    "income": ["low", "medium", "low", "medium", "medium", "high", "high", "medium"],
}


def release_of(table, known, sensitive=()):
    roles = dict.fromkeys(known, "quasi_identifier") | dict.fromkeys(sensitive, "sensitive_attribute")
    return Release(table, roles)
