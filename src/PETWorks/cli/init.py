"""The command `init`."""

from pathlib import Path

import click

from PETWorks.cli.arguments import FILE, shown_path
from PETWorks.errors import InputError
from PETWorks.render.language.messages import language
from PETWorks.render.terminal import command_line, progress, text_style


@click.command("init")
@click.argument("data", type=FILE)
@click.option("-o", "--output", type=FILE, metavar="FILE", help="The policy file [default: DATA_policy.yaml].")
@click.option(
    "--release",
    type=click.Choice(["public", "controlled", "internal"]),
    default="public",
    show_default=True,
    help="Who will receive the table; determines the preset.",
)
@click.option("--separator", metavar="CHAR", help="Separator of a CSV file [default: detected].")
@click.option("--encoding", metavar="NAME", help="Encoding of a CSV file [default: UTF-8 or Big5].")
def init_command(data: Path, output: Path | None, release: str, separator: str | None, encoding: str | None) -> None:
    """Look at a table and write a policy with suggested roles.

    Roles are guessed from the names of the columns, in English and Chinese, and from how many values they have. Each
    role comes with the reason. No cell is printed or written.

    A sheet of a workbook is named behind a #: 'book.xlsx#Sheet'.

    \b
    Examples:
      petworks init released.csv
      petworks init 'book.xlsx#People'
      petworks init released.parquet --release internal -o policy.yaml
    """
    from PETWorks.gate.release_files import default_suffix
    from PETWorks.gate.suggest.starter import can_be_anonymized, starter_policy, suggest_for_file
    from PETWorks.render.language.language import message_text
    from PETWorks.render.report.prose import comment_translators, file_argument
    from PETWorks.render.text.check_text import suggestions_text
    from PETWorks.tables.formats.packed import unpacked_path
    from PETWorks.tables.opening import open_one
    from PETWorks.tables.output import check_writable, write_whole

    lang = language()
    table_name = unpacked_path(data).stem
    target = data.parent / f"{table_name}_policy.yaml" if output is None else output
    separator = "\t" if separator == r"\t" else separator
    if target.exists():
        open_one(data, separator, encoding)  # a table that cannot be read is reported first
        raise InputError(
            "cannot write {path!r}: it already exists; name another file with --output, or delete it: what you wrote "
            "there is lost then",
            path=str(target),
        )
    target = check_writable(target, (data,))
    with progress("reading", data.name):
        roles, people = suggest_for_file(data, separator, encoding)
    text = starter_policy(
        data.absolute(),
        target,
        roles,
        people,
        release=release,
        separator=separator,
        encoding=encoding,
        **comment_translators(lang),
    )
    write_whole({target: text.encode("utf-8", "surrogateescape")}, like=[data])
    shown = shown_path(target)
    click.echo(suggestions_text(roles, people, **text_style(None)), nl=False)
    click.echo("\n" + message_text(lang, "cli.policy-written", path=shown))
    argument = command_line([file_argument(shown)])
    click.echo(message_text(lang, "cli.look-then-check", command=f"petworks check {argument}"))
    if can_be_anonymized(roles):
        released = command_line(
            [file_argument(shown_path(target.with_name(f"{table_name}_released{default_suffix(data)}")))]
        )
        command = f"petworks anonymize {argument} -o {released} --html report.html"
        click.echo(message_text(lang, "cli.if-it-fails", command=command))
