"""Time one engine on a Parquet table: engines.py sizes|catalogue memory|duckdb|spark|group-by TABLE. Prints JSON.

sizes      from the file to the number of classes of each size; `group-by` is DuckDB's own GROUP BY of the same
           columns, counted in the same way
catalogue  every measure that applies, and the attacks with every subset of up to two quasi-identifiers
"""

import json
import resource
import sys
from time import perf_counter

from ours import SENSITIVE


def main():
    wanted, engine, path = sys.argv[1:4]
    import pyarrow.parquet

    names = pyarrow.parquet.read_schema(path).names
    result = group_by(path, names) if engine == "group-by" else ours(wanted, engine, path, names)
    result["peak bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(result))


def group_by(path, names):
    import duckdb

    connection = duckdb.connect()
    columns = ", ".join(f'"{name}"' for name in names)
    known = ", ".join(f'"{name}"' for name in names if name != SENSITIVE)
    start = perf_counter()
    cells = f"SELECT {columns}, count(*) AS n FROM read_parquet($1) GROUP BY {columns}"
    number = connection.execute(f"SELECT count(*) FROM ({cells})", [path]).fetchall()[0][0]
    seconds = perf_counter() - start
    classes = f"SELECT {known}, sum(n) AS n FROM ({cells}) GROUP BY {known}"
    sizes = connection.execute(f"SELECT n, count(*) FROM ({classes}) GROUP BY n ORDER BY n", [path]).fetchall()
    return {"seconds": seconds, "cells": number, "sizes": [list(map(int, row)) for row in sizes]}


def ours(wanted, engine, path, names):
    from PETWorks import Release, evaluate
    from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
    from PETWorks.measures.attacks.subsets import every_subset

    if engine == "spark":
        from PETWorks.tables.frames import spark_session

        spark_session().range(1).count()  # start the cluster before the clock starts
    if engine == "duckdb":
        import duckdb  # noqa: F401 - the import is not timed, as for GROUP BY
    roles = {name: SENSITIVE_ATTRIBUTE if name == SENSITIVE else QUASI_IDENTIFIER for name in names}
    start = perf_counter()
    release = Release(path, roles, {}, engine=engine)
    sizes = release.class_sizes()
    result = {"sizes": [list(row) for row in zip(sizes.sizes.tolist(), sizes.classes.tolist(), strict=True)]}
    if wanted == "catalogue":
        found = evaluate(release)
        result["measures"] = {measured.measure: [measured.value, measured.satisfied] for measured in found}
        result["subsets"] = every_subset(release, "1-2").counts
    result["seconds"] = perf_counter() - start
    return result


if __name__ == "__main__":
    main()
