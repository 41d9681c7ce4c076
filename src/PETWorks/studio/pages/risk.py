"""Risk: the verdict, what drives the risk, and what an adversary can do who knows some of the columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.view import View
from PETWorks.errors import InputError
from PETWorks.gate.check.facts import below
from PETWorks.gate.check.remedies import class_size_wanted
from PETWorks.gate.document.check_document import CheckDocument
from PETWorks.measures.attacks.inference import attribute_inference
from PETWorks.measures.attacks.subset_limits import MOST_COLUMNS
from PETWorks.measures.attacks.subsets import Subsets, every_subset
from PETWorks.measures.risk.scenarios import distribution
from PETWorks.render.charts import charts
from PETWorks.render.language.language import limit_name, measure_summary, measured
from PETWorks.render.report import prose, sections
from PETWorks.render.report.prose import notices, step_texts
from PETWorks.render.terminal import command_line
from PETWorks.studio.pages.page import computed, desk_of, language, page, part, studio
from PETWorks.studio.server.case import Desk


@dataclass(frozen=True)
class Known:
    """What an adversary can do who knows these columns of every person, and sees every record.

    chance      to pick the record of a random person
    highest     the same of the person for whom it is easiest
    small       records in classes below the size that is required
    inferred    for each sensitive attribute the chance to guess it: before, and with these columns
    sizes       classes and records by group of sizes
    """

    columns: tuple[str, ...]
    records: int
    classes: int
    smallest: int
    chance: float
    highest: float
    unique: int
    small: int
    inferred: dict[str, tuple[float, float]]
    sizes: dict[str, dict[str, Any]]


def known_to(view: View, columns: Sequence[str], wanted: int) -> Known:
    """What an adversary can do who knows some columns, at least one; `wanted` is the size that classes should have."""
    own = _limited(view, tuple(columns))
    # Counted with their values first, classes are counted once.
    found = attribute_inference(own).details["attributes"] if view.sensitive_attributes else {}
    sizes = own.class_sizes(attacker=True)
    return Known(
        columns=tuple(columns),
        records=sizes.records,
        classes=sizes.number,
        smallest=int(sizes.sizes[0]),
        chance=sizes.number / sizes.records,
        highest=1 / int(sizes.sizes[0]),
        unique=below(sizes, 2),
        small=below(sizes, wanted),
        inferred={name: (one["prior"], one["posterior"]) for name, one in found.items()},
        sizes=distribution(sizes.sizes, sizes.classes, sizes.sizes * sizes.classes),
    )


def _limited(view: View, columns: tuple[str, ...]) -> View:
    """The view of someone who knows some columns.

    Rows in memory are merged once, and what is made of them is not kept: it does not grow with the number of questions.
    """
    if not isinstance(view.table, WeightedRows):
        return replace(view, quasi_identifiers=columns)
    distinct = view.at({}).table
    assert isinstance(distinct, WeightedRows)
    unit = () if view.privacy_unit is None else (view.privacy_unit,)
    kept = {name: distinct.columns[name] for name in dict.fromkeys([*columns, *view.sensitive_attributes, *unit])}
    rows = WeightedRows(kept, distinct.unit, distinct.weights, whole=False)
    return replace(view, table=rows, quasi_identifiers=columns, set_levels=None, _rolled_up=None)


MOST_BARS = 15
MOST_SETS = 30
# Where on the page a step is done; the others are decisions.
PLACES = {
    **dict.fromkeys(("remove-identifiers", "hidden-identifiers", "unlink", "give-roles", "look-again"), "columns"),
    **dict.fromkeys(("measure-or-explain", "count-people", "round-values", "protect", "leave-out"), "columns"),
    **dict.fromkeys(("unmeasured-values", "nearly-unique", "refine", "many-suppressed"), "levels"),
    **dict.fromkeys(("anonymize", "merge-classes", "more-values", "diversify", "hide-presence", "blur"), "safe"),
    "suppressed-class": "safe",
    "protect-declared": "safe",
    "nothing-left": "safe",
    "secret-or-explain": "columns",
}


async def show(request: Request) -> Response:
    """The page; what takes time comes later, unless it is known already or the browser cannot load parts.

    The script asks for less: what someone can do who knows the chosen columns.
    """
    desk = await desk_of(request)
    if request.headers.get("x-part"):
        return await known(request, desk)
    shown: dict[str, Any] = {"ready": False, "query": request.url.query}
    if desk.is_checked or "wait" in request.query_params:
        shown = {"ready": True, **await computed(_body, desk, language(request), request)}
    return page(request, "risk", desk, command=command_line(["petworks", "check", _policy(request, desk)]), **shown)


async def body(request: Request) -> Response:
    """Everything that the check says."""
    desk = await desk_of(request)
    return part(request, "risk_body.html", desk, **await computed(_body, desk, language(request), request))


async def known(request: Request, desk: Desk) -> Response:
    """What someone can do who knows the chosen columns."""
    if request.query_params.get("seen") != desk.file.digest:
        raise InputError("the policy file was changed meanwhile; load the page again")
    chosen = await computed(_chosen, desk, request)
    return part(request, "risk_known.html", desk, **await computed(_known, desk, chosen))


async def sets(request: Request) -> Response:
    """The smallest sets of columns that break a limit."""
    desk = await desk_of(request)
    return part(request, "risk_sets.html", desk, **await computed(_sets, desk, request))


def _policy(request: Request, desk: Desk) -> str:
    return prose.file_argument(studio(request).workspace.relative(desk.file.path))


def _body(desk: Desk, lang: str, request: Request) -> dict[str, Any]:
    """What the parts of the page show."""
    document = desk.check.content
    results = {result.measure: result for result in document.results}
    rows = results["prosecutor-risk"].details.get("class_sizes", {}) if "prosecutor-risk" in results else {}
    inference = results["attribute-inference"].details["attributes"] if "attribute-inference" in results else {}
    drivers = charts.view(document)["drivers"]
    listed = sections.view(document)
    texts = step_texts(document, lang)[: sections.MOST_STEPS]
    places = (PLACES.get(step.step, "decide") for step in document.next_steps)
    chosen = _chosen(desk, request)
    return {
        "d": document,
        "texts": [make(document, lang) for make in (prose.verdict, prose.residual, prose.table)],
        "notices": notices(document, lang),
        "rules": listed["rules"],
        "todo": list(zip(texts, places, strict=False)),
        "risk_charts": charts.risk(document),
        "drivers": [{**group, "rows": group["rows"][:MOST_BARS], "all": len(group["rows"])} for group in drivers],
        "risky": listed["risky"],
        "class_chart": charts.class_sizes(rows, class_size_wanted(document)),
        "attributes": listed["attributes"],
        "inference": inference,
        "disclosure": sections.by_section(document)["attributes"],
        "counts_sets": _counts_sets(document),
        "known_columns": desk.release.quasi_identifiers,
        "policy_path": studio(request).workspace.relative(desk.file.path),
        "chosen": chosen,
        "found": _known(desk, chosen),
        "seen": desk.file.digest,
        "drawn": charts.drawn,
        "measured": lambda result: measured(result, lang),
        "summary": lambda measure: measure_summary(measure, lang),
        "limit_name": lambda limit: limit_name(limit, lang),
        "waiver": lambda given: prose.waiver(given, lang),
        "set_link": partial(_set_link, desk),
    }


def _chosen(desk: Desk, request: Request) -> tuple[str, ...]:
    """The columns that the adversary knows: those that the address names by their place, otherwise all."""
    columns = desk.release.quasi_identifiers
    if "set" not in request.query_params:
        return columns
    places = {place for place in request.query_params.getlist("c") if place.isdecimal() and len(place) < 5}
    return tuple(column for place, column in enumerate(columns) if str(place) in places)


def _set_link(desk: Desk, columns: Sequence[str]) -> dict[str, Any]:
    """The values of an address that chooses columns."""
    places = {column: place for place, column in enumerate(desk.release.quasi_identifiers)}
    return {"set": "1", "c": [str(places[column]) for column in columns if column in places]}


def _known(desk: Desk, chosen: tuple[str, ...]) -> dict[str, Any]:
    """The numbers and the chart for the chosen columns."""
    wanted = class_size_wanted(desk.check.content)
    records = desk.release.people
    if not chosen:
        return {"one": None, "people": records, "wanted": wanted, "sizes_chart": None}
    one = known_to(desk.release.view, chosen, wanted)
    return {"one": one, "people": records, "wanted": wanted, "sizes_chart": charts.class_sizes(one.sizes, wanted)}


def _counts_sets(document: CheckDocument) -> bool:
    """Whether sets are looked for by the class size that the rules ask for: unless the policy's own limits do that."""
    limits = () if document.subsets is None else document.subsets.limits
    return document.subsets is not None and not any(one.limit == "highest-risk" for one in limits)


def _sets(desk: Desk, request: Request) -> dict[str, Any]:
    """The smallest sets of columns with which a class is smaller than the rules ask for."""
    document, policy = desk.check.content, desk.policy
    wanted = class_size_wanted(document)
    if policy.subset_sizes is None or not 0 < len(desk.release.quasi_identifiers) <= MOST_COLUMNS:
        raise InputError("the policy asks for no subsets of the quasi-identifiers")
    counted: Subsets = desk.once("subsets", lambda: every_subset(desk.release, str(policy.subset_sizes)))
    limit = f"1/{wanted}"
    found = counted.minimal_risky({"highest-risk": limit})
    rows = [(counted.row(one["attributes"]) if one["attributes"] else None) for one in found[:MOST_SETS]]
    arguments = ("--subsets", str(policy.subset_sizes), "--limit", f"highest-risk={limit}")
    return {
        "wanted": wanted,
        "sets": [row for row in rows if row is not None],
        "number": len(found),
        "records": counted.records,
        "tried": len(counted),
        "sets_command": command_line(["petworks", "attack", "--policy", _policy(request, desk), *arguments]),
        "set_link": partial(_set_link, desk),
    }


ROUTES = [Route("/risk", show), Route("/risk/body", body), Route("/risk/sets", sets)]
