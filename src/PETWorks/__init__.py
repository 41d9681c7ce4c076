"""PETWorks: how safe is a table about people, and how much is it still worth?"""

from typing import TYPE_CHECKING, Any

from PETWorks.attacks.subsets import every_subset
from PETWorks.attacks.uniques import minimal_uniques
from PETWorks.compat import PETValidation, report
from PETWorks.csvfile import CSV
from PETWorks.errors import PETWorksError
from PETWorks.evaluation import Evaluation, evaluate
from PETWorks.hierarchy import Hierarchy
from PETWorks.metric import catalogue
from PETWorks.release import Release
from PETWorks.result import Result

__all__ = [
    "CSV",
    "Check",
    "Evaluation",
    "Hierarchy",
    "PETValidation",
    "PETWorksError",
    "Policy",
    "Release",
    "Result",
    "catalogue",
    "check",
    "evaluate",
    "every_subset",
    "minimal_uniques",
    "read_policy",
    "report",
]
__version__ = "0.1.0"

if TYPE_CHECKING:
    from PETWorks.gate import Check, check
    from PETWorks.policy import Policy, read_policy

_AT_FIRST_USE = {"Check": "gate", "check": "gate", "Policy": "policy", "read_policy": "policy"}


def __getattr__(name: str) -> Any:
    """Policies are for some: what only they need is imported when it is asked for."""
    from importlib import import_module

    if name not in _AT_FIRST_USE:
        raise AttributeError(f"module 'PETWorks' has no attribute {name!r}")
    return getattr(import_module(f"PETWorks.{_AT_FIRST_USE[name]}"), name)
