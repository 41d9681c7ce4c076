"""The commands that list what policies can name, and what files look like: presets, regimes, schema."""

import click

from PETWorks.cli.arguments import format_option
from PETWorks.render.json import dumps
from PETWorks.render.terminal import style


@click.command("presets")
@format_option
def presets_command(output_format: str) -> None:
    """List the thresholds that a policy can take by name, with their sources.

    \b
    Example:
      petworks presets --format json
    """
    from PETWorks.gate.presets import presets

    if output_format == "json":
        listed = [preset.to_dict() for preset in presets().values()]
        click.echo(dumps({"presets": listed}))
    else:
        from PETWorks.render.check_text import presets_text

        click.echo(presets_text(list(presets().values()), **style(None)), nl=False)


@click.command("regimes")
@format_option
def regimes_command(output_format: str) -> None:
    """List the standards and laws whose checklist a policy can take by name.

    \b
    Example:
      petworks regimes --format json
    """
    from PETWorks.gate.regimes import regimes

    if output_format == "json":
        listed = [
            {**regime.to_dict(), "items": {one.item: one.where for one in regime.items}}
            for regime in regimes().values()
        ]
        click.echo(dumps({"regimes": listed}))
    else:
        from PETWorks.render.check_text import regimes_text

        click.echo(regimes_text(list(regimes().values()), **style(None)), nl=False)


@click.command("schema")
@click.argument("name", type=click.Choice(["policy", "check", "plan", "register"]))
def schema_command(name: str) -> None:
    """Print a JSON Schema.

    That of a policy file, of the JSON that check writes, of the plan that anonymize writes, or of an entry of the
    register.

    \b
    Example:
      petworks schema policy > policy.schema.json
    """
    from PETWorks.gate.schema import schema_text

    click.echo(schema_text(name), nl=False)
