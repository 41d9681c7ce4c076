"""The roles of columns, checked against a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from PETWorks.attributetypes import (
    IDENTIFIER,
    INSENSITIVE_ATTRIBUTE,
    QUASI_IDENTIFIER,
    SENSITIVE_ATTRIBUTE,
)
from PETWorks.errors import Hint, InputError, Phrase, RoleError, literal, quoted, unknown
from PETWorks.tables.headers import columns_of, count_suspicious_names
from PETWorks.tables.source import Source

# A role for each column, or, as in YAML files, a list of columns for each role.
Roles = Mapping[str, str | Sequence[str]]
ROLES = (IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE)
# The keys in YAML files of the lists of columns with each role.
ROLE_KEYS = {
    "identifiers": IDENTIFIER,
    "quasi_identifiers": QUASI_IDENTIFIER,
    "sensitive_attributes": SENSITIVE_ATTRIBUTE,
    "insensitive_attributes": INSENSITIVE_ATTRIBUTE,
}


def roles_from_lists(by_key: Mapping[str, Sequence[str]]) -> tuple[dict[str, str], list[tuple[str, int]]]:
    """The role of each column from lists of columns, and the positions where a column gets a second role."""
    roles: dict[str, str] = {}
    second_roles = [
        (key, index)
        for key, columns in by_key.items()
        for index, column in enumerate(columns)
        if roles.setdefault(column.strip(), ROLE_KEYS[key]) != ROLE_KEYS[key]
    ]
    return roles, second_roles


def role_of_each(roles: Roles) -> dict[str, str]:
    """The role of each column, from a role for each column or from a list of columns for each role.

    >>> role_of_each({"quasi_identifiers": ["age", "zip"], "identifiers": ["name"]})
    {'age': 'quasi_identifier', 'zip': 'quasi_identifier', 'name': 'identifier'}
    """
    if not isinstance(roles, Mapping):
        raise RoleError("expected roles as a dict from column to role, got {type}", type=type(roles).__name__)
    lists = [str(key) for key, value in roles.items() if isinstance(value, list | tuple | set | frozenset)]
    if not lists:
        return _role_of_each_column(roles)
    others = [str(key) for key in roles if str(key) not in lists]
    if others:
        raise RoleError(
            "roles are lists of columns ({lists}) or roles of columns ({columns}), not both",
            lists=quoted(lists),
            columns=quoted(others),
        )
    strange = next((key for key in lists if key not in ROLE_KEYS), None)
    if strange is not None:
        raise RoleError(unknown("role", strange, ROLE_KEYS).message)
    by_key = {key: [str(column) for column in columns] for key, columns in roles.items()}
    checked, second_roles = roles_from_lists(by_key)
    for key, index in second_roles:
        column = by_key[key][index].strip()
        raise RoleError(
            "column {column!r} has two roles: {other!r} and {role!r}",
            column=column,
            other=checked[column],
            role=ROLE_KEYS[key],
        )
    return checked


def _role_of_each_column(roles: Mapping[str, Any]) -> dict[str, str]:
    checked: dict[str, str] = {}
    for column, role in roles.items():
        if role not in ROLES and column in ROLE_KEYS:
            raise RoleError("expected a list of columns for {key!r}, got {type}", key=column, type=type(role).__name__)
        if role not in ROLES:
            raise RoleError(unknown("role", str(role), ROLES).message)
        if checked.setdefault(str(column).strip(), role) != role:
            raise RoleError("column {column!r} has two roles", column=str(column).strip())
    return checked


def check_roles(roles: Roles, source: Source) -> dict[str, str]:
    """Check that roles and columns exist; return the role of each column. Identifiers may be missing from the data."""
    checked = role_of_each(roles)
    unknown_columns = [column for column, role in checked.items() if column not in source.names and role != IDENTIFIER]
    if unknown_columns:
        raise RoleError(
            "roles name columns that are not in the data: {strange}; it has {columns}",
            strange=quoted(unknown_columns),
            columns=columns_of(source),
        )
    return checked


def check_same_columns(released: Source, original: Source, identifiers: Sequence[str]) -> None:
    """Raise unless the original has the columns of the release, and no others except identifiers."""
    only_released = [column for column in released.names if column not in original.names]
    only_original = [column for column in original.names if column not in released.names and column not in identifiers]
    if not only_released and not only_original:
        return
    if count_suspicious_names(original):
        raise InputError(
            "original and release have different columns; the original has {columns}",
            columns=columns_of(original),
            what="original",
        )
    if count_suspicious_names(released):
        raise InputError(
            "original and release have different columns; the release has {columns}",
            columns=columns_of(released),
            what="original",
        )
    parts: list[str | Hint] = []
    if only_released:
        parts += [Phrase("{columns} only in the release", columns=quoted(only_released))]
    if only_original:
        parts += [literal("; ")] if parts else []
        parts += [
            Phrase(
                "{columns} only in the original; give removed columns the role {role!r}",
                columns=quoted(only_original),
                role=IDENTIFIER,
            ),
            Hint.IDENTIFIERS,
        ]
    raise InputError(Phrase("original and release have different columns: "), *parts, what="original")


def check_control_columns(released: Source, control: Source, identifiers: Sequence[str]) -> None:
    """Raise unless the control people have the columns of the release, and no others except identifiers."""
    lacking = [column for column in released.names if column not in control.names]
    further = [column for column in control.names if column not in released.names and column not in identifiers]
    if lacking or further:
        raise InputError(
            "control people and release have different columns: {columns} only in {table}",
            columns=quoted(lacking or further),
            table=Phrase("the release") if lacking else Phrase("the table of control people"),
            what="control",
        )


def check_unit(column: str | None, source: Source, roles: Mapping[str, str]) -> str | None:
    """Check and return the column that identifies people."""
    if column is None:
        return None
    if column not in source.names:
        raise RoleError(
            "the privacy unit {column!r} is not in the data; it has {columns}",
            column=column,
            columns=columns_of(source),
            what="privacy_unit",
        )
    if roles.get(column) in (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE):
        raise RoleError(
            "the privacy unit {column!r} identifies the person, so it cannot also have the role {role!r}",
            column=column,
            role=roles[column],
            what="privacy_unit",
        )
    return column


def two_roles(column: str, first: str, second: str) -> RoleError:
    """The error for a column that is given two roles."""
    return RoleError("column {column!r} has two roles: {other!r} and {role!r}", column=column, other=first, role=second)


def unknown_column(column: str, source: Source) -> RoleError:
    """The error for a column that the table does not have."""
    if count_suspicious_names(source):
        return RoleError(
            "the table has no column {column!r}; it has {columns}", column=column, columns=columns_of(source)
        )
    return RoleError(unknown("column", column, source.names).message)
