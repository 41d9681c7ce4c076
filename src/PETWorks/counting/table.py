"""The interface of a table, whichever engine counts it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from PETWorks.counting.codes import Domain
from PETWorks.counting.counts import ClassPairs, Grouping, Marginal, PairCounts
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.questions import Question
from PETWorks.counting.stacked import Columns
from PETWorks.counting.subsets.subset_counts import CountsBySubset, Worths

Summary = TypeVar("Summary")


class Table(Protocol):
    """Columns and the counts that measures need.

    A kernel runs over one or more batches of complete classes, and its answers are merged. Codes in a batch are indices
    into the marginal of the column.

    unit       the column that names the person, if there is one
    """

    unit: str | None

    @property
    def rows(self) -> int:
        """The number of records."""

    @property
    def domains(self) -> Mapping[str, Domain]:
        """The values of each column."""

    def marginal(self, column: str) -> Marginal:
        """The values of a column and their counts."""

    def generalise(self, levels: Mapping[str, Mapping[str | None, str | None]]) -> Self:
        """The table with the values of the named columns replaced by these mappings."""

    def people(self) -> int:
        """The number of different people."""

    def unit_is_missing(self) -> bool:
        """Whether the person of some record is missing."""

    def per_person(self, columns: Sequence[str], required: str | None = None) -> Self:
        """The table with one record for each person and combination of values of these columns.

        required   a column; records where it is missing do not count
        """

    def distinct(self, columns: Sequence[str] | None = None) -> "WeightedRows":
        """The records in memory, with equal rows merged; only some of their columns, if these are named."""

    def ask(self, questions: Sequence[Question[Any]]) -> list[Any]:
        """Answer questions about classes, in as few passes as possible."""

    def fold_pairs(
        self,
        grouping: Grouping,
        background: Self,
        kernel: Callable[[ClassPairs], Summary],
        merge: Callable[[Summary, Summary], Summary],
    ) -> Summary:
        """Run a kernel over the classes of this table and of another one of the same engine."""

    def stack(self, others: Sequence[Self], columns: Columns) -> Self:
        """Return this table with others of the same engine below it; each column says how its codes are made."""

    def count_subsets(
        self,
        known: Sequence[str],
        sensitive: Sequence[str],
        sizes: Sequence[int],
        memory: int,
        finished: Callable[[frozenset[str]], bool],
        worths: Worths | None = None,
        only: Collection[frozenset[str]] | None = None,
    ) -> Iterator[CountsBySubset]:
        """Count all subsets of the known columns of the given sizes, some of them at a time.

        memory     bytes to work in, beside the table
        finished   whether a subset need not be counted
        worths     the scores of some sensitive attributes
        only       the subsets to count, of these sizes; None: all
        """

    def fingerprint(self, columns: Sequence[str]) -> str:
        """A fingerprint of these columns of the table."""

    def pair_counts(self, pairs: Sequence[tuple[str, str]]) -> list[PairCounts]:
        """Count the pairs of values of each pair of columns."""

    def pair_in_order(self, column: str, other: Self) -> PairCounts:
        """Count the pairs of values of a column here and in the same row of another table of the same engine."""
