"""Rows and cells that the executors of Spark keep, and what is done with them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

import numpy as np

from PETWorks.counting import spark_tasks as tasks
from PETWorks.counting.codes import Known
from PETWorks.counting.counts import Integers, PairCounts
from PETWorks.counting.packed_words import Words
from PETWorks.counting.part_tasks import ALL_BITS, Part
from PETWorks.counting.partitioned import Without
from PETWorks.counting.people import KeyCounts
from PETWorks.counting.questions import Merge
from PETWorks.counting.spark_jobs import Jobs, Owner, mapped
from PETWorks.errors import InputError, NotApplicable, PETWorksError

Summary = TypeVar("Summary")
Read = Callable[[Iterator[Any]], Iterator[Any]]

TARGETS_PER_PARTITION = 16  # where Spark places them by a hash, partitions get nearly the same number


class SparkStore(Owner):
    """The rows of a table as blocks of codes, kept by executors; and the values of each column."""

    known: Mapping[str, Known]
    rows: int
    missing_units: int

    def __init__(self, jobs: Jobs, columns: Sequence[str]) -> None:
        super().__init__(jobs)
        self._columns = columns

    def read(self, frame: Any, read: Read | None) -> Any:
        """Make the blocks. What comes back are columns, their values and counts, and the number of missing units."""
        # The token keeps Spark from taking what it has persisted for another table that was read from the same place.
        task = partial(tasks.encoded, read, len(self._columns), uuid4().hex)
        self.kept[0] = mapped(frame, task, tasks.BLOCKS).persist()
        return self.kept[0].filter("c >= 0").groupBy("c", "v").sum("n").toArrow()

    def count(
        self, words: Words, recoded: Mapping[str, Integers], *, per_person: bool, without: Without | None = None
    ) -> "SparkCells":
        """Count rows, or people, by the columns of the words; recoded[column][code] stands for some codes."""
        self.jobs.check_alive()
        codings = {
            name: tasks.Coding(self.place(name), self.known[name].labels, recoded.get(name)) for name in words.places
        }
        left_out = None
        if without is not None:
            column, codes = without
            left_out = tasks.Coding(self.place(column), self.known[column].labels, None), codes
        if per_person:
            keys = [f"k{word}" for word in range(words.number)]
            schema = ", ".join(f"{key} long" for key in keys) + ", u string"
            rows = mapped(self.blocks, partial(tasks.people, words, codings, left_out), schema)
            people = rows.distinct().groupBy(*keys).count()
            return SparkCells(self.jobs, [Cells(people, partial(tasks.parts_of_rows, words.number))], words, self.rows)
        counts = {name: _recoded(self.known[name].counts, recoded.get(name)) for name in words.places}
        checksums = {name: tasks.codes_checksum(own) for name, own in counts.items()}
        cells = Cells(self.blocks, partial(tasks.packed, words, codings))
        return SparkCells(self.jobs, [cells], words, self.rows, checksums=checksums)

    @property
    def blocks(self) -> Any:
        """The rows as codes."""
        return self.kept[0].filter("c < 0").select("n", "b")

    def people(self) -> int:
        """Number of people that the unit names."""
        names = self.blocks
        return int(self.jobs.run(lambda: mapped(names, tasks.names_of_people, "u string").distinct().count()))

    def place(self, column: str) -> int:
        """Where a column is in a block."""
        return self._columns.index(column)

    def key_counts(self) -> KeyCounts:
        """What the unit says about records and people."""
        names = mapped(self.blocks, tasks.units, "u string").where("u IS NOT NULL").groupBy("u").count()
        numbers = ("count(*) AS people", "count_if(`count` > 1) AS repeated")
        people, repeated = self.jobs.run(lambda: names.selectExpr(*numbers).collect())[0]
        return KeyCounts(self.missing_units, people, repeated)

    def unit_is_missing(self) -> bool:
        """Whether some row does not say whose it is."""
        return self.missing_units > 0

    def pairs_in_order(self, column: str, store: Any) -> PairCounts:  # noqa: ARG002
        """Spark does not keep the order of rows."""
        raise NotApplicable("rows are compared in their order, which the engine 'spark' does not keep")


class Cells(NamedTuple):
    """A frame, and the task that makes cells of its batches."""

    frame: Any
    parts: tasks.Parts

    def mapped(self, task: Callable[..., Iterator[Part]], *arguments: Any) -> "Cells":
        """The cells after a further task."""
        return Cells(self.frame, partial(task, *arguments, self.parts))


class SparkCells(Owner):
    """Cells of one or several frames; equal ones are added up when a part is made.

    counted    how many numbers each cell has
    checksums  for each column that of the counts of its codes; None if unknown
    complete   what is still to be done with each part
    """

    def __init__(
        self,
        jobs: Jobs,
        cells: Sequence[Cells],
        words: Words,
        rows: int,
        *,
        counted: int = 1,
        checksums: Mapping[str, int] | None = None,
        complete: Callable[[Part], Part] | None = None,
    ) -> None:
        super().__init__(jobs)
        self.cells, self.words, self._rows, self._counted = cells, words, rows, counted
        self._checksums, self._complete = checksums, complete

    def run(self, task: Callable[[Part], Summary], merge: Merge[Summary], classes: int) -> Summary:
        """Do a task for parts that have complete classes of the first columns, at least one, and merge the answers."""
        from pyspark import cloudpickle

        work = partial(tasks.answered, self.words, self._sent_parts, self._complete, task)
        answered = self.jobs.run(lambda: mapped(self._sent(classes), work, tasks.ANSWERS).toArrow())
        places, pickled = answered.to_pydict().values()
        both = [cloudpickle.loads(pickled[place]) for place in np.argsort(np.array(places, np.int64))]
        for place, (name, wanted) in enumerate((self._checksums or {}).items()):
            if sum(checksums[place] for _, checksums in both) & ALL_BITS != wanted:
                raise InputError(
                    "column {column!r} changes while it is read; persist the data frame first", column=name
                )
        answers = [answer for answer, _ in both]
        for answer in answers:
            if isinstance(answer, PETWorksError):
                raise answer
        nothing = [np.empty(0, np.int64)]
        return reduce(merge, answers) if answers else task(Part(nothing * self.words.number, nothing * self._counted))

    def _sent(self, classes: int) -> Any:
        """A frame of cells with complete classes in each partition; kept, for the next task."""
        if classes not in self.kept:
            partitions = self.jobs.partitions(self._rows)
            send = (self.words.masks(classes), partitions * TARGETS_PER_PARTITION)
            frames = [mapped(frame, partial(tasks.sent, parts, *send), tasks.CELLS) for frame, parts in self.cells]
            whole = reduce(lambda one, other: one.unionAll(other), frames)
            by_target = whole.repartitionById if hasattr(whole, "repartitionById") else whole.repartition
            self.kept[classes] = by_target(partitions, "t").persist()
        return self.kept[classes]

    @property
    def _sent_parts(self) -> tasks.Parts:
        return partial(tasks.parts_of_pieces, self.words.number, self._counted)

    def regrouped(self, words: Words) -> "SparkCells":
        """Counts by some of the columns, added up."""
        kept = next(iter(self.kept.values()), None)
        finer = self.cells if kept is None else [Cells(kept, self._sent_parts)]
        coarser = [own.mapped(tasks.regrouped, self.words, words) for own in finer]
        checksums = None if self._checksums is None else {name: self._checksums[name] for name in words.places}
        return SparkCells(self.jobs, coarser, words, self._rows, checksums=checksums)

    def with_people(self, classes: "SparkCells") -> "SparkCells":
        """These cells and a second number: how often the class, which is the first columns, was counted there."""
        complete = partial(tasks.with_class_totals, self.words.masks(len(classes.words.places)))
        return self._together(classes, complete)

    def beside(self, other: "SparkCells") -> "SparkCells":
        """All cells of both, which have the same columns, with the number of each; 0 where it has none."""
        return self._together(other, None)

    def _together(self, other: "SparkCells", complete: Callable[[Part], Part] | None) -> "SparkCells":
        own = [cells.mapped(tasks.widened, self.words.number, 0, 1) for cells in self.cells]
        others = [cells.mapped(tasks.widened, self.words.number, 1, 0) for cells in other.cells]
        rows = self._rows + other._rows
        return SparkCells(self.jobs, [*own, *others], self.words, rows, counted=2, complete=complete)


def _recoded(counts: Integers, new_codes: Integers | None) -> Integers:
    """The counts of codes after they have been given new ones."""
    if new_codes is None:
        return counts
    new_counts = np.zeros(int(new_codes.max()) + 1, np.int64)
    np.add.at(new_counts, new_codes, counts)
    return new_counts
