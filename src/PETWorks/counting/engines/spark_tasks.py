"""Tasks that Spark executors run; partitions are passed in and out as Arrow batches.

Rows are read once. A block of rows is stored as codes together with the labels that occur in the block, so that a lost
block can be computed again without the others. To count classes, blocks become cells (`Part`), which are sent to the
executor that is responsible for their classes. Codes and cells pass through Spark as short pieces of bytes, because
Spark passes ten thousand rows at a time.
"""

import gc
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from PETWorks.about.personal_details import form_of, is_valid, matches
from PETWorks.counting.codes import Column, Encoder, with_same_people
from PETWorks.counting.counts import Integers, run_starts
from PETWorks.counting.engines.partitioned import Part, WordLayout, class_starts, scramble
from PETWorks.counting.profiles import value_person_pairs
from PETWorks.errors import InputError, PETWorksError
from PETWorks.tables.arrays import arrow_codes, arrow_integers, is_text, numpy_integers, strings
from PETWorks.tables.files import hold_file
from PETWorks.tables.formats.parquet import Parquet
from PETWorks.tables.hidden_differences import distinct_cells, ways_of_numbers
from PETWorks.tables.normalised_cells import normalise_texts, without_invisible

ROWS_PER_BLOCK = 1 << 20
BYTES_PER_PIECE = 1 << 16
PIECES_PER_BATCH = 1 << 8

BLOCKS = "c int, v string, n long, b binary"
CELLS = "t int, b binary"
ANSWERS = "p long, b binary"
WAYS = "c int, v string, w string, n long"
DETAILS = "c int, d int, f string, t string, ok boolean, n long, o long"

Batches = Iterator[Any]
Parts = Callable[[Batches], Iterator[Part]]


class Coding(NamedTuple):
    """The index of a column in a block, its labels in the whole table, and new codes for these, if any."""

    column_index: int
    labels: Any
    new_codes: Integers | None


def run_in_worker(task: Callable[[Batches], Batches], batches: Batches) -> Batches:
    """Run a task in a Python worker of Spark, and exempt the modules loaded so far from garbage collection.

    PySpark collects garbage after every task, which with these modules takes longer than many a task does.
    """
    global _exempt_modules
    yield from task(batches)
    if len(sys.modules) != _exempt_modules:
        _exempt_modules = len(sys.modules)
        gc.collect()
        gc.freeze()


_exempt_modules = 0


def read_parquet_rows(
    paths: Sequence[str], groups: Sequence[tuple[int, int]], columns: Sequence[str], batches: Batches
) -> Batches:
    """Read row groups of Parquet files; the batches hold indices into `groups`."""
    for _, file, group in open_row_groups(paths, groups, batches):
        for table in file.read_group(group, tuple(columns)):
            yield from table.to_batches()


def open_row_groups(
    paths: Sequence[str], groups: Sequence[tuple[int, int]], batches: Batches
) -> Iterator[tuple[int, Parquet, int]]:
    """The indices into `groups` that the batches hold, each with the Parquet file and its row group."""
    files: dict[int, Parquet] = {}
    for batch in batches:
        for number in numpy_integers(batch.column(0)).tolist():
            index, group = groups[number]
            if index not in files:
                files = {index: Parquet(hold_file(Path(paths[index])))}
            yield number, files[index], group


def encode_blocks(
    read: Callable[[Batches], Batches] | None, columns: int, folded: bool, _token: str, batches: Batches
) -> Batches:
    """Encode blocks of rows as codes with labels, and count the values of the first columns.

    read      reads the rows, if the batches are not the rows themselves
    columns   the number of columns to count; a further column holds the person, whose missing cells only are counted
    folded    whether names of people that differ only in spelling are those of one person
    """
    import pyarrow as pa

    for block in blocks(batches if read is None else read(batches)):
        encoders = [Encoder() for _ in block[0].columns]
        for batch in block:
            for encoder, cells in zip(encoders, batch.columns, strict=True):
                encoder.add(cells)
        coded = [encoder.finish().without_unused_labels() for encoder in encoders]
        coded[columns:] = [with_same_people(column) if folded else column for column in coded[columns:]]
        for index, column in enumerate(coded):
            labels, counts = column.labels, column.counts
            if index >= columns:
                labels, counts = pa.nulls(1, pa.string()), _count_missing(column)
            yield _block_rows(index, labels.cast(pa.string()), counts, pa.nulls(len(counts), pa.binary()))
        for pieces, left in _pieces(_serialise(coded)):
            yield _block_rows(-1, pa.nulls(len(pieces), pa.string()), left, pieces)


def count_values(read: Callable[[Batches], Batches] | None, batches: Batches) -> Batches:
    """Count the values of each column in each block of rows."""
    import pyarrow as pa

    for block in blocks(batches if read is None else read(batches)):
        for index in range(block[0].num_columns):
            column = _encode_column(block, index)
            indices = arrow_integers(np.full(len(column.counts), index)).cast(pa.int32())
            values = [indices, column.labels.cast(pa.string()), arrow_integers(column.counts)]
            yield pa.RecordBatch.from_arrays(values, ["c", "v", "n"])


def count_values_by_person(
    read: Callable[[Batches], Batches] | None, columns: int, unit: int, folded: bool, batches: Batches
) -> Batches:
    """Count the values of the first columns in each block of rows, by person.

    unit   the column that names people
    """
    import pyarrow as pa

    for block in blocks(batches if read is None else read(batches)):
        people = _encode_column(block, unit)
        people = with_same_people(people) if folded else people
        for index in range(columns):
            column = _encode_column(block, index)
            codes, persons, counts = value_person_pairs(column, people)
            values = [
                arrow_integers(np.full(len(codes), index)).cast(pa.int32()),
                column.labels.take(arrow_integers(codes)).cast(pa.string()),
                people.labels.take(arrow_integers(persons)).cast(pa.string()),
                arrow_integers(counts),
            ]
            yield pa.RecordBatch.from_arrays(values, ["c", "v", "u", "n"])


def _encode_column(block: Sequence[Any], index: int) -> Column:
    encoder = Encoder()
    for batch in block:
        encoder.add(batch.column(index))
    return encoder.finish().without_unused_labels()


def count_spellings(exact: Collection[int], batches: Batches) -> Batches:
    """Count the cells of each block of rows that may be written in several ways.

    exact   the columns whose invisible characters measures see

    The columns of the result: column, value as it is judged, cell as it is written, and number of records.
    """
    import pyarrow as pa

    for block in blocks(batches):
        for index, kind in enumerate(block[0].schema.types):
            column = pa.chunked_array([batch.column(index) for batch in block])
            if pa.types.is_floating(kind):
                found = [(value, *way) for value, ways in ways_of_numbers(column).items() for way in ways.items()]
                judged, cells = strings([value for value, _, _ in found]), strings([cell for _, cell, _ in found])
                records = np.array([number for _, _, number in found], np.int64)
            elif is_text(kind):
                cells, records = distinct_cells(column)
                present = np.flatnonzero(records)
                cells, records = cells.take(arrow_integers(present)), records[present]
                judged = normalise_texts(cells if index in exact else without_invisible(cells))
            else:
                continue
            indices = arrow_integers(np.full(len(records), index)).cast(pa.int32())
            columns = [indices, judged.cast(pa.string()), cells.cast(pa.string()), arrow_integers(records)]
            yield pa.RecordBatch.from_arrays(columns, ["c", "v", "w", "n"])


def find_personal_details(columns: Sequence[str], batches: Batches) -> Batches:
    """Find personal details in values: column, detector, form, text, validity, number of records, and the owner."""
    import pyarrow as pa

    for batch in batches:
        indices, records, owners = (numpy_integers(batch.column(index)).astype(np.int64) for index in (0, 2, 3))
        for index in np.unique(indices).tolist():
            chosen = arrow_integers(np.flatnonzero(indices == index))
            own = indices == index
            found = list(matches(columns[index], batch.column(1).take(chosen), records[own], owners[own]))
            if found:
                detectors, texts, counts, owned = zip(*found, strict=True)
                cells = [
                    arrow_integers(np.full(len(found), index)).cast(pa.int32()),
                    arrow_integers(np.array(detectors, np.int64)).cast(pa.int32()),
                    strings([form_of(*match[:2]) for match in found]).cast(pa.string()),
                    strings(texts).cast(pa.string()),
                    pa.array(np.array([is_valid(*match[:2]) for match in found], bool)),
                    arrow_integers(np.array(counts, np.int64)),
                    arrow_integers(np.array(owned, np.int64)),
                ]
                yield pa.RecordBatch.from_arrays(cells, ["c", "d", "f", "t", "ok", "n", "o"])


def blocks(batches: Batches) -> Iterator[list[Any]]:
    """Combine batches into blocks of many rows, because each block costs a lookup of all labels."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(held.num_rows for held in waiting) >= ROWS_PER_BLOCK:
            yield waiting
            waiting = []
    if sum(held.num_rows for held in waiting):
        yield waiting


def _count_missing(column: Column) -> Integers:
    code = column.code(None)
    return np.array([0 if code is None else column.counts[code]], np.int64)


def _block_rows(index: int, values: Any, numbers: Integers, pieces: Any) -> Any:
    import pyarrow as pa

    indices = arrow_integers(np.full(len(numbers), index)).cast(pa.int32())
    return pa.RecordBatch.from_arrays([indices, values, arrow_integers(numbers), pieces], ["c", "v", "n", "b"])


def _serialise(columns: Sequence[Column]) -> Any:
    """Serialise the codes and labels of columns to bytes."""
    import pyarrow as pa

    arrays = [
        pa.DictionaryArray.from_arrays(arrow_codes(column.codes), column.labels, safe=False) for column in columns
    ]
    batch = pa.RecordBatch.from_arrays(arrays, [str(index) for index in range(len(arrays))])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue()


def _pieces(data: Any) -> Iterator[tuple[Any, Integers]]:
    """Cut bytes into pieces; each comes with the number of pieces that follow it."""
    cuts = np.append(np.arange(0, data.size, BYTES_PER_PIECE), data.size)
    for first in range(0, len(cuts) - 1, PIECES_PER_BATCH):
        batch_cuts = cuts[first : first + PIECES_PER_BATCH + 1]
        left = len(cuts) - 2 - np.arange(first, first + len(batch_cuts) - 1)
        yield (
            _binary(data.slice(int(batch_cuts[0]), int(batch_cuts[-1] - batch_cuts[0])), batch_cuts - batch_cuts[0]),
            left,
        )


def _binary(data: Any, offsets: Integers) -> Any:
    """An Arrow array of binary cells that are adjacent in a buffer."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), data]
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)


def _bytes(cells: Any) -> Any:
    """The bytes of all binary cells of an array, as one buffer."""
    _, offsets, data = cells.buffers()
    first, last = np.frombuffer(offsets, np.int32)[[cells.offset, cells.offset + len(cells)]].tolist()
    return data.slice(first, last - first)


def _restore_blocks(batches: Batches) -> Batches:
    """Restore blocks from batches of pieces, each with the number of pieces that follow it."""
    import pyarrow as pa

    waiting: list[bytes] = []
    for batch in batches:
        cells = batch.column(1)
        first = 0
        for last in np.flatnonzero(numpy_integers(batch.column(0)) == 0).tolist():
            waiting.append(_bytes(cells.slice(first, last + 1 - first)).to_pybytes())
            yield from pa.ipc.open_stream(pa.py_buffer(b"".join(waiting)))
            waiting.clear()
            first = last + 1
        if first < len(cells):
            waiting.append(_bytes(cells.slice(first)).to_pybytes())


def count_blocks(words: WordLayout, codings: Mapping[str, Coding], batches: Batches) -> Iterator[Part]:
    """Count the rows of each block by their words."""
    for block in _restore_blocks(batches):
        yield count_words(words.packed(_codes(block, codings), block.num_rows))


def rows_with_people(
    words: WordLayout, codings: Mapping[str, Coding], left_out: tuple[Coding, list[int]] | None, batches: Batches
) -> Batches:
    """The words of each row and its person, which the last column of a block holds.

    left_out   a column, and the codes whose rows do not count
    """
    import pyarrow as pa

    names = [f"k{word}" for word in range(words.number)]
    for block in _restore_blocks(batches):
        unit = block.column(block.num_columns - 1).dictionary_decode().cast(pa.string())
        packed_words = words.packed(_codes(block, codings), block.num_rows)
        if left_out is not None:
            coding, codes = left_out
            kept = np.flatnonzero(~np.isin(_codes(block, {"": coding})[""], codes))
            packed_words, unit = [word[kept] for word in packed_words], unit.take(arrow_integers(kept))
        yield pa.RecordBatch.from_arrays([*map(arrow_integers, packed_words), unit], [*names, "u"])


def distinct_people(batches: Batches) -> Batches:
    """The distinct people of each block."""
    import pyarrow as pa

    for block in _restore_blocks(batches):
        yield pa.RecordBatch.from_arrays([block.column(block.num_columns - 1).dictionary.cast(pa.string())], ["u"])


def people_of_rows(batches: Batches) -> Batches:
    """The person of each row."""
    import pyarrow as pa

    for block in _restore_blocks(batches):
        unit = block.column(block.num_columns - 1).dictionary_decode().cast(pa.string())
        yield pa.RecordBatch.from_arrays([unit], ["u"])


def _codes(block: Any, codings: Mapping[str, Coding]) -> dict[str, Integers]:
    """Translate the codes of a block to those of the whole table."""
    from pyarrow import compute as pc

    codes = {}
    for name, (index, labels, new_codes) in codings.items():
        column = block.column(index)
        known = pc.index_in(column.dictionary, labels)
        if known.null_count:
            raise InputError("the table changed while it was read")
        table = numpy_integers(known).astype(np.int64)
        codes[name] = (table if new_codes is None else new_codes[table])[numpy_integers(column.indices)]
    return codes


def parts_of_rows(words: int, batches: Batches) -> Iterator[Part]:
    """Convert cells that come as rows of words and numbers."""
    for block in blocks(batches):
        columns = [
            np.concatenate([numpy_integers(piece) for piece in pieces])
            for pieces in zip(*(batch.columns for batch in block), strict=True)
        ]
        yield Part(columns[:words], columns[words:])


def parts_of_pieces(words: int, numbers: int, batches: Batches) -> Iterator[Part]:
    """Convert cells that another executor sent as pieces of bytes."""
    for batch in filter(len, batches):
        cells = np.frombuffer(_bytes(batch.column(1)), np.int64).reshape(-1, words + numbers).T
        yield Part(list(cells[:words]), list(cells[words:]))


def regroup(finer: WordLayout, coarser: WordLayout, parts: Parts, batches: Batches) -> Iterator[Part]:
    """Add cells up by fewer columns."""
    for part in parts(batches):
        yield merge_cells(Part(coarser.packed(finer.codes(part.words), len(part.words[0])), part.numbers))


def pad(words: int, before: int, after: int, parts: Parts, batches: Batches) -> Iterator[Part]:
    """Pad cells with zeros: further words, and numbers before and after their own."""
    for part in parts(batches):
        zeros = [np.zeros(len(part.words[0]), np.int64)]
        numbers = [*(zeros * before), *part.numbers, *(zeros * after)]
        yield Part([*part.words, *(zeros * (words - len(part.words)))], numbers)


def split_by_target(parts: Parts, masks: Sequence[int], targets: int, batches: Batches) -> Batches:
    """Cut cells into pieces, each with the index of the target that gets all cells of its classes."""
    import pyarrow as pa

    for part in parts(batches):
        mixed = np.zeros(len(part.words[0]), np.uint64)
        for word, mask in zip(part.words, masks, strict=False):
            mixed = scramble(mixed ^ (word & mask).astype(np.uint64))
        target = (mixed >> np.uint64(32)) % np.uint64(targets)
        order = np.argsort(target.astype(np.uint16 if targets <= 1 << 16 else np.uint64), kind="stable")
        cells = np.stack([*part.words, *part.numbers], axis=1)[order]
        target = target[order]
        step = max(BYTES_PER_PIECE // (8 * cells.shape[1]), 1)
        starts = np.union1d(run_starts(target), np.arange(0, len(cells), step))
        pieces = _binary(pa.py_buffer(cells), np.append(starts, len(cells)) * 8 * cells.shape[1])
        yield pa.RecordBatch.from_arrays(
            [arrow_integers(target[starts].astype(np.int64)).cast(pa.int32()), pieces], ["t", "b"]
        )


def run_task(
    words: WordLayout,
    parts: Parts,
    complete: Callable[[Part], Part] | None,
    task: Callable[[Part], Any],
    batches: Batches,
) -> Batches:
    """Run a task on a partition that has cells; yield the pickled answer or error, with checksums of the columns."""
    import pyarrow as pa
    from pyspark import TaskContext, cloudpickle

    pieces = list(parts(batches))
    if not pieces:
        return
    whole = Part(
        [np.concatenate(words_of_parts) for words_of_parts in zip(*(part.words for part in pieces), strict=True)],
        [np.concatenate(numbers) for numbers in zip(*(part.numbers for part in pieces), strict=True)],
    )
    part = merge_cells(whole) if complete is None else complete(merge_cells(whole))
    checksums = [codes_checksum(part.numbers[0], codes) for codes in words.codes(part.words).values()]
    try:
        answer = task(part)
    except PETWorksError as error:
        answer = error
    context = TaskContext.get()
    index = arrow_integers(np.array([context.partitionId() if context else 0]))
    pickled: bytes = cloudpickle.dumps((answer, checksums))  # type: ignore[no-untyped-call]
    binary = _binary(pa.py_buffer(pickled), np.array([0, len(pickled)]))
    yield pa.RecordBatch.from_arrays([index, binary], ["p", "b"])


def codes_checksum(counts: Integers, codes: Integers | None = None) -> int:
    """An additive checksum of counts by code; codes are 0, 1, 2… if not given."""
    shifted = (np.arange(len(counts)) if codes is None else codes).astype(np.uint64) + np.uint64(1)
    return int((scramble(shifted) * counts.astype(np.uint64)).sum(dtype=np.uint64))


def with_class_totals(masks: Sequence[int], part: Part) -> Part:
    """The cells whose first number is positive, each with the total of the second number in its class."""
    starts = class_starts(part.words, masks)
    counts, class_counts = part.numbers
    totals = np.repeat(np.add.reduceat(class_counts, starts), np.diff(starts, append=len(class_counts)))
    cells = counts > 0
    return Part([word[cells] for word in part.words], [counts[cells], totals[cells]])


def count_words(words: list[Integers]) -> Part:
    """Count rows by their words."""
    if len(words) > 1:
        return merge_cells(Part(words, [np.ones(len(words[0]), np.int64)]))
    ordered = np.sort(words[0])
    starts = run_starts(ordered)
    return Part([ordered[starts]], [np.diff(starts, append=len(ordered))])


def merge_cells(part: Part) -> Part:
    """Sort the cells and add up those with the same words."""
    order = np.lexsort(part.words[::-1])
    words = [word[order] for word in part.words]
    starts = class_starts(words, [-1] * len(words))
    numbers = [np.add.reduceat(counts[order], starts) for counts in part.numbers]
    return Part([word[starts] for word in words], numbers)
