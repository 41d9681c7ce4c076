"""Which charts each result has; the first one is drawn if none is asked for."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PETWorks.anonymizer.frontiers import Frontier
from PETWorks.anonymizer.released import Recoded
from PETWorks.counting.counts import ClassSizes
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER
from PETWorks.errors import NotApplicable, ParameterError, RoleError
from PETWorks.gate.anonymization_facts import frontier_facts, state
from PETWorks.gate.composing import composition_facts
from PETWorks.gate.remedies import class_size_wanted, size_asked_for
from PETWorks.gate.subset_document import Driver, KnownAttributes
from PETWorks.measures.attacks.subset_limits import checked_limits
from PETWorks.measures.attacks.subsets import Subsets
from PETWorks.measures.evaluation import Evaluation
from PETWorks.measures.result import Result
from PETWorks.measures.risk.scenarios import distribution
from PETWorks.releases.composition import Composition
from PETWorks.render import charts, plot_records
from PETWorks.render.chart_data import ChartData
from PETWorks.render.checks import Check
from PETWorks.render.language import own

Kinds = Mapping[str, Callable[..., ChartData]]


def kinds_of(result: Any) -> Kinds:
    """The charts of a result by name."""
    if isinstance(result, Result):
        return {"classes": _classes_of_result} if "class_sizes" in result.details else {}
    return next((kinds for cls, kinds in KINDS.items() if isinstance(result, cls)), {})


def _risk(
    found: Subsets, lang: str, *, attack: str | None = None, limits: Mapping[str, Any] | None = None
) -> ChartData:
    checked = checked_limits(limits or {}, found.priors, found.worths)
    answers = [KnownAttributes.from_dict(answer) for answer in found.by_size()]
    return plot_records.risk(answers, lang, attack, lambda one: charts.limit_line(one, list(checked.items())))


def _drivers(found: Subsets, lang: str, *, attack: str | None = None) -> ChartData:
    return plot_records.drivers([Driver.from_dict(driver) for driver in found.drivers()], lang, attack)


def _pairs(found: Subsets, lang: str, *, attack: str | None = None) -> ChartData:
    return plot_records.pairs(found, lang, attack)


def _classes(release: Release, lang: str, *, threshold: int | None = None) -> ChartData:
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    return _sizes(release.class_sizes(), lang, _threshold(threshold))


def _classes_of_evaluation(evaluation: Evaluation, lang: str, *, threshold: int | None = None) -> ChartData:
    if evaluation.class_sizes is None:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    wanted = size_asked_for(evaluation.results) if threshold is None else _threshold(threshold)
    return _sizes(evaluation.class_sizes, lang, wanted)


def _classes_of_result(result: Result, lang: str, *, threshold: int | None = None) -> ChartData:
    wanted = size_asked_for([result]) if threshold is None else _threshold(threshold)
    return plot_records.classes(result.details["class_sizes"], lang, wanted)


def _sizes(sizes: ClassSizes, lang: str, wanted: int | None) -> ChartData:
    return plot_records.classes(distribution(sizes.sizes, sizes.classes, sizes.sizes * sizes.classes), lang, wanted)


def _threshold(given: Any) -> int | None:
    if given is not None and (type(given) is not int or given < 1):
        raise ParameterError("expected a class size of 1 or more, got {given!r}", given=given, what="threshold")
    return given


def _before_after(result: Recoded, lang: str) -> ChartData:
    return plot_records.before_after(state(result.original), state(result.release), lang)


def _classes_after(result: Recoded, lang: str, *, threshold: int | None = None) -> ChartData:
    return _classes(result.release, lang, threshold=threshold)


def _frontier(found: Frontier, lang: str) -> ChartData:
    return plot_records.frontier(frontier_facts(found), lang)


def _curve(composition: Composition, lang: str, *, attack: str | None = None) -> ChartData:
    names = [part.name for part in composition.releases]
    return plot_records.curve(composition_facts(composition), names, lang, attack)


def _contributions(composition: Composition, lang: str, *, attack: str | None = None) -> ChartData:
    names = [part.name for part in composition.releases]
    return plot_records.contributions(composition_facts(composition), names, lang, attack)


def _checked_classes(result: Check, lang: str) -> ChartData:
    measured = {one.measure: one for one in result.content.results}
    if "prosecutor-risk" not in measured:
        raise NotApplicable("the check has no classes: no column is a quasi-identifier")
    sizes = measured["prosecutor-risk"].details["class_sizes"]
    return plot_records.classes(sizes, lang, class_size_wanted(result.content))


def _checked_risk(result: Check, lang: str, *, attack: str | None = None) -> ChartData:
    subsets = _known(result.content.subsets, "subsets")
    return plot_records.risk(subsets.if_they_know, lang, attack, partial(charts.allowed, result.content))


def _checked_drivers(result: Check, lang: str, *, attack: str | None = None) -> ChartData:
    subsets = _known(result.content.subsets, "subsets")
    return plot_records.drivers(_known(subsets.drivers, "subsets"), lang, attack)


def _checked_curve(result: Check, lang: str, *, attack: str | None = None) -> ChartData:
    facts = _known(result.content.releases, "releases")
    _known(facts.attacks or None, "releases")
    names = [own(one.name or one.file or str(one.number), lang) for one in facts.releases]
    return plot_records.curve(facts, names, lang, attack)


def _known(part: Any, key: str) -> Any:
    """A part of the document, which a policy with a certain key brings about."""
    if part is None:
        raise NotApplicable("there is nothing to draw: the policy does not ask for it with its key {key!r}", key=key)
    return part


KINDS: Mapping[type, Kinds] = {
    Subsets: {"risk": _risk, "drivers": _drivers, "pairs": _pairs},
    Release: {"classes": _classes},
    Evaluation: {"classes": _classes_of_evaluation},
    Recoded: {"before-after": _before_after, "classes": _classes_after},
    Frontier: {"frontier": _frontier},
    Composition: {"curve": _curve, "contributions": _contributions},
    Check: {"classes": _checked_classes, "risk": _checked_risk, "drivers": _checked_drivers, "curve": _checked_curve},
}
