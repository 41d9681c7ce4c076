"""The command `regimes`."""

import click

from PETWorks.cli.arguments import format_option
from PETWorks.render.formats.formats import dumps
from PETWorks.render.terminal import text_style


@click.command("regimes")
@format_option
def regimes_command(output_format: str) -> None:
    """List the standards and laws whose checklist a policy can take by name.

    \b
    Example:
      petworks regimes --format json
    """
    from PETWorks.gate.policy.accountability import regimes

    if output_format == "json":
        entries = [
            {**regime.to_dict(), "items": {item.item: item.where for item in regime.items}}
            for regime in regimes().values()
        ]
        click.echo(dumps({"regimes": entries}))
    else:
        from PETWorks.render.text.check_text import regimes_text

        click.echo(regimes_text(list(regimes().values()), **text_style()), nl=False)
