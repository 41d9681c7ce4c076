"""The command `split`."""

from pathlib import Path
from typing import Any

import click

from PETWorks.cli.arguments import FILE, check_output, input_files, note, report_written, shown_name, shown_path
from PETWorks.errors import InputError, ParameterError
from PETWorks.render.terminal import progress

FEWEST_CONTROLS = 100  # below, a check withholds its verdict


@click.command("split")
@click.argument("table")
@click.option("--control", default="0.2", show_default=True, metavar="SHARE", help="Share of the people to keep aside.")
@click.option("--person", metavar="COLUMN", help="Names the person: all records of a person go to the same part.")
@click.option("--seed", metavar="NUMBER", help="Of the random choice, to repeat it; random by default.")
@click.option("-o", "--output", type=FILE, metavar="FILE", help="The part to synthesise from.")
@click.option("--control-output", type=FILE, metavar="FILE", help="The control people.")
@click.option("--separator", metavar="CHAR", help="Separator of a CSV file; detected by default.")
@click.option("--encoding", metavar="NAME", help="Encoding of a CSV file; UTF-8 or Big5, detected, by default.")
def split_command(table: str, **options: Any) -> None:
    """Keep control people aside, before a synthetic table is made of the others.

    Writes two tables in the format of the input: one to make the synthetic table of (TABLE_original), and one with
    control people (TABLE_control), who must have no part in making it. Whether the synthetic table tells more about the
    people it was made of than about them shows what it discloses: petworks init --kind synthetic --control. A file of
    the split (TABLE_control_split.json) records the seed; it stays inside, as the two tables do.

    \b
    Examples:
      petworks split patients.csv --control 0.2
      petworks split visits.csv --person patient_id --control 0.3 --seed 7
      petworks split patients.csv -o for_synthesis.parquet --control-output kept_aside.parquet
    """
    from PETWorks.api.split import split
    from PETWorks.gate.release_files import default_suffix
    from PETWorks.render.formats.formats import dumps
    from PETWorks.tables.files import file_digest
    from PETWorks.tables.formats.packed import unpacked_path
    from PETWorks.tables.opening import is_address, open_table
    from PETWorks.tables.output import write_whole

    source = open_table(table, options["separator"], options["encoding"])
    path = Path("table" if is_address(table) else table)
    stem, suffix = unpacked_path(path).stem, default_suffix(path)
    inputs = input_files(table)
    original = options["output"] or path.with_name(f"{stem}_original{suffix}")
    control = options["control_output"] or path.with_name(f"{stem}_control{suffix}")
    record = control.with_name(f"{unpacked_path(control).stem}_split.json")
    targets = [_new_file(file, *inputs) for file in (original, control, record)]
    if len(set(targets)) < len(targets):
        raise ParameterError("-o and --control-output name one file; both parts are written")
    with progress("reading", shown_name(table)):
        parts = split(
            source,
            options["control"],
            seed=options["seed"],
            person=None if options["person"] is None else options["person"].strip(),
        )
    facts = {
        "petworks_split": 1,
        "table": shown_name(table),
        "sha256": file_digest(inputs[0])[1] if len(inputs) == 1 else None,
        "control": parts.share,
        "seed": str(parts.seed),
        "person": parts.person,
        "people": list(parts.people),
        "records": [len(parts.kept), len(parts.aside)],
    }
    with progress("writing", shown_name(table)):
        write_whole({**parts.contents(*targets[:2]), targets[2]: (dumps(facts) + "\n").encode()}, inputs)
    report_written(targets)
    note(
        "cli.split",
        records=len(parts.kept),
        aside=len(parts.aside),
        people=parts.people[1],
        path=shown_path(targets[1]),
        command=str(parts.seed),
    )
    if parts.people[1] < FEWEST_CONTROLS:
        note("cli.split.few", fewest=FEWEST_CONTROLS)


def _new_file(path: Path, *inputs: Path) -> Path:
    """The file to write; raise if there is one: the choice of control people must not change unnoticed."""
    target = check_output(path, *inputs)
    assert target is not None
    if target.exists():
        raise InputError(
            "cannot write {path!r}: it exists, and people who were kept aside must stay so; name other files with -o "
            "and --control-output",
            path=str(path),
        )
    return target
