"""The command `measures`."""

import click

from PETWorks.cli.arguments import format_option
from PETWorks.render.formats.formats import dumps
from PETWorks.render.terminal import text_style


@click.command("measures")
@format_option
def measures_command(output_format: str) -> None:
    """List the measures and their parameters.

    \b
    Example:
      petworks measures --format json
    """
    from PETWorks.measures.catalogue import all_measures

    if output_format == "json":
        click.echo(dumps({"measures": [entry.to_dict() for entry in all_measures()]}))
    else:
        from PETWorks.render.text.measures_text import measures_text

        click.echo(measures_text(all_measures(), **text_style()), nl=False)
