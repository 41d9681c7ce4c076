"""PETWorks: how safe is a table about people, and how much is it still worth?"""

__version__ = "0.1.0"

from PETWorks.attacks.subsets import every_subset
from PETWorks.attacks.uniques import minimal_uniques
from PETWorks.compat import PETValidation, report
from PETWorks.csvfile import CSV
from PETWorks.errors import PETWorksError
from PETWorks.evaluation import Evaluation, evaluate
from PETWorks.gate import Check, check
from PETWorks.hierarchy import Hierarchy
from PETWorks.metric import catalogue
from PETWorks.policy import Policy, read_policy
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
