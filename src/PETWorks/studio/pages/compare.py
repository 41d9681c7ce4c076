"""Compare: this release with another one, an earlier check, or earlier releases about the same people."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from PETWorks.about.sidecar import read_sidecar
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.errors import InputError, PETWorksError
from PETWorks.gate.check.may_go_out import find_current_obstacle
from PETWorks.gate.diff import DIGEST, Difference, compare, read_check
from PETWorks.gate.document import CheckDocument
from PETWorks.gate.policy.policy import Policy, read_policy
from PETWorks.gate.policy.policy_rules import class_size_wanted
from PETWorks.gate.release_files import ReleaseFiles
from PETWorks.locale import LANGUAGES
from PETWorks.releases.composition import Caution
from PETWorks.render.charts import charts
from PETWorks.render.language.language import attack_name, message_text, percent, rule_name, shorten_name, value_text
from PETWorks.render.report import prose
from PETWorks.studio.pages.job import start_job
from PETWorks.studio.pages.make_safe import before_and_after, marked_files
from PETWorks.studio.pages.open import is_companion_file
from PETWorks.studio.pages.page import (
    Form,
    Routes,
    flow_of,
    is_release,
    join_items,
    language,
    page,
    part,
    petworks_command,
    policy_argument,
    studio,
)
from PETWorks.studio.pages.risk import answers_if_known
from PETWorks.studio.server.jobs import Job, Purpose
from PETWorks.studio.server.open_case import OpenCase

ROUTES = Routes()

MAX_ATTACKS = 4
MAX_TABLES = 100
MAX_RELEASES = 60
HALF = "1/2"  # the key of the people whose value is at least half sure
FACT_LABELS = {
    "records": "head.records",
    "people": "head.people",
    "classes": "head.classes",
    **{
        name: f"studio.compare.fact.{name}"
        for name in (
            *("quasi_identifiers", "sensitive_attributes", "treatment", "population", "cell_size", "petworks"),
            *("records_in_classes", "smallest_class", "largest_class", "suppressed_records", "incomplete_records"),
        )
    },
}

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Contributions:
    """The contribution of each release to an attack, the largest first; bars are shares of the largest."""

    attack: str
    rows: Sequence[Numbers]
    bars: Sequence[float]


def composition_values(result: Any, lang: str) -> dict[str, Any]:
    """The sentences, rows and charts of a composition, as values for the template."""
    if not isinstance(result, dict) or "curve" not in result:
        raise InputError("the command printed no result; start it again")
    return {
        "composed": result,
        "composed_texts": list(_sentences(result, lang)),
        "cautions": [Caution(**caution).text for caution in result.get("cautions", ())],
        "attributes": list(result["linked"]["attribute_inference"])[:MAX_ATTACKS],
        "crossed": list(result["unlinked"])[:MAX_ATTACKS],
        "release_chart": _release_chart(result),
        "contributions": _contributions(result, lang),
        "half": HALF,
        "no_m": lambda attribute: message_text(
            lang,
            "studio.compare.no-m",
            repeated=sum(attribute["classes_with_a_repeated_value"].values()),
            changing=attribute["people_with_another_set_of_values"],
        ),
    }


def _sentences(result: Numbers, lang: str) -> Iterator[str]:
    """Sentences that compare an attack with all releases to one with the last release alone."""
    alone = next(part["alone"] for part in result["releases"] if part["name"] == result["focal"])
    linked, number = result["linked"], len(result["releases"])

    def both_shares(attack: str, share: str) -> dict[str, str]:
        return {"together": percent(linked[attack][share], lang), "alone": percent(alone[attack][share], lang)}

    yield message_text(lang, "studio.compare.identity", n=number, **both_shares("re_identification", "posterior"))
    yield message_text(lang, "studio.compare.alone", **both_shares("re_identification", "share_alone"))
    for column, attack_result in list(linked["attribute_inference"].items())[:MAX_ATTACKS]:
        shares = {"together": attack_result["posterior"], "alone": alone["attribute_inference"][column]["posterior"]}
        texts = {key: percent(share, lang) for key, share in shares.items()}
        yield message_text(lang, "studio.compare.inference", column=[column], **texts)
    for column, attack_result in list(result["unlinked"].items())[:MAX_ATTACKS]:
        share_alone = attack_result["alone"].get(result["focal"], {}).get("share_disclosed", 0.0)
        texts = {"together": percent(attack_result["share_disclosed"], lang), "alone": percent(share_alone, lang)}
        yield message_text(lang, "studio.compare.disclosed", column=[column], **texts)


def _release_chart(result: Numbers) -> dict[str, Any]:
    """The chance to pick the right record, and the share of unique people, as releases are added one by one."""
    steps = [step["linked"]["re_identification"] for step in result["curve"]]
    lines = {
        kind: (
            {lang: message_text(lang, label) for lang in LANGUAGES},
            {number: float(step[share]) for number, step in enumerate(steps, 1)},
        )
        for kind, label, share in (
            ("highest", "studio.compare.line-chance", "posterior"),
            ("median", "studio.compare.line-alone", "share_alone"),
        )
    }
    return charts.shares_chart(lines, "studio.compare.axis")


def _contributions(result: Numbers, lang: str) -> list[Contributions]:
    attacks = dict.fromkeys(row["attack"] for row in result["contributions"])
    groups = []
    for attack in list(attacks)[:MAX_ATTACKS]:
        rows = [row for row in result["contributions"] if row["attack"] == attack]
        rows.sort(key=lambda row: (-(row["shapley"] or 0), -(row["saves"] or 0)))
        largest = max((row["shapley"] or 0 for row in rows), default=0) or 1
        title = message_text(lang, "studio.compare.adds", attack=attack_name(attack, lang))
        groups.append(Contributions(title, rows, [max((row["shapley"] or 0) / largest, 0.0) for row in rows]))
    return groups


@ROUTES.get("/compare")
def show(request: Request, case: OpenCase) -> Response:
    """The choices, and the result that was asked for; slow parts are loaded later."""
    state, other = studio(request), _other(request, case)
    job = state.jobs.of(request.query_params["job"]) if "job" in request.query_params else None
    values = _choices(request, case)
    ready = "wait" in request.query_params or _are_checked(request, case, other)
    if other and ready:
        values |= _comparison_values(request, case, other)
    if job is not None and job.state == "done" and job.purpose.step == "compare":
        values |= composition_values(job.result, language(request))
    command = _command(request, case, other, job)
    about = "both" if other and "other" not in request.query_params else ""
    shown: dict[str, Any] = {"other": other, "ready": ready, "job": job, "about": about}
    return page(request, "compare", case, command=command, **shown, **values)


def _other(request: Request, case: OpenCase) -> str:
    """What the table is compared with: what the address names, otherwise the original of a release, or its release."""
    if "other" in request.query_params:
        return request.query_params["other"]
    flow = flow_of(case.policy, request.query_params.get("release", ""))
    other = flow.original if case.file.path == flow.release else flow.release
    return "" if other is None else studio(request).workspace.relative(other)


@ROUTES.get("/compare/body")
def comparison_part(request: Request, case: OpenCase) -> Response:
    """The comparison with another check, as a part of the page."""
    return part(request, "compare_body.html", case, **_comparison_values(request, case, _other(request, case)))


@ROUTES.post("/compare/together")
def start_composition(request: Request, case: OpenCase, form: Form) -> Response:
    """Start the attack on several releases about the same people."""
    case.file.check_seen(form.text("seen"))
    arguments = _compose_arguments(request, case, form.texts("release"), form.text("key"))
    return start_job(request, Purpose(case.file.path, "compare", "/compare"), *arguments)


def _are_checked(request: Request, case: OpenCase, other: str) -> bool:
    """Whether both checks are already computed."""
    state = studio(request)
    if not case.is_checked or not other:
        return case.is_checked
    path = state.workspace.path(other)
    return _is_result(path) or state.cases.of(path).is_checked


def _is_result(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _choices(request: Request, case: OpenCase) -> dict[str, Any]:
    """The policies, checks and tables of the folder, and the columns that may name a person."""
    workspace = studio(request).workspace
    tables, policies, _ = workspace.files()
    this, data = workspace.relative(case.file.path), _table_of(case, request)
    candidates = [case.policy.privacy_unit, *case.release.identifiers]
    read = [_readable(workspace.path(file.path)) for file in policies]
    known = [policy for policy in read if policy is not None]
    made, originals = [policy.data for policy in known], [policy.original for policy in known]
    own = (file.path for file in tables if not is_companion_file(PurePosixPath(file.path)))
    others = [path for path in own if path != data and workspace.path(path) not in originals]
    other_tables = sorted(others, key=lambda path: workspace.path(path) not in made)
    return {
        "policies": [file.path for file in policies if file.path != this],
        "checks": [file.path for file in workspace.checks()],
        "table": data,
        "tables": other_tables[:MAX_TABLES],
        "all_tables": len(other_tables),
        "columns": case.release.columns,
        "likely": next((column for column in candidates if column in case.release.columns), None),
    }


def _readable(path: Path) -> Policy | None:
    with suppress(PETWorksError, ValueError):
        return read_policy(path)
    return None


def _table_of(case: OpenCase, request: Request) -> str | None:
    """The policy's table below the folder; None if it is several files, or in a database."""
    data = case.policy.data
    return studio(request).workspace.relative(data) if isinstance(data, Path) and data.is_file() else None


def _command(request: Request, case: OpenCase, other: str, job: Job | None) -> str:
    """The equivalent command line."""
    if job is not None:
        return job.command
    check = petworks_command("check", policy_argument(request, case), "--json", "new.json")
    if not other or _is_result(Path(other)):
        old = prose.file_argument(other) if other else "old.json"
        return f"{check}; {petworks_command('diff', old, 'new.json')}"
    earlier = petworks_command("check", prose.file_argument(other), "--json", "old.json")
    return f"{earlier}; {check}; petworks diff old.json new.json"


# Two checks


@dataclass(frozen=True)
class Row:
    """A line of a comparison: name, old and new value, and the change."""

    name: str
    old: Any
    new: Any
    change: str


def _comparison_values(request: Request, case: OpenCase, other: str) -> dict[str, Any]:
    state, lang = studio(request), language(request)
    path = state.workspace.path(other)
    other_case = None if _is_result(path) else state.cases.of(path)
    before, after = other_case, case
    if other_case is not None and is_release(other_case.policy) and not is_release(case.policy):
        before, after = case, other_case  # from the original to the release, whichever of them is open
    old = read_check(path) if before is None else before.check.file()
    new = after.check.file(old.edition)
    flow = flow_of(after.policy)
    is_pair = before is not None and before.file.path == flow.original and after.file.path == flow.release
    names = [other if before is None else before.table_name, after.table_name]
    heads = [message_text(lang, f"studio.bar.{kind}") for kind in ("original", "release")]
    comparison = compare(old, new)
    unit = None if before is None else before.policy.privacy_unit
    is_without_unit = is_pair and unit is not None and list(comparison.different) == ["treatment"]
    old_rules, new_rules = ({rule.name: rule for rule in document.rules} for document in (old, new))
    old_results, new_results = ({result.measure: result for result in document.results} for document in (old, new))
    measures = _rows(old_results, new_results, comparison.measures)
    rules = _rows(old_rules, new_rules, comparison.rules)
    return {
        "old": old,
        "new": new,
        "names": names,
        "heads": heads if is_pair else names,
        "comparison": comparison,
        "sentences": [prose.verdict(document, lang) for document in (old, new)],
        "residuals": [prose.residual(document, lang) for document in (old, new)],
        "moments": [prose.moment(document) for document in (old, new)],
        "without_unit": unit if is_without_unit else None,
        "different": [] if is_without_unit else [_fact_name(name, lang) for name in comparison.different],
        "new_rules": [rule_name(name, lang) for name in comparison.new_built_in_rules],
        "rule_rows": [row for row in rules if row.change != "same"],
        "same_rules": [row for row in rules if row.change == "same"],
        "measure_rows": [row for row in measures if row.change != "same"],
        "same_rows": [row for row in measures if row.change == "same"],
        "fact_rows": [
            Row(_fact_name(fact.name, lang), *_fact_texts(fact.name, fact.old, fact.new, lang), fact.change)
            for fact in comparison.table
        ],
        "curve_chart": _risk_chart(old, new, heads if is_pair else names),
        "size_charts": [_class_size_chart(document) for document in (old, new)],
        **(_release_values(request, before, after) if is_pair else {"became": [], "example": None, "out": None}),
    }


def _release_values(request: Request, origin: OpenCase | None, released: OpenCase) -> dict[str, Any]:
    """What became of each column of a release, with a few records before and after."""
    assert isinstance(released.policy.data, Path)
    files = ReleaseFiles(released.policy.data)
    facts = files.read().anonymization if files.result.exists() else None
    origins = [] if origin is None else [origin.policy]
    obstacle = find_current_obstacle(None, released.check.content, released.policy, origins, files.release)
    files_values = marked_files(files, obstacle, language(request))
    return {**before_and_after(request, origin, files, facts), **files_values}


def _rows(before: Mapping[str, Any], after: Mapping[str, Any], compared: Iterable[Difference]) -> list[Row]:
    changes = {difference.name: difference.change for difference in compared}
    return [
        Row(name, before.get(name), after.get(name), changes.get(name, "same"))
        for name in dict.fromkeys([*before, *after])
    ]


def _fact_name(name: str, lang: str) -> str:
    if name.startswith(DIGEST):
        return message_text(lang, "studio.compare.digest", what=message_text(lang, f"file.{name.removeprefix(DIGEST)}"))
    return message_text(lang, FACT_LABELS[name]) if name in FACT_LABELS else shorten_name(name)


def _fact_texts(name: str, old: Any, new: Any, lang: str) -> tuple[str, str]:
    """The old and the new value of a fact about the table, as texts."""

    def text(value: Any, other_value: Any) -> str:
        if isinstance(value, Mapping):
            return " ".join(_treatment_texts(value, other_value if isinstance(other_value, Mapping) else {}, lang))
        return value[:12] if name.startswith(DIGEST) and isinstance(value, str) else value_text(value, lang)

    return text(old, new), text(new, old)


def _treatment_texts(treatment: Mapping[str, Any], other_treatment: Mapping[str, Any], lang: str) -> Iterator[str]:
    """Sentences about how records are counted, where this differs from the other check."""
    for key, choice in treatment.items():
        if choice == other_treatment.get(key):
            continue
        if key == "privacy_unit":
            yield message_text(lang, "context.unit", column=[choice]) if choice else message_text(lang, "word.none")
        else:
            yield message_text(lang, f"treatment.{key}.{choice}")


def _risk_chart(old: CheckDocument, new: CheckDocument, names: Sequence[str]) -> dict[str, Any] | None:
    """The highest chance of re-identification by the number of known attributes, for both checks."""
    lines = {}
    for kind, name, document in (("highest", names[0], old), ("median", names[1], new)):
        points = {answer.known: charts.plotted_share(answer.highest.posterior) for answer in answers_if_known(document)}
        if not points:
            return None
        lines[kind] = (dict.fromkeys(LANGUAGES, shorten_name(name)), points)
    return charts.shares_chart(lines, "drivers.axis")


def _class_size_chart(document: CheckDocument) -> dict[str, Any] | None:
    details = next((result.details for result in document.results if result.measure == "prosecutor-risk"), {})
    return charts.class_size_chart(details.get("class_sizes", {}), class_size_wanted(document))


# Several releases


def _compose_arguments(request: Request, case: OpenCase, chosen: Iterable[str], key: str) -> list[str]:
    """The arguments of the command that attacks this release together with others."""
    workspace, release = studio(request).workspace, case.release
    table = _table_of(case, request)
    if table is None:
        raise InputError("the table of this policy is not a single file below the folder, as several releases need it")
    tables = [workspace.relative(workspace.path(path)) for path in dict.fromkeys(chosen)]
    if not 0 < len(tables) < MAX_RELEASES:
        raise InputError("choose at least one earlier release, and at most {most}", most=MAX_RELEASES - 1)
    if not key.isdecimal() or not int(key) < len(release.columns):
        raise InputError("choose the column that names the person")
    person = release.columns[int(key)]
    sensitive = [column for column in release.sensitive_attributes if column != person]
    columns = dict.fromkeys([*release.quasi_identifiers, *_quasi_identifiers_of(request, tables)])
    known = [column for column in columns if column not in (person, *sensitive)]
    return [
        "compose",
        *(prose.file_argument(path) for path in (*tables, table)),
        f"--key={person}",
        *([f"--qi={join_items(known)}"] if known else []),
        *([f"--sensitive={join_items(sensitive)}"] if sensitive else []),
        *(f"--{option}={value}" for option, value in case.policy.reading.items()),
        "--format=json",
    ]


def _quasi_identifiers_of(request: Request, tables: Iterable[str]) -> Iterator[str]:
    """The quasi-identifiers of other tables, from the files beside them or from policies of this folder."""
    state, wanted = studio(request), set(tables)
    for table in sorted(wanted):
        yield from _with_quasi_role(read_sidecar(state.workspace.table(table)).roles)
    for file in state.workspace.files()[1]:
        policy = _readable(state.workspace.path(file.path))
        if (
            policy is not None
            and isinstance(policy.data, Path)
            and policy.data.resolve() in map(state.workspace.path, wanted)
        ):
            yield from _with_quasi_role(policy.roles or {})


def _with_quasi_role(roles: Mapping[str, str]) -> Iterator[str]:
    return (column for column, role in roles.items() if role == QUASI_IDENTIFIER)
