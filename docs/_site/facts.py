"""Parts of pages that are made from the program itself, so that they cannot become stale.

A block ```{facts} commands``` in a page becomes what the function `commands` here returns, in the language of the page,
```{facts} measure k-map``` what is true of that measure, ```{facts} measures privacy``` a table of that family.
"""

import re
from functools import cache
from pathlib import Path

import click
import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from PETWorks import Release
from PETWorks.cli.help import localise_command, translating_click
from PETWorks.cli.main import main
from PETWorks.errors import NotApplicable
from PETWorks.gate.policy.accountability import regimes
from PETWorks.gate.policy.policy_rules import UNDATED, presets
from PETWorks.measures.catalogue import all_measures, find_measure
from PETWorks.measures.parameters import Choice, Number
from PETWorks.render.language.language import measure_name, measure_summary, message_text, preset_note, source_date
from PETWorks.render.language.messages import using_language

ROOT = Path(__file__).parent.parent.parent
# A plausible value for each parameter that a measure is usually called with.
EXAMPLES = {"k": 5, "l": 2, "alpha": 0.5, "beta": 1, "delta": 1, "delta_min": 0.1, "c": 2, "t": 0.2, "average": 0.1}
EXAMPLES |= {"highest": 0.2, "share": 0.01, "at_most": 0.1, "at_least": 0.8, "max_bias": 1, "allow_attack": False}
CLASS_DETAILS = {"records_in_classes", "classes", "smallest_class", "largest_class", "suppressed_records"}
CLASS_DETAILS |= {"incomplete_records"}


def commands(lang):
    """What `--help` says about every command."""
    with using_language(lang), translating_click(lang):
        petworks = localise_command(main, lang)
        context = petworks.context_class(petworks, info_name="petworks", terminal_width=100, max_content_width=100)
        yield from ("## petworks", "", "```text", petworks.get_help(context), "```", "")
        for name in petworks.list_commands(context):
            yield from _command(petworks.get_command(context, name), context, f"petworks {name}")


def _command(command, above, title):
    context = command.context_class(
        command, parent=above, info_name=command.name, terminal_width=100, max_content_width=100
    )
    yield from (f"## {title}", "", "```text", command.get_help(context), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from _command(command.get_command(context, name), context, f"{title} {name}")


def thresholds(lang):
    """A table of the presets: those with the largest classes first."""
    chinese = lang == "zh-TW"
    heads = (
        "名稱 | 等價類人數 | 機率 | 出處與說明"
        if chinese
        else "name | class size | probability | who says so, and about what"
    )
    yield from (f"| {heads} |", "|---|---|---|---|")
    for one in sorted(presets().values(), key=lambda one: (-one.cell_size, one.name)):
        if chinese:
            custom = "經驗法則" if one.rule_of_thumb else "規定"
            said_by = f"{one.organisation}：[{one.title}]({one.source})，{source_date(one, lang)}（{custom}）。"
            said_by += preset_note(one, lang)
        else:
            custom = "a rule of thumb" if one.rule_of_thumb else "a rule"
            said_by = f"{one.organisation}: [{one.title}]({one.source}), {source_date(one, lang)}; {custom}. {one.note}"
        yield f"| `{one.name}` | {one.cell_size} | {one.probability} | {said_by} |"


def checklists(lang):
    """What each regime asks a data holder to write down, and where in the source it does."""
    for one in regimes().values():
        when = "" if one.date == UNDATED else f", {one.date}"
        yield from (f"### `{one.name}`", "", f"{one.organisation}: [{one.title}]({one.source}){when}. {one.note}", "")
        yield from ("| what to write down | where the source asks for it |", "|---|---|")
        yield from (f"| {message_text(lang, f'item.{item.item}')} | {item.where} |" for item in one.items)
        yield ""


def names(_lang):
    """The measures in both languages."""
    yield "| name | 正體中文 | what it measures | 說明 |"
    yield "|---|---|---|---|"
    for one in all_measures():
        chinese, meaning = measure_name(one.name, "zh-TW"), measure_summary(one.name, "zh-TW")
        yield f"| [{one.name}](measures/{one.page}.md) | {chinese} | {_cell(one.summary)} | {_cell(meaning)} |"


def measures(family):
    """A table of the measures of a family."""
    yield from ("| measure | better | needs | parameters | what it measures |", "|---|---|---|---|---|")
    for one in all_measures():
        if one.family == family:
            parameters = ", ".join(f"`{name}`" for name in one.parameters)
            cells = [f"[{one.name}](measures/{one.page}.md)", one.better, ", ".join(one.needs), parameters, one.summary]
            yield f"| {' | '.join(map(_cell, cells))} |"


def measure(name):
    """Everything that follows from the function of a measure: how it is called, what it takes and what it returns."""
    entry = find_measure(name)
    yield from (entry.summary, "")
    yield f"* **Better**: {entry.better}. **Needs**: {', '.join(entry.needs)}."
    if entry.aliases:
        yield f"* **Also called**: {', '.join(entry.aliases)}."
    for way, lines in ways_to_call(entry).items():
        yield f"* **{way}**: {', '.join(f'`{line}`' for line in lines)}"
    yield f"* **Details**: {', '.join(details_of(entry))}."
    yield from (f"* **Source**: {work}" for work in works_of(entry.name))
    yield from ("", "| parameter | takes | default | limit |", "|---|---|---|---|")
    for parameter in entry.parameters.values():
        default = "" if parameter.default is None else f"`{parameter.default}`"
        yield f"| `{parameter.name}` | {_taken(parameter.rule)} | {default} | {parameter.limit or ''} |"
    yield from ("", "The [common rules](../measures.md#common-rules) apply.")


def import_line(entry):
    """How the function of a measure is imported."""
    return f"from PETWorks.measures import {entry.function.__name__}"


def ways_to_call(entry):
    """The lines that call a measure in Python, on the command line and in a policy."""
    name = next((name for name in entry.parameters if name in EXAMPLES), None)
    value = EXAMPLES.get(name)
    given = f", {name}={value}" if name else ""
    if entry.name == "utility-bias":
        return {"Python": [import_line(entry), f"utility_bias(release, function=mean_age{given})"]}
    also = "" if entry.applies_to("generalised") else " --kind synthetic --original people.csv"
    also += " --sampling-weight weight" if "sampling weights" in entry.needs else ""
    return {
        "Python": [import_line(entry), f"{entry.function.__name__}(release{given})"],
        "Command line": [f"petworks evaluate table.csv{also} --measure {entry.name}{given.replace(', ', ':')}"],
        "Policy": [f"- {{measure: {entry.name}{given.replace('=', ': ')}}}"],
    }


def _taken(rule):
    """The values of a parameter, in words."""
    if isinstance(rule, Choice):
        words = ", ".join(f"`{word}`" for word in rule.options)
        return f"{words}; or one for each attribute" if rule.by_attribute else words
    if not isinstance(rule, Number):
        return rule.kind.replace("|", " or ").replace("worth of values", "a number for each value")
    low, high = rule.at_least, rule.at_most
    kind = "whole number" if rule.whole else "number"
    if low is None:
        return kind
    return f"{kind}, {low:g} to {high:g}" if high is not None and high < 1e9 else f"{kind}, {low:g} or more"


@cache
def _releases():
    """Releases that have all that measures need, between them."""
    delta, adult = ROOT / "data/delta.csv", ROOT / "data/adult.csv"
    return (
        Release(ROOT / "data/delta_anonymized.csv", original=delta, population=delta),
        Release(ROOT / "data/adult_anonymized.csv", original=adult),
        Release(
            ROOT / "data/people_synthetic.csv",
            original=ROOT / "data/people.csv",
            control=ROOT / "data/people_control.csv",
            kind="synthetic",
        ),
        Release(
            {"area": ["north", "south"], "weight": [18, 39]}, {"area": "quasi_identifier"}, sampling_weight="weight"
        ),
    )


def details_of(entry):
    """The keys of the details, and below each attribute, column or limit, if every limit is given."""
    given = {name: 1 for name, parameter in entry.parameters.items() if parameter.limit or name == "c"}
    if entry.name == "utility-bias":
        given["function"] = lambda _table: 0
    for release in _releases():
        try:
            found = entry(release, **given).details
            break
        except NotApplicable:
            continue
    for key, value in found.items():
        if key not in CLASS_DETAILS:
            inner = next(iter(value.values()), None) if key in ("attributes", "columns", "limits") else None
            yield f"`{key}`" + (f" (for each: {', '.join(f'`{part}`' for part in inner)})" if inner else "")
    if {*found} >= CLASS_DETAILS:
        yield "and those of [classes](../measures.md#common-rules)"


@cache
def _works():
    return yaml.safe_load((ROOT / "docs/measures/sources.yaml").read_text("utf-8"))


def works_of(name):
    """The works that a measure is taken from; each DOI is a link."""
    shown = (one["work"] for one in _works() if name in one["measures"])
    return [re.sub(r"doi:(\S+)\.$", r"[doi:\1](https://doi.org/\1)", work) for work in shown]


def _cell(text):
    return text.replace("|", r"\|")


PARTS = {
    "names": names,
    "commands": commands,
    "thresholds": thresholds,
    "checklists": checklists,
}


ABOUT = {"measure": measure, "measures": measures}


class Facts(SphinxDirective):
    """The block that is replaced by a part: a table, or sections with headings of their own."""

    required_arguments = 1
    optional_arguments = 1  # the name of a measure, or of a family

    def run(self):
        """The nodes of the part, under the heading that the block is below."""
        lang = "zh-TW" if self.env.docname.endswith(".zh-TW") else "en"
        part, *about = self.arguments
        text = "\n".join(ABOUT[part](*about) if about else PARTS[part](lang))
        holder = nodes.Element()
        self.state.nested_parse(text.splitlines(), 0, holder, match_titles=True)
        return holder.children


def setup(app):
    app.add_directive("facts", Facts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
