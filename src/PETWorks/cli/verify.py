"""The command `verify`."""

import sys
from pathlib import Path

import click

from PETWorks.cli.arguments import DOES_NOT_HOLD, FILE, HOLDS, format_option
from PETWorks.render.formats.formats import dumps
from PETWorks.render.terminal import text_style


@click.command("verify")
@click.argument("document", type=FILE)
@click.option("--data", type=FILE, metavar="TABLE", help="The table that was checked.")
@click.option("--policy", type=FILE, metavar="FILE", help="The policy by which it was checked.")
@click.option("--internal", type=FILE, metavar="JSON", help="The internal edition, which has the salt.")
@format_option
def verify_command(
    document: Path, data: Path | None, policy: Path | None, internal: Path | None, output_format: str
) -> None:
    """Verify that a result of check --json agrees with itself, with these files and with its internal edition.

    That is consistency, not a signature: whoever changes a document can compute its digest anew.

    The external edition has no digest of the table, but a commitment to it: to compare, give the internal edition.
    Exit code 0: everything matches; 1: something does not; 2: bad input.

    \b
    Examples:
      petworks verify result.json --data release.csv --policy policy.yaml
      petworks verify result.external.json --internal result.json --data release.csv
    """
    from PETWorks.gate.check.inputs import verify
    from PETWorks.gate.diff import read_check

    internal_document = None if internal is None else read_check(internal)
    verifications = verify(read_check(document), data=data, policy=policy, internal=internal_document)
    if output_format == "json":
        click.echo(dumps({"verified": [verification.to_dict() for verification in verifications]}))
    else:
        from PETWorks.render.text.check_text import verified_text

        click.echo(verified_text(verifications, **text_style()), nl=False)
    sys.exit(HOLDS if all(verification.matches for verification in verifications) else DOES_NOT_HOLD)
