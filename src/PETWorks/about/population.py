"""The population of a release, and how its records were drawn from it.

The population is a table, the number of its people, or the share of them in the release. The sampling weight of a
record is the number of people of the population that it stands for; a household number links the members of one.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE
from PETWorks.errors import InputError, NotApplicable, ParameterError, Phrase, RoleError, quoted
from PETWorks.tables.headers import columns_of
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import Source

LARGEST = 10**15


@dataclass(frozen=True)
class Population:
    """The known facts about the population."""

    source: Source | None = None
    number: int | None = None
    fraction: float | None = None
    columns: tuple[str, ...] = ()
    unit: str | None = None

    @property
    def given_as(self) -> Source | int | float | None:
        """The argument that it was made from."""
        return self.source or self.number or self.fraction

    @classmethod
    def given(cls, population: Any, columns: Sequence[str], unit: str | None) -> "Population":
        """Build it from the user's argument; `unit` is the column that identifies people, if the table has it."""
        if isinstance(population, Real) and not isinstance(population, bool):
            whole = isinstance(population, Integral)
            number = _finite(population)
            if not 0 < number <= LARGEST or (number > 1 and number != int(number)):
                shown = number if abs(number) <= LARGEST else Phrase("a larger number than there are people")
                raise ParameterError(
                    "expected the population as a table, a number of people (a whole number) or the "
                    "share of them in the release (above 0, at most 1), got {given}",
                    given=shown,
                    what="population",
                )
            return cls(number=int(number)) if whole or number > 1 else cls(fraction=number)
        source = open_source(population, Phrase("the population table"))
        lacking = [column for column in columns if column not in source.names]
        if lacking:
            raise InputError(
                "{table}: the population lacks the quasi-identifiers {lacking}",
                table=source.name,
                lacking=quoted(lacking),
                what="population",
            )
        named = unit is not None and unit in source.names
        return cls(source=source, columns=tuple(columns), unit=unit if named else None)

    def check_population_size(self, records: int, people: int | None = None) -> int:
        """The number of people, for a release with this many records and a table with this many people."""
        if self.number is not None:
            size = self.number
        elif self.fraction is not None:
            size = round(min(records / self.fraction, 1e300))
        else:
            assert people is not None
            size = people
        if size > LARGEST:
            raise ParameterError(
                "a share of {share} would mean a larger population than there are people",
                share=self.fraction,
                what="population",
            )
        if size < records:
            kind = ParameterError if self.source is None else NotApplicable
            text = Phrase(
                "a population of {size} is smaller than the release, {records} records", size=size, records=records
            )
            raise kind(text, what="population")
        return size


def _finite(number: Any) -> int | float:
    """The number; a number larger than any population if it is too large for a float."""
    try:
        return int(number) if isinstance(number, Integral) else float(number)
    except OverflowError:
        return 2 * LARGEST


@dataclass(frozen=True)
class Sample:
    """The columns of a table that describe how it was drawn.

    weight      the sampling weight of each record
    household   the household of each record
    """

    weight: str | None = None
    household: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are named."""
        return tuple(name for name in (self.weight, self.household) if name is not None)

    @property
    def words(self) -> dict[str, str]:
        """The statements as keys of a policy, which are arguments of `Release` too."""
        named = {"sampling_weight": self.weight, "household": self.household}
        return {key: column for key, column in named.items() if column is not None}

    def without(self, columns: Container[str | None]) -> "Sample":
        """The statements that are not about these columns."""
        return Sample(*(None if name in columns else name for name in (self.weight, self.household)))

    def absent_in(self, source: Source) -> tuple[str, ...]:
        """The named columns that a table does not have."""
        return tuple(name for name in self.columns if name not in source.names)


# Who names one of these columns may also release it, by the role of an insensitive attribute.
ALLOWED_ROLES = {"sampling_weight": (INSENSITIVE_ATTRIBUTE,), "household": (INSENSITIVE_ATTRIBUTE, IDENTIFIER)}
CALLED = {"sampling_weight": Phrase("the sampling weight"), "household": Phrase("the household")}


def check_sample(sample: Sample, source: Source, roles: Mapping[str, str], unit: str | None) -> Sample:
    """Check that the columns exist and have no other task."""
    named = {"sampling_weight": sample.weight, "household": sample.household}
    for what, column in named.items():
        if column is None:
            continue
        if column not in source.names:
            raise RoleError(
                "{thing} {column!r} is not in the data; it has {columns}",
                thing=CALLED[what],
                column=column,
                columns=columns_of(source),
                what=what,
            )
        if roles.get(column, INSENSITIVE_ATTRIBUTE) not in ALLOWED_ROLES[what]:
            raise RoleError(
                "{thing} {column!r} cannot also have the role {role!r}; list it among the insensitive attributes to "
                "release it, or nowhere",
                thing=CALLED[what],
                column=column,
                role=roles[column],
                what=what,
            )
        if column == unit:
            raise RoleError(
                "{thing} {column!r} cannot also be the privacy unit", thing=CALLED[what], column=column, what=what
            )
    if sample.weight is not None and sample.weight == sample.household:
        raise RoleError(
            "column {column!r} cannot be both the sampling weight and the household",
            column=sample.weight,
            what="household",
        )
    return sample
