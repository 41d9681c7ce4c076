"""Small files, read whole."""

from pathlib import Path

from PETWorks.errors import InputError, system_reason
from PETWorks.tables.regular_files import check_regular, no_such_file


def read_small(path: Path, most: int, error: type[InputError] = InputError) -> bytes:
    """The content of a file of at most so many bytes, a multiple of a MiB."""
    try:
        check_regular(path, error)
        with path.open("rb") as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        missing = no_such_file(path)
        raise error(*missing.parts, what=missing.what) from None
    except OSError as failure:
        raise error("cannot read {path!r}: {reason}", path=str(path), reason=system_reason(failure)) from None
    if len(content) > most:
        raise error("{file}: the file is larger than {most} MiB", file=path.name, most=most >> 20)
    return content
