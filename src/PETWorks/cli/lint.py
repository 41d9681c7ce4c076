"""The command `lint`: check policy files without their tables."""

from pathlib import Path

import click

from PETWorks.cli.arguments import FILE
from PETWorks.errors import Hint, InputError, PETWorksError

TABLES = ("data", "original", "population")


@click.command("lint")
@click.argument("policies", type=FILE, nargs=-1, required=True, metavar="POLICY...")
@click.option("--root", type=FILE, metavar="DIR", help="Files must be in here [default: the policy's folder].")
def lint_command(policies: tuple[Path, ...], root: Path | None) -> None:
    """Look for mistakes in policies, without their tables.

    For repositories that have policies, but no data: keys, measures, thresholds, waivers and hierarchies are checked;
    no table is read, and none need be there. Exit code 0: no mistakes; 2: there are some, listed by line.

    \b
    Example:
      petworks lint policies/*.yaml
    """
    from PETWorks.gate.policy.policy import read_policy
    from PETWorks.render.language.messages import language
    from PETWorks.render.text.check_text import lint_text

    mistakes: list[str | Hint] = []
    for policy in policies:
        try:
            rules = read_policy(policy, root, network=True, alone=True, unread=TABLES).rules
        except PETWorksError as error:
            mistakes += ["\n" if mistakes else "", *error.before, *error.parts]
        else:
            click.echo(lint_text(str(policy), len(rules), language()))
    if mistakes:
        raise InputError(*mistakes)
