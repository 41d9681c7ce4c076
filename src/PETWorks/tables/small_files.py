"""Small files, read whole."""

from pathlib import Path

from PETWorks.errors import InputError
from PETWorks.tables.regular_files import check_regular


def read_small(path: Path, most: int, error: type[InputError] = InputError) -> bytes:
    """The content of a file of at most so many bytes, a multiple of a MiB."""
    try:
        check_regular(path, error)
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as failure:
        raise error(f"cannot read {str(path)!r}: {failure.strerror or failure}") from None
    if len(content) > most:
        raise error(f"{path.name}: the file is larger than {most >> 20} MiB")
    return content
