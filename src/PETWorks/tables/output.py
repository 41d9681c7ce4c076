"""How files are written: all of them whole, or none at all."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

from PETWorks.errors import InputError


def check_writable(path: Path, inputs: tuple[Path | None, ...] = ()) -> Path:
    """The file to write, links followed; an error if it cannot be written or is, or may be, an input."""
    try:
        target = path.resolve()
        if not target.parent.is_dir():
            raise InputError(f"cannot write {str(path)!r}: the folder {str(path.parent)!r} does not exist")
        if target.exists() and not target.is_file():
            raise InputError(f"cannot write {str(path)!r}: it is a folder or a device, not a file")
        if not os.access(target.parent, os.W_OK):
            raise InputError(f"cannot write {str(path)!r}: the folder is not writable")
        given = any(
            other is not None and other.exists() and target.exists() and target.samefile(other) for other in inputs
        )
        side_file = target.suffix in (".yaml", ".yml") or "hierarchy_" in target.name
        if given or (side_file and target.exists()):
            raise InputError(f"cannot write {str(path)!r}: it is an input of this run, or is named like one")
    except (OSError, RuntimeError) as error:
        raise InputError(
            f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or 'a symlink loop'}"
        ) from None
    return target


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write files so that they are there complete, all of them, or not at all."""
    partial = {
        path: path.with_name(f".petworks-{os.getpid()}-{time.time_ns()}-{n}.partial") for n, path in enumerate(contents)
    }
    written = ""
    try:
        for path, content in contents.items():
            written = str(path)
            with partial[path].open("xb") as file:
                file.write(content)
        for path, file_to_be in partial.items():
            written = str(path)
            file_to_be.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {written!r}: {error.strerror}") from None
    finally:
        for file_to_be in partial.values():
            file_to_be.unlink(missing_ok=True)
