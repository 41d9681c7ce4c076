"""Writing a table by Spark executors, each its own part, as Parquet files in a folder that all of them can access."""

import pickle
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PETWorks.counting.engines.spark import Jobs, map_batches
from PETWorks.counting.engines.spark_tasks import blocks, named_groups
from PETWorks.errors import InputError, PETWorksError, Phrase, quoted, system_reason
from PETWorks.tables.arrays import arrow_integers, numpy_integers, strings
from PETWorks.tables.formats.parquet import Parquet
from PETWorks.tables.frames import SparkFrame
from PETWorks.tables.globs import Files
from PETWorks.tables.source import Source
from PETWorks.tables.writing import Changes, original_fields

REPORT_SCHEMA = "n long, e string"  # the number of records written; or the error, pickled


def check_readable(source: Source) -> None:
    """Raise for a table that executors cannot read themselves, because its records would pass through the driver."""
    parts: Sequence[Any] = source.parts if isinstance(source, Files) else [source]
    if not isinstance(source, SparkFrame) and not isinstance(parts[0], Parquet):
        raise InputError(
            "{table}: the engine 'spark' releases Parquet files and Spark data frames, which "
            "executors read themselves; use another engine, or save the table as Parquet",
            table=source.name,
        )


def write_parts(jobs: Jobs, source: Source, kept: Sequence[str], changes: Changes, folder: Path, records: int) -> None:
    """Let the executors write the kept columns of a table, with changes; no record passes through the driver."""
    columns_read = tuple(dict.fromkeys((*(name for name in kept if name not in changes.labels), *changes.columns)))
    arguments = (kept, changes, dict(original_fields(source)), str(folder))
    if isinstance(source, SparkFrame):
        frame, task = source.selected(columns_read), partial(write_partition, columns_read, *arguments)
    else:
        parts: Sequence[Any] = source.parts if isinstance(source, Files) else [source]
        for part in parts:
            if nested := part.nested(columns_read):
                raise InputError(
                    "{table}: columns {columns} have cells that are not text or numbers",
                    table=part.name,
                    columns=quoted(nested),
                )
        groups = [(index, group) for index, part in enumerate(parts) for group in range(part.groups)]
        frame = jobs.session.range(0, len(groups), 1, min(len(groups), jobs.partitions(source.rows or 0)))
        paths = [str(Path(part.path).resolve()) for part in parts]
        task = partial(write_groups, paths, groups, *arguments)
    reports = jobs.run(lambda: map_batches(frame, task, REPORT_SCHEMA).toArrow())
    for error in filter(None, reports.column(1).to_pylist()):
        raise InputError(pickle.loads(bytes.fromhex(error)))  # noqa: S301 - our own executors wrote it
    number = int(numpy_integers(reports.column(0).combine_chunks()).sum())
    if number != records:
        raise InputError(
            "{table}: {number} records were written, but {records} were counted; the table changes",
            table=source.name,
            number=number,
            records=records,
        )
    for unfinished in folder.glob(".*"):  # left by executors that were lost
        unfinished.unlink()


def write_groups(
    paths: Sequence[str],
    groups: Sequence[tuple[int, int]],
    kept: Sequence[str],
    changes: Changes,
    fields: dict[str, Any],
    folder: str,
    batches: Iterator[Any],
) -> Iterator[Any]:
    """Write row groups of Parquet files, a file for each; the batches hold indices into `groups`."""
    for number, file, group in named_groups(paths, groups, batches):
        path = Path(folder, f"part-{number:06}.parquet")
        yield _report(partial(_write_file, _Group(file, group), kept, changes, fields, path))


class _Group:
    """A row group of a Parquet file as a table."""

    separator: str | None = None

    def __init__(self, file: Parquet, group: int) -> None:
        self._file, self._group, self.name = file, group, file.name

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = True) -> Iterator[Any]:  # noqa: ARG002
        """Read the named columns."""
        return self._file.read_group(self._group, columns)


def write_partition(
    columns_read: Sequence[str],
    kept: Sequence[str],
    changes: Changes,
    fields: dict[str, Any],
    folder: str,
    batches: Iterator[Any],
) -> Iterator[Any]:
    """Write a partition of a data frame, which has the columns `columns_read`, to a file of its own."""
    from pyspark import TaskContext

    context = TaskContext.get()
    number = context.partitionId() if context else 0
    source = _Partition(columns_read, batches)
    yield _report(partial(_write_file, source, kept, changes, fields, Path(folder, f"part-{number:06}.parquet")))


class _Partition:
    """The batches of a partition as a table."""

    separator: str | None = None
    name = "the data frame"

    def __init__(self, names: Sequence[str], batches: Iterator[Any]) -> None:
        self._names, self._batches = list(names), batches

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = True) -> Iterator[Any]:  # noqa: ARG002
        """Read the named columns, many batches at a time."""
        import pyarrow as pa

        for block in blocks(self._batches):
            yield pa.Table.from_batches(block).rename_columns(self._names).select(list(columns))


def _write_file(source: Any, kept: Sequence[str], changes: Changes, fields: dict[str, Any], path: Path) -> int:
    """Write a file completely or not at all, because a task may be lost and repeated, even twice at the same time."""
    from uuid import uuid4

    from PETWorks.tables.writing import changed_pieces, write_pieces

    unfinished = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with unfinished.open("xb") as file:
            rows = write_pieces(path, file, changed_pieces(source, kept, changes), fields, changes)
        if rows:  # a file without records could not be read as a table
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return rows


def _report(work: Any) -> Any:
    """A batch with the number of records written, or with the error."""
    import numpy as np
    import pyarrow as pa

    rows, error = 0, None
    try:
        rows = work()
    except PETWorksError as raised:
        error = raised.worded()
    except OSError as raised:
        reason = system_reason(raised)
        error = Phrase("an executor cannot write the release: {reason}; all must see its folder", reason=reason)
    packed = None if error is None else pickle.dumps(error).hex()  # with its parameters, so that it can be translated
    cells = [arrow_integers(np.array([rows])), strings([packed]).cast(pa.string())]
    return pa.RecordBatch.from_arrays(cells, ["n", "e"])
