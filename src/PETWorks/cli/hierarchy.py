"""The command `hierarchy`."""

from typing import TYPE_CHECKING, Any

import click

from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.cli.arguments import (
    FILE,
    check_output,
    engine_settings,
    format_option,
    input_files,
    shown_name,
    split_items,
    with_engine_options,
    write_or_print,
)
from PETWorks.errors import HierarchyError, ParameterError, Phrase, printable
from PETWorks.render.formats.formats import dumps
from PETWorks.render.language.messages import language, translated
from PETWorks.render.terminal import progress, text_style

if TYPE_CHECKING:
    from PETWorks.about.hierarchies.declaration import Declaration


LISTS = ("width", "quantiles", "dates", "prefix", "mask", "icd10", "address", "uk_postcode", "order", "sizes")
SINGLE = ("start", "bottom", "top", "calendar", "day_first", "labels")


@click.command("hierarchy")
@click.argument("data")
@click.option("--column", required=True, metavar="NAME", help="The column.")
@click.option("--width", metavar="N,N", help="Numbers: widths of intervals, each a multiple of the one before.")
@click.option("--start", metavar="N", help="Numbers: where intervals begin, instead of at 0.")
@click.option("--bottom", metavar="N", help="Numbers: smaller ones are one group.")
@click.option("--top", metavar="N", help="Numbers: this one and larger ones are one group.")
@click.option("--cuts", multiple=True, metavar="N,N", help="Numbers: where intervals begin; repeat for each level.")
@click.option("--quantiles", metavar="N,N", help="Numbers: parts with about the same number of records, descending.")
@click.option(
    "--dates", metavar="UNIT,UNIT", help="Dates: day, week, month, quarter, half-year, year, 5-years, decade, 20-years."
)
@click.option("--calendar", metavar="gregorian|roc", help="Dates: roc for the calendar of Taiwan.")
@click.option("--day-first", metavar="true|false", help="Dates: whether 3/4/2024 is 3 April, or 4 March.")
@click.option("--labels", metavar="EXAMPLE", help="How labels are written: [20, 40), 20–39, 20~39, 20–<40, 20~<40.")
@click.option("--prefix", metavar="N,N", help="Codes: how many first characters stay, descending.")
@click.option("--mask", metavar="N,N", help="Codes: how many last characters are masked, ascending.")
@click.option("--icd10", metavar="LEVELS", help="Codes of ICD-10: category, chapter or category,chapter.")
@click.option("--address", metavar="LEVELS", help="Places in Taiwan: district, county, region.")
@click.option("--uk-postcode", metavar="LEVELS", help="British postcodes: unit, sector, district, area.")
@click.option("--order", metavar="A,B,C", help="All values in their order.")
@click.option("--sizes", metavar="N,N", help="With --order: how many neighbours make a group, ascending.")
@click.option("--group", "groups", multiple=True, metavar="NAME=A,B", help="A group of values; repeat for more.")
@click.option("--rare", metavar="N,N", help="Values in fewer records than this become 'other'.")
@click.option("--policy", type=FILE, metavar="FILE", help="As this policy declares it.")
@click.option("--separator", metavar="CHAR", help="Separator of a CSV file [default: detected].")
@click.option("--encoding", metavar="NAME", help="Encoding of a CSV file [default: UTF-8 or Big5].")
@with_engine_options
@format_option
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Write the hierarchy as CSV.")
def hierarchy_command(data: str, column: str, **options: Any) -> None:
    """Build the hierarchy of a column and show its groups.

    Without a kind, one is proposed. Shows for each level how many values and records are in each group; labels may be
    values of the column.

    \b
    Examples:
      petworks hierarchy patients.csv --column age --width 5,10,20 --top 90
      petworks hierarchy patients.csv --column birthday --dates month,year -o hierarchy_birthday.csv
      petworks hierarchy patients.csv --column region --group North=Taipei,Hsinchu --group South=Tainan
    """
    from PETWorks.about.hierarchies.declaration import hierarchy_name
    from PETWorks.about.hierarchies.proposal import propose_hierarchy
    from PETWorks.about.roles import unknown_column
    from PETWorks.counting.release import Release
    from PETWorks.render.language.language import message_text
    from PETWorks.render.text.measures_text import hierarchy_groups, hierarchy_text
    from PETWorks.tables.opening import open_source, open_table
    from PETWorks.tables.yaml_files import in_yaml, yaml_text

    column = column.strip()
    target = check_output(options["output"], *input_files(data, options["policy"]))
    declaration = _declaration(column, options)
    with progress("reading", shown_name(data)):
        source = open_source(open_table(data, options["separator"], options["encoding"]), Phrase("the table"))
        if column not in source.names:
            raise unknown_column(column, source)
        release = Release(source, {column: QUASI_IDENTIFIER}, {}, **engine_settings(options))
        counts = release.marginal(column).by_value
    reason = None
    if declaration is None:
        proposed = propose_hierarchy(column, counts, source.encoding)
        if proposed is None:
            raise HierarchyError(
                "{name}: values are generalised already; name the original table, or a kind",
                name=hierarchy_name(column),
            )
        words, reason, hierarchy = proposed[0].words, proposed[0].reason, proposed[1]
    else:
        words = declaration.words
        try:
            hierarchy = declaration.build(counts, name=hierarchy_name(column))
        except HierarchyError as error:
            raise HierarchyError(error.message) from None  # without its hint to name the original: this table is it
    levels = hierarchy_groups(hierarchy, counts)
    if options["output_format"] == "json":
        content = {"column": column, "declaration": words, **({"reason": reason} if reason else {}), "levels": levels}
        text = dumps(content) + "\n"
    else:
        head = ""
        if reason:
            head = message_text(language(), "cli.proposed", why=translated(reason), command=in_yaml(words)) + "\n"
        elif options["policy"] is None:
            line = f"{yaml_text(column)}: {in_yaml(words)}"
            head = message_text(language(), "cli.declared", line=printable(line)) + "\n"
        text = head + hierarchy_text(levels, **text_style())
    write_or_print(
        text, None, {} if target is None else {target: hierarchy.to_csv().encode("utf-8", "surrogateescape")}
    )


def _declaration(column: str, options: dict[str, Any]) -> "Declaration | None":
    """The declaration by the options, or by the policy; None if there is neither."""
    from PETWorks.about.hierarchies.declaration import Declaration, hierarchy_name, parse_declaration

    words: dict[str, Any] = {
        key: split_items(options[key], f"--{key.replace('_', '-')}") for key in LISTS if options[key] is not None
    }
    words.update({key: options[key] for key in SINGLE if options[key] is not None})
    if options["cuts"]:
        words["cuts"] = [split_items(level, "--cuts") for level in options["cuts"]]
    if options["groups"]:
        words["groups"] = dict(_group(text) for text in options["groups"])
        if len(words["groups"]) < len(options["groups"]):
            raise ParameterError("--group names a group twice")
    if options["rare"] is not None:
        words["rare"] = {"fewer_than": split_items(options["rare"], "--rare")}
    if options["policy"] is None:
        return parse_declaration(words, hierarchy_name(column)) if words else None
    if words:
        raise ParameterError("give --policy or the kind of the hierarchy, not both")
    from PETWorks.gate.policy.policy import read_policy

    hierarchies = read_policy(options["policy"]).hierarchies
    declaration = hierarchies.get(column) if isinstance(hierarchies, dict) else None
    if not isinstance(declaration, Declaration):
        raise ParameterError(
            "{file}: the policy declares no hierarchy for {column!r}", file=options["policy"].name, column=column
        )
    return declaration


def _group(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not equals:
        raise ParameterError("--group expects NAME=A,B, got {given!r}", given=text[:60])
    return name.strip(), split_items(values, Phrase("--group: values"))
