"""The command `register`: the register of earlier releases and their recipients."""

from pathlib import Path
from typing import Any

import click

from PETWorks.cli.arguments import FILE, POLICY_SUFFIXES, format_option, note, report_written, write_or_print
from PETWorks.errors import InputError, system_reason
from PETWorks.render.formats.formats import dumps
from PETWorks.render.language.messages import language
from PETWorks.render.terminal import progress, text_style


def with_register(command: Any) -> Any:
    """Add the option that names the register."""
    text = "The folder of the register: one JSON file for each release."
    return click.option(
        "--register", "folder", type=FILE, metavar="DIR", default=Path("releases"), show_default=True, help=text
    )(command)


@click.group("register")
def register_command() -> None:
    """Keep a register of what is already out, and who has it.

    The register is a folder that you keep in git, with a JSON file for each release: the digest of the table, the date,
    the recipients, the columns with their roles, and the verdict. It contains no cell. `petworks check --register DIR`
    says which releases in it share a key or quasi-identifiers with a new one.

    \b
    Examples:
      petworks check policy.yaml --json result.json
      petworks register add result.json --recipients "the university"
      petworks register list
      petworks check next_policy.yaml --register releases
    """


@register_command.command("add")
@click.argument("document", metavar="CHECK.json|POLICY.yaml", type=FILE)
@with_register
@click.option("--recipients", metavar="TEXT", help="Who receives the table [default: as the policy says].")
@click.option("--key", metavar="COLUMN", help="The column that names the person [default: as the policy says].")
@click.option(
    "--date", "day", metavar="DAY", help="When it was released, as 2026-11-16 [default: when it was checked]."
)
@click.option("--root", type=FILE, metavar="DIR", help="Files of a policy must be in here.")
def add_command(document: Path, folder: Path, **options: Any) -> None:
    """Register a release that was checked.

    Give the internal edition that check --json wrote, or a policy: then its table is checked first. A release that does
    not pass is registered with its verdict, since it may be out all the same.

    \b
    Examples:
      petworks register add result.json
      petworks register add result.json --recipients "the university" --date 2026-11-16
      petworks register add policy.yaml --register ../register
    """
    from PETWorks.gate.register import file_of_entry, make_entry
    from PETWorks.render.language.language import message_text
    from PETWorks.tables.output import write_whole

    entry = make_entry(
        _load_check_document(document, options["root"]),
        recipients=options["recipients"],
        key=options["key"],
        day=options["day"],
    )
    if folder.exists() and not folder.is_dir():
        raise InputError("cannot write to {folder!r}: it is not a folder", folder=str(folder))
    files = file_of_entry(folder, entry)
    if not files:
        click.echo(message_text(language(), "cli.registered-already", path=entry.name))
        return
    if not folder.exists():
        _create_folder(folder)
    write_whole(files)
    report_written(files)
    if entry.verdict == "fail":
        note("cli.registered-failing")


def _create_folder(folder: Path) -> None:
    try:
        folder.mkdir()
    except OSError as error:
        raise InputError(
            "cannot create {folder!r}: {reason}", folder=str(folder), reason=system_reason(error)
        ) from None


def _load_check_document(document: Path, root: Path | None) -> Any:
    """The check document, read from its file or made by a check of the policy's table."""
    if document.suffix.lower() in POLICY_SUFFIXES:
        from PETWorks.api.check import check
        from PETWorks.gate.policy.policy import read_policy

        with progress("checking", document.name):
            return check(read_policy(document, root)).file()
    from PETWorks.gate.diff import read_check

    return read_check(document)


@register_command.command("list")
@with_register
@format_option
def list_command(folder: Path, output_format: str) -> None:
    """List the releases of the register, the oldest first.

    \b
    Examples:
      petworks register list
      petworks register list --register ../register --format json
    """
    from PETWorks.gate.register import read_register
    from PETWorks.render.language.language import message_text

    entries = read_register(folder)
    if output_format == "json":
        write_or_print(dumps({"releases": [entry.to_dict() for entry in entries]}) + "\n", None)
    elif not entries:
        click.echo(message_text(language(), "cli.none-registered", path=str(folder)))
    else:
        from PETWorks.render.text.releases_text import register_text

        write_or_print(register_text(entries, **text_style()), None)
