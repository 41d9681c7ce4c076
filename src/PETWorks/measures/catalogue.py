"""The decorator `@metric`, which makes a function a measure, and the catalogue of all measures."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, ParamSpec, get_type_hints

from PETWorks.about.kinds import GENERALISED, WORDS
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.errors import Hint, NeedNotMet, NotApplicable, ParameterError, Phrase, literal, quoted, unknown
from PETWorks.measures.classes import ClassTest, SuppressionTest
from PETWorks.measures.parameters import Choice, Flag, Function, Number, Text, WorthOfValues
from PETWorks.measures.result import Result, at_most

Arguments = ParamSpec("Arguments")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure."""

    name: str
    default: Any
    rule: Number | Flag | Choice | Text | Function | WorthOfValues

    @property
    def limit(self) -> str | None:
        """The direction of a limit on the measured value, "at least" or "at most"; None if it is no threshold."""
        return self.rule.limit if isinstance(self.rule, Number) else None

    @property
    def unit(self) -> str | None:
        """Its unit; see `Number`."""
        return self.rule.unit if isinstance(self.rule, Number) else None

    @property
    def of_one_class(self) -> bool:
        """Whether it is compared with the smallest class: a class size, or a chance of 1/(class size)."""
        return self.limit is not None and self.unit in ("records", "chance")

    def class_size(self, value: Any) -> float:
        """The class size that a threshold demands; 0 if it demands none."""
        if not value or not self.of_one_class:
            return 0
        return float(value) if self.unit == "records" else 1 / value


@dataclass(frozen=True)
class ColumnNumber:
    """A number that a measure has for each column: its key in `details["columns"]`, and its name in reports."""

    key: str
    called: str = ""
    better: str = "higher"

    @property
    def name(self) -> str:
        """Its name in the columns of a check."""
        return self.called or self.key


NEEDS: Mapping[str, tuple[Callable[[View], bool], Hint]] = {
    Phrase("quasi-identifiers"): (lambda view: bool(view.quasi_identifiers), Hint.QUASI_IDENTIFIERS),
    Phrase("a sensitive attribute"): (lambda view: bool(view.sensitive_attributes), Hint.SENSITIVE_ATTRIBUTES),
    Phrase("the original table"): (lambda view: view.background.has_original, Hint.ORIGINAL),
    Phrase("a population table"): (lambda view: view.background.has_population_table, Hint.POPULATION),
    Phrase("the population or its size"): (
        lambda view: view.background.population is not None or view.has_weights,
        Hint.POPULATION,
    ),
    Phrase("sampling weights"): (lambda view: view.has_weights, Hint.SAMPLING_WEIGHT),
    Phrase("hierarchies"): (lambda view: bool(view.hierarchies or view.replaced_labels), Hint.HIERARCHIES),
    Phrase("records in the order of the input"): (lambda view: view.background.in_order, Hint.ENGINE_IN_MEMORY),
    Phrase("records in the order of the original"): (lambda view: view.background.same_order, Hint.ORDER),
}


@dataclass(frozen=True)
class Metric:
    """A measure of the catalogue: call it with a release and its parameters.

    needs              what a release must have; see `NEEDS`
    treats             where its treatment differs from that of the release: see `Release.treatment`
    unit               the unit of the value: records, values, share, chance (1/class size), ratio, money, number
    by_column          the number it has for each column, if it has one
    if_it_fails        the remedy if a threshold is not met: blur, diversify, more-values, hide-presence, refine; by
                       default refine for utility, otherwise blur
    classes_to_avoid   the class size below which the value is bad, if no threshold defines it
    scenario           which number of a re-identification scenario the value is: highest or average
    linked             whether records are linked with the population, if there is one
    reported_in        the part of a report it belongs to, if it does not follow from family and needs
    outside            the protected statistic that outsiders see instead of the value: "smallest class", "classes",
                       "unique" or "guesses"; None: they see no value
    asks               its questions about classes, for a view and its checked parameters
    sees               what a measure of utility depends on, if it does not depend on how coarse recoded values are:
                       class-sizes, suppression, or labels (a different label is a different value)
    tests              its thresholds as tests of single classes, for a view and its checked parameters
    table_limits       the thresholds that are not tests of single classes, if it has tests
    suppressing        how its thresholds for the whole table are met by suppressing the smallest classes, if that
                       depends on class sizes only; None if no such threshold is given
    worse_by_suppression  whether the value can only become worse when more records are suppressed
    kinds              the kinds of release that it has a meaning for
    """

    function: Callable[..., Result]
    family: str
    better: str
    needs: tuple[str, ...] = ("quasi-identifiers",)
    aliases: tuple[str, ...] = ()
    treats: Mapping[str, str | None] = field(default_factory=dict)
    unit: str = "number"
    by_column: ColumnNumber | None = None
    if_it_fails: str | None = None
    classes_to_avoid: int | None = None
    scenario: str | None = None
    linked: bool = False
    reported_in: str | None = None
    outside: str | None = None
    asks: Callable[..., Iterable[Question[Any]]] | None = None
    sees: str | None = None
    tests: Callable[..., list[ClassTest]] | None = None
    table_limits: tuple[str, ...] = ()
    suppressing: Callable[..., SuppressionTest | None] | None = None
    worse_by_suppression: bool = False
    kinds: tuple[str, ...] = (GENERALISED,)

    def __repr__(self) -> str:
        return f"<{self.name} ({self.family}): {self.summary}>"

    @property
    def name(self) -> str:
        """`t-closeness` for the function `t_closeness`."""
        return self.function.__name__.replace("_", "-")

    @property
    def page(self) -> str:
        """The page of the documentation that describes it; measures of disclosure share one."""
        return "disclosure" if self.family == "disclosure" else self.name

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (self.function.__doc__ or "").partition("\n")[0]

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters, by name."""
        hints = get_type_hints(self.function, include_extras=True)
        return {
            name: Parameter(name, parameter.default, hints[name].__metadata__[0])
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY
        }

    @property
    def remedy(self) -> str:
        """The kind of step that helps if a threshold is not met."""
        return self.if_it_fails or ("refine" if self.family == "utility" else "blur")

    @property
    def section(self) -> str:
        """The part of a report that it belongs to: identity, attributes, disclosure, presence, profit or utility."""
        if self.reported_in is not None:
            return self.reported_in
        if self.family in ("utility", "disclosure"):
            return self.family
        return "attributes" if "a sensitive attribute" in self.needs else "identity"

    def to_dict(self) -> dict[str, Any]:
        """The entry of the catalogue, as plain dicts, lists and texts."""
        return {
            "name": self.name,
            "family": self.family,
            "better": self.better,
            "summary": self.summary,
            "needs": list(self.needs),
            "aliases": list(self.aliases),
            "parameters": {
                parameter.name: {"kind": parameter.rule.kind, "default": parameter.default}
                for parameter in self.parameters.values()
            },
        }

    @property
    def compares(self) -> bool:
        """Whether people are looked up in a release that is not generalised, and control people as well."""
        return GENERALISED not in self.kinds

    def applies_to(self, kind: str) -> bool:
        """Whether the measure has a meaning for releases of this kind."""
        return kind in self.kinds

    def lacks(self, view: View) -> NeedNotMet | None:
        """The error that names the needs of the measure that the release does not meet; None if it meets all."""
        if not self.applies_to(view.kind):
            return NeedNotMet(self.reason_unfit(view.kind), measure=self.name)
        parts: list[str | Hint] = []
        for need in self.needs:
            has_it, hint = NEEDS[need]
            if not has_it(view):
                needed = literal(need)
                parts += [Phrase(" and {need}", need=needed) if parts else Phrase("needs {need}", need=needed), hint]
        return NeedNotMet(*parts, measure=self.name) if parts else None

    def reason_unfit(self, kind: str) -> Phrase:
        """The reason why the measure has no meaning for a kind of release."""
        if kind == GENERALISED:
            return Phrase(
                "does not apply to a generalised table, because its records are those of the original; give the kind "
                "'synthetic' or 'perturbed' if they are not"
            )
        if self.family == "utility":
            return Phrase(
                "does not apply to a {kind} table, because nothing in it is generalised or suppressed; "
                "measure fidelity or marginals",
                kind=WORDS[kind],
            )
        return Phrase(
            "does not apply to a {kind} table, because its records are not those of people in the original, so that "
            "their classes hide nobody; measure certain, best-guess or copies, with control people",
            kind=WORDS[kind],
        )

    def check(
        self, given: Mapping[str, Any], names: Mapping[str, str] | None = None, *, empty_range: bool = False
    ) -> dict[str, Any]:
        """Check the given parameters and return all of them.

        names         the names of parameters in error messages
        empty_range   whether a lower limit may be above the upper one, so that no value satisfies both
        """
        called = {name: (names or {}).get(name, name) for name in self.parameters}
        for name in given:
            if not self.parameters:
                raise ParameterError(
                    "{metric} takes no parameters, got {name}", metric=self.name, name=quoted([name]), what=name
                )
            if name not in self.parameters:
                raise unknown(Phrase("parameter of {metric}", metric=self.name), str(name), called.values(), what=name)
        checked: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            value = given.get(name, parameter.default)
            optional = value is None and parameter.default is None
            checked[name] = None if optional else parameter.rule.check(self.name, called[name], value)
        for name, parameter in self.parameters.items():
            lower = parameter.rule.not_below if isinstance(parameter.rule, Number) and not empty_range else None
            if lower and None not in (checked[lower], checked[name]) and not at_most(checked[lower], checked[name]):
                given_of_both = [called[bound] for bound in (lower, name) if bound in given]
                raise ParameterError(
                    "{metric} needs {lower} <= {upper}, got {lower}={low}, {upper}={high}",
                    metric=self.name,
                    lower=called[lower],
                    upper=called[name],
                    low=checked[lower],
                    high=checked[name],
                    what=given_of_both[0] if len(given_of_both) == 1 else None,
                )
        return checked

    def questions(self, view: View, checked: Mapping[str, Any]) -> list[Question[Any]]:
        """The questions of the measure about classes, so that an engine can answer many measures in one pass."""
        whole = self.seen_by(view)
        asked = list(self.asks(whole, **checked)) if self.asks is not None else []
        return [*asked, *whole.summary_questions()] if view.quasi_identifiers else asked

    def judge(self, view: View, checked: Mapping[str, Any]) -> tuple[Any, bool | None]:
        """The value and whether the thresholds hold, without details, for a search."""
        result = self.function(self.seen_by(view), **checked)
        return result.value, result.satisfied

    def seen_by(self, view: View) -> View:
        """The view that the measure is applied to: for utility, removed records are included, and count as lost.

        A function of the user (utility-bias) gets the released table without them.
        """
        return view.whole if self.family == "utility" and self.name != "utility-bias" else view

    def __call__(self, release: Release | View, **parameters: Any) -> Result:
        """Measure a release."""
        return self.measure(view_of(release, self.name), self.check(parameters))

    def measure(self, view: View, checked: Mapping[str, Any]) -> Result:
        """Measure a view with parameters that `check` has returned."""
        try:
            whole = self.seen_by(view)
            missing = self.lacks(whole)
            if missing:
                raise missing
            result = self.function(whole, **checked)
            details = dict(result.details)
        except NotApplicable as error:
            error.measure = self.name
            raise
        about_values = ("several_sensitive", "sensitive_values")
        unused = {} if "a sensitive attribute" in self.needs else dict.fromkeys(about_values)
        return replace(result, details=details, treatment={**view.treatment, **unused, **self.treats})


def view_of(release: Any, measure: str = "a measure") -> View:
    """The view of a release; raise for anything that is neither a release nor a view."""
    if isinstance(release, Release):
        return release.view
    if not isinstance(release, View):
        raise ParameterError(
            "{metric} measures a Release(data, roles), got {type}", metric=measure, type=type(release).__name__
        )
    return release


# The treatment by measures of single cells, whatever the treatment of the release.
CELL_BY_CELL = {"missing": "lost", "suppressed": "lost", "privacy_unit": None}

FAMILIES = ("privacy", "risk", "attack", "disclosure", "utility")

catalogue: dict[str, Metric] = {}


def metric(
    *, family: str, better: str, **properties: Any
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Enter a function in the catalogue and check its arguments whenever it is called.

    properties   the other fields of `Metric`
    """

    def enter(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        entry = Metric(function, family, better, **properties)
        catalogue[entry.name] = entry

        @wraps(function)
        def measure(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            return entry(*args, **kwargs)  # type: ignore[arg-type]  # the release is the one positional argument

        return measure

    return enter


def all_measures() -> list[Metric]:
    """The catalogue, family by family."""
    return sorted(catalogue.values(), key=lambda entry: (FAMILIES.index(entry.family), entry.name))


def find_measure(name: str) -> Metric:
    """The measure with this name or alias; case, blanks, hyphens and underscores do not matter."""
    if (measure := catalogue.get(str(name))) is not None:
        return measure
    spelled = {_fold_name(other): entry for entry in catalogue.values() for other in (entry.name, *entry.aliases)}
    try:
        return spelled[_fold_name(name)]
    except KeyError:
        raise unknown("measure", str(name), catalogue) from None


def _fold_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "", str(name)).casefold()
