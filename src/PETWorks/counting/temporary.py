"""A folder for temporary files."""

import os
import tempfile
from pathlib import Path

from PETWorks.errors import InputError, ParameterError, system_reason


def own_folder(within: str | os.PathLike[str] | None) -> str:
    """A new folder for this process alone, within the given one or that of the system."""
    if not isinstance(within, str | os.PathLike | None):
        raise ParameterError(
            "expected temp_folder as a path, got {type}", type=type(within).__name__, what="temp_folder"
        )
    parent = Path(tempfile.gettempdir() if within is None else within)
    if not parent.is_dir():
        raise InputError("the folder for temporary files {path!r} does not exist", path=str(parent), what="temp_folder")
    try:
        return tempfile.mkdtemp(prefix="petworks-", dir=parent)
    except OSError as error:
        raise InputError(
            "cannot write temporary files to {path!r}: {reason}", path=str(parent), reason=system_reason(error)
        ) from None
