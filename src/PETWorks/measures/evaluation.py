"""Evaluation of a release by several measures at once."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from PETWorks.about.kinds import GENERALISED
from PETWorks.counting.counts import ClassSizes
from PETWorks.counting.questions import Question
from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.displayable import Displayable
from PETWorks.errors import HierarchyError, NotApplicable, ParameterError, PETWorksError, RoleError
from PETWorks.measures.catalogue import Metric, all_measures, find_measure
from PETWorks.measures.disclosure.compared import control_overlap, without_counterpart
from PETWorks.measures.result import Result
from PETWorks.tables.frames import Rows

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Evaluation(Rows, Displayable):
    """The results of several measures, and the reasons why other measures do not apply.

    >>> from PETWorks import evaluate
    >>> found = evaluate(Release("data/patient_anonymized.csv"), {"k-anonymity": {"k": 3}})
    >>> found.to_arrow().to_pylist()[0]["value"]
    3.0
    >>> found.plot()
    <Plot 'classes': Records by the size of their equivalence class>
    """

    table: Mapping[str, Any]
    results: tuple[Result, ...]
    reasons: Mapping[str, PETWorksError] = field(compare=False)  # by the measure that does not apply
    class_sizes: ClassSizes | None = field(default=None, compare=False, repr=False)  # None without quasi-identifiers

    @property
    def not_applicable(self) -> dict[str, str]:
        """The reasons as texts."""
        return {name: error.reason() for name, error in self.reasons.items()}

    @property
    def satisfied(self) -> bool | None:
        """Whether all given thresholds are met; None if none was given."""
        verdicts = [result.satisfied for result in self.results if result.satisfied is not None]
        return all(verdicts) if verdicts else None

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str) -> Result:
        """The result of a measure, by its name."""
        wanted = find_measure(name).name
        for result in self.results:
            if result.measure == wanted:
                return result
        raise KeyError(f"{wanted} was not measured")

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as plain dicts, lists, numbers and texts."""
        return {
            "table": dict(self.table),
            "satisfied": self.satisfied,
            "results": [result.to_dict() for result in self.results],
            "not_applicable": self.not_applicable,
        }

    def __repr__(self) -> str:
        lines = [f"<Evaluation of {self.table['records']} records>", *(f"  {result!r}" for result in self.results)]
        return "\n".join(
            lines + [f"  not applicable: {name}: {reason}" for name, reason in self.not_applicable.items()]
        )

    def to_arrow(self) -> "pa.Table":
        """A PyArrow table with a row for each measure.

        measure, family   as in the catalogue
        value             a number; null if there is none, or several of them
        found             the value as a text, also if it is several numbers
        satisfied         null if no threshold was given
        better            whether "higher" or "lower" is better
        parameters        the parameters, as a text
        """
        import pyarrow as pa

        entries = [find_measure(result.measure) for result in self.results]
        numbers = [result.value if isinstance(result.value, int | float) else None for result in self.results]
        columns = {
            "measure": pa.array([result.measure for result in self.results], pa.string()),
            "family": pa.array([entry.family for entry in entries], pa.string()),
            "value": pa.array([None if number is None else float(number) for number in numbers], pa.float64()),
            "found": pa.array([result.summary_cells()[1] for result in self.results], pa.string()),
            "satisfied": pa.array([result.satisfied for result in self.results], pa.bool_()),
            "better": pa.array([entry.better for entry in entries], pa.string()),
            "parameters": pa.array([result.summary_cells()[2] for result in self.results], pa.string()),
        }
        return pa.table(columns)


def evaluate_measures(
    release: Release, wanted: str | Iterable[str] | Mapping[str, Mapping[str, Any]] | None = None
) -> Evaluation:
    """Measure a release: the wanted measures (names, or a dict from name to parameters), or all that apply."""
    return evaluate_requests(release, None if wanted is None else _check_requests(wanted))


def evaluate_requests(release: Release, requests: Iterable[tuple[Metric, Mapping[str, Any]]] | None) -> Evaluation:
    """Measure a release with parameters that were checked; a measure may be requested several times."""
    if not isinstance(release, Release):
        raise ParameterError("expected a Release(data, roles), got {type}", type=type(release).__name__)
    view = release.view
    results: list[Result] = []
    reasons: dict[str, PETWorksError] = {}
    if requests is None:
        if not release.quasi_identifiers:
            raise RoleError(*NO_QUASI_IDENTIFIER)
        with_defaults = [(entry, entry.check({})) for entry in all_measures()]
        answer_questions_of_measures(view, with_defaults)
        for entry, checked in with_defaults:
            if not entry.applies_to(view.kind):
                continue
            missing = entry.lacks(view)
            if missing:
                reasons[entry.name] = missing
                continue
            try:
                # No threshold was given, so there is no verdict, not even on default parameters.
                results.append(replace(entry.measure(view, checked), satisfied=None))
            except (NotApplicable, HierarchyError) as error:
                reasons[entry.name] = error.with_traceback(None)
    else:
        asked = list(requests)
        answer_questions_of_measures(view, asked)
        results = [entry.measure(view, checked) for entry, checked in asked]
    has_classes = bool(release.quasi_identifiers) and view.kind == GENERALISED
    table = {
        "records": release.records,
        **({"classes": view.class_summary()} if has_classes else {}),
        **({} if view.kind == GENERALISED else _facts_of_comparison(release)),
        "treatment": release.treatment,
        **({} if release.privacy_unit is None else {"people": release.people}),
        "population": release.population_size,
        "quasi_identifiers": list(release.quasi_identifiers),
        "sensitive_attributes": list(release.sensitive_attributes),
        "hierarchies": list(release.hierarchies),
        "identifiers_in_the_release": [name for name in release.identifiers if name in release.columns],
        "columns_without_a_role": [name for name in release.columns if name not in release.roles],
        "engine": release.engine.name,
        "encoding": release.encoding,
        "separator": release.separator,
    }
    return Evaluation(table, tuple(results), reasons, release.class_sizes() if has_classes else None)


def _facts_of_comparison(release: Release) -> dict[str, Any]:
    """Facts about the tables with which a release that is not generalised is compared."""
    background = release.view.background
    facts: dict[str, Any] = {"kind": release.kind}
    if background.has_original:
        facts["original_records"] = background.original.rows
    if background.control is not None:
        facts["control_records"] = background.control.rows
        facts["control_in_the_original"] = control_overlap(release.view).records
    if release.compare_at:
        facts["compared_at"] = dict(release.compare_at)
    if background.has_original and release.quasi_identifiers:
        facts["without_counterpart"] = without_counterpart(release.view)
    return facts


def answer_questions_of_measures(
    view: View, measures: Iterable[tuple[Metric, Mapping[str, Any]]], others: Iterable[Question[Any]] = ()
) -> None:
    """Answer the questions of several measures in as few passes as possible; errors are left to the measures.

    others   further questions to answer in the same passes
    """
    questions: list[Question[Any]] = [*others]
    for entry, checked in measures:
        if not entry.lacks(view):
            with suppress(PETWorksError):
                questions += entry.questions(view, checked)
    view.prepare(questions)


def _check_requests(
    wanted: str | Iterable[str] | Mapping[str, Mapping[str, Any]],
) -> list[tuple[Metric, Mapping[str, Any]]]:
    """The wanted measures with their parameters, checked."""
    if isinstance(wanted, Mapping):
        for name, parameters in wanted.items():
            if not isinstance(parameters, Mapping):
                raise ParameterError(
                    "expected a dict of the parameters of {name!r}, got {type}",
                    name=name,
                    type=type(parameters).__name__,
                )
        asked = [(find_measure(name), parameters) for name, parameters in wanted.items()]
        return [(entry, entry.check(parameters)) for entry, parameters in asked]
    if not isinstance(wanted, Iterable):
        raise ParameterError(
            "expected the name of a measure, several names or a dict, got {type}", type=type(wanted).__name__
        )
    entries = [find_measure(name) for name in ([wanted] if isinstance(wanted, str) else wanted)]
    return [(entry, entry.check({})) for entry in entries]
