"""Make a release of a census table: anonymise.py ORIGINAL.csv RELEASED.csv HIERARCHIES.

Ages become decades, other quasi-identifiers lose their last digit, and one record in fifty is suppressed. The
corresponding hierarchies are written to a folder.
"""

import csv
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

SENSITIVE = "income_band"


def lift(value):
    return f"{value[:-1]}*"


def main():
    original, released, folder = map(Path, sys.argv[1:])
    folder.mkdir()
    with original.open(encoding="utf-8") as file:
        names = next(csv.reader(file))
    types = {name: pa.dictionary(pa.int32(), pa.string()) for name in names}
    table = pa.csv.read_csv(original, convert_options=pa.csv.ConvertOptions(column_types=types)).unify_dictionaries()
    suppressed = pa.array(np.random.default_rng(1).random(len(table)) < 1 / 50)
    for place, name in enumerate(names):
        if name != SENSITIVE:
            column = table[name].combine_chunks()
            leaves = column.dictionary.to_pylist()
            rows = [f"{leaf};{lift(leaf)};*\n" for leaf in leaves]
            (folder / f"hierarchy_{name}.csv").write_text("".join(rows), "utf-8")
            values = pa.array([lift(leaf) for leaf in leaves]).take(column.indices)
            table = table.set_column(place, name, pc.if_else(suppressed, "*", values))
    pa.csv.write_csv(table, released)


if __name__ == "__main__":
    main()
