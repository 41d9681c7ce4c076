"""PETWorks: how safe is a table about people, and how much is it still worth?"""

from typing import TYPE_CHECKING, Any

from PETWorks.about.declaration import build_hierarchy
from PETWorks.about.hierarchy import Hierarchy
from PETWorks.compat import PETAnonymization, PETValidation, output, report
from PETWorks.counting.release import Release
from PETWorks.errors import PETWorksError
from PETWorks.measures.attacks.subsets import every_subset
from PETWorks.measures.attacks.uniques import minimal_uniques
from PETWorks.measures.catalogue import catalogue
from PETWorks.measures.evaluation import Evaluation, evaluate
from PETWorks.measures.result import Result
from PETWorks.tables.csvfile import CSV

__all__ = [
    "CSV",
    "Anonymization",
    "Check",
    "Composition",
    "Evaluation",
    "Frontier",
    "Hierarchy",
    "PETAnonymization",
    "PETValidation",
    "PETWorksError",
    "Policy",
    "Release",
    "Releases",
    "Result",
    "anonymize",
    "apply_levels",
    "apply_plan",
    "build_hierarchy",
    "catalogue",
    "check",
    "evaluate",
    "every_subset",
    "frontier",
    "minimal_uniques",
    "output",
    "read_policy",
    "reasons_per_record",
    "report",
]
__version__ = "0.1.0"

if TYPE_CHECKING:
    from PETWorks.anonymizer.anonymization import Anonymization, anonymize
    from PETWorks.anonymizer.applying import apply_levels
    from PETWorks.anonymizer.frontiers import Frontier, frontier
    from PETWorks.anonymizer.records_at_risk import reasons_per_record
    from PETWorks.gate.planned import apply_plan
    from PETWorks.gate.policy import Policy, read_policy
    from PETWorks.releases.composition import Composition
    from PETWorks.releases.several import Releases
    from PETWorks.render.checks import Check, check

_AT_FIRST_USE = {
    "Anonymization": "anonymizer.anonymization",
    "anonymize": "anonymizer.anonymization",
    "apply_levels": "anonymizer.applying",
    "Frontier": "anonymizer.frontiers",
    "frontier": "anonymizer.frontiers",
    "apply_plan": "gate.planned",
    "Check": "render.checks",
    "Composition": "releases.composition",
    "check": "render.checks",
    "Policy": "gate.policy",
    "read_policy": "gate.policy",
    "Releases": "releases.several",
    "reasons_per_record": "anonymizer.records_at_risk",
}


def __getattr__(name: str) -> Any:
    """Policies and anonymising are for some: what only they need is imported when it is asked for."""
    from importlib import import_module

    if name not in _AT_FIRST_USE:
        raise AttributeError(f"module 'PETWorks' has no attribute {name!r}")
    return getattr(import_module(f"PETWorks.{_AT_FIRST_USE[name]}"), name)
