"""Results as shown in notebooks: a few sentences and small tables, in the colours of the report."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from PETWorks.anonymizer.anonymization import Anonymization, LocalAnonymization
from PETWorks.anonymizer.anonymization_facts import table_state
from PETWorks.anonymizer.frontier import Frontier
from PETWorks.anonymizer.released import Recoded
from PETWorks.counting.release import Release
from PETWorks.measures import numbers
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION, Subsets
from PETWorks.measures.evaluation import Evaluation
from PETWorks.measures.result import Result, flatten
from PETWorks.releases.composition import Composition
from PETWorks.releases.several import Releases
from PETWorks.render.check_result import Check
from PETWorks.render.formats.html import environment
from PETWorks.render.language.language import (
    attack_name,
    found_value,
    limit_name,
    measure_name,
    message_text,
    percent,
    policy_text,
    rule_name,
    shorten_name,
    thresholds,
    value_text,
)
from PETWorks.render.language.messages import chosen_language, translated
from PETWorks.render.report import making, prose
from PETWorks.render.report.prose import step_texts

DARK = (  # selectors of the themes of notebooks
    '[data-jp-theme-light="false"]',  # JupyterLab
    ".vscode-dark",
    'html[theme="dark"]',  # Colab
    'html[data-theme="dark"]',
)
LIGHT = tuple(theme.replace("false", "true").replace("dark", "light") for theme in DARK)


@cache
def style(file: str) -> str:
    """The style sheet of a file, with colours; it applies below `.petworks` only and leaves the rest of a page alone.

    The theme that a notebook declares is used; otherwise the browser's preference.
    """
    report, rules = _template_source("report.css"), _template_source(file)
    light, dark = (_colours(line) for line in report.splitlines()[:2])
    shapes = [line.replace("svg ", ".petworks ", 1) for line in report.splitlines() if line.startswith("svg .")]
    badges = [f".petworks {line}" for line in report.splitlines() if line.startswith(".verdict")]
    return "\n".join(
        [
            f".petworks{{{light}}}",
            f"@media (prefers-color-scheme:dark){{.petworks{{{dark}}}}}",
            f"{_selectors(LIGHT)}{{{light}}}",
            f"{_selectors(DARK)}{{{dark}}}",
            *(shapes if file == "plot.css" else badges),
            rules,
        ]
    )


def _template_source(file: str) -> str:
    templates = environment()
    text: str = templates.loader.get_source(templates, file)[0]
    return text


def _colours(rules: str) -> str:
    return ";".join(re.findall(r"--[a-z-]+:#[0-9a-f]+", rules))


def _selectors(themes: tuple[str, ...]) -> str:
    return ",".join(f"{theme} .petworks" for theme in themes)


MAX_ROWS = 30
MAX_RECORDS = 1_000_000  # for larger tables, a view does not compare the release with the original
MEMORY = "memory"


@dataclass(frozen=True)
class ViewTable:
    """A table; `figures` are the indices of the columns with numbers."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    figures: Sequence[int] = ()
    caption: str = ""

    @property
    def shown(self) -> Sequence[Sequence[str]]:
        """The rows that are shown."""
        return self.rows[:MAX_ROWS]

    @property
    def left_out(self) -> int:
        """The number of rows that are not shown."""
        return len(self.rows) - len(self.shown)


@dataclass(frozen=True)
class NotebookView:
    """The content of a view: a title, possibly with a verdict, sentences, tables, and notes below them."""

    title: str
    texts: Sequence[str] = ()
    tables: Sequence[ViewTable] = ()
    notes: Sequence[str] = ()
    verdict: str | None = None
    verdict_text: str = ""


def view_of(result: Any, lang: str | None = None) -> str:
    """The view of a result as HTML, in the language of the user."""
    from markupsafe import Markup

    lang = chosen_language(lang)
    make_view = next(make_view for cls, make_view in VIEWS.items() if isinstance(result, cls))
    text: str = (
        environment()
        .get_template("view.html")
        .render(
            view=make_view(result, lang),
            lang=lang,
            more=lambda n: message_text(lang, "view.more", n=n),
            style=Markup(style("view.css")),  # noqa: S704 - files of this package
        )
    )
    return text


def _heads(lang: str, *heads: str) -> list[str]:
    return [message_text(lang, head) for head in heads]


def _verdict_fields(satisfied: bool | None, lang: str) -> dict[str, Any]:
    if satisfied is None:
        return {}
    return {"verdict": "pass" if satisfied else "fail", "verdict_text": _holds_text(satisfied, lang)}


def _holds_text(satisfied: bool | None, lang: str) -> str:
    return "" if satisfied is None else message_text(lang, "view.holds" if satisfied else "view.fails")


def _release_view(release: Release, lang: str) -> NotebookView:
    columns = [
        (
            shorten_name(column),
            message_text(lang, f"role.{release.roles.get(column, 'none')}"),
            value_text(release.hierarchies[column].height, lang) if column in release.hierarchies else "",
        )
        for column in release.columns
    ]
    tables = [ViewTable(_heads(lang, "head.column", "head.role", "view.hierarchy"), columns, (2,))]
    notes = []
    if release.quasi_identifiers and release.engine.name == MEMORY:
        heads = ("view.records-in-classes", "state.classes", "state.smallest_class", "view.largest-class")
        values = [value_text(value, lang) for value in release.class_sizes().summary().values()]
        classes = list(zip(_heads(lang, *heads), values, strict=True))
        tables.append(ViewTable(_heads(lang, "plot.what", "head.value"), classes, (1,)))
    elif release.quasi_identifiers:
        notes.append(message_text(lang, "view.not-counted"))
    return NotebookView(message_text(lang, "view.release", n=release.records), (), tables, notes)


def _result_view(result: Result, lang: str) -> NotebookView:
    asked = [(limit_name(parameter, lang), numbers.format_value(value)) for parameter, value in result.asked().items()]
    details = [
        (shorten_name(detail.replace("_", " ")), numbers.format_value(value))
        for detail, value in flatten(result.details).items()
        if value is not None
    ]
    return NotebookView(
        f"{measure_name(result.measure, lang)}: {numbers.format_value(result.value)}",
        [],
        [
            ViewTable(_heads(lang, "view.asked", "head.value"), asked, (1,)),
            ViewTable(_heads(lang, "view.details", "head.value"), details, (1,)),
        ],
        **_verdict_fields(result.satisfied, lang),
    )


def _evaluation_view(evaluation: Evaluation, lang: str) -> NotebookView:
    rows = [
        (
            measure_name(result.measure, lang),
            value_text(None, lang) if result.value is None else result.summary_cells()[1],
            result.summary_cells()[2],
            _holds_text(result.satisfied, lang),
        )
        for result in evaluation
    ]
    reasons = [
        (measure_name(measure, lang), translated(error.reason(), lang)) for measure, error in evaluation.reasons.items()
    ]
    known = evaluation.table["quasi_identifiers"]
    return NotebookView(
        message_text(lang, "view.evaluation", n=evaluation.table["records"]),
        [message_text(lang, "view.known", columns=known)] if known else [],
        [
            ViewTable(_heads(lang, "head.measure", "head.value", "view.asked", "head.verdict"), rows, (1,)),
            ViewTable(_heads(lang, "head.measure", "view.not-applicable"), reasons),
        ],
        **_verdict_fields(evaluation.satisfied, lang),
    )


def _subsets_view(subsets: Subsets, lang: str) -> NotebookView:
    answers = [answer for answer in subsets.by_size() if answer["attack"] == RE_IDENTIFICATION]
    rows = [
        (
            value_text(answer["known"], lang),
            *(percent(answer[case]["posterior"], lang) for case in ("lowest", "median", "highest")),
            value_text(answer["highest"]["attributes"], lang),
        )
        for answer in answers
    ]
    heads = _heads(lang, "head.known", "head.lowest", "head.median", "head.highest", "head.riskiest")
    attack = attack_name(RE_IDENTIFICATION, lang)
    tables = [ViewTable(heads, rows, range(4), message_text(lang, "drivers.chart", attack=attack))]
    if subsets.is_complete:
        ranked = sorted(
            (driver for driver in subsets.drivers() if driver["attack"] == RE_IDENTIFICATION),
            key=lambda driver: -driver["shapley"],
        )
        shares = [
            (shorten_name(driver["attribute"]), *(percent(driver[key], lang) for key in ("shapley", "without")))
            for driver in ranked
        ]
        heads = _heads(lang, "head.column", "head.adds", "head.without")
        tables.append(ViewTable(heads, shares, (1, 2), message_text(lang, "drivers.columns", attack=attack)))
    return NotebookView(
        message_text(lang, "view.subsets", n=len(subsets), all=len(subsets.quasi_identifiers)), (), tables
    )


def _recoded_view(result: Recoded, lang: str) -> NotebookView:
    """Levels, loss, and the table before and after; for a large table only the first two."""
    levels = [
        (shorten_name(column), value_text(level, lang), value_text(_height(result, column), lang))
        for column, level in result.levels.items()
    ]
    tables = [ViewTable(_heads(lang, "head.column", "head.level", "view.hierarchy"), levels, (1, 2))]
    title = message_text(lang, "view.on-levels")
    if not isinstance(result, Anonymization):
        return NotebookView(title, (), tables)
    title = message_text(lang, "view.made-local" if isinstance(result, LocalAnonymization) else "view.made")
    if result.records > MAX_RECORDS or result.original.engine.name != MEMORY:
        return NotebookView(title, (repr(result),), tables)
    facts = result.facts(table_state(result.original), result.release)
    states = ViewTable(_heads(lang, "plot.what", "head.before", "head.after"), making.state_rows(facts, lang), (1, 2))
    return NotebookView(title, making.outcome_texts(facts, lang), [*tables, states])


def _height(result: Recoded, column: str) -> int | None:
    hierarchy = result.original.hierarchies.get(column)
    return None if hierarchy is None else hierarchy.height


def _frontier_view(result: Frontier, lang: str) -> NotebookView:
    facts = result.facts
    rows = making.frontier_rows(facts, lang)
    heads = making.frontier_heads(facts, lang)
    figures = range(len(heads) - 1)
    texts = making.frontier_texts(facts, lang)
    return NotebookView(message_text(lang, "view.frontier"), texts, [ViewTable(heads, rows, figures)])


def _releases_view(releases: Releases, lang: str) -> NotebookView:
    members = releases.joined.members
    rows = [
        (
            shorten_name(member.name),
            value_text(member.people, lang),
            value_text(common, lang),
            value_text(member.release.quasi_identifiers, lang),
        )
        for member, common in zip(members, releases.joined.people.in_common, strict=True)
    ]
    heads = _heads(lang, "head.release", "head.people", "head.in-common", "role.quasi_identifier")
    people = releases.joined.focal.people
    title = message_text(lang, "view.several", n=len(members), people=people, focal=shorten_name(releases.focal))
    return NotebookView(title, (), [ViewTable(heads, rows, (1, 2))])


def _composition_view(composition: Composition, lang: str) -> NotebookView:
    steps = composition.steps()
    last = [row for row in steps if row["number"] == len(composition.releases)]
    attacks = [
        (attack_name(row["attack"], lang), *(percent(row[key], lang) for key in ("prior", "chance", "certain")))
        for row in last
    ]
    curve = [
        (
            shorten_name(part.name),
            value_text(part.people, lang),
            *(percent(row["chance"], lang) for row in steps if row["number"] == number),
        )
        for number, part in enumerate(composition.releases, 1)
    ]
    limits = [
        (limit_name(limit["limit"], lang), value_text(limit["value"], lang), _holds_text(limit["satisfied"], lang))
        for limit in composition.limits
    ]
    names = [attack_name(row["attack"], lang) for row in last]
    tables = [
        ViewTable(_heads(lang, "view.attack", "view.prior", "view.with-all", "head.certain"), attacks, (1, 2, 3)),
        ViewTable([*_heads(lang, "head.up-to", "head.people"), *names], curve, range(1, 2 + len(names))),
        ViewTable(_heads(lang, "head.limit", "head.value", "head.verdict"), limits, (1,)),
    ]
    people = composition.together.people
    title = message_text(
        lang, "view.together", n=len(composition.releases), people=people, focal=shorten_name(composition.focal)
    )
    return NotebookView(
        title,
        (),
        tables,
        [translated(warning, lang) for warning in composition.warnings],
        **_verdict_fields(composition.satisfied, lang),
    )


def _check_view(check: Check, lang: str) -> NotebookView:
    document = check.content
    rows = [
        (
            rule_name(rule.name, lang),
            measure_name(rule.measure, lang),
            found_value(rule, lang),
            thresholds(rule, lang),
            message_text(lang, f"verdict.{rule.verdict}"),
        )
        for rule in document.rules
    ]
    heads = _heads(lang, "head.rule", "head.measure", "head.found", "head.wanted", "head.verdict")
    return NotebookView(
        policy_text(document.title, lang),
        [prose.verdict(document, lang)],
        [ViewTable(heads, rows, (2,))],
        step_texts(document, lang),
        document.verdict,
        message_text(lang, f"verdict.{document.verdict}"),
    )


VIEWS: dict[type, Any] = {
    Release: _release_view,
    Result: _result_view,
    Evaluation: _evaluation_view,
    Subsets: _subsets_view,
    Recoded: _recoded_view,
    Frontier: _frontier_view,
    Releases: _releases_view,
    Composition: _composition_view,
    Check: _check_view,
}
