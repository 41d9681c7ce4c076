"""Files of SPSS, Stata and SAS: labelled values become their labels, and each kind of missing value stays distinct.

A value declared as missing by the user ("refused") is information about a person, unlike a blank. So it is a value:
its label, or `99`, or `.a` as in Stata and SAS. System-missing values are missing cells.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.formats.packed import LARGEST_RATIO, USUAL_SIZE, check_size
from PETWorks.tables.formats.text_tables import InexactError, TextTable, display_texts, text_column

SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
SAS_TRANSPORT = b"HEADER RECORD*******LIB"
TRANSPORT_RECORD = 80  # bytes
OLD_STATA = range(104, 116)  # the first byte: the version of the format
PORTABLE, PORTABLE_END = b"SPSSPORT", 600
HEADER_SIZE = 640  # bytes at the start that determine the kind

# The program, the function of pyreadstat, and the options it supports: user-defined missing values, an encoding.
KINDS = {
    "sav": ("SPSS", "read_sav", {"user_missing", "encoding"}),
    "por": ("SPSS", "read_por", set()),
    "dta": ("Stata", "read_dta", {"user_missing", "encoding"}),
    "sas": ("SAS", "read_sas7bdat", {"user_missing", "encoding"}),
    "xpt": ("SAS", "read_xport", {"encoding"}),
}


def statistics_kind(start: bytes) -> str | None:
    """The kind of statistics file with this start; None if it is not one."""
    if start.startswith((b"$FL2", b"$FL3")):
        return "sav"
    if start.startswith(b"<stata_dta>") or (
        start[:1] and start[0] in OLD_STATA and start[1:4] in (b"\1\1\0", b"\2\1\0")
    ):
        return "dta"
    if start.startswith(SAS):
        return "sas"
    if start.startswith(SAS_TRANSPORT):
        return "xpt"
    return "por" if PORTABLE in start[:PORTABLE_END].replace(b"\r", b"").replace(b"\n", b"") else None


def open_statistics(path: Path, kind: str, encoding: str | None = None) -> TextTable:
    """The table of a file; `encoding` is for its texts if the file does not declare it, or wrongly."""
    if find_spec("pyreadstat") is None:
        raise InputError(
            "{file}: files of SPSS, Stata and SAS need a package: pip install 'petworks[files]'", file=path.name
        )
    import pyreadstat

    program, reader, options = KINDS[kind]
    read: Callable[..., Any] = getattr(pyreadstat, reader)
    option_values = {"user_missing": True, "encoding": encoding}
    arguments = {"output_format": "dict", **{option: option_values[option] for option in options}}
    try:
        if kind == "xpt" and path.stat().st_size % TRANSPORT_RECORD:  # the only sign of a truncated file
            raise ValueError
        _, metadata = read(str(path), metadataonly=True, **arguments)
        size = (metadata.number_rows or 0) * sum(metadata.variable_storage_width.values())
        check_size(path.name, size, max(USUAL_SIZE, LARGEST_RATIO * path.stat().st_size))
        cells, metadata = read(str(path), **arguments)
    except InputError:
        raise
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError, OverflowError, LookupError):
        # Their messages may quote a cell.
        raise InputError(
            "{file}: not a readable {program} file; it may be damaged, or in an encoding that it does not state: name "
            "the encoding, or save the table as CSV",
            file=path.name,
            program=program,
        ) from None
    names = [name.strip() for name in metadata.column_names]
    columns = [_column(path.name, name, cells[name], metadata) for name in metadata.column_names]
    rows = len(cells[metadata.column_names[0]]) if names else 0
    return TextTable(path.name, path, program, names, columns, rows)


def _column(table: str, name: str, cells: list[Any], metadata: Any) -> pa.DictionaryArray | InputError:
    kind = metadata.readstat_variable_types.get(name)
    text_cells = [cell for cell in dict.fromkeys(cells) if isinstance(cell, str)]
    texts: dict[Any, str] = {}
    if kind != "string":  # letters of missing values
        texts = {letter: f".{letter}" for letter in text_cells}
    labels = metadata.variable_value_labels.get(name, {})
    texts |= label_texts({_as_cell(code): label for code, label in labels.items()})
    if texts:
        unlabelled = [cell for cell in dict.fromkeys(cells) if cell not in texts and cell is not None]
        with suppress(InexactError):  # reported by text_column below
            if set(display_texts(unlabelled).to_pylist()) & set(texts.values()):
                return InputError(
                    "{table}: column {column!r} has a value label that is also a value without a label; label all "
                    "values",
                    table=table,
                    column=name,
                )
        cells = list(map(texts.get, cells, cells))
    return text_column(table, name, cells, _format_single if kind == "float" else None)


def label_texts(labels: Mapping[Any, str]) -> dict[Any, str]:
    """For each value the text of its label, followed by the value if another value has the same label.

    >>> label_texts({1.0: "yes", 2.0: "no", 8.0: "refused", 9.0: "refused "})
    {1.0: 'yes', 2.0: 'no', 8.0: 'refused [8]', 9.0: 'refused [9]'}
    """
    plain = {code: label.strip() for code, label in labels.items() if label and label.strip()}
    times = Counter(plain.values())
    return {
        code: label if times[label] == 1 else f"{label} [{display_texts([code])[0].as_py()}]"
        for code, label in plain.items()
    }


def _as_cell(code: Any) -> Any:
    """A value as in the cells: some files pad texts."""
    return code.rstrip() if isinstance(code, str) else code


def _format_single(number: float) -> str:
    """A 32-bit number with as many digits as distinguish it."""
    return str(np.float32(number))
