"""What may be asked of a table, whichever engine counts it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from PETWorks.counting.codes import Domain
from PETWorks.counting.counts import ClassPairs, Grouping, Marginal, PairCounts
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import Question
from PETWorks.counting.subsets.families import CountsBySubset, Worths

Summary = TypeVar("Summary")


class Table(Protocol):
    """Columns and the counts that measures ask for.

    A kernel is run over batches of complete classes, of which there is at least one, and what it returns is merged.
    Codes in a batch are positions in the marginal of the column.

    unit       the column that names the person, if there is one
    """

    unit: str | None

    @property
    def rows(self) -> int:
        """Number of records."""

    @property
    def domains(self) -> Mapping[str, Domain]:
        """The values of each column."""

    def marginal(self, column: str) -> Marginal:
        """Values of a column and their counts."""

    def generalised(self, levels: Mapping[str, Mapping[str | None, str | None]]) -> Self:
        """The table with each value of the named columns replaced as the mapping says."""

    def people(self) -> int:
        """Number of people that the unit names."""

    def unit_is_missing(self) -> bool:
        """Whether some record does not say whose it is."""

    def per_person(self, columns: Sequence[str], told: str | None = None) -> Self:
        """Of each person one record for each combination of values that these columns have.

        told   a column: records in which it is missing do not count
        """

    def distinct(self) -> "WeightedRows":
        """The same records in memory, equal rows merged."""

    def ask(self, questions: Sequence[Question[Any]]) -> list[Any]:
        """The answers to questions about classes, in as few passes as possible."""

    def fold_pairs(
        self,
        grouping: Grouping,
        background: Self,
        kernel: Callable[[ClassPairs], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over the classes of this table and of another one of the same engine."""

    def count_subsets(
        self,
        known: Sequence[str],
        sensitive: Sequence[str],
        sizes: Sequence[int],
        memory: int,
        finished: Callable[[frozenset[str]], bool],
        worths: Worths | None = None,
    ) -> Iterator[CountsBySubset]:
        """The counts of all subsets of the known columns that have one of the sizes, some of them at a time.

        memory     bytes to work in, beside the table
        finished   says which subsets need not be counted
        worths     for some sensitive attributes one or several worths of each code, in units: by rows
        """

    def fingerprint(self, columns: Sequence[str]) -> str:
        """A text that is another one for every other table."""

    def pair_counts(self, pairs: Sequence[tuple[str, str]]) -> list[PairCounts]:
        """For each pair of columns, how often they have which values together."""

    def pair_in_order(self, column: str, other: Self) -> PairCounts:
        """How often a column has which value here and in the same row of another table of the same engine."""
