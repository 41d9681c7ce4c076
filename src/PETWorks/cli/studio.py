"""The command `studio`."""

import sys
from pathlib import Path

import click

from PETWorks.cli.help import is_language_chosen
from PETWorks.errors import InputError, Phrase
from PETWorks.render.language.messages import language

MISSING_PACKAGES = Phrase("the page needs more packages: pip install 'petworks[studio]'")


@click.command("studio")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--idle", default=60, show_default=True, metavar="MINUTES", help="End after this time without any use.")
def studio_command(folder: Path, no_browser: bool, idle: int) -> None:
    """Open a page on which a table becomes a release, a report and a policy.

    It shows the tables in FOLDER and below. Everything stays on this machine: the page is served to your browser alone,
    and files are read and written where they are. Ctrl-C ends it.

    \b
    Examples:
      petworks studio
      petworks studio releases/2026 --no-browser
    """
    from PETWorks.render.language.language import message_text

    if not folder.is_dir():
        raise InputError("{folder!r} is not a folder; name the one with your tables", folder=str(folder))
    if idle < 1:
        raise InputError("--idle expects at least 1 minute, got {idle}", idle=idle)
    try:
        from PETWorks.studio.server.serving import serve
    except ImportError:
        raise InputError(MISSING_PACKAGES) from None

    def print_address(address: str) -> None:
        click.echo(f"petworks studio: {address}")

    click.echo(message_text(language(), "cli.page-opened"), err=True)
    serve(folder, idle * 60.0, print_address, browser=not no_browser, lang_chosen=is_language_chosen(sys.argv[1:]))
