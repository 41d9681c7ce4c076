"""What may be asked about the classes of a table, as data, so that an engine can answer many questions in one pass."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from PETWorks.counting.counts import ClassCodes, ClassSizes, ClassValues, Grouping

Summary = TypeVar("Summary")
Merge = Callable[[Summary, Summary], Summary]


@dataclass(frozen=True, eq=False)
class Question(Generic[Summary]):
    """Something that complete classes can be asked part by part.

    key        equal for equal questions
    table      the table that is asked
    grouping   the columns that make the classes
    of_part    what some complete classes answer: called with `WeightedRows`, and with those that count people if the
               table is in memory
    merge      the answer of two parts together
    sensitive  the column whose values are counted in each class
    people     a table with the same classes that counts people, if records of one person count once
    limit      a threshold that only adds to the answer how many classes and records are beyond it
    others     further columns that are counted with the classes
    once       whether no other question needs these columns, so that what is counted for it need not be kept
    """

    key: Hashable
    table: Any
    grouping: Grouping
    of_part: Callable[[Any, Any], Summary]
    merge: Merge[Summary]
    sensitive: str | None = None
    people: Any = None
    limit: Hashable = None
    others: tuple[str, ...] = ()
    once: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that have to be counted: those of the classes first."""
        return (*self.grouping.columns, *self.others, *(() if self.sensitive is None else (self.sensitive,)))


def class_sizes(table: Any, grouping: Grouping) -> Question[ClassSizes]:
    """How many classes have how many records?"""
    key = ("class sizes", id(table), grouping)
    return Question(key, table, grouping, partial(_class_sizes, grouping), ClassSizes.merged)


def smallest_class(table: Any, grouping: Grouping) -> Question[int | None]:
    """How many records has the smallest class?"""
    key = ("smallest class", id(table), grouping)
    return Question(key, table, grouping, partial(_smallest_class, grouping), _smaller)


def rows_aside(table: Any, grouping: Grouping) -> Question[int]:
    """How many records stand aside from the classes?"""
    return Question(("rows aside", id(table), grouping), table, grouping, partial(_rows_aside, grouping), int.__add__)


def fold(
    name: Hashable,
    table: Any,
    grouping: Grouping,
    sensitive: str,
    kernel: Callable[[ClassValues], Summary],
    merge: Merge[Summary],
    *,
    people: Any = None,
    limit: Hashable = None,
) -> Question[Summary]:
    """What does a kernel say of the classes and their counts of a sensitive attribute?"""
    answer = partial(_fold, grouping, sensitive, kernel, merge)
    return Question((name, id(table), grouping, sensitive), table, grouping, answer, merge, sensitive, people, limit)


def fold_codes(
    name: Hashable,
    table: Any,
    grouping: Grouping,
    kernel: Callable[[ClassCodes], Summary],
    merge: Merge[Summary],
) -> Question[Summary]:
    """What does a kernel say of the classes and their values?"""
    return Question((name, id(table), grouping), table, grouping, partial(_fold_codes, grouping, kernel, merge), merge)


def _class_sizes(grouping: Grouping, rows: Any, _people: Any) -> ClassSizes:
    sizes: ClassSizes = rows.class_sizes(grouping)
    return sizes


def _smallest_class(grouping: Grouping, rows: Any, _people: Any) -> int | None:
    smallest: int | None = rows.smallest_class(grouping)
    return smallest


def _smaller(one: int | None, other: int | None) -> int | None:
    return min((size for size in (one, other) if size is not None), default=None)


def _rows_aside(grouping: Grouping, rows: Any, _people: Any) -> int:
    return int(rows.rows_aside(grouping))


def _fold(
    grouping: Grouping,
    sensitive: str,
    kernel: Callable[[ClassValues], Summary],
    merge: Merge[Summary],
    rows: Any,
    people: Any,
) -> Summary:
    summary: Summary = rows.fold(grouping, sensitive, kernel, merge, people)
    return summary


def _fold_codes(
    grouping: Grouping, kernel: Callable[[ClassCodes], Summary], merge: Merge[Summary], rows: Any, _people: Any
) -> Summary:
    summary: Summary = rows.fold_codes(grouping, kernel, merge)
    return summary
