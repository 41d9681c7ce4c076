"""The rows that left a table of DuckDB, put back without reading them into memory."""

from collections.abc import Sequence

import numpy as np

from PETWorks.counting.codes import Known
from PETWorks.counting.counts import Integers
from PETWorks.counting.duckdb import DuckStore
from PETWorks.counting.partitioned import PartitionedTable
from PETWorks.tables.arrays import arrow_integers, strings
from PETWorks.tables.cells import SUPPRESSED


def with_removed_rows(
    table: PartitionedTable,
    suppressed: Sequence[str],
    original: PartitionedTable | None,
    removed: Integers,
    *,
    in_order: bool,
) -> PartitionedTable:
    """The table with the rows that left it; some columns of them are `*`, the others as in the original, or missing.

    removed    their places in the original
    in_order   whether they go where they were; otherwise they are the last ones
    """
    store: DuckStore = table.store  # type: ignore[assignment]
    engine, rows = store.engine, table.rows + len(removed)
    gone = engine.new("gone")
    engine.execute(f"CREATE TABLE {gone} (place BIGINT)")
    engine.insert(gone, [arrow_integers(removed)])
    places = f"SELECT range AS place FROM range({rows})"
    if in_order:
        places += f" WHERE range NOT IN (SELECT place FROM {gone}) ORDER BY range"
    left = f"(SELECT p.place, r.* FROM ({places} LIMIT {table.rows}) p POSITIONAL JOIN {store.table} r) r"
    lost = f"{gone} g"
    if original is not None:
        before: DuckStore = original.store  # type: ignore[assignment]
        lost += f" JOIN {before.table} o ON o.rowid = g.place"
    known, kept, restored, maps = {}, [], [], []
    for name, column in table.columns.items():
        codes = {value: code for code, value in enumerate(column.values)}
        counts = dict(enumerate(column.counts.tolist()))
        maps.append(engine.mapping(table.in_store(name, np.arange(len(codes)))))
        left += f" JOIN {maps[-1]} ON r.{store.codes[name]} = {maps[-1]}.old"
        kept.append(f"{maps[-1]}.new")
        if name in suppressed or original is None or name not in original.columns:
            code = codes.setdefault(SUPPRESSED if name in suppressed else None, len(codes))
            counts[code] = counts.get(code, 0) + len(removed)
            restored.append(str(code))
        else:
            values = original.columns[name].values
            stored = original.in_store(name, np.arange(len(values)))
            new_codes = np.zeros(len(stored), np.int64)
            cell = f"o.{before.codes[name]}"
            for old, number in zip(*engine.fetch(f"SELECT {cell}, count(*) FROM {lost} GROUP BY {cell}"), strict=True):
                code = codes.setdefault(values[stored[old]], len(codes))
                new_codes[old], counts[code] = code, counts.get(code, 0) + int(number)
            maps.append(engine.mapping(new_codes))
            restored.append(f"(SELECT new FROM {maps[-1]} WHERE old = {cell})")
        known[name] = Known(strings(list(codes)), np.array([counts[code] for code in range(len(codes))], np.int64))
    if table.unit is not None:
        kept.append("r.u")
        restored.append("'removed ' || g.place")  # each as if of a person of its own
    made = DuckStore(engine, engine.new("rows"), store.codes)
    names = [store.codes[name] for name in table.columns] + (["u"] if table.unit is not None else [])
    own = ", ".join(f"{cell} AS {name}" for cell, name in zip(kept, names, strict=True))
    theirs = ", ".join(restored)
    engine.execute(
        f"CREATE TABLE {made.table} AS SELECT {', '.join(names)} FROM (SELECT {own}, r.place AS place FROM {left} "
        f"UNION ALL SELECT {theirs}, g.place{'' if in_order else f' + {rows}'} FROM {lost}) ORDER BY place"
    )
    for unneeded in (gone, *maps):
        engine.execute(f"DROP TABLE {unneeded}")
    return PartitionedTable(made, known, rows, table.unit)
