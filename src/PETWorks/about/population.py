"""The people a release was drawn from: a table of them, their number, or the share of them in the release."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from PETWorks.errors import InputError, NotApplicable, ParameterError, Phrase, quoted
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
