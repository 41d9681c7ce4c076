"""The source of the package, parsed once for all tests that read it."""

import ast
import gc
from functools import cache
from pathlib import Path

import PETWorks

PACKAGE = Path(PETWorks.__file__).parent


@cache
def parsed_modules():
    """The path and the syntax tree of each module."""
    found = {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    for tree in found.values():
        nodes(tree)
    gc.freeze()  # over a million objects that stay
    return found


@cache
def nodes(tree):
    """All nodes of a syntax tree."""
    return [*ast.walk(tree)]
