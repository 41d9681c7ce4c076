"""People of several tables, joined by Spark: executors pack what each table says about a person and join it by the key.

Nothing reaches the driver but what kernels return. Columns of frames are called by their places, as `k0_1`: the second
word of the codes of the first table; `w0_1_2`: the third word of the values of its second attribute in a class.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial, reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np

from PETWorks.counting import spark_tasks as tasks
from PETWorks.counting.counts import Integers, PairCounts
from PETWorks.counting.offers import BITS, Offer, check_values, number_of_words
from PETWorks.counting.packed_words import Words
from PETWorks.counting.part_tasks import Part
from PETWorks.counting.partitioned import PartitionedTable, Without
from PETWorks.counting.partitioned_people import joined_table
from PETWorks.counting.people import Brought, KeyCounts, OfPeople, column_name
from PETWorks.counting.questions import Merge
from PETWorks.counting.spark_cells import Cells, SparkCells, SparkStore
from PETWorks.counting.spark_jobs import Jobs, Owner, mapped
from PETWorks.errors import NotApplicable
from PETWorks.tables.arrays import numpy_integers

Summary = TypeVar("Summary")


class Side(NamedTuple):
    """What the joined rows have of one table: how its codes and common values lie in words."""

    number: int
    name: str
    known: tuple[str, ...]
    words: Words

    @property
    def keys(self) -> list[str]:
        """The columns of its words."""
        return [f"k{self.number}_{word}" for word in range(self.words.number)]


class SparkPeople(Owner):
    """See `JoinedPeople`."""

    def __init__(self, jobs: Jobs, brought: Sequence[Brought], place: int, numbers: Mapping[str, int]) -> None:
        check_values(numbers)
        super().__init__(jobs)
        self._brought, self._place, self._numbers = brought, place, numbers
        self._sides = [Side(number, one.name, one.known, _words(one, numbers)) for number, one in enumerate(brought)]
        frames = [self._frame(side, one) for side, one in zip(self._sides, brought, strict=True)]
        self.kept[0] = reduce(lambda one, other: one.join(other, "u", "fullouter"), frames).drop("u").persist()
        self.groups = [tuple(column_name(one.name, name) for name in one.known) for one in brought]
        counts = [f"count(i{side.number}) AS n{side.number}" for side in self._sides]
        rows = jobs.run(lambda: self.kept[0].where(f"i{place} = 1").selectExpr(*counts).collect())
        self.in_common = [int(number) for number in rows[0]]

    def _frame(self, side: Side, one: Brought) -> Any:
        """A table by its key: words of its codes, and words of the values that the classes offer."""
        store: SparkStore = one.table.store
        codings = {
            name: tasks.Coding(store.place(name), store.known[name].labels, one.values.get(name))
            for name in side.words.places
        }
        keys = [f"k{word}" for word in range(side.words.number)]
        rows = mapped(
            store.blocks,
            partial(tasks.people, side.words, codings, None),
            ", ".join(f"{key} long" for key in keys) + ", u string",
        )
        masks = side.words.masks(len(one.known))
        classes = [f"k{word} & {mask}L AS g{word}" for word, mask in enumerate(masks)]
        whole = rows.selectExpr("u", *keys, *classes)
        group = [f"g{word}" for word in range(len(masks))]
        columns = [f"{key} AS {own}" for key, own in zip(keys, side.keys, strict=True)]
        words = {}
        for place, (name, number) in enumerate(self._numbers.items()):
            if name in one.values:
                lies = side.words.places[name]
                value = f"((k{lies.word} >> {lies.shift}) & {lies.mask}L)"
                for block in range(number_of_words(number)):
                    words[f"w{side.number}_{place}_{block}"] = (
                        f"bit_or(CASE WHEN {value} DIV {BITS} = {block} "
                        f"THEN shiftleft(1L, CAST({value} % {BITS} AS INT)) ELSE 0L END)"
                    )
        if words:
            from pyspark.sql.functions import expr

            offered = whole.groupBy(*group).agg(*(expr(f"{term} AS {name}") for name, term in words.items()))
            whole = whole.join(offered, group)
        return whole.selectExpr("u", f"1 AS i{side.number}", *columns, *words)

    @cached_property
    def targets(self) -> PartitionedTable:
        """The targets by the columns of the tables."""
        present = [f"coalesce(i{side.number}, 0) AS i{side.number}" for side in self._sides]
        keys = [f"coalesce({key}, 0L) AS {key}" for side in self._sides for key in side.keys]
        frame = self.kept[0].where(f"i{self._place} = 1").selectExpr(*present, *keys)
        store = TargetStore(self.jobs, frame, self._sides, self._place, self._brought[self._place].table.rows)
        return joined_table(store, self._brought, self._place, self._numbers)

    @property
    def columns(self) -> PartitionedTable:
        """The same."""
        return self.targets

    def offers(
        self,
        attribute: str,
        kernel: OfPeople[Summary],
        merge: Merge[Summary],
        missing: int | None = None,  # noqa: ARG002
    ) -> Summary:
        """Run a kernel over all people: what the tables that have an attribute offer to them, in their order."""
        from pyspark import cloudpickle

        place, blocks = list(self._numbers).index(attribute), number_of_words(self._numbers[attribute])
        sides = [side for side, one in zip(self._sides, self._brought, strict=True) if attribute in one.values]
        columns = []
        for side in sides:
            lies = side.words.places[attribute]
            value = f"((k{side.number}_{lies.word} >> {lies.shift}) & {lies.mask}L)"
            words = [f"w{side.number}_{place}_{block}" for block in range(blocks)]
            columns += [f"coalesce({term}, 0L)" for term in (f"CAST(i{side.number} AS LONG)", value, *words)]
        frame = self.kept[0].selectExpr(*(f"{term} AS x{number}" for number, term in enumerate(columns)))
        work = partial(_of_people, len(sides), kernel, merge)
        answered = self.jobs.run(lambda: mapped(frame, work, tasks.ANSWERS).toArrow())
        places, pickled = answered.to_pydict().values()
        answers: list[Summary] = [cloudpickle.loads(pickled[one]) for one in np.argsort(np.array(places, np.int64))]
        return reduce(merge, answers)


class TargetStore(Owner):
    """The targets, as rows of words of each table; see `Store`."""

    def __init__(self, jobs: Jobs, frame: Any, sides: Sequence[Side], place: int, rows: int) -> None:
        super().__init__(jobs)
        self._frame, self._sides, self._place, self._rows = frame, sides, place, rows

    def count(
        self,
        words: Words,
        recoded: Mapping[str, Integers],  # noqa: ARG002
        *,
        per_person: bool,  # noqa: ARG002
        without: Without | None = None,  # noqa: ARG002
    ) -> SparkCells:
        """Count targets by the columns of the words."""
        cells = Cells(self._frame, partial(_targets, words, self._sides, self._place))
        return SparkCells(self.jobs, [cells], words, self._rows)

    def people(self) -> int:
        """Each row is a person."""
        return self._rows

    def unit_is_missing(self) -> bool:
        """Every row is somebody's."""
        return False

    def key_counts(self) -> KeyCounts:
        """Every row is somebody's."""
        return KeyCounts(0, self._rows, 0)

    def pairs_in_order(self, column: str, store: Any) -> PairCounts:  # noqa: ARG002
        """Spark does not keep the order of rows."""
        raise NotApplicable("rows are compared in their order, which the engine 'spark' does not keep")


def _words(one: Brought, numbers: Mapping[str, int]) -> Words:
    """How the codes of a table lie in words, those of its classes first."""
    known = {name: one.table.columns[name].bits for name in one.known}
    return Words.of(known | {name: (numbers[name] - 1).bit_length() for name in numbers if name in one.values})


def _targets(words: Words, sides: Sequence[Side], place: int, batches: Iterator[Any]) -> Iterator[Part]:
    """How often targets have which words: codes are one higher than in a table, 0 for those who are not in it."""
    for block in tasks.blocks(batches):
        columns = [
            np.concatenate([numpy_integers(own) for own in pieces])
            for pieces in zip(*(batch.columns for batch in block), strict=True)
        ]
        codes: dict[str, Integers] = {}
        present, keys = columns[: len(sides)], iter(columns[len(sides) :])
        for side, inside in zip(sides, present, strict=True):
            own = side.words.codes([next(keys) for _ in range(side.words.number)])
            codes |= {column_name(side.name, name): (own[name] + 1) * inside for name in side.known}
            if side.number == place:
                codes |= {name: values for name, values in own.items() if name not in side.known}
        yield tasks.counted(words.packed(codes, len(columns[0])))


def _of_people(
    tables: int, kernel: Callable[[list[Offer]], Summary], merge: Merge[Summary], batches: Iterator[Any]
) -> Iterator[Any]:
    """What a kernel says of the people of a partition, pickled."""
    import pyarrow as pa
    from pyspark import TaskContext, cloudpickle

    answers: list[Summary] = []
    for block in tasks.blocks(batches):
        columns = [
            np.concatenate([numpy_integers(own) for own in pieces])
            for pieces in zip(*(batch.columns for batch in block), strict=True)
        ]
        width = len(columns) // tables
        offers = []
        for first in range(0, len(columns), width):
            inside, values, *words = columns[first : first + width]
            offers.append(Offer(inside > 0, values, [word.astype(np.uint64) for word in words]))
        answers = [reduce(merge, [*answers, kernel(offers)])]
    if answers:
        context = TaskContext.get()
        pickled = cloudpickle.dumps(answers[0])  # type: ignore[no-untyped-call]
        place = pa.array([context.partitionId() if context else 0], pa.int64())
        yield pa.RecordBatch.from_arrays([place, pa.array([pickled], pa.binary())], ["p", "b"])
