"""The report: one HTML page in two languages, without script and without a request."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Any

from PETWorks.errors import InputError
from PETWorks.render import charts, prose
from PETWorks.render.bilingual import both, spoken
from PETWorks.render.language import (
    LANGUAGES,
    asked,
    checked_language,
    measure_name,
    measure_summary,
    name,
    own,
    percent,
    put,
    said,
)
from PETWorks.render.sections import MOST_STEPS, SECTIONS, by_section, view

LARGEST_PAGE = 2_000_000


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("PETWorks.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(document: dict[str, Any], lang: str = "en") -> str:
    """The whole report of a check."""
    from markupsafe import Markup

    lang = checked_language(lang)
    environment = _environment()
    style = environment.loader.get_source(environment, "report.css")[0]
    text: str = environment.get_template(
        "report.html"
    ).render(
        d=document,
        lang=lang,
        languages=LANGUAGES,
        internal=document["edition"] == "internal",
        title=f"{own(document['title'], lang)} – {said(lang, document['verdict'])} – PETWorks",
        style=Markup(style),  # noqa: S704 - a file of this package
        style_hash=b64encode(sha256(style.encode()).digest()).decode(),
        sections=SECTIONS,
        by_section=by_section(document),
        **view(document),
        **charts.view(document),
        moment=prose.moment(document),
        presence_text=spoken(lambda lang: prose.presence(document, lang)),
        bars_text=spoken(lambda lang: prose.bars(document, lang)),
        verdict_text=spoken(lambda lang: prose.verdict(document, lang)),
        table_text=spoken(lambda lang: prose.table(document, lang)),
        residual=spoken(lambda lang: prose.residual(document, lang)),
        assumptions=_listed(prose.assumptions, document),
        method=_listed(prose.method, document),
        steps=_listed(prose.steps, document)[:MOST_STEPS],
        not_measured=_listed(prose.not_measured, document),
        glossary=prose.GLOSSARY,
        _=both,
        plain=lambda english: " / ".join(dict.fromkeys(said(code, english) for code in LANGUAGES)),
        name=name,
        own=lambda text: spoken(lambda lang: own(text, lang)),
        asked=asked,
        drawn=charts.drawn,
        value=lambda value: spoken(lambda lang: put(value, lang)),
        percent=lambda share: spoken(lambda lang: percent(share, lang)),
        money=lambda amount: f"{amount:,.0f}",
        measure=lambda measure: spoken(lambda lang: measure_name(measure, lang)),
        summary=lambda measure: spoken(lambda lang: measure_summary(measure, lang)),
        waiver=lambda waiver: spoken(lambda lang: prose.waiver(waiver, lang)),
    )
    if len(text.encode("utf-8", "replace")) > LARGEST_PAGE:
        raise InputError(
            f"the report would be larger than {LARGEST_PAGE // 1_000_000} MB; shorten the texts of the policy"
        )
    return text


def summary(document: dict[str, Any]) -> str:
    """The verdict and the rules, for a notebook."""
    text: str = (
        _environment()
        .get_template("summary.html")
        .render(
            d=document,
            moment=prose.moment(document),
            presence_text=spoken(lambda lang: prose.presence(document, lang)),
            bars_text=spoken(lambda lang: prose.bars(document, lang)),
            verdict_text=prose.verdict(document, "en"),
            name=name,
            asked=asked,
            put=lambda value: put(value, "en"),
            steps=prose.steps(document, "en"),
            colours={"pass": "#116329", "waived": "#6f4400", "fail": "#a40e26"},
        )
    )
    return text


def _listed(said_of: Any, document: dict[str, Any]) -> list[Any]:
    """A list of sentences, each in both languages."""
    texts = {lang: said_of(document, lang) for lang in LANGUAGES}
    return [spoken(lambda lang, place=place: texts[lang][place]) for place in range(len(texts["en"]))]
