"""The command `diff`."""

import sys
from pathlib import Path

import click

from PETWorks.cli.arguments import DOES_NOT_HOLD, FILE, HOLDS, wants_json, write_or_print
from PETWorks.render.formats.formats import dumps
from PETWorks.render.terminal import text_style


@click.command("diff")
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option("--format", "output_format", type=click.Choice(["table", "json"]), help="How to print.")
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Write there instead.")
def diff_command(old: Path, new: Path, output_format: str | None, output: Path | None) -> None:
    """Compare two results of check --json.

    Exit code 0: no rule is worse than it was; 1: one is, is gone or has another threshold, or roles or the way of
    counting have changed; 2: bad input.

    \b
    Example:
      petworks diff february.json march.json
    """
    from PETWorks.gate.diff import compare, read_check
    from PETWorks.tables.output import check_writable

    target = None if output is None else check_writable(output, (old, new))
    comparison = compare(read_check(old), read_check(new))
    if wants_json(output_format, target):
        text = dumps(comparison.to_dict()) + "\n"
    else:
        from PETWorks.render.text.check_text import comparison_text

        text = comparison_text(comparison, **text_style(target))
    write_or_print(text, target)
    sys.exit(DOES_NOT_HOLD if comparison.worse else HOLDS)
