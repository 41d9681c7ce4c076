"""The command `init`."""

from pathlib import Path

import click

from PETWorks.about.kinds import GENERALISED, KINDS
from PETWorks.cli.arguments import FILE, shown_path
from PETWorks.errors import InputError, ParameterError
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
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default=KINDS[0],
    show_default=True,
    help="How the table was made from the original: generalised, synthetic, or perturbed (swapped, noised, randomised, "
    "sampled anew).",
)
@click.option(
    "--original", type=FILE, metavar="FILE", help="The table that a synthetic or perturbed one was made from."
)
@click.option("--control", type=FILE, metavar="FILE", help="People who had no part in it; see petworks split.")
@click.option("--separator", metavar="CHAR", help="Separator of a CSV file [default: detected].")
@click.option("--encoding", metavar="NAME", help="Encoding of a CSV file [default: UTF-8 or Big5].")
def init_command(
    data: Path,
    output: Path | None,
    release: str,
    kind: str,
    original: Path | None,
    control: Path | None,
    separator: str | None,
    encoding: str | None,
) -> None:
    """Look at a table and write a policy with suggested roles.

    Roles are guessed from the names of the columns, in English and Chinese, and from how many values they have. Each
    role comes with the reason. No cell is printed or written.

    A sheet of a workbook is named behind a #: 'book.xlsx#Sheet'.

    \b
    Examples:
      petworks init released.csv
      petworks init 'book.xlsx#People'
      petworks init released.parquet --release internal -o policy.yaml
      petworks init synthetic.csv --kind synthetic --original people.csv --control kept_aside.csv
    """
    from PETWorks.gate.suggest.starter import (
        ComparisonTables,
        can_be_anonymized,
        starter_policy,
        suggest_for_comparison,
        suggest_for_file,
    )
    from PETWorks.render.report.prose import comment_translators
    from PETWorks.render.text.check_text import suggestions_text
    from PETWorks.tables.formats.packed import unpacked_path
    from PETWorks.tables.output import write_whole

    if (kind == GENERALISED) != (original is None) or (control is not None and original is None):
        raise ParameterError(
            "--original and --control are for a table that is not generalised (--kind synthetic or perturbed), and "
            "such a table needs its original"
        )
    separator = "\t" if separator == r"\t" else separator
    default = data.parent / f"{unpacked_path(data).stem}_policy.yaml"
    target = _check_target(default if output is None else output, data, separator, encoding)
    comparison, people = None, None
    with progress("reading", data.name):
        if original is None:
            roles, people = suggest_for_file(data, separator, encoding)
        else:
            comparison = ComparisonTables(kind, original.absolute(), None if control is None else control.absolute())
            roles, comparison = suggest_for_comparison(data, comparison, separator, encoding)
    text = starter_policy(
        data.absolute(),
        target,
        roles,
        people,
        release=release,
        comparison=comparison,
        separator=separator,
        encoding=encoding,
        **comment_translators(language()),
    )
    write_whole({target: text.encode("utf-8", "surrogateescape")}, like=[data])
    click.echo(suggestions_text(roles, people, **text_style()), nl=False)
    _say_what_to_do_next(target, data, can_be_anonymized=comparison is None and can_be_anonymized(roles))


def _check_target(target: Path, data: Path, separator: str | None, encoding: str | None) -> Path:
    """The file to write the policy to; raise if it exists, or cannot be written."""
    from PETWorks.tables.opening import open_one
    from PETWorks.tables.output import check_writable

    if target.exists():
        open_one(data, separator, encoding)  # a table that cannot be read is reported first
        raise InputError(
            "cannot write {path!r}: it already exists; name another file with --output, or delete it: what you wrote "
            "there is lost then",
            path=str(target),
        )
    return check_writable(target, (data,))


def _say_what_to_do_next(policy: Path, data: Path, *, can_be_anonymized: bool) -> None:
    """Print where the policy is, and the commands that usually follow."""
    from PETWorks.gate.release_files import default_suffix
    from PETWorks.render.language.language import message_text
    from PETWorks.render.report.prose import file_argument
    from PETWorks.tables.formats.packed import unpacked_path

    lang, shown = language(), shown_path(policy)
    click.echo("\n" + message_text(lang, "cli.policy-written", path=shown))
    argument = command_line([file_argument(shown)])
    click.echo(message_text(lang, "cli.look-then-check", command=f"petworks check {argument}"))
    if can_be_anonymized:
        release = policy.with_name(f"{unpacked_path(data).stem}_released{default_suffix(data)}")
        released = command_line([file_argument(shown_path(release))])
        command = f"petworks anonymize {argument} -o {released} --html report.html"
        click.echo(message_text(lang, "cli.if-it-fails", command=command))
