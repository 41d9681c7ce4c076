"""In a cluster: executors encode rows, count classes and run the kernels; summaries come to the driver.

A table is read once, when its values are counted; executors keep it as codes. Further questions, however many are
asked together, are answered by one shuffle of these. Of the rows nothing reaches the driver but the values of each
column with their counts; of the classes nothing but what kernels return. Columns are called by their places: no name
of the user's is part of an expression.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from PETWorks.about.personal_details import SHARED, Counted, by_kind
from PETWorks.counting.codes import Known, arrow_table, sorted_labels, text_column
from PETWorks.counting.counts import Integers
from PETWorks.counting.exact_values import EXACT, LONG_TEXT
from PETWorks.counting.partitioned import PartitionedTable
from PETWorks.counting.people import Brought, JoinedPeople
from PETWorks.counting.profiles import LONGEST, SAMPLE, Profile
from PETWorks.counting.spark_cells import Read, SparkStore
from PETWorks.counting.spark_jobs import Jobs, mapped
from PETWorks.counting.spark_tasks import DETAILS, WAYS, parquet_rows, personal_details, value_counts, written_ways
from PETWorks.errors import InputError, quoted
from PETWorks.tables.arrays import arrow_integers, numpy_integers
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.column_errors import naming
from PETWorks.tables.frames import Frame
from PETWorks.tables.globs import Files
from PETWorks.tables.hidden_differences import HiddenDifferences
from PETWorks.tables.parquet import Parquet
from PETWorks.tables.source import Source
from PETWorks.tables.sparkframe import SparkFrame, session
from PETWorks.tables.spreadsheet_cells import FORMULA, NUMBER

READERS_PER_PARTITION = 4


class SparkEngine:
    """Tables of one Spark session."""

    name = "spark"
    note: str | None = None
    keeps_order = False

    def __init__(self, sources: Sequence[Source]) -> None:
        frames = [source.frame for source in sources if isinstance(source, SparkFrame)]
        self.jobs = Jobs(frames[0].sparkSession if frames else session())

    def close(self) -> None:
        """Give back the room of what was persisted; the session is its owner's."""
        for owner in list(self.jobs.owners):
            owner.drop()

    def load(self, source: Source, columns: Sequence[str], unit: str | None = None) -> PartitionedTable:
        """Read the named columns, keep them as codes, and count the values of each."""
        wanted = (*columns, *([unit] if unit else []))
        frame, read = self.jobs.run(lambda: self._rows(source, wanted))
        store = SparkStore(self.jobs, columns)
        values = self.jobs.run(lambda: store.read(frame, read))
        known: dict[str, Known] = {}
        place_of, counts = (_integers(values.column(place)) for place in (0, 2))
        for place, name in enumerate(columns):
            rows = np.flatnonzero(place_of == place)
            labels, order = sorted_labels(values.column(1).take(arrow_integers(rows)).combine_chunks())
            known[name] = Known(labels, counts[rows][order])
        number = int(known[columns[0]].counts.sum())
        if number == 0:
            raise InputError("{table}: the table has columns but no records", table=source.name)
        first = source.parts[0] if isinstance(source, Files) else source
        if isinstance(first, Parquet | Frame) and number != source.rows:
            raise InputError(
                "{table}: Spark reads {number} records but {rows} were expected",
                table=source.name,
                number=number,
                rows=source.rows,
            )
        store.known, store.rows = known, number
        store.missing_units = int(counts[place_of == len(columns)].sum())
        return PartitionedTable(store, known, number, unit)

    def profiles(self, source: Source, columns: Sequence[str]) -> dict[str, Profile]:
        """Counts and a sample of the values of columns; executors count, and the driver sees the sample."""
        frame, read = self.jobs.run(lambda: self._rows(source, tuple(columns)))
        parts = mapped(frame, partial(value_counts, read), "c int, v string, n long")
        values = parts.groupBy("c", "v").sum("n").toDF("c", "v", "n")
        is_value = f"v IS NOT NULL AND v <> '{SUPPRESSED}'"
        is_exact = f"v RLIKE r'{EXACT}' OR length(v) > {LONG_TEXT} AS is_exact"
        is_formula = f"v RLIKE r'{FORMULA}' AND NOT v RLIKE r'{NUMBER}' AS is_formula"
        counts = values.selectExpr("c", "n", f"{is_value} AS is_value", is_exact, is_formula).groupBy("c")
        unique = "is_value AND n = 1"
        sums = (
            "n",
            "if(is_value, n, 0)",
            "if(is_value, 1, 0)",
            f"if({unique}, 1, 0)",
            f"if({unique} AND is_exact, 1, 0)",
            "if(is_value AND is_formula, n, 0)",
        )
        numbers = [f"sum({one})" for one in sums]
        counted = self.jobs.run(lambda: counts.agg(*map(_expression, numbers)).collect())
        ranked = values.where(is_value).selectExpr(
            "c",
            f"substring(v, 1, {LONGEST}) AS v",
            "row_number() OVER (PARTITION BY c ORDER BY xxhash64(v), v) AS place",
        )
        sampled = self.jobs.run(lambda: ranked.where(f"place <= {SAMPLE}").collect())
        samples: dict[int, list[str]] = {place: [] for place in range(len(columns))}
        for row in sampled:
            samples[row[0]].append(row[1])
        details = self._details(values.where(is_value), columns)
        return {
            columns[place]: Profile(records, present, distinct, unique, samples[place], exact, details[place], formulas)
            for place, records, present, distinct, unique, exact, formulas in counted
        }

    def _details(self, values: Any, columns: Sequence[str]) -> list[dict[str, int]]:
        """How many personal details of each kind columns have; of the details themselves the driver sees nothing."""
        found = mapped(values, partial(personal_details, tuple(columns)), DETAILS)
        by_text = found.groupBy("c", "d", "f", "t", "ok").sum("n").toDF("c", "d", "f", "t", "ok", "n")
        numbers = ("count(n)", "sum(if(ok, 1, 0))", f"sum(if(ok AND n < {SHARED}, n, 0))")
        counted = self.jobs.run(lambda: by_text.groupBy("c", "d", "f").agg(*map(_expression, numbers)).collect())
        by_column: list[list[Counted]] = [[] for _ in columns]
        for place, detector, _, *counts in counted:
            by_column[place].append(Counted(detector, *counts))
        return [by_kind(found) for found in by_column]

    def hidden_differences(self, source: SparkFrame) -> HiddenDifferences:
        """The differences between cells that no measure sees; the driver sees how many there are."""
        frame = _checked(source.selected(source.names), source.names, source.name)
        ways = mapped(frame, written_ways, WAYS).groupBy("c", "v", "w").sum("n").toDF("c", "v", "w", "n")
        others = ways.groupBy("c", "v").agg(_expression("sum(n) - max(n) AS n")).groupBy("c").sum("n")
        counted = {place: number for place, number in self.jobs.run(others.collect) if number}
        return HiddenDifferences({source.names[place]: int(counted[place]) for place in sorted(counted)})

    def joined(self, brought: Sequence[Brought], place: int, numbers: Mapping[str, int]) -> JoinedPeople:
        """The people of several of its tables."""
        from PETWorks.counting.spark_people import SparkPeople

        return SparkPeople(self.jobs, brought, place, numbers)

    def _rows(self, source: Source, columns: tuple[str, ...]) -> tuple[Any, Read | None]:
        """A frame of the named columns; or, where executors read files, of numbers of row groups and how to read them.

        What Spark would read in its own way is read here.
        """
        parts: Sequence[Any] = source.parts if isinstance(source, Files) else [source]
        if isinstance(source, SparkFrame):
            return _checked(source.selected(columns), columns, source.name), None
        if isinstance(parts[0], Parquet):
            _check_nested(parts[0].nested(columns), source.name)
            groups = [(place, group) for place, part in enumerate(parts) for group in range(part.groups)]
            partitions = min(len(groups), READERS_PER_PARTITION * self.jobs.partitions(source.rows or 0))
            read = partial(parquet_rows, [str(Path(part.path).resolve()) for part in parts], groups, columns)
            return self.jobs.session.range(0, len(groups), 1, partitions), read
        pieces = []
        for piece in source.read(columns):
            types = dict(zip(columns, piece.schema.types, strict=True))
            cells = []
            for name, column in zip(columns, piece.columns, strict=True):
                with naming(name, types, source):
                    cells.append(text_column(column, source.separator is not None))
            pieces.append(cells)
        places = [str(place) for place in range(len(columns))]
        return self.jobs.session.createDataFrame(arrow_table(pieces, places)), None


def _expression(text: str) -> Any:
    from pyspark.sql.functions import expr

    return expr(text)


def _checked(frame: Any, columns: Sequence[str], name: str) -> Any:
    """A frame whose cells are text or can be written as such."""
    nested = ("array", "map", "struct", "variant")
    kinds = zip(columns, frame.dtypes, strict=True)
    _check_nested([column for column, (_, kind) in kinds if kind.startswith(nested)], name)
    return frame


def _check_nested(columns: Sequence[str], name: str) -> None:
    if columns:
        raise InputError(
            "{table}: columns {columns} have cells that are not text or numbers", table=name, columns=quoted(columns)
        )


def _integers(column: Any) -> Integers:
    """A column of a result."""
    return numpy_integers(column.combine_chunks()).astype(np.int64, copy=False)
