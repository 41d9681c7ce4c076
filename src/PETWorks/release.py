"""A release: a table with its roles, its hierarchies and perhaps its original, checked once."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from PETWorks.attributetypes import (
    IDENTIFIER,
    INSENSITIVE_ATTRIBUTE,
    QUASI_IDENTIFIER,
    SENSITIVE_ATTRIBUTE,
)
from PETWorks.counts import ClassPairs, ClassSizes, ClassValues, Integers, Marginal
from PETWorks.engines.memory import Table
from PETWorks.errors import InputError, ParameterError, RoleError, quoted, unknown
from PETWorks.files import Source, open_source
from PETWorks.hierarchy import Hierarchy, as_hierarchies
from PETWorks.sidecar import read_sidecar
from PETWorks.values import is_number

Summary = TypeVar("Summary")

ROLES = (IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE)
NO_QUASI_IDENTIFIER = (
    f"no column has the role {QUASI_IDENTIFIER!r}; "
    "say which ones an adversary may know (--qi, or a YAML file beside the table)"
)
APART, AS_CLASS = "apart", "class"


class Release:
    """A table that is to be handed out.

    data          a path (CSV, Parquet, Feather), a `CSV`, or a frame that speaks Arrow
    roles         a role for each column that has one, as in `PETWorks.attributetypes`
    hierarchies   a folder of hierarchy files, or a dict from column to its rows
    original      the table the release was made from, where a measure needs it
    suppressed    "apart": records with `*` in every quasi-identifier stand aside from class-based checks;
                  "class": they are one more class

    Without roles or hierarchies, those of the YAML file beside the data are taken.

    >>> release = Release("data/patient_anonymized.csv")
    >>> release
    <Release of 9 records: quasi-identifiers 'ZIPCode', 'Age'; sensitive 'Disease'>
    """

    def __init__(
        self,
        data: Any,
        roles: Mapping[str, str] | None = None,
        hierarchies: Any = None,
        original: Any = None,
        *,
        suppressed: str = APART,
    ) -> None:
        if suppressed not in (APART, AS_CLASS):
            raise ParameterError(f"suppressed is {APART!r} or {AS_CLASS!r}, got {suppressed!r}")
        self.suppressed = suppressed
        source = open_source(data, "the released table")
        if source.path is not None and (roles is None or hierarchies is None):
            beside_roles, beside_hierarchies = read_sidecar(source.path)
            roles = beside_roles if roles is None else roles
            hierarchies = beside_hierarchies if hierarchies is None else hierarchies
        self.columns = source.names
        self.encoding, self.separator = source.encoding, source.separator
        self._original = None if original is None else open_source(original, "the original table")
        self.roles = _checked_roles(roles or {}, source, self._original)
        self.quasi_identifiers = self._with_role(QUASI_IDENTIFIER)
        self.sensitive_attributes = self._with_role(SENSITIVE_ATTRIBUTE)
        self.identifiers = self._with_role(IDENTIFIER)
        if self._original is not None:
            self._check_same_columns(self._original)
        self.hierarchies: dict[str, Hierarchy] = as_hierarchies(hierarchies, self.columns)
        wanted = [*self.quasi_identifiers, *self.sensitive_attributes] if self.roles else list(self.hierarchies)
        # With nothing to look at, one column still says how many records there are.
        self.table = Table.load(source, wanted or source.names[:1])

    def __repr__(self) -> str:
        parts = [f"quasi-identifiers {quoted(self.quasi_identifiers)}" if self.quasi_identifiers else ""]
        parts += [f"sensitive {quoted(self.sensitive_attributes)}" if self.sensitive_attributes else ""]
        return f"<Release of {self.records} records: {'; '.join(filter(None, parts)) or 'no roles'}>"

    @property
    def records(self) -> int:
        """Number of records, the suppressed ones among them."""
        return self.table.rows

    @cached_property
    def suppressed_records(self) -> int:
        """Number of records with `*` in every quasi-identifier."""
        return self.table.suppressed_rows(self.quasi_identifiers)

    @property
    def has_original(self) -> bool:
        """Whether the original table was given."""
        return self._original is not None

    @cached_property
    def original(self) -> Table:
        """The quasi-identifiers of the original table."""
        if self._original is None:
            raise InputError("the original table is needed and was not given")
        return Table.load(self._original, self.quasi_identifiers)

    @property
    def generalised_columns(self) -> tuple[str, ...]:
        """The columns that may have been generalised: the quasi-identifiers, or without roles all with a hierarchy."""
        if self.roles:
            self._need_quasi_identifiers()
        return self.quasi_identifiers or tuple(self.hierarchies)

    def marginal(self, column: str) -> Marginal:
        """Values of a column and their counts, suppressed records included."""
        return self.table.marginal(column)

    def class_sizes(self, suppressed: str | None = None) -> ClassSizes:
        """How many equivalence classes have how many records."""
        if self.sensitive_attributes:
            # Counted with the first sensitive attribute, so that its counts are there for the next measure.
            self.table.count_values(self.quasi_identifiers, self.sensitive_attributes[0])
        return self.table.class_sizes(self.quasi_identifiers, suppressed_apart=self._apart(suppressed))

    def class_summary(self, suppressed: str | None = None) -> dict[str, Any]:
        """What class-based checks looked at, for the details of a result."""
        return {
            **self.class_sizes(suppressed).summary(),
            "suppressed_records": self.suppressed_records,
            "suppressed_records_are": suppressed or self.suppressed,
        }

    def fold(
        self,
        sensitive: str,
        kernel: Callable[[ClassValues], Summary],
        merge: Callable[[Summary, Summary], Summary],
        suppressed: str | None = None,
    ) -> Summary:
        """Run a kernel over batches of complete equivalence classes and merge what it returns."""
        apart = self._apart(suppressed)
        return self.table.fold(self.quasi_identifiers, sensitive, kernel, merge, suppressed_apart=apart)

    def fold_with(
        self,
        background: Table,
        kernel: Callable[[ClassPairs], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over the classes of the release and of a background table."""
        apart = self._apart(None)
        return self.table.fold_pairs(self.quasi_identifiers, background, kernel, merge, suppressed_apart=apart)

    def record_class_sizes(self) -> Integers:
        """The class size of each record, in the order of the input."""
        self._need_quasi_identifiers()
        return self.table.record_class_sizes(self.quasi_identifiers)

    def record_class_modes(self, sensitive: str) -> tuple[Integers, Integers]:
        """Class size, and count of the commonest sensitive value in the class, of each record in input order."""
        self._need_quasi_identifiers()
        if sensitive not in self.sensitive_attributes:
            raise RoleError(
                f"{sensitive!r} is not a sensitive attribute; these are: {quoted(self.sensitive_attributes)}"
            )
        return self.table.record_class_modes(self.quasi_identifiers, sensitive)

    def _need_quasi_identifiers(self) -> None:
        if not self.quasi_identifiers:
            raise RoleError(NO_QUASI_IDENTIFIER)

    def _apart(self, suppressed: str | None) -> bool:
        return (suppressed or self.suppressed) == APART

    def _with_role(self, role: str) -> tuple[str, ...]:
        return tuple(column for column, given in self.roles.items() if given == role)

    def _check_same_columns(self, original: Source) -> None:
        only_released = [column for column in self.columns if column not in original.names]
        only_original = [
            column for column in original.names if column not in self.columns and column not in self.identifiers
        ]
        if only_released or only_original:
            parts = [f"{quoted(only_released)} only in the release" if only_released else ""]
            parts += [
                f"{quoted(only_original)} only in the original "
                f"(give what was removed the role {IDENTIFIER!r}: --identifier)"
                if only_original
                else ""
            ]
            raise InputError(f"original and release have different columns: {'; '.join(filter(None, parts))}")


def _checked_roles(roles: Mapping[str, str], source: Source, original: Source | None) -> dict[str, str]:
    if not isinstance(roles, Mapping):
        raise RoleError(f"roles are a dict from column to role, got {type(roles).__name__}")
    checked: dict[str, str] = {}
    for column, role in roles.items():
        if role not in ROLES:
            raise RoleError(str(unknown("role", str(role), ROLES)))
        if checked.setdefault(str(column).strip(), role) != role:
            raise RoleError(f"column {str(column).strip()!r} is given two roles")
    removed = original.names if original is not None else ()
    strange = [
        column
        for column, role in checked.items()
        if column not in source.names and not (role == IDENTIFIER and column in removed)
    ]
    if strange:
        # Without a header line the first record would stand in the message.
        headless = any(name == "" or is_number(name) for name in source.names)
        has = f"{len(source.names)} columns; is its first line a header?" if headless else quoted(source.names)
        raise RoleError(f"roles name columns that are not in the data: {quoted(strange)}; it has {has}")
    return checked
