"""The command `evaluate`."""

import sys
from typing import Any

import click

from PETWorks import __version__
from PETWorks.about.treatment import TREATMENTS
from PETWorks.cli.arguments import (
    DOES_NOT_HOLD,
    HINT_OPTIONS,
    HOLDS,
    check_output,
    comparison_options,
    hierarchies_option,
    identifier_option,
    input_files,
    open_release,
    original_option,
    parse_measure,
    parse_population,
    resolve_table,
    shown_name,
    table_options,
    wants_json,
    write_or_print,
)
from PETWorks.render.formats.formats import dumps
from PETWorks.render.terminal import progress, text_style


@click.command("evaluate")
@click.argument("released", required=False)
@original_option
@identifier_option
@hierarchies_option
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME[:parameter=value,...]",
    help="A measure and its thresholds; repeat for more. Default: all measures that apply.",
)
@click.option(
    "--population",
    metavar="TABLE|NUMBER|SHARE",
    help="The population of the records: a table of it, its size, or the share of it in the release (0.01).",
)
@click.option(
    "--suppressed",
    type=click.Choice(TREATMENTS["suppressed"]),
    help="Records with * in every quasi-identifier: leave them out (default), or count them as one more class.",
)
@click.option(
    "--missing",
    type=click.Choice(TREATMENTS["missing"]),
    help="Missing quasi-identifiers: a value of their own (default), or leave their records out.",
)
@click.option(
    "--several-sensitive",
    type=click.Choice(TREATMENTS["several_sensitive"]),
    help="Several sensitive attributes: each alone (default), or the adversary knows the others.",
)
@click.option(
    "--sensitive-values",
    type=click.Choice(TREATMENTS["sensitive_values"]),
    help="Sensitive values: as they are written (default), or without differences of spelling and missing ones.",
)
@comparison_options
@table_options
def evaluate_command(
    released: str | None,
    measures: tuple[str, ...],
    **options: Any,
) -> None:
    """Evaluate a released table.

    RELEASED is a file (CSV, packed or not; Parquet, Feather, JSON lines; Excel, SPSS, Stata, SAS), several of them
    ('year/*.parquet'), a sheet (book.xlsx#May), a table of a database (census.duckdb#people,
    postgresql://user@host/db#people) or an address that a Spark cluster reads (hdfs://...).
    Without --qi and --sensitive the roles come from --policy, or from the YAML file beside a single file. With
    --policy, RELEASED can be omitted: it is the policy's table then. `petworks measures` lists the measures.

    \b
    Examples:
      petworks evaluate data/patient_anonymized.csv
      petworks evaluate released.csv --qi zip,age --sensitive disease --measure t-closeness:t=0.2
      petworks evaluate data/delta_anonymized.csv --original data/delta.csv \\
          --measure delta-presence:delta_min=1/2,delta_max=2/3 --format json -o result.json
      petworks evaluate released.csv --qi zip,age --population 23400000 \\
          --measure prosecutor-risk:cell_size=11 --measure population-uniqueness:share=0.001
      petworks evaluate --policy policy.yaml --measure k-anonymity
      petworks evaluate synthetic.csv --kind synthetic --original people.csv --control kept_aside.csv --qi age,sex \\
          --sensitive illness --measure certain:excess=0.09
      petworks evaluate 'national/*.parquet' --qi zip,age --sensitive disease --engine duckdb --memory-limit 4GB
    """
    from PETWorks.measures.evaluation import evaluate_requests

    requests = [parse_measure(text) for text in measures]
    table = resolve_table(released, options)
    population = parse_population(options)
    output = check_output(
        options["output"], options["policy"], *input_files(table, options["original"], options["control"], population)
    )
    with progress("evaluating", shown_name(table)):
        release = open_release(table, options, population)
        evaluation = evaluate_requests(release, requests or None)
    reasons = {name: error.reason(HINT_OPTIONS) for name, error in evaluation.reasons.items()}
    if wants_json(options["output_format"], output):
        text = dumps({"petworks": __version__, **evaluation.to_dict(), "not_applicable": reasons}) + "\n"
    else:
        from PETWorks.render.text.measures_text import evaluation_text

        text = evaluation_text(evaluation, reasons, details=bool(requests), **text_style(output))
    write_or_print(text, output)
    sys.exit(DOES_NOT_HOLD if evaluation.satisfied is False else HOLDS)
