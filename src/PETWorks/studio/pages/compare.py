"""Compare: this release with another one, an earlier check, or earlier releases about the same people."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.about.sidecar import read_sidecar
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.errors import InputError, PETWorksError
from PETWorks.gate.check.remedies import class_size_wanted
from PETWorks.gate.diff import DIGEST, Comparison, compare, read_check
from PETWorks.gate.document.check_document import CheckDocument
from PETWorks.gate.policy.policy import read_policy
from PETWorks.releases.composition import Caution
from PETWorks.render.charts import charts
from PETWorks.render.language.language import attack_name, measured, percent, put, rule_name, said
from PETWorks.render.language.language import name as shown_name
from PETWorks.render.languages import LANGUAGES
from PETWorks.render.report import prose
from PETWorks.render.terminal import command_line
from PETWorks.studio.pages.open import serves_others
from PETWorks.studio.pages.page import computed, desk_of, form_of, language, page, part, studio
from PETWorks.studio.pages.running import follow
from PETWorks.studio.server.case import Desk
from PETWorks.studio.server.jobs import Job, Purpose

MOST_ATTACKS = 4
HALF = "1/2"

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Contributions:
    """What each release adds to an attack, the one that adds most first; bars are shares of the largest."""

    attack: str
    rows: Sequence[Numbers]
    bars: Sequence[float]


def shown_composition(result: Any, lang: str) -> dict[str, Any]:
    """The sentences, rows and charts of a composition."""
    if not isinstance(result, dict) or "curve" not in result:
        raise InputError("the command printed no result; start it again")
    return {
        "composed": result,
        "composed_texts": list(_sentences(result, lang)),
        "cautions": [Caution(**one).text for one in result.get("cautions", ())],
        "attributes": list(result["linked"]["attribute_inference"])[:MOST_ATTACKS],
        "crossed": list(result["unlinked"])[:MOST_ATTACKS],
        "release_chart": _chart(result),
        "contributions": _contributions(result, lang),
        "half": HALF,
        "drawn": charts.drawn,
        "attack_name": lambda attack: attack_name(attack, lang),
        "no_m": lambda one: said(
            lang,
            "studio.compare.no-m",
            repeated=sum(one["classes_with_a_repeated_value"].values()),
            changing=one["people_with_another_set_of_values"],
        ),
    }


def _sentences(result: Numbers, lang: str) -> Iterator[str]:
    """What is learned with all releases, next to the last one alone."""
    alone = next(part["alone"] for part in result["releases"] if part["name"] == result["focal"])
    linked, number = result["linked"], len(result["releases"])

    def both(attack: str, share: str) -> dict[str, str]:
        return {
            "together": percent(linked[attack][share], lang),
            "alone": percent(alone[attack][share], lang),
        }

    yield said(lang, "studio.compare.identity", n=number, **both("re_identification", "posterior"))
    yield said(lang, "studio.compare.alone", **both("re_identification", "share_alone"))
    for column, one in list(linked["attribute_inference"].items())[:MOST_ATTACKS]:
        shares = {"together": one["posterior"], "alone": alone["attribute_inference"][column]["posterior"]}
        texts = {key: percent(share, lang) for key, share in shares.items()}
        yield said(lang, "studio.compare.inference", column=[column], **texts)
    for column, one in list(result["unlinked"].items())[:MOST_ATTACKS]:
        before = one["alone"].get(result["focal"], {}).get("share_disclosed", 0.0)
        texts = {"together": percent(one["share_disclosed"], lang), "alone": percent(before, lang)}
        yield said(lang, "studio.compare.disclosed", column=[column], **texts)


def _chart(result: Numbers) -> dict[str, Any]:
    """The chance to pick a record, and who is alone, with one release after the other."""
    steps = [step["linked"]["re_identification"] for step in result["curve"]]
    lines = {
        kind: (
            {lang: said(lang, label) for lang in LANGUAGES},
            {number: float(step[share]) for number, step in enumerate(steps, 1)},
        )
        for kind, label, share in (
            ("highest", "studio.compare.line-chance", "posterior"),
            ("median", "studio.compare.line-alone", "share_alone"),
        )
    }
    return charts.shares(lines, "studio.compare.axis")


def _contributions(result: Numbers, lang: str) -> list[Contributions]:
    attacks = dict.fromkeys(one["attack"] for one in result["contributions"])
    groups = []
    for attack in list(attacks)[:MOST_ATTACKS]:
        own = [one for one in result["contributions"] if one["attack"] == attack]
        own.sort(key=lambda one: (-(one["shapley"] or 0), -(one["saves"] or 0)))
        most = max((one["shapley"] or 0 for one in own), default=0) or 1
        title = said(lang, "studio.compare.adds", attack=attack_name(attack, lang))
        groups.append(Contributions(title, own, [max((one["shapley"] or 0) / most, 0.0) for one in own]))
    return groups


MOST_TABLES = 100
MOST_RELEASES = 60
FACTS = {
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


async def show(request: Request) -> Response:
    """The choices, and what was asked for; what takes time comes later."""
    desk = await desk_of(request)
    works, other = studio(request), request.query_params.get("other", "")
    job = works.jobs.of(request.query_params["job"]) if "job" in request.query_params else None
    values = await computed(_choices, request, desk)
    ready = "wait" in request.query_params or await computed(_are_checked, request, desk, other)
    if other and ready:
        values |= await computed(_compared, request, desk, other)
    if job is not None and job.state == "done":
        values |= await computed(shown_composition, job.result, language(request))
    command = _command(request, desk, other, job)
    shown: dict[str, Any] = {"other": other, "ready": ready, "query": request.url.query, "job": job}
    return page(request, "compare", desk, command=command, **shown, **values)


async def body(request: Request) -> Response:
    """The comparison with another check."""
    desk = await desk_of(request)
    compared = await computed(_compared, request, desk, request.query_params.get("other", ""))
    return part(request, "compare_body.html", desk, **compared)


async def together(request: Request) -> Response:
    """Start the attack on several releases about the same people."""
    desk, form = await desk_of(request), await form_of(request)
    if form.text("seen") != desk.file.digest:
        raise InputError("the policy file was changed meanwhile; load the page again")
    arguments = await computed(_composing, request, desk, form.texts("release"), form.text("key"))
    purpose = Purpose(desk.file.path, "compare", "/compare")
    return follow(studio(request).jobs.start(*arguments, purpose=purpose, lang=language(request)), request)


def _are_checked(request: Request, desk: Desk, other: str) -> bool:
    """Whether both checks are known already."""
    works = studio(request)
    if not desk.is_checked or not other:
        return desk.is_checked
    path = works.workspace.path(other)
    return _is_result(path) or works.desks.of(path).is_checked


def _is_result(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _choices(request: Request, desk: Desk) -> dict[str, Any]:
    """The policies, checks and tables of the folder, and the columns that may name a person."""
    space = studio(request).workspace
    tables, policies, _ = space.files()
    this, data = space.relative(desk.file.path), _table_of(desk, request)
    likely = [desk.policy.privacy_unit, *desk.release.identifiers]
    others = [one.path for one in tables if one.path != data and not serves_others(PurePosixPath(one.path))]
    return {
        "this": this,
        "policies": [one.path for one in policies if one.path != this],
        "checks": [one.path for one in space.checks()],
        "table": data,
        "tables": others[:MOST_TABLES],
        "all_tables": len(others),
        "columns": desk.release.columns,
        "likely": next((column for column in likely if column in desk.release.columns), None),
        "seen": desk.file.digest,
    }


def _table_of(desk: Desk, request: Request) -> str | None:
    """The policy's table below the folder; nothing if it is several files, or in a database."""
    data = desk.policy.data
    return studio(request).workspace.relative(data) if isinstance(data, Path) and data.is_file() else None


def _command(request: Request, desk: Desk, other: str, job: Job | None) -> str:
    """What gives the same on the command line."""
    if job is not None:
        return job.command
    this = studio(request).workspace.relative(desk.file.path)
    check = command_line(["petworks", "check", prose.file_argument(this), "--json", "new.json"])
    if not other or _is_result(Path(other)):
        old = prose.file_argument(other) if other else "old.json"
        return f"{check}; {command_line(['petworks', 'diff', old, 'new.json'])}"
    earlier = command_line(["petworks", "check", prose.file_argument(other), "--json", "old.json"])
    return f"{earlier}; {check}; petworks diff old.json new.json"


# Two checks


@dataclass(frozen=True)
class Row:
    """A line of a comparison: what, before, now, and how it changed."""

    name: str
    old: Any
    new: Any
    change: str


def _compared(request: Request, desk: Desk, other: str) -> dict[str, Any]:
    works, lang = studio(request), language(request)
    path = works.workspace.path(other)
    old = read_check(path) if _is_result(path) else works.desks.of(path).check.file()
    new = desk.check.file(old.edition)
    comparison = compare(old, new)
    rules, measures = _rules(old, new, comparison), _measures(old, new, comparison)
    return {
        "old": old,
        "new": new,
        "other_name": other,
        "comparison": comparison,
        "sentences": [prose.verdict(one, lang) for one in (old, new)],
        "residuals": [prose.residual(one, lang) for one in (old, new)],
        "moments": [prose.moment(one) for one in (old, new)],
        "different": [_fact_name(name, lang) for name in comparison.different],
        "new_rules": [rule_name(name, lang) for name in comparison.new_built_in_rules],
        "rule_rows": rules,
        "measure_rows": [row for row in measures if row.change != "same"],
        "same_rows": [row for row in measures if row.change == "same"],
        "fact_rows": [
            Row(_fact_name(one.name, lang), *_fact(one.name, one.old, one.new, lang), one.change)
            for one in comparison.table
        ],
        "curve_chart": _curves(old, new),
        "size_charts": [_sizes(one) for one in (old, new)],
        "measured": lambda result: measured(result, lang),
    }


def _rules(old: CheckDocument, new: CheckDocument, comparison: Comparison) -> list[Row]:
    before, after = ({rule.name: rule for rule in one.rules} for one in (old, new))
    changes = {one.name: one.change for one in comparison.rules}
    return [
        Row(name, before.get(name), after.get(name), changes.get(name, "same"))
        for name in dict.fromkeys([*before, *after])
    ]


def _measures(old: CheckDocument, new: CheckDocument, comparison: Comparison) -> list[Row]:
    before, after = ({result.measure: result for result in one.results} for one in (old, new))
    changes = {one.name: one.change for one in comparison.measures}
    return [
        Row(name, before.get(name), after.get(name), changes.get(name, "same"))
        for name in dict.fromkeys([*before, *after])
    ]


def _fact_name(name: str, lang: str) -> str:
    if name.startswith(DIGEST):
        return said(lang, "studio.compare.digest", what=said(lang, f"file.{name.removeprefix(DIGEST)}"))
    return said(lang, FACTS[name]) if name in FACTS else shown_name(name)


def _fact(name: str, old: Any, new: Any, lang: str) -> tuple[str, str]:
    """Both sides of a fact of the table, in words."""

    def text(one: Any, other: Any) -> str:
        if isinstance(one, Mapping):
            return " ".join(_treatment(one, other if isinstance(other, Mapping) else {}, lang))
        return one[:12] if name.startswith(DIGEST) and isinstance(one, str) else put(one, lang)

    return text(old, new), text(new, old)


def _treatment(one: Mapping[str, Any], other: Mapping[str, Any], lang: str) -> Iterator[str]:
    """How records are counted here and not there."""
    for key, way in one.items():
        if way == other.get(key):
            continue
        if key == "privacy_unit":
            yield said(lang, "context.unit", column=[way]) if way else said(lang, "word.none")
        else:
            yield said(lang, f"treatment.{key}.{way}")


def _curves(old: CheckDocument, new: CheckDocument) -> dict[str, Any] | None:
    """The highest chance of re-identification by the number of known attributes, of both."""
    lines = {}
    for kind, label, document in (("lowest", "studio.compare.old", old), ("highest", "studio.compare.new", new)):
        answers = () if document.subsets is None else document.subsets.if_they_know
        points = {
            one.known: charts.drawn(one.highest.posterior) / 100 for one in answers if one.attack == "re-identification"
        }
        if not points:
            return None
        lines[kind] = ({lang: said(lang, label) for lang in LANGUAGES}, points)
    return charts.shares(lines, "drivers.axis")


def _sizes(document: CheckDocument) -> dict[str, Any] | None:
    details = next((one.details for one in document.results if one.measure == "prosecutor-risk"), {})
    return charts.class_sizes(details.get("class_sizes", {}), class_size_wanted(document))


# Several releases


def _composing(request: Request, desk: Desk, chosen: Iterable[str], key: str) -> list[str]:
    """The arguments of the command that attacks this release together with others."""
    space, release = studio(request).workspace, desk.release
    this = _table_of(desk, request)
    if this is None:
        raise InputError("the table of this policy is not a single file below the folder, as several releases need it")
    tables = [space.relative(space.path(path)) for path in dict.fromkeys(chosen)]
    if not 0 < len(tables) < MOST_RELEASES:
        raise InputError("choose at least one earlier release, and at most {most}", most=MOST_RELEASES - 1)
    if not key.isdecimal() or not int(key) < len(release.columns):
        raise InputError("choose the column that names the person")
    person = release.columns[int(key)]
    sensitive = [column for column in release.sensitive_attributes if column != person]
    columns = dict.fromkeys([*release.quasi_identifiers, *_known_elsewhere(request, tables)])
    known = [column for column in columns if column not in (person, *sensitive)]
    return [
        "compose",
        *(prose.file_argument(path) for path in (*tables, this)),
        f"--key={person}",
        *([f"--qi={_listed(known)}"] if known else []),
        *([f"--sensitive={_listed(sensitive)}"] if sensitive else []),
        *(f"--{option}={value}" for option, value in desk.policy.reading.items()),
        "--format=json",
    ]


def _known_elsewhere(request: Request, tables: Iterable[str]) -> Iterator[str]:
    """The quasi-identifiers of other releases: as the files beside them say, or policies of this folder."""
    works, wanted = studio(request), set(tables)
    for table in sorted(wanted):
        yield from _quasi_identifiers(read_sidecar(works.workspace.table(table)).roles)
    for one in works.workspace.files()[1]:
        try:
            policy = read_policy(works.workspace.path(one.path))
            if isinstance(policy.data, Path) and works.workspace.relative(policy.data) in wanted:
                yield from _quasi_identifiers(policy.roles or {})
        except (PETWorksError, ValueError):
            continue  # a policy that cannot be read says nothing


def _quasi_identifiers(roles: Mapping[str, str]) -> Iterator[str]:
    return (column for column, role in roles.items() if role == QUASI_IDENTIFIER)


def _listed(columns: Iterable[str]) -> str:
    """Names between commas, in quotes where they have to be."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(columns)
    return text.getvalue()


ROUTES = [
    Route("/compare", show),
    Route("/compare/body", body),
    Route("/compare/together", together, methods=["POST"]),
]
