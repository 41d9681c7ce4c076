"""What executors do for the Spark engine, with partitions that come and go as Arrow batches."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from PETWorks.counting.codes import GrowingEncoder, arrow_integers, normalised, numpy_integers, texts
from PETWorks.counting.counts import Integers
from PETWorks.counting.packed_words import Words, class_starts
from PETWorks.counting.part_tasks import Part
from PETWorks.errors import InputError, PETWorksError

ROWS_PER_BATCH = 1 << 17
ROWS_PER_BLOCK = 1 << 20  # are counted before they are shuffled


def larger(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches put together: Spark hands over ten thousand rows at a time, and each costs a look at all labels."""
    import pyarrow as pa

    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= ROWS_PER_BATCH:
            yield pa.concat_batches(waiting)
            waiting = []
    if waiting:
        yield pa.concat_batches(waiting)


def values_of(columns: int, batches: Iterator[Any]) -> Iterator[Any]:
    """The values of each column in a partition and how often it has each."""
    import pyarrow as pa

    encoders = [GrowingEncoder() for _ in range(columns)]
    for batch in larger(batches):
        for encoder, column in zip(encoders, batch.columns, strict=False):
            encoder.codes(column)
    for place, encoder in enumerate(encoders):
        number = arrow_integers(np.full(len(encoder.labels), place)).cast(pa.int32())
        columns_of = [number, encoder.labels.cast(pa.string()), arrow_integers(encoder.counts)]
        yield pa.RecordBatch.from_arrays(columns_of, ["c", "v", "n"])


def texts_of(batches: Iterator[Any]) -> Iterator[Any]:
    """A column as text, blank cells missing."""
    import pyarrow as pa

    for batch in batches:
        yield pa.RecordBatch.from_arrays([normalised(texts(batch.column(0))).cast(pa.string())], ["u"])


def packed(
    words: Words, labels: Mapping[str, Any], recoded: Mapping[str, Integers], _token: str, batches: Iterator[Any]
) -> Iterator[Any]:
    """Rows as words: counted, block by block, or with the unit that stands behind the columns."""
    import pyarrow as pa

    encoders = {name: GrowingEncoder(labels=own) for name, own in labels.items()}
    names = [f"k{word}" for word in range(words.number)]
    block: list[list[Integers]] = []

    def counted() -> Any:
        rows = [np.concatenate(columns) for columns in zip(*block, strict=True)]
        part = merged(Part(rows, [np.ones(len(rows[0]), np.int64)]))
        return pa.RecordBatch.from_arrays([*map(arrow_integers, (*part.words, *part.numbers))], [*names, "n0"])

    for batch in larger(batches):
        codes = {}
        for (name, encoder), column in zip(encoders.items(), batch.columns, strict=False):
            found = encoder.codes(column)
            if len(encoder.labels) > len(labels[name]):
                raise InputError("the table changed while it was read")
            codes[name] = recoded[name][found] if name in recoded else found
        own = words.packed(codes, batch.num_rows)
        if batch.num_columns > len(encoders):
            unit = normalised(texts(batch.column(batch.num_columns - 1))).cast(pa.string())
            yield pa.RecordBatch.from_arrays([*map(arrow_integers, own), unit], [*names, "u"])
            continue
        block.append(own)
        if sum(len(rows[0]) for rows in block) >= ROWS_PER_BLOCK:
            yield counted()
            block.clear()
    if block:
        yield counted()


def done(words: Words, task: Callable[[Part], Any], batches: Iterator[Any]) -> Iterator[Any]:
    """The answer of a partition, if it has cells: pickled, or the error that came instead; and checks of its cells."""
    import pyarrow as pa
    from pyspark import TaskContext, cloudpickle

    table = pa.Table.from_batches(found) if (found := list(batches)) else None
    if table is None or table.num_rows == 0:
        return
    columns = [integers(column) for column in table.columns]
    part = merged(Part(columns[: words.number], columns[words.number :]))
    checks = [check(part.numbers[0], codes) for codes in words.codes(part.words).values()]
    try:
        answer = task(part)
    except PETWorksError as error:
        answer = error
    context = TaskContext.get()
    place = arrow_integers(np.array([context.partitionId() if context else 0]))
    pickled: bytes = cloudpickle.dumps((answer, checks))  # type: ignore[no-untyped-call]
    offsets = pa.py_buffer(np.array([0, len(pickled)], np.int32))
    binary = pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(pickled)])
    yield pa.RecordBatch.from_arrays([place, binary], ["p", "b"])


def check(counts: Integers, codes: Integers | None = None) -> int:
    """A number that counts of codes add up to, and hardly any others do; codes are 0, 1, 2… if not given."""
    mixed = (np.arange(len(counts)) if codes is None else codes).astype(np.uint64) + np.uint64(1)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    return int((mixed * counts.astype(np.uint64)).sum(dtype=np.uint64))


def integers(column: Any) -> Integers:
    """A column of a result."""
    return numpy_integers(column.combine_chunks()).astype(np.int64, copy=False)


def merged(part: Part) -> Part:
    """The cells in order, those with the same words added up."""
    order = np.lexsort(part.words[::-1])
    words = [word[order] for word in part.words]
    starts = class_starts(words, [-1] * len(words))
    numbers = [np.add.reduceat(own[order], starts) for own in part.numbers]
    return Part([word[starts] for word in words], numbers)
