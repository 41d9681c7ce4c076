"""People of several tables, joined by DuckDB.

People get numbers. Then each table is written once more in their order, with a row for everyone: those who are not in
the table have code 0, all other codes are one higher. So tables need no further join: they are read side by side.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, reduce
from typing import Any, TypeVar

import numpy as np

from PETWorks.counting.batches import THREADS
from PETWorks.counting.counts import Integers
from PETWorks.counting.offers import BITS, Offer, check_values, number_of_words
from PETWorks.counting.partitioned import PartitionedTable
from PETWorks.counting.partitioned_people import joined_table
from PETWorks.counting.people import Brought, OfPeople, column_name
from PETWorks.counting.questions import Merge
from PETWorks.tables.arrays import arrow_integers

Summary = TypeVar("Summary")


class DuckPeople:
    """See `JoinedPeople`. Each table `side_1`, `side_2`… has codes `c0`…, values `v0`… and words `w0_0`…"""

    def __init__(self, engine: Any, brought: Sequence[Brought], place: int, numbers: Mapping[str, int]) -> None:
        check_values(numbers)
        self._engine, self._brought, self._place, self._numbers = engine, brought, place, numbers
        self._people = engine.new("people")
        union = " UNION ALL ".join(f"SELECT u FROM {one.table.store.table}" for one in brought)
        engine.execute(
            f"CREATE TABLE {self._people} AS SELECT u, row_number() OVER () AS p "
            f"FROM (SELECT DISTINCT u FROM ({union}))"
        )
        self._number = int(engine.fetch(f"SELECT count(*) FROM {self._people}")[0][0])
        self._sides = [self._side(one) for one in brought]
        engine.execute(f"DROP TABLE {self._people}")
        self.groups = [tuple(column_name(one.name, name) for name in one.known) for one in brought]
        both = ", ".join(f"count(*) FILTER (s{number}.c0 > 0)" for number in range(len(brought)))
        self.in_common = [int(own[0]) for own in engine.fetch(f"SELECT {both} FROM {self._beside}")]

    @property
    def _beside(self) -> str:
        """All targets, with what each table says about them."""
        sides = " POSITIONAL JOIN ".join(f"{side} s{number}" for number, side in enumerate(self._sides))
        return f"{sides} WHERE s{self._place}.c0 > 0"

    def _side(self, one: Brought) -> str:
        """A table with a row for everyone, in the order of their numbers."""
        store = one.table.store
        known = [store.codes[name] for name in one.known]
        maps = {name: self._map(codes) for name, codes in one.values.items()}
        joins = " ".join(f"JOIN {name} ON t.{store.codes[column]} = {name}.old" for column, name in maps.items())
        values = {column: f"{name}.new" for column, name in maps.items()}
        words = {
            f"w{place}_{block}": f"bit_or(CASE WHEN {values[column]} // {BITS} = {block} "
            f"THEN CAST(1 AS BIGINT) << CAST({values[column]} % {BITS} AS BIGINT) ELSE 0 END)"
            for place, column in enumerate(self._numbers)
            if column in values
            for block in range(number_of_words(self._numbers[column]))
        }
        offered, rows = self._engine.new("offered"), self._engine.new("known")
        side: str = self._engine.new("side")
        classes = ", ".join(f"t.{code}" for code in known)
        listed = "".join(f", {term} AS {name}" for name, term in words.items())
        self._engine.execute(
            f"CREATE TABLE {offered} AS SELECT {classes}{listed} FROM {store.table} t {joins} GROUP BY {classes}"
        )
        same = " AND ".join(f"t.{code} = o.{code}" for code in known)
        columns = {f"c{place}": f"t.{code} + 1" for place, code in enumerate(known)}
        columns |= {f"v{place}": values[column] for place, column in enumerate(self._numbers) if column in values}
        columns |= {word: f"o.{word}" for word in words}
        said = ", ".join(f"{term} AS {name}" for name, term in columns.items())
        self._engine.execute(
            f"CREATE TABLE {rows} AS SELECT t.u AS u, {said} FROM {store.table} t {joins} JOIN {offered} o ON {same}"
        )
        everyone = ", ".join(f"coalesce(r.{name}, 0) AS {name}" for name in columns)
        self._engine.execute(
            f"CREATE TABLE {side} AS SELECT {everyone} "
            f"FROM {self._people} p LEFT JOIN {rows} r ON p.u = r.u ORDER BY p.p"
        )
        for table in (offered, rows, *maps.values()):
            self._engine.execute(f"DROP TABLE {table}")
        return side

    def _map(self, codes: Integers) -> str:
        """A table of the common code of each code."""
        name: str = self._engine.new("map")
        self._engine.execute(f"CREATE TABLE {name} (old UINTEGER, new UINTEGER)")
        self._engine.insert(name, [arrow_integers(np.arange(len(codes))), arrow_integers(codes)])
        return name

    @cached_property
    def targets(self) -> PartitionedTable:
        """The targets by the columns of the tables."""
        codes: dict[str, str] = {}
        terms: list[str] = []
        for number, one in enumerate(self._brought):
            for place, name in enumerate(one.known):
                codes[column_name(one.name, name)] = f"c{len(terms)}"
                terms.append(f"s{number}.c{place} AS c{len(terms)}")
        for place, name in enumerate(self._numbers):
            codes[name] = f"c{len(terms)}"
            terms.append(f"s{self._place}.v{place} AS c{len(terms)}")
        name = self._engine.new("targets")
        self._engine.execute(f"CREATE TABLE {name} AS SELECT {', '.join(terms)} FROM {self._beside}")
        store = type(self._brought[0].table.store)(self._engine, name, codes)
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
        waiting: deque[Future[Summary]] = deque()
        answers: list[Summary] = []
        with ThreadPoolExecutor(THREADS) as pool:
            for part in self._offers(attribute):
                waiting.append(pool.submit(kernel, part))
                if len(waiting) > THREADS:
                    answers = [reduce(merge, [*answers, waiting.popleft().result()])]
            return reduce(merge, [*answers, *(future.result() for future in waiting)])

    def _offers(self, attribute: str) -> Iterator[list[Offer]]:
        """The people, some at a time."""
        place = list(self._numbers).index(attribute)
        blocks = number_of_words(self._numbers[attribute])
        columns = ", ".join(["c0", f"v{place}", *(f"w{place}_{block}" for block in range(blocks))])
        sides = [side for side, one in zip(self._sides, self._brought, strict=True) if attribute in one.values]
        step = self._engine.rows_at_once(len(sides) * (2 + blocks))
        for first in range(0, self._number, step):
            where = f"rowid >= {first} AND rowid < {first + step}"
            part = []
            for side in sides:
                inside, values, *words = self._engine.fetch(f"SELECT {columns} FROM {side} WHERE {where}")
                part.append(Offer(inside > 0, values.astype(np.int64), [word.astype(np.uint64) for word in words]))
            yield part
