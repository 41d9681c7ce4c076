"""The people a release was drawn from: a table of them, their number, or the share of them that is in the release."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

from PETWorks.engines.memory import Table
from PETWorks.errors import InputError, ParameterError, quoted
from PETWorks.files import Source, open_source


@dataclass(frozen=True)
class Population:
    """What is known of it."""

    source: Source | None = None
    number: int | None = None
    fraction: float | None = None
    columns: tuple[str, ...] = ()
    unit: str | None = None

    @classmethod
    def given(cls, population: Any, columns: Sequence[str], unit: str | None) -> "Population":
        """From whatever the user gave; the unit is the column that names the person, if the table has it."""
        if isinstance(population, Real) and not isinstance(population, bool):
            if isinstance(population, Integral) and int(population) >= 1:
                return cls(number=int(population))
            if 0 < float(population) <= 1:
                return cls(fraction=float(population))
            raise ParameterError(
                "the population is a table, a number of people (a whole number) "
                f"or the share of them in the release (above 0, at most 1); got {population}"
            )
        source = open_source(population, "the population table")
        lacking = [column for column in columns if column not in source.names]
        if lacking:
            raise InputError(f"{source.name}: the population lacks the quasi-identifiers {quoted(lacking)}")
        named = unit is not None and unit in source.names
        return cls(source=source, columns=(*columns, unit) if named else tuple(columns), unit=unit if named else None)  # type: ignore[arg-type]

    @cached_property
    def table(self) -> Table:
        """The quasi-identifiers of the population."""
        assert self.source is not None
        return Table.load(self.source, self.columns)

    def size(self, records: int) -> int:
        """The number of people, where the release has so many records."""
        if self.number is not None:
            return self.number
        if self.fraction is not None:
            return round(records / self.fraction)
        return self.table.rows if self.unit is None else len(self.table.marginal(self.unit).values)

    def check_size(self, records: int) -> None:
        """A population is not smaller than what was drawn from it."""
        if self.number is not None and self.number < records:
            raise ParameterError(f"a population of {self.number} is smaller than the release, {records} records")
