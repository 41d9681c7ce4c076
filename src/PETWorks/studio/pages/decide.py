"""Decide: rules, waivers, context and sign-off of a policy. Export: reports, evidence, earlier policies."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
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
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import presets, today
from PETWorks.gate.release_files import ReleaseFiles, origins_of, releases_of
from PETWorks.locale import ENGLISH
from PETWorks.measures.attacks.subsets import check_limits, known_columns, parse_sizes
from PETWorks.measures.catalogue import Metric, Parameter, all_measures, catalogue, find_measure
from PETWorks.measures.parameters import Choice, Flag, Function
from PETWorks.render.formats.evidence import INSIDE, recipients_files
from PETWorks.render.language.language import LIMIT_SIGNS, limit_name, measure_summary, preset_note
from PETWorks.render.report.prose import notices
from PETWorks.studio.files.policy_file import Change, ConflictError
from PETWorks.studio.pages.job import start_job
from PETWorks.studio.pages.page import (
    Form,
    Routes,
    is_release,
    language,
    obstacle_text,
    page,
    part,
    petworks_command,
    redirect,
    studio,
    text_in,
)
from PETWorks.studio.server.jobs import GOOD, Purpose
from PETWorks.studio.server.open_case import OpenCase
from PETWorks.tables.files import read_small
from PETWorks.tables.yaml_files import LARGEST_FILE

ROUTES = Routes()

Content = Mapping[str, Any]
WAIVER = ("rule", "owner", "reason", "expires")
EARLIER = ("what", "date", "recipients")
CONTEXT = ("purpose", "recipients", "rules_reason")
SIGN_OFF = ("approver", "role", "review_by", "incident_contact")
LIMITS = ("highest-risk", "average-risk", "uniques", "inference")
EXPORTS = ("evidence", "report")
KINDS = ("", "public", "controlled", "internal")
TRANSLATABLE = ("owner", "reason", "what", "recipients", "why", "approver", "role", "incident_contact")
MAX_ROWS = 100
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,15})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,15})\.[0-9]{1,15}")


def known_measure(name: Any) -> Metric | None:
    """The measure that a rule names; None if there is none of that name."""
    try:
        return find_measure(str(name))
    except PETWorksError:
        return None


def change_rules(form: Form, content: Content, lang: str) -> Change:
    """Return the change of presets, the policy's own rules, and limits on every subset."""

    def change(document: Any) -> None:
        _choose(document, "presets", form.texts("preset"), presets())
        rules, old_rules = _rows(document, "rules"), _rows(content, "rules")
        for index in reversed(range(len(rules))):
            if form.text(f"rule-{index}-remove"):
                del rules[index]
            else:
                _set_rule(rules[index], old_rules[index], form, f"rule-{index}-", lang)
        measure = form.text("new-measure")
        if measure:
            if measure not in catalogue:
                raise InputError("choose a measure of the list")
            rules.append({"measure": measure})
            _set_rule(rules[-1], {}, form, "new-", lang)
        _attach(document, "rules", rules)
        _subsets(document, form, content)
        section, old = _mapping(document, "no_rule"), _mapping(content, "no_rule")
        for index, column in enumerate(_sensitive_columns(content)):
            _set_translatable(section, old, column, form, f"no-rule-{index}", lang)
        _attach(document, "no_rule", section)

    return change


def _sensitive_columns(content: Content) -> list[str]:
    """The sensitive attributes of a policy, and other columns for which it says why no rule protects them."""
    sensitive = _mapping(content, "roles").get("sensitive_attributes") or ()
    return list(dict.fromkeys(str(column).strip() for column in (*sensitive, *_mapping(content, "no_rule"))))[:MAX_ROWS]


def _set_rule(rule: Any, old: Content, form: Form, start: str, lang: str) -> None:
    """Set the parameters, the name and the reason of a rule."""
    measure = known_measure(rule["measure"])
    for name in () if measure is None else measure.parameters:
        _set(rule, old, name, form, f"{start}p-{name}")
    _set(rule, old, "name", form, f"{start}name")
    _set_translatable(rule, old, "why", form, f"{start}why", lang)


def _subsets(document: Any, form: Form, content: Content) -> None:
    section, old = _mapping(document, "subsets"), _mapping(content, "subsets")
    limits, old_limits = _mapping(section, "limits"), _mapping(old, "limits")
    for index, name in enumerate(limit_names(content)):
        _set(limits, old_limits, name, form, f"limit-{index}")
    _set(section, old, "sizes", form, "sizes")
    if limits and "sizes" not in section:
        section["sizes"] = "all"
    _attach(section, "limits", limits)
    _attach(document, "subsets", section)


def limit_names(content: Content) -> list[str]:
    """The limits on subsets that a form shows: the usual ones, and others of the policy, such as `inference:income`."""
    limits = _mapping(_mapping(content, "subsets"), "limits")
    return [*LIMITS, *(name for name in limits if name not in LIMITS)]


def change_waivers(form: Form, content: Content, lang: str) -> Change:
    """Return the change of the waivers: rules that need not hold until a day."""

    def change(document: Any) -> None:
        rows = _rows(document, "waivers")
        _set_rows(rows, _rows(content, "waivers"), form, "waiver", WAIVER, lang)
        _attach(document, "waivers", rows)

    return change


def change_context(form: Form, content: Content, lang: str) -> Change:
    """Return the change of the context: recipients, purpose, assumptions and earlier releases."""

    def change(document: Any) -> None:
        section, old = _mapping(document, "context"), _mapping(content, "context")
        _set(section, old, "release", form, "release")
        for name in CONTEXT:
            _set_translatable(section, old, name, form, name, lang)
        _set_lines(section, "assumptions", form.text("assumptions"), lang)
        earlier = _rows(section, "earlier_releases")
        _set_rows(earlier, _rows(old, "earlier_releases"), form, "earlier", EARLIER, lang)
        if earlier or form.text("none-earlier"):
            if section.get("earlier_releases") is not earlier:
                section["earlier_releases"] = earlier
        else:
            section.pop("earlier_releases", None)
        _attach(document, "context", section)

    return change


def change_regimes(form: Form, _content: Content, _lang: str) -> Change:
    """Return the change of the regimes: standards and laws whose checklist applies."""
    return lambda document: _choose(document, "regimes", form.texts("regime"), regimes())


def change_sign_off(form: Form, content: Content, lang: str) -> Change:
    """Return the change of the sign-off: the people who are responsible for the release."""

    def change(document: Any) -> None:
        section, old = _mapping(document, "sign_off"), _mapping(content, "sign_off")
        for name in SIGN_OFF:
            if name in TRANSLATABLE:
                _set_translatable(section, old, name, form, name, lang)
            else:
                _set(section, old, name, form, name)
        _attach(document, "sign_off", section)

    return change


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
    _attach(document, key, names)


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
        if key in TRANSLATABLE:
            _set_translatable(row, old, key, form, f"{start}{key}", lang)
        else:
            _set(row, old, key, form, f"{start}{key}")


def _set(section: Any, old: Content, key: str, form: Form, field: str) -> None:
    """Set a key to the text of a field, unless the policy already has it; an empty field removes the key."""
    if field not in form.fields or isinstance(old.get(key), Mapping):
        return
    text = form.text(field)
    if text == str(old.get(key, "")).strip():
        return
    if text:
        section[key] = _scalar(text)
    else:
        section.pop(key, None)


def _set_translatable(section: Any, old: Content, key: str, form: Form, field: str, lang: str) -> None:
    """Like `_set`, for a text that may exist in several languages: that of the page is changed."""
    if field not in form.fields:
        return
    text = form.text(field).replace("\r\n", "\n")
    if text == text_in(old.get(key), lang).strip():
        return
    present = section.get(key)
    if isinstance(present, dict):
        if text:
            present[lang] = text
        else:
            present.pop(lang, None)
        _attach(section, key, present)
    elif text:
        section[key] = text
    else:
        section.pop(key, None)


def _set_lines(section: Any, key: str, text: str, lang: str) -> None:
    """Update a list of texts, one per line; unchanged ones keep their translations."""
    rows = _rows(section, key)
    known = {" ".join(text_in(row, lang).split()): row for row in rows}
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if lines != list(known):
        rows[:] = [known.get(line, line) for line in lines]
        _attach(section, key, rows)


def _scalar(text: str) -> int | float | str:
    """A number if the text is one, so that YAML needs no quotes; otherwise the text."""
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _rows(section: Any, key: str) -> Any:
    rows = section.get(key)
    return rows if isinstance(rows, list) else []


def _mapping(section: Any, key: str) -> Any:
    mapping = section.get(key)
    return mapping if isinstance(mapping, dict) else {}


def _attach(section: Any, key: str, value: Any) -> None:
    """Put a list or a mapping in its place if it is not there yet; remove it if it is empty."""
    if not value:
        section.pop(key, None)
    elif section.get(key) is not value:
        section[key] = value


MAX_SHOWN = 60  # rules, waivers and earlier releases that forms show


class Fields:
    """The content of the fields of a form: what the policy has, or what was typed if that has an error."""

    def __init__(self, form: Form | None) -> None:
        self._form = form

    def text(self, field: str, saved: str) -> str:
        """The content of a text field."""
        return saved if self._form is None or field not in self._form.fields else self._form.text(field)

    def chosen(self, field: str, saved: Sequence[str]) -> Sequence[str]:
        """The checked boxes of a list."""
        return saved if self._form is None else self._form.texts(field)

    def is_checked(self, field: str, *, saved: bool = False) -> bool:
        """Whether a single box is checked."""
        return saved if self._form is None else bool(self._form.text(field))


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
    fields = Fields(form)
    context, signed, subsets = (content.get(key) or {} for key in ("context", "sign_off", "subsets"))
    limits, reasons = subsets.get("limits") or {}, content.get("no_rule") or {}
    asked = "" if form is None else form.text("add") if form.text("do") == "add" else form.text("new-measure")
    new = known_measure(asked) if asked else None
    export = at if at in EXPORTS else None
    policy = case.policy
    return page(
        request,
        "decide",
        case,
        mistake=mistake,
        failed=form is not None,
        at="sign-off" if export else at,
        export=export,
        presets=[(preset, preset_note(preset, lang)) for preset in presets().values()],
        chosen=fields.chosen("preset", content.get("presets") or ()),
        rules=[
            _rule(rule, f"rule-{index}-", fields, lang)
            for index, rule in enumerate((content.get("rules") or ())[:MAX_SHOWN])
        ],
        measures=[one for one in all_measures() if one.applies_to(GENERALISED) and not _needs_python(one)],
        added=None if new is None else _rule({"measure": new.name}, "new-", fields, lang),
        limits=[
            (limit_name(name, lang), fields.text(f"limit-{index}", text_in(limits.get(name), lang)))
            for index, name in enumerate(limit_names(content))
        ],
        sizes=fields.text("sizes", text_in(subsets.get("sizes"), lang)),
        no_rule=[
            (column, fields.text(f"no-rule-{index}", text_in(reasons.get(column), lang)))
            for index, column in enumerate(_sensitive_columns(content))
        ],
        names=[rule.name for rule in policy.rules],
        waivers=_table(content.get("waivers"), "waiver", WAIVER, fields, lang),
        kinds=KINDS,
        kind=fields.text("release", context.get("release") or ""),
        context={name: fields.text(name, text_in(context.get(name), lang)) for name in CONTEXT},
        assumptions=fields.text("assumptions", _lines(context.get("assumptions"), lang)),
        earlier=_table(context.get("earlier_releases"), "earlier", EARLIER, fields, lang),
        none_earlier=fields.is_checked("none-earlier", saved=context.get("earlier_releases") == []),
        regimes=[(regime, preset_note(regime, lang)) for regime in regimes().values()],
        chosen_regimes=fields.chosen("regime", content.get("regimes") or ()),
        sign_off={name: fields.text(name, text_in(signed.get(name), lang)) for name in SIGN_OFF},
        releases=[] if is_release(policy) else releases_of(policy),
        is_release=is_release(policy),
        evidence=evidence_name(policy),
        versions=len(case.file.versions),
        d=case.check.content if case.is_checked else None,
        notices=notices(case.check.content, lang) if case.is_checked else [],
        released=lambda release: studio(request).workspace.relative(release.policy),
        command=petworks_command("check", studio(request).workspace.argument(case.file.path)),
    )


def _lines(texts: Any, lang: str) -> str:
    return "\n".join(" ".join(text_in(text, lang).split()) for text in texts or ())


def _table(rows: Any, kind: str, keys: Sequence[str], fields: Fields, lang: str) -> list[dict[str, Any]]:
    """Rows of fields, and one for a new row."""
    all_rows = [*enumerate((rows or ())[:MAX_SHOWN]), ("new", {})]
    return [
        {
            "start": f"{kind}-{index}-",
            "is_new": index == "new",
            "is_removed": fields.is_checked(f"{kind}-{index}-remove"),
            **{key: fields.text(f"{kind}-{index}-{key}", text_in(row.get(key), lang)) for key in keys},
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
        "name": fields.text(f"{start}name", text_in(rule.get("name"), lang)),
        "why": fields.text(f"{start}why", text_in(rule.get("why"), lang)),
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
        "value": "" if is_fixed else fields.text(f"{start}p-{parameter.name}", text_in(value, lang)),
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
    changes = {section: change(form, content, lang) for section, change in CHANGES.items()}

    def change_all(document: Any) -> None:
        for change in changes.values():
            change(document)

    at = ""
    try:
        at = "rules"
        _check_subsets(case, content, form)
        at = ""
        case.file.change(change_all, form.text("seen") or None)
    except ConflictError:
        raise
    except PETWorksError as error:
        at = at or next((section for section, change in changes.items() if not case.file.accepts(change)), "")
        return _page(request, case, at, form, error)
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
    texts = notices(case.check.content, language(request))
    return part(request, "decide_verdict.html", case, d=case.check.content, notices=texts)


MAX_NAMES = 1000
SHOWN_VERSIONS = 15
MAX_LINES = 40  # of the difference between two versions
LONGEST_LINE = 160


def _stem(policy: Policy) -> str:
    return policy.data.stem if isinstance(policy.data, Path) else policy.path.stem


def evidence_name(policy: Policy) -> str:
    """The name of a new folder beside the policy, from the table and the day."""
    start = f"evidence_{_stem(policy)}_{today().isoformat()}"
    names = (start, *(f"{start}_{number}" for number in range(2, MAX_NAMES)))
    return next(name for name in names if not policy.path.with_name(name).exists())


@ROUTES.post("/decide/report")
@ROUTES.post("/decide/evidence")
def export(request: Request, case: OpenCase, form: Form) -> Response:
    """Save the form, then write a new evidence folder, or the report in both editions.

    If a regime asks for an approver whom nobody has named, ask first.
    """
    what = request.url.path.rpartition("/")[2]
    if "seen" in form.fields:
        refused = _save(request, case, form)
        if refused is not None:
            return refused
        case = studio(request).cases.of(case.file.path)
        unsigned = [] if form.text("anyway") else regimes_without_approver(case.policy)
        if unsigned:
            asks = InputError("{regimes} asks for an approver, and there is none yet", regimes=", ".join(unsigned))
            return _page(request, case, what, None, asks)
    policy, named = case.policy, studio(request).workspace.argument
    if what == "evidence":
        name = evidence_name(policy)
        return _start_check(request, case, ["--evidence", named(policy.path.with_name(name))], {"folder": name})
    stem = f"{_stem(policy)}_check"
    paths = {kind: policy.path.with_name(f"{stem}.{kind}") for kind in ("html", "json")}
    files = [argument for kind, path in paths.items() for argument in (f"--{kind}", named(path))]
    return _start_check(request, case, ["--edition", "both", *files], {"stem": stem})


def _start_check(request: Request, case: OpenCase, options: list[str], values: dict[str, str]) -> Response:
    lang, policy = language(request), studio(request).workspace.argument(case.file.path)
    lang_option = [] if lang == ENGLISH else ["--lang", lang]
    purpose = Purpose(case.file.path, "decide", "/decide/exported", values)
    return start_job(request, purpose, "check", policy, *options, *lang_option)


@ROUTES.get("/decide/exported")
def exported(request: Request, case: OpenCase) -> Response:
    """The files that were written, and which of them may go out."""
    job = studio(request).jobs.of(request.query_params.get("job", ""))
    if job.purpose.policy != case.file.path or job.purpose.on_end != "/decide/exported" or job.code not in GOOD:
        raise InputError("this job has not exported anything of the policy that is open")
    obstacle, out, inside = _exported_files(case, dict(job.purpose.values))
    return page(
        request,
        "decide_exported",
        case,
        nav_step="decide",
        not_out=None if obstacle is None else obstacle_text(case.table_name, obstacle, language(request)),
        out=out,
        inside=inside,
        folder=job.purpose.values.get("folder"),
        command=job.command,
    )


def _exported_files(case: OpenCase, values: dict[str, str]) -> tuple[Obstacle | None, list[str], list[str]]:
    """The obstacle to handing out the table, and the files of a job: those that may go out, those that stay inside."""
    policy = case.policy
    beside = policy.path.parent
    if "folder" in values:
        folder = beside / values["folder"]
        files = sorted(path.relative_to(beside).as_posix() for path in folder.rglob("*") if path.is_file())
        document = folder / INSIDE / "report.json"
        outside = [path.relative_to(beside).as_posix() for path in recipients_files(folder)]
    else:
        stem = values["stem"]
        files = [f"{stem}{edition}.{kind}" for edition in (".external", "") for kind in ("html", "json")]
        document, outside = beside / f"{stem}.json", files[:2]
    release = policy.data if isinstance(policy.data, Path) else None
    written = read_check(document)
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
    return page(
        request,
        "decide_versions",
        case,
        nav_step="decide",
        rows=rows,
        older=older,
    )


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
