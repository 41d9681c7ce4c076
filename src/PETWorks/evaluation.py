"""Several measures of one release at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from PETWorks import attacks, metrics  # noqa: F401 - fills the catalogue
from PETWorks.errors import NotApplicable, RoleError
from PETWorks.metric import Metric, all_measures, find
from PETWorks.release import NO_QUASI_IDENTIFIER, Release
from PETWorks.result import Result, shown


@dataclass(frozen=True)
class Evaluation:
    """The results, and the measures that do not apply with the reason."""

    table: Mapping[str, Any]
    results: tuple[Result, ...]
    not_applicable: Mapping[str, str]

    @property
    def satisfied(self) -> bool:
        """Whether every threshold that was given is met."""
        return all(result.satisfied is not False for result in self.results)

    def __getitem__(self, name: str) -> Result:
        """The result of a measure, by its name."""
        wanted = find(name).name
        for result in self.results:
            if result.measure == wanted:
                return result
        raise KeyError(f"{wanted} was not measured")

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dicts, lists, numbers and texts."""
        return {
            "table": dict(self.table),
            "satisfied": self.satisfied,
            "results": [result.to_dict() for result in self.results],
            "not applicable": dict(self.not_applicable),
        }

    def __repr__(self) -> str:
        lines = [f"<Evaluation of {self.table['records']} records>", *(f"  {result!r}" for result in self.results)]
        return "\n".join(
            lines + [f"  not applicable: {name}: {reason}" for name, reason in self.not_applicable.items()]
        )

    def _repr_html_(self) -> str:
        header = "<tr><th>measure</th><th>value</th><th>satisfied</th></tr>"
        rows = "".join(
            f"<tr><td>{escape(result.measure)}</td><td>{escape(shown(result.value))}</td>"
            f"<td>{escape(shown(result.satisfied))}</td></tr>"
            for result in self.results
        )
        missing = "".join(f"<li>{escape(name)}: {escape(reason)}</li>" for name, reason in self.not_applicable.items())
        return f"<table>{header}{rows}</table>" + (f"<p>not applicable</p><ul>{missing}</ul>" if missing else "")


def evaluate(
    release: Release, wanted: str | Iterable[str] | Mapping[str, Mapping[str, Any]] | None = None
) -> Evaluation:
    """Measure a release: the wanted measures (names, or a dict from name to parameters), or all that apply.

    >>> evaluate(Release("data/patient_anonymized.csv"), {"t-closeness": {"t": 0.376}})
    <Evaluation of 9 records>
      <t-closeness = 0.296296 (t=0.376, distance='auto'): satisfied>
    """
    return evaluate_all(release, None if wanted is None else _requests(wanted))


def evaluate_all(release: Release, requests: Iterable[tuple[Metric, Mapping[str, Any]]] | None) -> Evaluation:
    """Measure a release; a measure may be asked for several times with different parameters."""
    results: list[Result] = []
    not_applicable: dict[str, str] = {}
    if requests is None:
        if not release.quasi_identifiers:
            raise RoleError(NO_QUASI_IDENTIFIER)
        for entry in all_measures():
            missing = entry.lacks(release)
            if missing:
                not_applicable[entry.name] = missing
                continue
            try:
                results.append(entry(release))
            except NotApplicable as reason:
                not_applicable[entry.name] = str(reason)
    else:
        asked = [(entry, entry.check(parameters)) for entry, parameters in requests]
        results = [entry(release, **parameters) for entry, parameters in asked]
    table = {
        "records": release.records,
        **({"classes": release.class_summary()} if release.quasi_identifiers else {}),
        "quasi-identifiers": list(release.quasi_identifiers),
        "sensitive attributes": list(release.sensitive_attributes),
        "hierarchies": list(release.hierarchies),
        "encoding": release.table.encoding,
    }
    return Evaluation(table, tuple(results), not_applicable)


def _requests(wanted: str | Iterable[str] | Mapping[str, Mapping[str, Any]]) -> list[tuple[Metric, Mapping[str, Any]]]:
    if isinstance(wanted, Mapping):
        return [(find(name), parameters) for name, parameters in wanted.items()]
    return [(find(name), {}) for name in ([wanted] if isinstance(wanted, str) else wanted)]
