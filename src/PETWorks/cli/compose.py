"""The command `compose`."""

import sys
from typing import TYPE_CHECKING, Any

import click

from PETWorks import __version__
from PETWorks.cli.arguments import (
    DOES_NOT_HOLD,
    FILE,
    HOLDS,
    check_output,
    engine_settings,
    input_files,
    note,
    parse_columns,
    parse_limits,
    parse_worth,
    shown_name,
    wants_json,
    with_engine_options,
    worth_option,
    write_or_print,
)
from PETWorks.errors import ParameterError
from PETWorks.render.formats.formats import dumps
from PETWorks.render.language.messages import translated
from PETWorks.render.terminal import counting_progress, progress, text_style

if TYPE_CHECKING:
    from PETWorks.releases.several import Releases


@click.command("compose")
@click.argument("releases", nargs=-1, required=True, metavar="RELEASE RELEASE...")
@click.option("--key", required=True, metavar="COLUMN", help="Names the person, in every release.")
@click.option("--focal", metavar="RELEASE", help="The release whose people are the targets. Default: the last one.")
@click.option("--qi", multiple=True, metavar="A,B", help="Quasi-identifiers; each release uses those that it has.")
@click.option("--sensitive", multiple=True, metavar="C,D", help="Sensitive attributes; likewise.")
@worth_option
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help="Highest value allowed, or lowest m, of what is listed above; NAME:COLUMN=VALUE for one sensitive attribute. "
    "Exit with 1 if a limit does not hold. Repeat for more limits.",
)
@click.option(
    "--subsets",
    metavar="SIZES",
    help="Attack as well with every subset of the columns of all releases that has one of these sizes: all, 2, 1-3.",
)
@click.option(
    "--subset-limit",
    "subset_limits",
    multiple=True,
    metavar="NAME=VALUE",
    help="Highest value allowed with any subset, from 0 to 1, of highest-risk, average-risk, uniques or "
    "inference[:COLUMN]; with --worth also of gain[:COLUMN]. Exit with 1 if a subset exceeds it, and list the smallest "
    "such subsets. Repeat for more limits.",
)
@click.option("--separator", metavar="CHAR", help="Separator of the CSV files; detected by default.")
@click.option("--encoding", metavar="NAME", help="Encoding of the CSV files; UTF-8 or Big5, detected, by default.")
@with_engine_options
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    help="Output format; json is the default for a FILE.json.",
)
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Write to this file.")
def compose_command(releases: tuple[str, ...], **options: Any) -> None:
    """What several releases about the same people disclose together.

    Name the releases, the oldest first, and the column that says which records are of one person. One adversary joins
    the records of a person in all releases; another cannot, but intersects what the releases offer. Roles come from the
    YAML file beside each table, or from --qi and --sensitive. --subsets attacks as adversaries who know only some of
    the columns of all releases.

    \b
    Limits, of all releases together:
      re-identification   chance to pick the record of a person
      alone               share of people whose record is unique
      inference           chance to guess a sensitive value
      one-value           share of people whose class has a single value
      gain                what guessing gains, with --worth
      disclosed           share of people of whom one value is left in the intersection
      half-sure           share of people of whom at most two are left
      m-invariance        the lowest m allowed

    \b
    Examples:
      petworks compose data/school_2022.csv data/school_2023.csv --key pupil
      petworks compose 2021.csv 2022.csv 2023.csv --key id --qi age,zip --sensitive grade --limit disclosed=0.01
      petworks compose 2022.csv 2023.csv --key id --focal 2022.csv --limit re-identification=1/5 --format json
      petworks compose 2022.csv 2023.csv --key id --worth grade:A=10,E=8 --limit gain:grade=2
      petworks compose 2022.csv 2023.csv --key id --subsets 1-3 --subset-limit uniques=0.01
    """
    from PETWorks.releases.several import Releases
    from PETWorks.tables.opening import open_table

    limits, worth = parse_limits(options["limits"]), parse_worth(options["worths"])
    subset_limits = parse_limits(options["subset_limits"])
    if subset_limits and options["subsets"] is None:
        raise ParameterError("--subset-limit needs --subsets")
    if len(releases) < 2:
        raise ParameterError(
            "name at least two releases, the oldest first: petworks compose 2022.csv 2023.csv --key ID"
        )
    output = check_output(options["output"], *input_files(*releases))
    names = ", ".join(map(shown_name, releases))
    with progress("reading", names):
        together = Releases(
            [open_table(release, options["separator"], options["encoding"]) for release in releases],
            options["key"],
            focal=options["focal"],
            quasi_identifiers=parse_columns(options["qi"]),
            sensitive=parse_columns(options["sensitive"]),
            worth=worth,
            **engine_settings(options),
        )
    if together.engine.note:
        click.echo(f"petworks: {translated(together.engine.note)}", err=True)
    with progress("attacking", names):
        composition = together.compose(limits)
    answers = _subsets(together, options["subsets"], subset_limits)
    for warning in composition.warnings:
        note("cli.warning", command=translated(warning))
    if wants_json(options["output_format"], output):
        text = dumps({"petworks": __version__, **composition.to_dict(), **answers}) + "\n"
    else:
        from PETWorks.render.text.releases_text import composition_text

        text = composition_text(composition, answers.get("subsets"), **text_style(output))
    write_or_print(text, output)
    risky = bool(answers and answers["subsets"]["minimal_risky"])
    sys.exit(DOES_NOT_HOLD if composition.satisfied is False or risky else HOLDS)


def _subsets(releases: "Releases", sizes: str | None, limits: dict[str, Any]) -> dict[str, Any]:
    """The results of adversaries who know only some of the columns, if that is asked for."""
    from PETWorks.measures.attacks.subsets import check_limits

    if sizes is None:
        return {}
    checked = check_limits(limits, releases.joined.values, releases.worth)
    with counting_progress() as advance:
        subsets = releases.subsets(sizes, progress=advance)
    answers: dict[str, Any] = subsets.answers(checked)["subsets"]
    return {"subsets": {**answers, "rows": subsets.to_dicts()}}
