"""Decide: rules, waivers, context, regimes and sign-off of a policy, and whether the release passes."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from PETWorks.errors import InputError, PETWorksError
from PETWorks.gate.presets import presets
from PETWorks.gate.regimes import regimes
from PETWorks.measures.attacks.subset_limits import checked_limits
from PETWorks.measures.attacks.subset_sizes import checked_sizes, known_columns
from PETWorks.measures.catalogue import Metric, Parameter, all_measures
from PETWorks.measures.parameters import Choice, Flag, Function
from PETWorks.render.language import LIMIT_SIGNS, limit_name, measure_summary, preset_note
from PETWorks.render.notices import notices
from PETWorks.render.shell_words import command_line
from PETWorks.studio.decisions import CHANGES, EARLIER, KINDS, SIGN_OFF, WAIVER, known_measure, limit_names, text_in
from PETWorks.studio.desk import Desk
from PETWorks.studio.exporting import evidence_name, is_release
from PETWorks.studio.page import Form, computed, desk_of, error_text, form_of, language, link, page, part, studio
from PETWorks.studio.released_files import releases_of

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
        checked_sizes(sizes or "all", len(known_columns(desk.release)))
        checked_limits(limits, desk.release.sensitive_attributes)


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
