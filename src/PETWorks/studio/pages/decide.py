"""Decide: rules, waivers, context and sign-off of a policy. Export: reports, evidence, earlier policies."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from PETWorks.about.kinds import GENERALISED
from PETWorks.errors import InputError, PETWorksError, Phrase, printable
from PETWorks.gate.check.facts import regimes_without_approver
from PETWorks.gate.check.may_go_out import Obstacle, find_current_obstacle
from PETWorks.gate.diff import read_check
from PETWorks.gate.policy.accountability import regimes
from PETWorks.gate.policy.plan_files import read_plan
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import presets, today
from PETWorks.gate.release_files import ReleaseFiles, origins_of, releases_of
from PETWorks.json_types import text_in
from PETWorks.locale import ENGLISH, LANGUAGES
from PETWorks.measures.attacks.subsets import check_limits, known_columns, parse_sizes
from PETWorks.measures.catalogue import Metric, Parameter, all_measures, catalogue, find_measure
from PETWorks.measures.parameters import Choice, Flag, Function
from PETWorks.render.formats.evidence import INSIDE, recipients_files
from PETWorks.render.language.language import LIMIT_SIGNS, limit_name, measure_summary, message_text, preset_note
from PETWorks.render.report import prose
from PETWorks.studio.files.policy_file import ConflictError, number_or_text, set_in
from PETWorks.studio.files.workspace import free_name
from PETWorks.studio.pages.job import start_job
from PETWorks.studio.pages.page import (
    Fields,
    Form,
    Routes,
    is_release,
    language,
    obstacle_text,
    page,
    page_notices,
    part,
    petworks_command,
    policy_argument,
    redirect,
    studio,
)
from PETWorks.studio.server.jobs import FINISHED, Purpose
from PETWorks.studio.server.open_case import OpenCase
from PETWorks.tables.files import read_small
from PETWorks.tables.yaml_files import LARGEST_FILE

ROUTES = Routes()

Content = Mapping[str, Any]
WAIVER = ("rule", "owner", "reason", "expires")
EARLIER = ("what", "date", "recipients")
ADVERSARY = ("who", "knows")
CONTEXT = ("purpose", "recipients", "rules_reason")
SIGN_OFF = ("approver", "role", "review_by", "incident_contact")
ASKED = (
    (("sign_off", "approver"), "sign-off.approver"),
    (("context", "recipients"), "item.recipients"),
    (("context", "purpose"), "item.purpose"),
    (("sign_off", "review_by"), "sign-off.review"),
)  # what a release should have before it is exported
PLACES = {
    **{item: f"/decide#{item}" for item in ("purpose", "recipients", "approver", "review_by", "incident_contact")},
    "release_kind": "/decide#release",
    "role_reasons": "/columns#main",
    "earlier_releases": "/decide#earlier-new-what",
    "adversaries": "/decide#adversary-new-who",
    "risk_threshold": "/decide#rules",
    "utility": "/safe#main",
}  # the page and the field of each item of a checklist
LIMITS = ("highest-risk", "average-risk", "uniques", "inference")
EXPORT = "evidence"
ACCEPTED = "studio.decide.accepted-unfinished"  # a stated assumption
KINDS = ("", "public", "controlled", "internal")
TEXTS = ("name", "rule", "owner", "reason", "what", "why", "who", "approver", "role", "incident_contact", *CONTEXT)
# These are never numbers.
MAX_ROWS = 100


def known_measure(name: Any) -> Metric | None:
    """The measure that a rule names; None if there is none of that name."""
    try:
        return find_measure(str(name))
    except PETWorksError:
        return None


def change_rules(document: Any, old: Content, form: Form, lang: str) -> None:
    """Change the presets, the policy's own rules, the limits on every subset, and why columns need no rule."""
    _choose(document, "presets", form.texts("preset"), presets())
    rules = _rows(document, "rules")
    for index, old_rule in reversed(list(enumerate(_rows(old, "rules")))):
        if form.text(f"rule-{index}-remove"):
            del rules[index]
        else:
            _set_rule(rules[index], old_rule, form, f"rule-{index}-", lang)
    measure = form.text("new-measure")
    if measure:
        if measure not in catalogue:
            raise InputError("choose a measure of the list")
        rules.append({"measure": measure})
        _set_rule(rules[-1], {}, form, "new-", lang)
    set_in(document, ("rules",), rules or None)
    for index, name in enumerate(limit_names(old)):
        _set(document, ("subsets", "limits", name), old, form, f"limit-{index}", lang)
    _set(document, ("subsets", "sizes"), old, form, "sizes", lang)
    if _value(document, ("subsets", "limits")) and not _value(document, ("subsets", "sizes")):
        set_in(document, ("subsets", "sizes"), "all")
    for index, column in enumerate(_sensitive_columns(old)):
        _set(document, ("no_rule", column), old, form, f"no-rule-{index}", lang)


def _sensitive_columns(content: Content) -> list[str]:
    """The sensitive attributes of a policy, and other columns for which it says why no rule protects them."""
    columns = (*_value(content, ("roles", "sensitive_attributes"), ()), *_value(content, ("no_rule",), ()))
    return list(dict.fromkeys(str(column).strip() for column in columns))[:MAX_ROWS]


def _set_rule(rule: Any, old: Content, form: Form, start: str, lang: str) -> None:
    """Set the parameters, the name and the reason of a rule."""
    measure = known_measure(rule["measure"])
    for name in () if measure is None else measure.parameters:
        if not isinstance(old.get(name), Mapping):  # one value per attribute, for which there is no field
            _set(rule, (name,), old, form, f"{start}p-{name}", lang)
    _set_row(rule, old, form, start, ("name", "why"), lang)


def limit_names(content: Content) -> list[str]:
    """The limits on subsets that a form shows: the usual ones, and others of the policy, such as `inference:income`."""
    return list(dict.fromkeys((*LIMITS, *_value(content, ("subsets", "limits"), ()))))


def change_waivers(document: Any, old: Content, form: Form, lang: str) -> None:
    """Change the waivers: rules that need not hold until a day."""
    rows = _rows(document, "waivers")
    _set_rows(rows, _rows(old, "waivers"), form, "waiver", WAIVER, lang)
    set_in(document, ("waivers",), rows or None)


def change_context(document: Any, old: Content, form: Form, lang: str) -> None:
    """Change the context: recipients, purpose, assumptions, adversaries and earlier releases."""
    for name in ("release", *CONTEXT):
        _set(document, ("context", name), old, form, name, lang)
    section, old_section = (content.get("context") or {} for content in (document, old))
    rows = _rows(section, "assumptions")
    known = {" ".join(text_in(row, lang).split()): row for row in rows}  # unchanged ones keep their translations
    lines = [" ".join(line.split()) for line in form.text("assumptions").splitlines() if line.strip()]
    if form.text("accept-unfinished") and message_text(lang, ACCEPTED) not in lines:
        lines.append(message_text(lang, ACCEPTED))
    if lines != list(known):
        rows[:] = [known.get(line, line) for line in lines]
        set_in(document, ("context", "assumptions"), rows or None)
    adversaries = _rows(section, "adversaries")
    _set_rows(adversaries, _rows(old_section, "adversaries"), form, "adversary", ADVERSARY, lang)
    set_in(document, ("context", "adversaries"), adversaries or None)
    earlier = _rows(section, "earlier_releases")
    _set_rows(earlier, _rows(old_section, "earlier_releases"), form, "earlier", EARLIER, lang)
    is_told = earlier or form.text("none-earlier")
    set_in(document, ("context", "earlier_releases"), earlier if is_told else None)


def change_regimes(document: Any, _old: Content, form: Form, _lang: str) -> None:
    """Change the regimes: standards and laws whose checklist applies."""
    _choose(document, "regimes", form.texts("regime"), regimes())


def change_sign_off(document: Any, old: Content, form: Form, lang: str) -> None:
    """Change the sign-off: the people who are responsible for the release."""
    for name in SIGN_OFF:
        _set(document, ("sign_off", name), old, form, name, lang)


CHANGES = {
    "rules": change_rules,
    "waivers": change_waivers,
    "context": change_context,
    "regimes": change_regimes,
    "sign-off": change_sign_off,
}


def _choose(document: Any, key: str, wanted: Sequence[str], known: Mapping[str, Any]) -> None:
    """Update a list of names: those that stay keep their place, new ones come last."""
    unknown = [name for name in wanted if name not in known]
    if unknown:
        messages = {"presets": Phrase("choose presets of the list"), "regimes": Phrase("choose regimes of the list")}
        raise InputError(messages[key])
    names = _rows(document, key)
    for index in reversed(range(len(names))):
        if names[index] not in wanted:
            del names[index]
    names.extend(name for name in dict.fromkeys(wanted) if name not in names)
    set_in(document, (key,), names or None)


def _set_rows(rows: Any, old_rows: Sequence[Any], form: Form, kind: str, keys: Sequence[str], lang: str) -> None:
    """Update the rows of a table of fields: some are changed or removed, and one may be new."""
    for index in reversed(range(len(rows))):
        if form.text(f"{kind}-{index}-remove"):
            del rows[index]
        else:
            _set_row(rows[index], old_rows[index], form, f"{kind}-{index}-", keys, lang)
    if any(form.text(f"{kind}-new-{key}") for key in keys):
        if len(rows) >= MAX_ROWS:
            raise InputError("the page shows at most {most}; edit the policy file for more", most=MAX_ROWS)
        rows.append({})
        _set_row(rows[-1], {}, form, f"{kind}-new-", keys, lang)


def _set_row(row: Any, old: Content, form: Form, start: str, keys: Sequence[str], lang: str) -> None:
    for key in keys:
        if key != "knows":
            _set(row, (key,), old, form, f"{start}{key}", lang)
        elif f"{start}who" in form.fields and form.texts(f"{start}{key}") != list(old.get(key, ())):
            set_in(row, (key,), form.texts(f"{start}{key}") or None)


def _set(part: Any, path: tuple[str, ...], old: Content, form: Form, field: str, lang: str) -> None:
    """Set the text of a field at its place, unless the policy already has it; an empty field removes it.

    Of a text in several languages, that of the page is changed.
    """
    saved, text = _value(old, path), form.text(field).replace("\r\n", "\n")
    if field in form.fields and text != text_in(saved, lang).strip():
        value = text if path[-1] in TEXTS else number_or_text(text)
        set_in(part, (*path, lang) if isinstance(saved, Mapping) else path, value if text else None)


def _rows(section: Any, key: str) -> Any:
    rows = section.get(key)
    return rows if isinstance(rows, list) else []


def _value(content: Any, path: Sequence[str], missing: Any = None) -> Any:
    """The value at a place of a policy."""
    for key in path:
        content = content.get(key) if isinstance(content, Mapping) else None
    return missing if content is None else content


MAX_SHOWN = 60  # rules, waivers and earlier releases that forms show


@ROUTES.get("/decide")
def show(request: Request, case: OpenCase) -> Response:
    """All decisions of the policy, as one form."""
    return _page(request, case)


def _page(
    request: Request,
    case: OpenCase,
    at: str | None = None,
    form: Form | None = None,
    mistake: PETWorksError | None = None,
) -> Response:
    """The page of decisions; its form may have an error in the section `at`, or a new rule that is not saved yet."""
    lang, content = language(request), case.policy.file.content
    fields = Fields(form, lang)
    context = content.get("context") or {}
    asked = "" if form is None else form.text("add") if form.text("do") == "add" else form.text("new-measure")
    new = known_measure(asked) if asked else None
    policy = case.policy
    return page(
        request,
        "decide",
        case,
        mistake=mistake,
        failed=form is not None,
        at="sign-off" if at == EXPORT else at,
        asks=at == EXPORT,
        presets=[(preset, preset_note(preset, lang)) for preset in presets().values()],
        chosen=fields.chosen("preset", content.get("presets") or ()),
        rules=[
            _rule(rule, f"rule-{index}-", fields, lang)
            for index, rule in enumerate((content.get("rules") or ())[:MAX_SHOWN])
        ],
        measures=[one for one in all_measures() if one.applies_to(GENERALISED) and not _needs_python(one)],
        added=None if new is None else _rule({"measure": new.name}, "new-", fields, lang),
        limits=[
            (limit_name(name, lang), fields.text(f"limit-{index}", _value(content, ("subsets", "limits", name))))
            for index, name in enumerate(limit_names(content))
        ],
        sizes=fields.text("sizes", _value(content, ("subsets", "sizes"))),
        no_rule=[
            (column, fields.text(f"no-rule-{index}", _value(content, ("no_rule", column))))
            for index, column in enumerate(_sensitive_columns(content))
        ],
        names=[rule.name for rule in policy.rules],
        waivers=_table(content.get("waivers"), "waiver", WAIVER, fields),
        kinds=KINDS,
        kind=fields.text("release", context.get("release")),
        context={name: fields.text(name, context.get(name)) for name in CONTEXT},
        assumptions=fields.text("assumptions", _lines(context.get("assumptions"), lang)),
        earlier=_table(context.get("earlier_releases"), "earlier", EARLIER, fields),
        adversaries=_table(context.get("adversaries"), "adversary", ADVERSARY, fields),
        known=_value(content, ("roles", "quasi_identifiers"), ()),
        none_earlier=fields.is_checked("none-earlier", saved=context.get("earlier_releases") == []),
        regimes=[(regime, preset_note(regime, lang)) for regime in regimes().values()],
        chosen_regimes=fields.chosen("regime", content.get("regimes") or ()),
        sign_off={name: fields.text(name, _value(content, ("sign_off", name))) for name in SIGN_OFF},
        releases=[] if is_release(policy) else releases_of(policy),
        is_release=is_release(policy),
        accept=_accepts_unfinished(policy),
        evidence=evidence_name(policy),
        versions=len(case.file.versions),
        **(_verdict_values(request, case) if case.is_checked else {"d": None}),
        lacking=[
            message_text(lang, label) for path, label in ASKED if is_release(policy) and not _value(content, path)
        ],
        released=lambda release: studio(request).workspace.relative(release.policy),
        command=petworks_command("check", policy_argument(request, case)),
    )


def _accepts_unfinished(policy: Policy) -> bool | None:
    """Whether the policy accepts that the search for its release was not finished; None if it was."""
    plan = None
    with suppress(PETWorksError, OSError):
        plan = None if policy.plan is None else read_plan(policy.plan)
    said = {
        text_in(text, lang)
        for text in _value(policy.file.content, ("context", "assumptions"), ())
        for lang in LANGUAGES
    }
    return bool(said & {message_text(lang, ACCEPTED) for lang in LANGUAGES}) if plan and plan.unfinished else None


def _lines(texts: Any, lang: str) -> str:
    return "\n".join(" ".join(text_in(text, lang).split()) for text in texts or ())


def _table(rows: Any, kind: str, keys: Sequence[str], fields: Fields) -> list[dict[str, Any]]:
    """Rows of fields, and one for a new row."""
    all_rows = [*enumerate((rows or ())[:MAX_SHOWN]), ("new", {})]
    return [
        {
            "start": f"{kind}-{index}-",
            "is_new": index == "new",
            "is_removed": fields.is_checked(f"{kind}-{index}-remove"),
            **{
                key: (fields.chosen if key == "knows" else fields.text)(f"{kind}-{index}-{key}", row.get(key, ""))
                for key in keys
            },
        }
        for index, row in all_rows
    ]


def _rule(rule: Any, start: str, fields: Fields, lang: str) -> dict[str, Any]:
    """A rule as fields: one for each parameter of its measure."""
    measure = known_measure(rule.get("measure"))
    parameters = (
        [] if measure is None else [parameter for parameter in measure.parameters.values() if not _is_python(parameter)]
    )
    return {
        "start": start,
        "measure": str(rule.get("measure")),
        "summary": "" if measure is None else measure_summary(measure.name, lang),
        "is_removed": fields.is_checked(f"{start}remove"),
        "name": fields.text(f"{start}name", rule.get("name")),
        "why": fields.text(f"{start}why", rule.get("why")),
        "fields": [_field(parameter, rule.get(parameter.name), start, fields, lang) for parameter in parameters],
    }


def _field(parameter: Parameter, value: Any, start: str, fields: Fields, lang: str) -> dict[str, Any]:
    options: tuple[str, ...] | None = None
    if isinstance(parameter.rule, Flag):
        options = ("true", "false")
    elif isinstance(parameter.rule, Choice):
        options = parameter.rule.options
    is_fixed = isinstance(value, dict | list)
    return {
        "name": parameter.name,
        "label": limit_name(parameter.name, lang),
        "sign": "" if parameter.limit is None else LIMIT_SIGNS[parameter.limit],
        "options": options,
        "usual": "" if parameter.default is None else str(parameter.default),
        "is_fixed": is_fixed,  # one value per attribute, for which there is no field
        "value": "" if is_fixed else fields.text(f"{start}p-{parameter.name}", value),
    }


def _is_python(parameter: Parameter) -> bool:
    return isinstance(parameter.rule, Function)


def _needs_python(measure: Metric) -> bool:
    """Whether a measure has a parameter that only Python can set."""
    return any(_is_python(parameter) for parameter in measure.parameters.values())


@ROUTES.post("/decide/save")
def save(request: Request, case: OpenCase, form: Form) -> Response:
    """Save the form in the policy; an error is shown in its section, and what was typed stays."""
    if form.text("do") == "add":
        return _page(request, case, "rules", form)
    return _save(request, case, form) or redirect(request, "/decide", case, saved="1")


def _save(request: Request, case: OpenCase, form: Form) -> Response | None:
    """Save the form; return the page with the error if it has one."""
    content, lang = case.policy.file.content, language(request)

    def change(document: Any, sections: Iterable[str] = CHANGES) -> None:
        for section in sections:
            if section == "rules":
                _check_subsets(case, content, form)
            CHANGES[section](document, content, form, lang)

    try:
        case.file.change(change, form.text("seen") or None)
    except ConflictError:
        raise
    except PETWorksError as error:
        wrong = (section for section in CHANGES if not case.file.accepts(partial(change, sections=[section])))
        return _page(request, case, next(wrong, ""), form, error)
    return None


def _check_subsets(case: OpenCase, content: Any, form: Form) -> None:
    """Raise if limits on subsets cannot be checked; the possible sizes depend on the table."""
    texts = {name: form.text(f"limit-{index}") for index, name in enumerate(limit_names(content))}
    limits, sizes = {name: text for name, text in texts.items() if text}, form.text("sizes")
    if sizes or limits:
        parse_sizes(sizes or "all", len(known_columns(case.release)))
        check_limits(limits, case.release.sensitive_attributes)


@ROUTES.get("/decide/verdict")
def verdict(request: Request, case: OpenCase) -> Response:
    """The verdict on each rule, and the open points of the regimes."""
    return part(request, "decide_verdict.html", case, **_verdict_values(request, case))


def _verdict_values(request: Request, case: OpenCase) -> dict[str, Any]:
    document, lang = case.check.content, language(request)
    sentence, texts = prose.verdict(document, lang), page_notices(document, lang)
    return {"d": document, "sentence": sentence, "notices": texts, "places": PLACES}


SHOWN_VERSIONS = 15
MAX_LINES = 40  # of the difference between two versions
LONGEST_LINE = 160


def _stem(policy: Policy) -> str:
    return policy.data.stem if isinstance(policy.data, Path) else policy.path.stem


def evidence_name(policy: Policy) -> str:
    """The name of a new folder beside the policy, from the table and the day."""
    start = f"evidence_{_stem(policy)}_{today().isoformat()}"
    return free_name(start, "", lambda name: policy.path.with_name(name).exists())


@ROUTES.post("/decide/evidence")
def export(request: Request, case: OpenCase, form: Form) -> Response:
    """Save the form, then write a new evidence folder, with the report in both editions.

    If a regime asks for an approver whom nobody has named, ask first.
    """
    if "seen" in form.fields:
        refused = _save(request, case, form)
        if refused is not None:
            return refused
        case = studio(request).cases.of(case.file.path)
        unsigned = [] if form.text("anyway") else regimes_without_approver(case.policy)
        if unsigned:
            asks = InputError("{regimes} asks for an approver, and there is none yet", regimes=", ".join(unsigned))
            return _page(request, case, EXPORT, None, asks)
    policy, named, lang = policy_argument(request, case), studio(request).workspace.argument, language(request)
    folder = evidence_name(case.policy)
    options = ["--evidence", named(case.file.path.with_name(folder)), *([] if lang == ENGLISH else ["--lang", lang])]
    purpose = Purpose(case.file.path, "decide", "/decide/exported", {"folder": folder})
    return start_job(request, purpose, "check", policy, *options)


@ROUTES.get("/decide/exported")
def exported(request: Request, case: OpenCase) -> Response:
    """The files that were written, and which of them may go out."""
    job = studio(request).jobs.of(request.query_params.get("job", ""))
    if job.purpose.policy != case.file.path or job.purpose.on_end != "/decide/exported" or job.code not in FINISHED:
        raise InputError("this job has not exported anything of the policy that is open")
    obstacle, out, inside = _exported_files(case, job.purpose.values["folder"])
    return page(
        request,
        "decide_exported",
        case,
        nav_step="decide",
        d=case.check.content,
        not_out=None if obstacle is None else obstacle_text(case.table_name, obstacle, language(request)),
        out=out,
        inside=inside,
        folder=job.purpose.values["folder"],
        table=case.table_name,
        approver=_value(case.policy.file.content, ("sign_off", "approver")),
        to_sign=next((name for name in inside if name.endswith(".html")), None),
        command=job.command,
    )


def _exported_files(case: OpenCase, name: str) -> tuple[Obstacle | None, list[str], list[str]]:
    """The obstacle to handing out the table, and the files of a job: those that may go out, those that stay inside."""
    policy = case.policy
    beside = policy.path.parent
    folder = beside / name
    files = sorted(path.relative_to(beside).as_posix() for path in folder.rglob("*") if path.is_file())
    outside = [path.relative_to(beside).as_posix() for path in recipients_files(folder)]
    release = policy.data if isinstance(policy.data, Path) else None
    written = read_check(folder / INSIDE / "report.json")
    origins = list(origins_of(policy))
    obstacle = find_current_obstacle(written, case.check.content, policy, origins, release, judged_alone=True)
    if obstacle is None and written.policy.sha256 != policy.file.sha256:
        obstacle = "outdated"  # the reports are about a different policy
    if obstacle is not None:
        return obstacle, [], files
    if release is not None and is_release(policy):
        outside = [*(path.name for path in ReleaseFiles(release).for_recipients), *outside]
    return None, outside, [name for name in files if name not in outside]


@ROUTES.get("/decide/versions")
def versions(request: Request, case: OpenCase) -> Response:
    """The changes of the policy, the last one first, each with a button that reverts to the version before."""
    before = request.query_params.get("before", "")
    rows, older = _versions(case, int(before) if before.isdecimal() and len(before) < 10 else None)
    return page(request, "decide_versions", case, nav_step="decide", rows=rows, older=older)


def _versions(case: OpenCase, before: int | None) -> tuple[list[dict[str, Any]], int | None]:
    """Versions with the changes after them; and the number to continue with, if there are older ones."""
    known = case.file.versions
    texts = [*(path for path in known), case.file.path]
    indices = [index for index, path in enumerate(known) if before is None or int(path.stem) < before]
    shown = indices[-SHOWN_VERSIONS:]
    rows: list[dict[str, Any]] = [
        {
            "number": int(known[index].stem),
            "when": datetime.fromtimestamp(known[index].stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "lines": list(_difference(texts[index], texts[index + 1])),
        }
        for index in reversed(shown)
    ]
    return rows, rows[-1]["number"] if len(indices) > len(shown) else None


def _difference(old: Path, new: Path) -> Iterator[tuple[str, str]]:
    """The lines that differ, each with its kind: added, removed, same, or place for omitted lines."""
    before, after = (read_small(path, LARGEST_FILE).decode("utf-8-sig", "replace").splitlines() for path in (old, new))
    changes = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
    kinds = {"+": "added", "-": "removed", "@": "place"}
    for line in changes[:MAX_LINES]:
        shown = printable(line)
        cut = shown if len(shown) <= LONGEST_LINE else f"{shown[:LONGEST_LINE]}…"
        yield kinds.get(line[:1], "same"), cut
    if len(changes) > MAX_LINES:
        yield "more", str(len(changes) - MAX_LINES)


@ROUTES.post("/decide/restore")
def restore(request: Request, case: OpenCase, form: Form) -> Response:
    """Go back to an earlier version; this is an ordinary change, which can be undone."""
    case.file.restore(form.text("number"), form.text("seen") or None)
    return redirect(request, "/decide/versions", case)
