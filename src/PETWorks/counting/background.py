"""The tables that a release is compared with: its original and its population, loaded when a measure asks for them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PETWorks.about.population import Population
from PETWorks.counting.table import Table
from PETWorks.errors import Hint, InputError


@dataclass(frozen=True, eq=False)
class Background:
    """What is known beside the release.

    load_original     makes the original table, if it was given
    population        what was said about the people the records were drawn from
    load_population   makes the table of them, if it was given
    in_order          whether records, and those of the original, can be told apart by their place
    same_order        whether each record was made of the one at the same place in the original
    given             the release and the original just as the user gave them
    """

    load_original: Callable[[], Table] | None = None
    population: Population | None = None
    load_population: Callable[[], Table] | None = None
    in_order: bool = True
    same_order: bool = True
    given: tuple[Any, Any] = (None, None)

    @property
    def has_original(self) -> bool:
        """Whether the original table was given."""
        return self.load_original is not None

    @cached_property
    def original(self) -> Table:
        """What can be compared of the original table."""
        if self.load_original is None:
            raise InputError("the original table is needed but was not given", Hint.ORIGINAL, what="original")
        return self.load_original()

    @property
    def has_population_table(self) -> bool:
        """Whether the population was given as a table."""
        return self.load_population is not None

    @cached_property
    def population_table(self) -> Table:
        """The quasi-identifiers of the population."""
        assert self.load_population is not None
        return self.load_population()

    def population_size(self, people: int) -> int | None:
        """Number of people in the population, as far as it was given; it is no less than those in the release."""
        if self.population is None:
            return None
        if not self.has_population_table:
            return self.population.checked_size(people)
        table = self.population_table
        return self.population.checked_size(people, table.rows if table.unit is None else table.people())
