"""Decide: rules, waivers, context, regimes and sign-off of a policy, and whether the release passes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.errors import InputError, PETWorksError, Phrase
from PETWorks.gate.policy.accountability import regimes
from PETWorks.gate.policy.policy_rules import presets
from PETWorks.measures.attacks.subset_limits import check_limits, known_columns, parse_sizes
from PETWorks.measures.catalogue import Metric, Parameter, all_measures, catalogue, find
from PETWorks.measures.parameters import Choice, Flag, Function
from PETWorks.render.language.language import LIMIT_SIGNS, limit_name, measure_summary, preset_note
from PETWorks.render.report.prose import notices
from PETWorks.render.terminal import command_line
from PETWorks.studio.files.policy_file import Change
from PETWorks.studio.files.released_files import releases_of
from PETWorks.studio.pages.export import evidence_name, is_release
from PETWorks.studio.pages.page import Form, computed, desk_of, error_text, form_of, language, link, page, part, studio
from PETWorks.studio.server.case import Desk

Content = Mapping[str, Any]
WAIVER = ("rule", "owner", "reason", "expires")
EARLIER = ("what", "date", "recipients")
SIGN_OFF = ("approver", "role", "review_by", "incident_contact")
LIMITS = ("highest-risk", "average-risk", "uniques", "inference")
KINDS = ("", "public", "controlled", "internal")
SPOKEN = ("owner", "reason", "what", "recipients", "why", "purpose", "approver", "role", "incident_contact")
MOST_ROWS = 100
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,15})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,15})\.[0-9]{1,15}")


def text_in(value: Any, lang: str) -> str:
    """A value as a field shows it: a text in the language of the page, if the policy has it in several."""
    if isinstance(value, Mapping):
        value = value.get(lang, next(iter(value.values()), ""))
    return "" if value is None else str(value)


def known_measure(name: Any) -> Metric | None:
    """The measure that a rule names; None if there is none of that name."""
    try:
        return find(str(name))
    except PETWorksError:
        return None


def rules_change(form: Form, content: Content, lang: str) -> Change:
    """Presets, rules of the policy's own, and limits on every subset."""

    def change(document: Any) -> None:
        _choose(document, "presets", form.texts("preset"), presets())
        own, said = _rows(document, "rules"), _rows(content, "rules")
        for place in reversed(range(len(own))):
            if form.text(f"rule-{place}-remove"):
                del own[place]
            else:
                _set_rule(own[place], said[place], form, f"rule-{place}-", lang)
        measure = form.text("new-measure")
        if measure:
            if measure not in catalogue:
                raise InputError("choose a measure of the list")
            own.append({"measure": measure})
            _set_rule(own[-1], {}, form, "new-", lang)
        _attach(document, "rules", own)
        _subsets(document, form, content)

    return change


def _set_rule(rule: Any, said: Content, form: Form, start: str, lang: str) -> None:
    """Parameters, the name and the reason of a rule."""
    measure = known_measure(rule["measure"])
    for name in () if measure is None else measure.parameters:
        _set(rule, said, name, form, f"{start}p-{name}")
    _set(rule, said, "name", form, f"{start}name")
    _set_spoken(rule, said, "why", form, f"{start}why", lang)


def _subsets(document: Any, form: Form, content: Content) -> None:
    section, said = _mapping(document, "subsets"), _mapping(content, "subsets")
    limits, said_limits = _mapping(section, "limits"), _mapping(said, "limits")
    for place, name in enumerate(limit_names(content)):
        _set(limits, said_limits, name, form, f"limit-{place}")
    _set(section, said, "sizes", form, "sizes")
    if limits and "sizes" not in section:
        section["sizes"] = "all"
    _attach(section, "limits", limits)
    _attach(document, "subsets", section)


def limit_names(content: Content) -> list[str]:
    """The limits on subsets that a form shows: those that there are, and those of the policy, `inference:income`."""
    given = _mapping(_mapping(content, "subsets"), "limits")
    return [*LIMITS, *(name for name in given if name not in LIMITS)]


def waivers_change(form: Form, content: Content, lang: str) -> Change:
    """Rules that need not hold until a day."""

    def change(document: Any) -> None:
        rows = _rows(document, "waivers")
        _set_rows(rows, _rows(content, "waivers"), form, "waiver", WAIVER, lang)
        _attach(document, "waivers", rows)

    return change


def context_change(form: Form, content: Content, lang: str) -> Change:
    """Who gets the release, what for, and what is assumed."""

    def change(document: Any) -> None:
        section, said = _mapping(document, "context"), _mapping(content, "context")
        _set(section, said, "release", form, "release")
        for name in ("purpose", "recipients"):
            _set_spoken(section, said, name, form, name, lang)
        _set_lines(section, "assumptions", form.text("assumptions"), lang)
        earlier = _rows(section, "earlier_releases")
        _set_rows(earlier, _rows(said, "earlier_releases"), form, "earlier", EARLIER, lang)
        if earlier or form.text("none-earlier"):
            if section.get("earlier_releases") is not earlier:
                section["earlier_releases"] = earlier
        else:
            section.pop("earlier_releases", None)
        _attach(document, "context", section)

    return change


def regimes_change(form: Form, _content: Content, _lang: str) -> Change:
    """Standards and laws whose checklist applies."""
    return lambda document: _choose(document, "regimes", form.texts("regime"), regimes())


def sign_off_change(form: Form, content: Content, lang: str) -> Change:
    """Who answers for the release."""

    def change(document: Any) -> None:
        section, said = _mapping(document, "sign_off"), _mapping(content, "sign_off")
        for name in SIGN_OFF:
            if name in SPOKEN:
                _set_spoken(section, said, name, form, name, lang)
            else:
                _set(section, said, name, form, name)
        _attach(document, "sign_off", section)

    return change


CHANGES = {
    "rules": rules_change,
    "waivers": waivers_change,
    "context": context_change,
    "regimes": regimes_change,
    "sign-off": sign_off_change,
}


def _choose(document: Any, key: str, wanted: Sequence[str], known: Mapping[str, Any]) -> None:
    """A list of names: those that stay keep their place, new ones come last."""
    unknown = [name for name in wanted if name not in known]
    if unknown:
        choose = {"presets": Phrase("choose presets of the list"), "regimes": Phrase("choose regimes of the list")}
        raise InputError(choose[key])
    names = _rows(document, key)
    for place in reversed(range(len(names))):
        if names[place] not in wanted:
            del names[place]
    names.extend(name for name in dict.fromkeys(wanted) if name not in names)
    _attach(document, key, names)


def _set_rows(rows: Any, said: Sequence[Any], form: Form, kind: str, keys: Sequence[str], lang: str) -> None:
    """Rows of a table of fields: some are changed or removed, and one may be new."""
    for place in reversed(range(len(rows))):
        if form.text(f"{kind}-{place}-remove"):
            del rows[place]
        else:
            _set_row(rows[place], said[place], form, f"{kind}-{place}-", keys, lang)
    if any(form.text(f"{kind}-new-{key}") for key in keys):
        if len(rows) >= MOST_ROWS:
            raise InputError("the page shows at most {most}; edit the policy file for more", most=MOST_ROWS)
        rows.append({})
        _set_row(rows[-1], {}, form, f"{kind}-new-", keys, lang)


def _set_row(row: Any, said: Content, form: Form, start: str, keys: Sequence[str], lang: str) -> None:
    for key in keys:
        if key in SPOKEN:
            _set_spoken(row, said, key, form, f"{start}{key}", lang)
        else:
            _set(row, said, key, form, f"{start}{key}")


def _set(section: Any, said: Content, key: str, form: Form, field: str) -> None:
    """Set a key to what a field has, unless that is what the policy says already; an empty field removes it."""
    if field not in form.fields or isinstance(said.get(key), Mapping):
        return
    text = form.text(field)
    if text == str(said.get(key, "")).strip():
        return
    if text:
        section[key] = _scalar(text)
    else:
        section.pop(key, None)


def _set_spoken(section: Any, said: Content, key: str, form: Form, field: str, lang: str) -> None:
    """The same for a text that may be there in several languages: that of the page is changed."""
    if field not in form.fields:
        return
    text = form.text(field).replace("\r\n", "\n")
    if text == text_in(said.get(key), lang).strip():
        return
    now = section.get(key)
    if isinstance(now, dict):
        if text:
            now[lang] = text
        else:
            now.pop(lang, None)
        _attach(section, key, now)
    elif text:
        section[key] = text
    else:
        section.pop(key, None)


def _set_lines(section: Any, key: str, text: str, lang: str) -> None:
    """A list of texts, one on each line; those that stay keep their translation."""
    rows = _rows(section, key)
    known = {" ".join(text_in(row, lang).split()): row for row in rows}
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if lines != list(known):
        rows[:] = [known.get(line, line) for line in lines]
        _attach(section, key, rows)


def _scalar(text: str) -> int | float | str:
    """What YAML has for a text: a number where it is one, so that it needs no quotes."""
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
    """Put a list or a mapping in its place if it is not there, and remove it if it is empty."""
    if not value:
        section.pop(key, None)
    elif section.get(key) is not value:
        section[key] = value


MOST_SHOWN = 60  # rules, waivers and earlier releases that forms show


class Fields:
    """What the fields of a form show: what the policy says, or what was typed if that has a mistake."""

    def __init__(self, form: Form | None) -> None:
        self._form = form

    def text(self, field: str, said: str) -> str:
        """A text field."""
        return said if self._form is None or field not in self._form.fields else self._form.text(field)

    def chosen(self, field: str, said: Sequence[str]) -> Sequence[str]:
        """The boxes of a list that are checked."""
        return said if self._form is None else self._form.texts(field)

    def is_checked(self, field: str, *, said: bool = False) -> bool:
        """A box of its own."""
        return said if self._form is None else bool(self._form.text(field))


async def show(request: Request) -> Response:
    """All decisions of the policy, as forms."""
    return await computed(_page, request, await desk_of(request))


def _page(
    request: Request, desk: Desk, at: str | None = None, form: Form | None = None, mistake: PETWorksError | None = None
) -> Response:
    """The page about what a policy says; one of its forms may have a mistake."""
    lang, content = language(request), desk.policy.file.content
    of = {section: Fields(form if section == at else None) for section in CHANGES}
    context, signed, subsets = (content.get(key) or {} for key in ("context", "sign_off", "subsets"))
    limits = subsets.get("limits") or {}
    new = known_measure(of["rules"].text("new-measure", request.query_params.get("add", "")))
    texts = {
        **{name: of["context"].text(name, text_in(context.get(name), lang)) for name in ("purpose", "recipients")},
        "kind": of["context"].text("release", context.get("release") or ""),
        "assumptions": of["context"].text("assumptions", _lines(context.get("assumptions"), lang)),
        "sizes": of["rules"].text("sizes", text_in(subsets.get("sizes"), lang)),
    }
    return page(
        request,
        "decide",
        desk,
        200 if mistake is None else 400,
        at=at,
        mistake=None if mistake is None else error_text(mistake, request),
        seen=desk.file.digest,
        presets=[(one, preset_note(one, lang)) for one in presets().values()],
        chosen=of["rules"].chosen("preset", content.get("presets") or ()),
        rules=[
            _rule(one, f"rule-{place}-", of["rules"], lang)
            for place, one in enumerate((content.get("rules") or ())[:MOST_SHOWN])
        ],
        measures=[one for one in all_measures() if not _needs_python(one)],
        added=None if new is None else _rule({"measure": new.name}, "new-", of["rules"], lang),
        limits=[
            (limit_name(name, lang), of["rules"].text(f"limit-{place}", text_in(limits.get(name), lang)))
            for place, name in enumerate(limit_names(content))
        ],
        names=[rule.name for rule in desk.policy.rules],
        waivers=_table(content.get("waivers"), "waiver", WAIVER, of["waivers"], lang),
        kinds=KINDS,
        earlier=_table(context.get("earlier_releases"), "earlier", EARLIER, of["context"], lang),
        none_earlier=of["context"].is_checked("none-earlier", said=context.get("earlier_releases") == []),
        regimes=[(one, preset_note(one, lang)) for one in regimes().values()],
        chosen_regimes=of["regimes"].chosen("regime", content.get("regimes") or ()),
        sign_off={name: of["sign-off"].text(name, text_in(signed.get(name), lang)) for name in SIGN_OFF},
        releases=[] if is_release(desk.policy) else releases_of(desk.policy),
        is_release=is_release(desk.policy),
        evidence=evidence_name(desk.policy),
        policy_named=studio(request).workspace.relative(desk.file.path),
        versions=len(desk.file.versions),
        d=desk.check.content if desk.is_checked else None,
        notices=notices(desk.check.content, lang) if desk.is_checked else [],
        released=lambda one: studio(request).workspace.relative(one.policy),
        command=command_line(["petworks", "check", studio(request).workspace.argument(desk.file.path)]),
        **texts,
    )


def _lines(texts: Any, lang: str) -> str:
    return "\n".join(" ".join(text_in(one, lang).split()) for one in texts or ())


def _table(rows: Any, kind: str, keys: Sequence[str], fields: Fields, lang: str) -> list[dict[str, Any]]:
    """Rows of fields, and one for a new row."""
    said = [*enumerate((rows or ())[:MOST_SHOWN]), ("new", {})]
    return [
        {
            "start": f"{kind}-{place}-",
            "is_new": place == "new",
            "is_removed": fields.is_checked(f"{kind}-{place}-remove"),
            **{key: fields.text(f"{kind}-{place}-{key}", text_in(row.get(key), lang)) for key in keys},
        }
        for place, row in said
    ]


def _rule(rule: Any, start: str, fields: Fields, lang: str) -> dict[str, Any]:
    """A rule as fields: one for each parameter of its measure."""
    measure = known_measure(rule.get("measure"))
    shown = [] if measure is None else [one for one in measure.parameters.values() if not _is_python(one)]
    return {
        "start": start,
        "measure": str(rule.get("measure")),
        "summary": "" if measure is None else measure_summary(measure.name, lang),
        "is_removed": fields.is_checked(f"{start}remove"),
        "name": fields.text(f"{start}name", text_in(rule.get("name"), lang)),
        "why": fields.text(f"{start}why", text_in(rule.get("why"), lang)),
        "fields": [_field(one, rule.get(one.name), start, fields, lang) for one in shown],
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
        "is_fixed": is_fixed,  # a value for each attribute, which has no field
        "value": "" if is_fixed else fields.text(f"{start}p-{parameter.name}", text_in(value, lang)),
    }


def _is_python(parameter: Parameter) -> bool:
    return isinstance(parameter.rule, Function)


def _needs_python(measure: Metric) -> bool:
    """Whether a measure needs something that no file can say."""
    return any(_is_python(one) for one in measure.parameters.values())


async def save(request: Request) -> Response:
    """Save one of the forms in the policy; a mistake is shown at the form, which keeps what was typed."""
    desk, form = await desk_of(request), await form_of(request)
    section = request.path_params["section"]
    if section not in CHANGES:
        raise InputError("there is no such form")
    try:
        await computed(_save, desk, section, form, language(request))
    except PETWorksError as error:
        is_current = form.text("seen") == desk.file.digest  # otherwise its fields may be about other rows
        return await computed(_page, request, desk, section, form if is_current else None, error)
    return RedirectResponse(f"{link('/decide', desk, request)}#{section}", 303)


def _save(desk: Desk, section: str, form: Form, lang: str) -> None:
    content = desk.policy.file.content
    if section == "rules":
        _check_subsets(desk, content, form)
    desk.file.change(CHANGES[section](form, content, lang), form.text("seen") or None)


def _check_subsets(desk: Desk, content: Any, form: Form) -> None:
    """An error if limits on subsets cannot be judged; which sizes there are depends on the table."""
    given = {name: form.text(f"limit-{place}") for place, name in enumerate(limit_names(content))}
    limits, sizes = {name: text for name, text in given.items() if text}, form.text("sizes")
    if sizes or limits:
        parse_sizes(sizes or "all", len(known_columns(desk.release)))
        check_limits(limits, desk.release.sensitive_attributes)


async def verdict(request: Request) -> Response:
    """What the check says: each rule, and what regimes still ask for."""
    desk = await desk_of(request)
    check = await computed(lambda: desk.check)
    told = notices(check.content, language(request))
    return part(request, "decide_verdict.html", desk, d=check.content, notices=told)


ROUTES = [
    Route("/decide", show),
    Route("/decide/verdict", verdict),
    Route("/decide/save/{section}", save, methods=["POST"]),
]
