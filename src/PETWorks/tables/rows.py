"""Rows as data frames of whichever library the user has."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from PETWorks.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


def imported(package: str, what: str) -> Any:
    """A package that PETWorks does not need itself; an error that names it if it is not installed."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.partition(".")[0]:
            raise
        raise InputError(
            "{function} needs the package {package}: pip install {package}", function=what, package=error.name
        ) from None


class Rows:
    """Something with rows: `to_arrow` makes them, the other methods hand them to other libraries."""

    def to_arrow(self) -> "pa.Table":
        """The rows as a PyArrow table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        imported("pandas", "to_pandas()")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The rows as a Polars data frame."""
        return imported("polars", "to_polars()").from_arrow(self.to_arrow())
