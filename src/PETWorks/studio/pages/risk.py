"""Risk: the verdict, the drivers of the risk, and the success of an adversary who knows some of the columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from PETWorks.about.kinds import GENERALISED
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.view import View
from PETWorks.errors import InputError
from PETWorks.gate.check.facts import records_below
from PETWorks.gate.document import CheckDocument, NextStep
from PETWorks.gate.policy.policy_rules import class_size_wanted
from PETWorks.gate.suggest.starter import subset_sizes
from PETWorks.measures.attacks.inference import attribute_inference
from PETWorks.measures.attacks.subsets import MAX_COLUMNS, Subsets
from PETWorks.measures.risk.scenarios import distribution
from PETWorks.render.charts import charts
from PETWorks.render.language.language import message_text
from PETWorks.render.report import prose, sections
from PETWorks.render.report.prose import step_texts
from PETWorks.studio.files.policy_file import Change, parse_text, set_in
from PETWorks.studio.pages.page import (
    REPORT_POLICY,
    Form,
    Routes,
    is_release,
    language,
    page,
    page_notices,
    part,
    petworks_command,
    policy_argument,
    redirect,
)
from PETWorks.studio.server.open_case import OpenCase

ROUTES = Routes()


@dataclass(frozen=True)
class KnownColumnsRisk:
    """The risk from an adversary who knows these columns of every person, and sees every record.

    chance      probability of picking the record of a random person
    highest     the same for the most exposed person
    small       number of records in classes below the required size
    inferred    for each sensitive attribute the probability of guessing it: before, and with these columns
    sizes       classes and records by range of sizes
    example     the values of one of the smallest classes; None where rows are not in memory
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
    example: Sequence[str | None] | None = None


def risk_if_known(view: View, columns: Sequence[str], wanted: int) -> KnownColumnsRisk:
    """The risk if an adversary knows these columns, at least one; `wanted` is the required class size."""
    restricted = _restrict(view, tuple(columns))
    # Counting the classes with their sensitive values first avoids counting them twice.
    inferred = attribute_inference(restricted).details["attributes"] if view.sensitive_attributes else {}
    sizes = restricted.class_sizes(attacker=True)
    counted = restricted.counted(*columns)
    example = counted.one_smallest_class(tuple(columns)) if isinstance(counted, WeightedRows) else None
    return KnownColumnsRisk(
        columns=tuple(columns),
        records=sizes.records,
        classes=sizes.number,
        smallest=int(sizes.sizes[0]),
        chance=sizes.number / sizes.records,
        highest=1 / int(sizes.sizes[0]),
        unique=records_below(sizes, 2),
        small=records_below(sizes, wanted),
        inferred={name: (attribute["prior"], attribute["posterior"]) for name, attribute in inferred.items()},
        sizes=distribution(sizes.sizes, sizes.classes, sizes.sizes * sizes.classes),
        example=None if example is None else example[0],
    )


def _restrict(view: View, columns: tuple[str, ...]) -> View:
    """The view of an adversary who knows only some columns.

    Rows in memory are merged once, and results are not cached: memory must not grow with the number of questions.
    """
    if not isinstance(view.table, WeightedRows):
        return replace(view, quasi_identifiers=columns)
    distinct = view.at({}).table
    assert isinstance(distinct, WeightedRows)
    unit = () if view.privacy_unit is None else (view.privacy_unit,)
    kept = {name: distinct.columns[name] for name in dict.fromkeys([*columns, *view.sensitive_attributes, *unit])}
    rows = WeightedRows(kept, distinct.unit, distinct.weights, whole=False)
    return replace(view, table=rows, quasi_identifiers=columns, set_levels=None, _rolled_up=None)


EXAMPLE_COLUMNS = 3  # known columns in the example of a person who is found
MAX_SETS = 30
# The page on which a recommended step is done; all others belong to the page of decisions.
STEP_PAGES = {
    **dict.fromkeys(("remove-identifiers", "hidden-identifiers", "unlink", "give-roles", "look-again"), "columns"),
    **dict.fromkeys(("measure-or-explain", "count-people", "round-values", "protect", "leave-out"), "columns"),
    **dict.fromkeys(("unmeasured-values", "nearly-unique", "refine", "many-suppressed"), "levels"),
    **dict.fromkeys(("anonymize", "merge-classes", "more-values", "diversify", "hide-presence", "blur"), "safe"),
    "suppressed-class": "safe",
    "protect-declared": "safe",
    "nothing-left": "safe",
    "secret-or-explain": "columns",
}

# What making a release does by itself, without a decision of anybody.
DONE_BY_MAKING = (
    *("remove-identifiers", "unlink", "write-anew", "release-values", "export-table", "protect-declared"),
    *("anonymize", "merge-classes", "more-values", "diversify", "hide-presence", "blur"),
)


@ROUTES.get("/risk")
def show(request: Request, case: OpenCase) -> Response:
    """The page; slow parts are loaded later, unless they are already computed or the browser runs no scripts.

    The script asks only for the part about the chosen columns.
    """
    if request.headers.get("x-part"):
        case.file.check_seen(request.query_params.get("seen", ""))
        return part(request, "risk_known.html", case, **_known(case, _chosen(case, request)))
    shown: dict[str, Any] = {"ready": False, "query": request.url.query}
    if case.is_checked or "wait" in request.query_params:
        shown = {"ready": True, **_body(request, case)}
    return page(request, "risk", case, command=petworks_command("check", policy_argument(request, case)), **shown)


@ROUTES.get("/risk/body")
def body(request: Request, case: OpenCase) -> Response:
    """The content of the page, from the check."""
    return part(request, "risk_body.html", case, **_body(request, case))


@ROUTES.get("/risk/report")
def report(request: Request, case: OpenCase) -> Response:
    """The whole report on the open policy, as it is written for insiders; nothing is written."""
    return HTMLResponse(case.check.to_html(language(request)), headers={"Content-Security-Policy": REPORT_POLICY})


@ROUTES.get("/risk/sets")
def sets(request: Request, case: OpenCase) -> Response:
    """The smallest sets of columns with a class smaller than the rules ask for."""
    document, policy = case.check.content, case.policy
    wanted = class_size_wanted(document)
    counted = case.counted_subsets
    if not isinstance(counted, Subsets) or not 0 < len(case.release.quasi_identifiers) <= MAX_COLUMNS:
        raise InputError("the policy asks for no subsets of the quasi-identifiers")
    limit = f"1/{wanted}"
    found = counted.minimal_risky({"highest-risk": limit})
    arguments = ("--subsets", str(policy.subset_sizes), "--limit", f"highest-risk={limit}")
    return part(
        request,
        "risk_sets.html",
        case,
        wanted=wanted,
        sets=[counted.row(risky["attributes"]) for risky in found[:MAX_SETS] if risky["attributes"]],
        number=len(found),
        records=counted.records,
        tried=len(counted),
        sets_command=petworks_command("attack", "--policy", policy_argument(request, case), *arguments),
        set_link=partial(_set_link, case),
    )


def _body(request: Request, case: OpenCase) -> dict[str, Any]:
    """The template values for the content of the page."""
    document, lang = case.check.content, language(request)
    listed = sections.section_rows(document)
    here = message_text(lang, "studio.risk.anonymize")  # what the report says with a command
    by_step = zip(document.next_steps, step_texts(document, lang), strict=True)
    texts = [here if step.step == "anonymize" else text for step, text in by_step][: sections.MAX_STEPS]
    places = (STEP_PAGES.get(step.step, "decide") for step in document.next_steps)
    known = len(case.release.quasi_identifiers)
    generalised = document.policy.kind == GENERALISED
    can_do = (change_of(step, known) is not None for step in document.next_steps)
    is_original = generalised and not is_release(case.policy)
    in_one = [is_original and step.step in DONE_BY_MAKING for step in document.next_steps]
    chosen = _chosen(case, request)
    few = next(
        (answer.highest.attributes for answer in answers_if_known(document) if answer.known == EXAMPLE_COLUMNS), None
    )
    return {
        "example": None if few is None else risk_if_known(case.release.view, few, class_size_wanted(document)),
        "d": document,
        "texts": [make(document, lang) for make in (prose.verdict, prose.residual, prose.table)],
        "notices": page_notices(document, lang),
        "rules": listed["rules"],
        "todo": list(zip(texts, places, can_do, in_one, range(len(texts)), strict=False)),
        "risk_charts": charts.risk(document),
        "risky": listed["risky"],
        "counts_sets": _counts_sets(document),
        "known_columns": case.release.quasi_identifiers if generalised else (),
        "lookups": sections.lookup_rows(document, lang),
        "known_lookups": sections.known_rows(document, lang),
        "chosen": chosen,
        **(_known(case, chosen) if generalised else {}),
        "set_link": partial(_set_link, case),
    }


def _chosen(case: OpenCase, request: Request) -> tuple[str, ...]:
    """The columns that the adversary knows: those in the address, by index, otherwise all."""
    columns = case.release.quasi_identifiers
    if "set" not in request.query_params:
        return columns
    indices = {index for index in request.query_params.getlist("c") if index.isdecimal() and len(index) < 5}
    return tuple(column for index, column in enumerate(columns) if str(index) in indices)


def _set_link(case: OpenCase, columns: Sequence[str]) -> dict[str, Any]:
    """The parameters of an address that chooses columns."""
    indices = {column: index for index, column in enumerate(case.release.quasi_identifiers)}
    return {"set": "1", "c": [str(indices[column]) for column in columns if column in indices]}


def _known(case: OpenCase, chosen: tuple[str, ...]) -> dict[str, Any]:
    """The numbers and the chart for the chosen columns."""
    wanted = class_size_wanted(case.check.content)
    risk = risk_if_known(case.release.view, chosen, wanted) if chosen else None
    return {
        "risk": risk,
        "people": case.release.people,
        "wanted": wanted,
        "sizes_chart": None if risk is None else charts.class_size_chart(risk.sizes, wanted),
    }


def answers_if_known(document: CheckDocument) -> Sequence[Any]:
    """The chance of re-identification by the number of known columns; none if it was not counted."""
    answers = () if document.subsets is None else document.subsets.if_they_know
    return [answer for answer in answers if answer.attack == "re-identification"]


def _counts_sets(document: CheckDocument) -> bool:
    """Whether sets are counted by the class size of the rules; not if the policy's own limits do that."""
    limits = () if document.subsets is None else document.subsets.limits
    return document.subsets is not None and not any(limit.limit == "highest-risk" for limit in limits)


def change_of(step: NextStep, known: int) -> Change | None:
    """The change of the policy that a recommended step asks for; None if people have to decide something first.

    known   the number of quasi-identifiers
    """
    text = step.policy or "{}"
    lines = parse_text(text if text.startswith("{") else f"{{{text}}}")
    values: dict[str, dict[tuple[str, ...], Any]] = {
        "protect": {("anonymize", "protect", column): words for column, words in lines.get("protect", {}).items()},
        "rule-for-values": {("rules",): [lines] if "measure" in lines else []},
        "fitting-rules": {("presets",): lines.get("presets", [])},
        "suppressed-class": {("treatment", "suppressed"): "class"},
        "judge-all": {("treatment", "suppressed"): "class", ("treatment", "missing"): "value"},
        "try-subsets": {("subsets", "sizes"): subset_sizes(known)},
    }
    added = {path: value for path, value in values.get(step.step, {}).items() if value}

    def change(document: Any) -> None:
        for path, value in added.items():
            if isinstance(value, list):
                document[path[0]] = document.get(path[0]) or []
                document[path[0]].extend(value)
            else:
                set_in(document, path, value)

    return change if added else None


@ROUTES.post("/risk/do")
def do(request: Request, case: OpenCase, form: Form) -> Response:
    """Take a recommended step that only changes the policy."""
    case.file.check_seen(form.text("seen"))
    steps = {str(place): step for place, step in enumerate(case.check.content.next_steps)}
    step, known = steps.get(form.text("step")), len(case.release.quasi_identifiers)
    change = None if step is None else change_of(step, known)
    if change is None:
        raise InputError("the form names a step that there is not; look at the page again")
    case.file.change(change, form.text("seen"))
    return redirect(request, "/risk", case, saved="1")
