"""Disclosure by a table that is not generalised: looking people up in it as if it were the original.

Every file here is part of the catalogue, or helps one that is.
"""

from PETWorks.measures.disclosure import lookups

__all__ = ["lookups"]
