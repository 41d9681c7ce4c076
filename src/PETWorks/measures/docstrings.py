"""Docstrings, which `python -OO` leaves out: what users read of them must not depend on that."""

import ast
import inspect
import sys
from functools import cache
from pathlib import Path
from typing import Any


def docstring(thing: Any) -> str:
    """The docstring of a function or class of a module.

    >>> docstring(docstring).partition(chr(10))[0]
    'The docstring of a function or class of a module.'
    """
    if sys.flags.optimize < 2:
        return inspect.cleandoc(thing.__doc__ or "")
    return _docstrings(inspect.getsourcefile(thing) or "").get(thing.__name__, "")


@cache
def _docstrings(source: str) -> dict[str, str]:
    """Those of the functions and classes of a module."""
    nodes = ast.parse(Path(source).read_text("utf-8")).body
    return {
        node.name: ast.get_docstring(node) or "" for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
