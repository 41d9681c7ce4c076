"""The command `demo`: a made-up raw table becomes a release that passes, step by step."""

import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import click

from PETWorks.cli.arguments import DOES_NOT_HOLD, HOLDS, shown_path
from PETWorks.cli.hospital import CHINESE, hospital
from PETWorks.errors import InputError, PETWorksError
from PETWorks.render.language import said
from PETWorks.render.languages import ENGLISH
from PETWorks.render.spoken import VARIABLE, language

RECORDS = 2_000
TABLE, POLICY = "hospital.csv", "hospital_policy.yaml"
RELEASED, RELEASED_POLICY, REPORT = "hospital_released.csv", "hospital_released_policy.yaml", "report.html"


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path), default="petworks-demo")
def demo_command(folder: Path) -> None:
    """See in a minute how a raw table becomes a release that passes.

    Makes up a hospital's table in FOLDER, which must be new or empty, runs the commands that you would type, and says
    what they do. Nothing is written anywhere else.

    \b
    Examples:
      petworks demo
      petworks demo somewhere/new --lang zh-TW
    """
    lang = language()
    _check_empty(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shown = shown_path(folder.absolute())
    hospital(folder / TABLE, RECORDS, lang=lang if lang == CHINESE else ENGLISH)
    _tell("table", lang)
    _show_file(folder / TABLE)
    _tell("roles", lang)
    _run(folder, ["init", TABLE], HOLDS, lang, lines=18)
    _tell("raw", lang)
    _run(folder, ["check", POLICY], DOES_NOT_HOLD, lang, lines=9)
    _tell("anonymize", lang)
    _run(folder, ["anonymize", POLICY, "-o", RELEASED, "--html", REPORT], HOLDS, lang, lines=14)
    _tell("released", lang)
    _run(folder, ["check", RELEASED_POLICY], HOLDS, lang, lines=2)
    _show_file(folder / RELEASED)
    _tell("report", lang)
    click.echo(f"  {shown_path((folder / REPORT).absolute())}\n  petworks studio {shown}")
    _tell("own", lang)
    for suffix in ("csv", "xlsx"):
        click.echo(f"  petworks init {said(lang, 'demo.your-table')}.{suffix}")


def _check_empty(folder: Path) -> None:
    """An error if something is in the way."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError("{folder!r} is not an empty folder; name another one", folder=str(folder))
    except PermissionError:
        raise InputError("cannot write {path!r}: the folder is not writable", path=str(folder)) from None


def _tell(step: str, lang: str) -> None:
    """What comes next and why, in two lines."""
    click.secho("\n" + said(lang, f"demo.{step}"), bold=True)


def _show_file(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        click.echo("".join(f"  {line}" for line in islice(file, 3)), nl=False)


def _run(folder: Path, arguments: Sequence[str], code: int, lang: str, lines: int) -> None:
    """Run a command as the user would, and show the first lines of what it prints."""
    click.secho(f"$ petworks {' '.join(arguments)}", fg="cyan")
    done = subprocess.run(  # noqa: S603 - this program, with arguments of its own
        [sys.executable, "-P", "-m", "PETWorks", *arguments],
        cwd=folder,
        env={**os.environ, VARIABLE: lang, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != code:
        click.echo(done.stderr, err=True)
        raise PETWorksError("the demonstration did not work as it should; the lines above say why")
    printed = done.stdout.splitlines()
    click.echo("".join(f"  {line}".rstrip() + "\n" for line in printed[:lines]), nl=False)
    if len(printed) > lines:
        click.echo("  " + said(lang, "demo.more", n=len(printed) - lines))
