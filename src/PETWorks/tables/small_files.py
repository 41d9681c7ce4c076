"""Small files, read whole; how large one is shows as it is read, because some files do not say it."""

from pathlib import Path

from PETWorks.errors import InputError


def read_small(path: Path, most: int, error: type[InputError] = InputError) -> bytes:
    """The content of a file of at most so many bytes, a multiple of a MiB."""
    try:
        if path.exists() and not path.is_file():
            raise error(f"cannot read {str(path)!r}: not a regular file")
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as failure:
        raise error(f"cannot read {str(path)!r}: {failure.strerror or failure}") from None
    if len(content) > most:
        raise error(f"{path.name}: the file is larger than {most >> 20} MiB")
    return content
