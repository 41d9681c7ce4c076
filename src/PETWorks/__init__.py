"""PETWorks: how safe is a table about people, and how much is it still worth?"""

from typing import TYPE_CHECKING, Any

from PETWorks.displayable import makers as _makers

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
    "ReleaseRefused",
    "ReleaseWarning",
    "Releases",
    "Result",
    "anonymize",
    "apply_levels",
    "apply_plan",
    "attack",
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
    "require_release",
    "risks_per_record",
    "split",
]
__version__ = "0.1.0"

if TYPE_CHECKING:
    from PETWorks.about.hierarchies.declaration import build_hierarchy
    from PETWorks.about.hierarchies.hierarchy import Hierarchy
    from PETWorks.anonymizer.anonymization import Anonymization
    from PETWorks.anonymizer.frontier import Frontier
    from PETWorks.anonymizer.reasons import reasons_per_record
    from PETWorks.api.anonymize import anonymize, apply_levels, apply_plan, frontier
    from PETWorks.api.check import check, require_release
    from PETWorks.api.evaluate import attack, evaluate
    from PETWorks.api.split import split
    from PETWorks.compat import PETAnonymization, PETValidation, output, report
    from PETWorks.counting.release import Release
    from PETWorks.errors import PETWorksError, ReleaseRefused, ReleaseWarning
    from PETWorks.gate.policy.policy import Policy, read_policy
    from PETWorks.measures.attacks.subsets import every_subset
    from PETWorks.measures.attacks.uniques import minimal_uniques, risks_per_record
    from PETWorks.measures.catalogue import catalogue
    from PETWorks.measures.evaluation import Evaluation
    from PETWorks.measures.result import Result
    from PETWorks.releases.composition import Composition
    from PETWorks.releases.several import Releases
    from PETWorks.render.check_result import Check
    from PETWorks.tables.formats.csv import CSV

_MODULES = {
    "about.hierarchies.declaration": ["build_hierarchy"],
    "about.hierarchies.hierarchy": ["Hierarchy"],
    "anonymizer.anonymization": ["Anonymization"],
    "anonymizer.frontier": ["Frontier"],
    "anonymizer.reasons": ["reasons_per_record"],
    "api.anonymize": ["anonymize", "apply_levels", "apply_plan", "frontier"],
    "api.check": ["check", "require_release"],
    "api.evaluate": ["attack", "evaluate"],
    "api.split": ["split"],
    "compat": ["PETAnonymization", "PETValidation", "dataProcess", "output", "report"],
    "counting.release": ["Release"],
    "errors": ["PETWorksError", "ReleaseRefused", "ReleaseWarning"],
    "gate.policy.policy": ["Policy", "read_policy"],
    "measures.attacks.subsets": ["every_subset"],
    "measures.attacks.uniques": ["minimal_uniques", "risks_per_record"],
    "measures.catalogue": ["catalogue"],
    "measures.evaluation": ["Evaluation"],
    "measures.result": ["Result"],
    "releases.composition": ["Composition"],
    "releases.several": ["Releases"],
    "render.check_result": ["Check"],
    "tables.formats.csv": ["CSV"],
}
_WITHOUT_IMPORT = {"about", "attributetypes", "compat", "counting", "errors", "measures", "tables"}  # always available
_AT_FIRST_USE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: pytest loads this package in every project of an environment."""
    from importlib import import_module

    if name in _WITHOUT_IMPORT:
        return import_module(f"PETWorks.{name}")
    if name not in _AT_FIRST_USE:
        raise AttributeError(f"module 'PETWorks' has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"PETWorks.{_AT_FIRST_USE[name]}"), name)
    return globals()[name]


def _chart(*arguments: Any) -> Any:
    from PETWorks.render.charts.plots import make_plot

    return make_plot(*arguments)


def _view(result: Any) -> str:
    from PETWorks.render.notebooks import view_of

    return view_of(result)


_makers.update(chart=_chart, view=_view)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
