"""Parts of pages that are made from the program itself, so that they cannot become stale.

A block ```{facts} commands``` in a page becomes what the function `commands` here returns, in the language of the page.
"""

import click
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from PETWorks.cli.help import localise_command, translating_click
from PETWorks.cli.main import main
from PETWorks.gate.policy.accountability import regimes
from PETWorks.gate.policy.policy_rules import UNDATED, presets
from PETWorks.measures.catalogue import all_measures
from PETWorks.render.language.language import measure_name, measure_summary, message_text, preset_note, source_date
from PETWorks.render.language.messages import using_language


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
        yield f"| [{one.name}](measures/{one.name}.md) | {chinese} | {_cell(one.summary)} | {_cell(meaning)} |"


def _cell(text):
    return text.replace("|", r"\|")


PARTS = {
    "names": names,
    "commands": commands,
    "thresholds": thresholds,
    "checklists": checklists,
}


class Facts(SphinxDirective):
    """The block that is replaced by a part: a table, or sections with headings of their own."""

    required_arguments = 1

    def run(self):
        """The nodes of the part, under the heading that the block is below."""
        lang = "zh-TW" if self.env.docname.endswith(".zh-TW") else "en"
        text = "\n".join(PARTS[self.arguments[0]](lang))
        holder = nodes.Element()
        self.state.nested_parse(text.splitlines(), 0, holder, match_titles=True)
        return holder.children


def setup(app):
    app.add_directive("facts", Facts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
