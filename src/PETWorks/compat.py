"""The published camelCase interface: `PETValidation`, `report`, `PETAnonymization`, `output`. It is kept for ever."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.about.sidecar import Sidecar, read_sidecar
from PETWorks.about.treatment import COLUMN_KEYS, TREATMENTS
from PETWorks.api import anonymeter
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.counting.engines.engine import load_rows
from PETWorks.counting.release import Release
from PETWorks.errors import HierarchyError, Hint, InputError, ParameterError, PETWorksError, Phrase, quoted, unknown
from PETWorks.measures import attacks, disclosure, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.measures.catalogue import Metric, catalogue, find_measure
from PETWorks.measures.parameters import Number
from PETWorks.measures.result import Result
from PETWorks.measures.utility.fidelity import measure_bias
from PETWorks.render.formats.formats import dumps
from PETWorks.tables.arrays import dictionary
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.opening import open_source
from PETWorks.tables.output import check_writable, write_whole

if TYPE_CHECKING:
    import pandas as pd

    from PETWorks.anonymizer.anonymization import Anonymization


class Validation(dict[str, Any]):
    """The documented keys of an evaluation; `details` has everything else that was measured, ready for JSON."""

    def __init__(self, documented: Mapping[str, Any], details: Mapping[str, Any]) -> None:
        super().__init__(documented)
        self.details = dict(details)


@dataclass(frozen=True)
class _Technique:
    """A published evaluation: its measure, the published names of its parameters, and its documented keys."""

    measure: str
    keys: Callable[[Result], Mapping[str, Any]]
    parameters: Mapping[str, str] = field(default_factory=dict)
    required: bool = True
    # The quasi-identifiers if neither the caller nor a YAML file gives roles.
    default_columns: Callable[[Release], Iterable[str]] | None = None


def _columns_with_hierarchy(release: Release) -> Iterable[str]:
    return release.hierarchies or release.columns


def _all_columns(release: Release) -> Iterable[str]:
    return release.columns


def _prior_and_posterior(attack: Mapping[str, Any]) -> dict[str, Any]:
    return {key: attack[key] for key in ("prior", "posterior")}


def _remaining(result: Result) -> float:
    """One minus the loss, rounded in this order as published."""
    raw, lowest, highest = (result.details[name] for name in ("raw", "min", "max"))
    return float(1 - (raw - lowest) / (highest - lowest) if highest > lowest else result.value)


# The words of the published interface for hints, where they differ from those of the other functions.
PUBLISHED_HINTS = {
    Hint.IDENTIFIERS: "attributeTypes=...",
    Hint.QUASI_IDENTIFIERS: "attributeTypes=...",
    Hint.SENSITIVE_ATTRIBUTES: "attributeTypes=...",
    Hint.ORIGINAL: "the first argument",
    Hint.HIERARCHIES: "dataHierarchy=...",
}

RELEASE_OPTIONS = ("population", *TREATMENTS, *COLUMN_KEYS, "kind", "control", "compare_at")

TECHNIQUES = {
    "t-closeness": _Technique(
        "t-closeness",
        lambda result: {"t": result.parameters["t"], "fulfill t-closeness": result.satisfied},
        {"tLimit": "t"},
    ),
    "d-presence": _Technique(
        "delta-presence",
        lambda result: {
            "dMin": result.parameters["delta_min"],
            "dMax": result.parameters["delta_max"],
            "d-presence": result.satisfied,
        },
        {"dMin": "delta_min", "dMax": "delta_max"},
    ),
    "profitability": _Technique(
        "profitability",
        lambda result: {
            "allow attack": result.parameters["allow_attack"],
            "adversary's cost": result.parameters["adversary_cost"],
            "adversary's gain": result.parameters["adversary_gain"],
            "publisher's loss": result.parameters["publisher_loss"],
            "publisher's benefit": result.parameters["publisher_benefit"],
            "profitability": result.satisfied,
        },
        {
            "allowAttack": "allow_attack",
            "adversaryCost": "adversary_cost",
            "adversaryGain": "adversary_gain",
            "publisherLost": "publisher_loss",
            "publisherBenefit": "publisher_benefit",
        },
    ),
    "k-anonymity": _Technique(
        "k-anonymity",
        lambda result: {"k": result.parameters["k"], "fulfill k-anonymity": result.satisfied},
        {"k": "k"},
    ),
    "l-diversity": _Technique(
        "l-diversity",
        lambda result: {"l": result.parameters["l"], "fulfill l-diversity": result.satisfied},
        {"l": "l"},
    ),
    "ReidentificationRisk": _Technique(
        "prosecutor-risk", lambda result: {"Re-identification Risk": result.value}, default_columns=_all_columns
    ),
    "Precision": _Technique("precision", lambda result: {"precision": result.value}),
    "AECS": _Technique("aecs", lambda result: {"AECS": result.value}, default_columns=_columns_with_hierarchy),
    "Ambiguity": _Technique(
        "ambiguity", lambda result: {"ambiguity": _remaining(result)}, default_columns=_columns_with_hierarchy
    ),
    "Non-Uniform Entropy": _Technique(
        "non-uniform-entropy",
        lambda result: {"Non-Uniform Entropy": result.value},
        default_columns=_columns_with_hierarchy,
    ),
    "UtilityBias": _Technique(
        "utility-bias",
        lambda result: {"UtilityBias": result.satisfied},
        {"processingFunc": "function", "maxBias": "max_bias"},
    ),
    "re-identification": _Technique("re-identification", lambda result: _prior_and_posterior(result.details)),
    "attribute-inference": _Technique(
        "attribute-inference",
        lambda result: {
            column: _prior_and_posterior(attribute) for column, attribute in result.details["attributes"].items()
        },
    ),
}

# Published techniques that are not about tables of people, and what they are about.
OUT_OF_SCOPE = {
    "MIATest": Phrase("whether a program adds the noise of differential privacy"),
    "FL": Phrase("federated learning"),
    "ImageSimilarity": Phrase("federated learning"),
    "TLSv1.2OrLater": Phrase("network protocols"),
    "HomomorphicEncryption": Phrase("homomorphic encryption"),
}


def PETValidation(
    original: Any, anonymized: Any, tech: str | None = None, *, metric: str | None = None, **parameters: Any
) -> Validation:
    """Evaluate an anonymized table with a published technique, or with any measure by its own name.

    The tables are paths or frames; `original` may be None where it is not needed. `dataHierarchy` and
    `attributeTypes` are optional where a YAML file stands beside the table. `population` and other statements about the
    table, such as `privacy_unit` and `suppressed`, may be given as to `Release`.

    For "SinglingOutRisk", "LinkabilityRisk" and "InferenceRisk", which need the package anonymeter, the synthetic table
    comes first, then the original one; `control`, `nAttack`, `n_col`, `auxiliaryColumns` and `seed` are as published.

    >>> PETValidation(None, "data/patient_anonymized.csv", "t-closeness", tLimit=0.376)
    {'t': 0.376, 'fulfill t-closeness': True}
    """
    try:
        return _validation(original, anonymized, tech, metric, parameters)
    except PETWorksError as error:
        raise error.hinted(PUBLISHED_HINTS) from None


def _validation(
    original: Any, anonymized: Any, tech: str | None, metric: str | None, parameters: dict[str, Any]
) -> Validation:
    if (tech is None) == (metric is None):
        raise ParameterError("expected one technique, as the third argument or as metric=...")
    name = str(tech if metric is None else metric)
    attack = _match_name(name, anonymeter.PARAMETERS)
    if attack is not None:
        return Validation(*anonymeter.run_attack(attack, original, anonymized, parameters))
    technique, entry = _technique(name)
    if anonymized is None and technique.default_columns is _all_columns:
        original, anonymized = None, original  # as published: a single table is the first argument
    published = {native: name for name, native in technique.parameters.items()}
    hierarchies, roles = parameters.pop("dataHierarchy", None), parameters.pop("attributeTypes", None)
    release_options = {name: parameters.pop(name) for name in RELEASE_OPTIONS if name in parameters}
    for name in parameters:
        if name not in technique.parameters:
            known = ["dataHierarchy", "attributeTypes", *technique.parameters, *RELEASE_OPTIONS]
            raise unknown(Phrase("parameter of {metric}", metric=entry.name), name, known)
    missing = [name for name in technique.parameters if parameters.get(name) is None]
    if missing and technique.required:
        raise ParameterError("{metric} needs {missing}", metric=entry.name, missing=", ".join(missing))
    thresholds = {technique.parameters[name]: value for name, value in parameters.items()}
    checked = entry.check(
        thresholds, published, empty_range=technique.required
    )  # a published technique then returns False
    if entry.name == "utility-bias":
        # The function gets the arguments unchanged.
        result = measure_bias(original, anonymized, **checked)
    else:
        release = Release(anonymized, roles, hierarchies, original, **release_options)
        if not release.roles and technique.default_columns is not None:
            roles = dict.fromkeys(technique.default_columns(release), QUASI_IDENTIFIER)
            release = Release(anonymized, roles, hierarchies, original, **release_options)
        result = entry.measure(release.view, checked)
    details = {"value": result.value, "treatment": dict(result.treatment), **result.details}
    return Validation(technique.keys(result), details)


def report(result: Mapping[str, Any] | Result, format: str = "json") -> None:  # noqa: A002 - the published name
    """Print a result; the format is "json"."""
    if str(format).casefold() != "json":
        raise unknown("report format", str(format), ["json"])
    if not isinstance(result, Mapping | Result):
        got = type(result).__name__
        raise ParameterError("expected what PETValidation or a measure returned, got {type}", type=got)
    print(dumps(result if isinstance(result, Mapping) else result.to_dict()))


def dataProcess(*_: Any, **__: Any) -> None:
    """Raise: what this published function did has nothing to do with tables about people."""
    raise _out_of_scope("dataProcess", Phrase("federated learning, homomorphic encryption and network protocols"))


def _out_of_scope(name: str, topic: Phrase) -> ParameterError:
    return ParameterError(
        "{name} is out of scope: PETWorks measures and anonymizes tables about people, and this is about {topic}",
        name=name,
        topic=topic,
    )


def _match_name(name: str, names: Iterable[str]) -> str | None:
    """The one of these published names that is meant; case, spaces and signs do not matter."""
    spelt = {re.sub(r"[\W_]", "", known).casefold(): known for known in names}
    return spelt.get(re.sub(r"[\W_]", "", name).casefold())


def _technique(name: str) -> tuple[_Technique, Metric]:
    """A technique by its published name or by any spelling of its measure."""
    other = _match_name(name, OUT_OF_SCOPE)
    if other is not None:
        raise _out_of_scope(other, OUT_OF_SCOPE[other])
    published = _match_name(name, TECHNIQUES)
    if published is not None:
        return TECHNIQUES[published], find_measure(TECHNIQUES[published].measure)
    by_measure = {technique.measure: technique for technique in TECHNIQUES.values()}
    try:
        entry = find_measure(name)
    except ParameterError:
        others = set(catalogue) - set(by_measure)
        raise unknown("technique", name, [*TECHNIQUES, *anonymeter.PARAMETERS, *others]) from None
    return by_measure.get(entry.name) or _unpublished_technique(entry), entry


def _unpublished_technique(entry: Metric) -> _Technique:
    """A measure without a published technique: its value under its name, and a verdict if a limit was given."""

    def keys(result: Result) -> dict[str, Any]:
        verdict = {} if result.satisfied is None else {f"fulfill {entry.name}": result.satisfied}
        return {entry.name: result.value, **verdict}

    return _Technique(entry.name, keys, {name: name for name in entry.parameters}, required=False)


# Parameters of each anonymisation technique: the name in the measure (None if it is no threshold), and the meaning.
ANONYMIZATION_TECHNIQUES: Mapping[str, Mapping[str, tuple[str | None, str]]] = {
    "k-anonymity": {"k": ("k", "how many records every class must have")},
    "l-diversity": {"l": ("l", "how many different values of each sensitive attribute every class must have")},
    "t-closeness": {"t": ("t", "how far the sensitive values of a class may be from those of the whole table")},
    "d-presence": {
        "dMin": ("delta_min", "the smallest share of a class of originalData that is released"),
        "dMax": ("delta_max", "the largest share of a class of originalData that is released"),
        "subsetData": (None, "the table to release, whose records are among those of originalData"),
    },
}


def PETAnonymization(originalData: Any, tech: str, maxSuppressionRate: Any, **parameters: Any) -> "pd.DataFrame":
    """Anonymize a table with a published technique, and lose as little as possible.

    `maxSuppressionRate` is the share of records that may be suppressed. Roles and hierarchies are read from the YAML
    file beside `originalData`, unless `attributeTypes` or `dataHierarchy` are given. The cells of the frame are texts;
    columns without a role and identifiers have `*` in every record.

    >>> PETAnonymization("data/adult.csv", "k-anonymity", maxSuppressionRate=0.6, k=6).iloc[2].tolist()
    ['Female', '*', 'Asian', 'partner', 'higher', '*', 'City', '*', '<=50K']
    """
    try:
        _require_pandas("PETAnonymization")
        anonymization = _anonymization(originalData, tech, maxSuppressionRate, parameters)
        if not anonymization.optimal:  # Ctrl-C: a frame cannot show that it may not be the best one
            raise KeyboardInterrupt
        return _frame(replace(anonymization, keeps_unit=True))
    except PETWorksError as error:
        raise error.hinted(PUBLISHED_HINTS) from None


def _anonymization(data: Any, tech: str, rate: Any, parameters: dict[str, Any]) -> "Anonymization":
    from PETWorks.about.treatment import STARS
    from PETWorks.anonymizer.anonymization import anonymize_release
    from PETWorks.anonymizer.problem import ALL
    from PETWorks.anonymizer.rules import check_rules

    technique, entry = _anonymization_technique(str(tech))
    hierarchies, roles = parameters.pop("dataHierarchy", None), parameters.pop("attributeTypes", None)
    needs = ANONYMIZATION_TECHNIQUES[technique]
    for name in parameters:
        if name not in needs:
            known = [*needs, "dataHierarchy", "attributeTypes"]
            raise unknown(Phrase("parameter of {metric}", metric=technique), name, known)
    missing = [f"{name} ({meaning})" for name, (_, meaning) in needs.items() if parameters.get(name) is None]
    if missing:
        raise ParameterError("{metric} needs {missing}", metric=technique, missing=", ".join(missing))
    limit = Number(at_least=0, at_most=1).check("PETAnonymization", "maxSuppressionRate", rate)
    thresholds = {native: name for name, (native, _) in needs.items() if native is not None}
    checked = entry.check({native: parameters[name] for native, name in thresholds.items()}, thresholds)
    rules = check_rules({entry.name: checked})
    if "subsetData" in needs:
        population = open_source(data, "originalData")
        path = population.path if roles is None or hierarchies is None else None
        sidecar = Sidecar() if path is None else read_sidecar(path)
        about: dict[str, Any] = {**sidecar.treatment, **sidecar.sample.words, "privacy_unit": sidecar.privacy_unit}
        release = Release(
            open_source(parameters["subsetData"], "subsetData"),
            sidecar.roles if roles is None else roles,
            sidecar.hierarchies or {} if hierarchies is None else hierarchies,
            population,
            engine="memory",
            **about,
        )
    else:
        release = Release(data, roles, hierarchies, engine="memory")
    _check_hierarchies(release)
    return anonymize_release(release, rules, suppression=limit, suppressed_records=STARS, may_lose=ALL)


def _check_hierarchies(release: Release) -> None:
    """Raise if a quasi-identifier has no hierarchy: the published interface generalises by given ones only."""
    without = [name for name in release.quasi_identifiers if name not in release.hierarchies]
    if without:
        raise HierarchyError(
            "quasi-identifiers without a hierarchy cannot be generalised: {columns}",
            Hint.HIERARCHIES,
            columns=quoted(without),
        )


def _anonymization_technique(name: str) -> tuple[str, Metric]:
    """An anonymisation technique by any name that `PETValidation` accepts."""
    try:
        entry = _technique(name)[1]
    except ParameterError:
        entry = None
    for technique in ANONYMIZATION_TECHNIQUES:
        if entry is find_measure(TECHNIQUES[technique].measure):
            return technique, entry
    raise unknown("technique of anonymization", name, ANONYMIZATION_TECHNIQUES)


def _frame(anonymization: "Anonymization") -> "pd.DataFrame":
    """The release as a frame of texts; `*` in identifiers and in columns without a role."""
    import pyarrow as pa

    original = anonymization.original
    with_role = [name for name in original.columns if original.roles.get(name, IDENTIFIER) != IDENTIFIER]
    cells = dict(anonymization.changed_columns)
    unchanged = [name for name in with_role if name not in cells]
    for name, column in load_rows(original.source, unchanged).columns.items() if unchanged else ():
        cells[name] = dictionary(column.codes, column.labels)
    table = pa.table(cells).cast(pa.schema([(name, pa.large_string()) for name in cells]))
    frame: pd.DataFrame = table.to_pandas().reindex(columns=original.columns, fill_value=SUPPRESSED)
    return frame


def output(data: "pd.DataFrame", filePath: str | os.PathLike[str]) -> None:
    """Write a frame as a CSV file in UTF-8, separated by `;`, without row labels."""
    _require_pandas("output")
    import pandas as pd

    if not isinstance(data, pd.DataFrame):
        raise ParameterError("expected the frame that PETAnonymization returned, got {type}", type=type(data).__name__)
    if not isinstance(filePath, str | os.PathLike):
        raise ParameterError("expected filePath to be the path of a file, got {type}", type=type(filePath).__name__)
    try:
        content = data.to_csv(index=False, sep=";").encode()
    except UnicodeEncodeError:
        path = str(filePath)
        raise InputError("cannot write {path!r}: a cell has characters that no text can have", path=path) from None
    write_whole({check_writable(Path(filePath)): content})


def _require_pandas(function: str) -> None:
    if find_spec("pandas") is None:
        raise InputError("{function} needs pandas: pip install 'petworks[pandas]'", function=function)
