"""The command `presets`."""

import click

from PETWorks.cli.arguments import format_option
from PETWorks.render.formats.formats import dumps
from PETWorks.render.terminal import text_style


@click.command("presets")
@format_option
def presets_command(output_format: str) -> None:
    """List the thresholds that a policy can take by name, with their sources.

    \b
    Example:
      petworks presets --format json
    """
    from PETWorks.gate.policy.policy_rules import presets, presets_from
    from PETWorks.locale import LANGUAGES

    if output_format == "json":
        listed = [preset.to_dict() for preset in presets().values()]
        click.echo(dumps({"presets": listed}))
    else:
        from PETWorks.render.language.messages import language
        from PETWorks.render.text.check_text import presets_text

        click.echo(presets_text(presets_from(LANGUAGES[language()].home), **text_style()), nl=False)
