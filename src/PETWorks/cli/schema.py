"""The command `schema`."""

import click


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
    from PETWorks.gate.document import schema_text

    click.echo(schema_text(name), nl=False)
