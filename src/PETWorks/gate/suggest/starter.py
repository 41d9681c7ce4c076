"""A policy to start from: roles guessed from a table, each with its reason, without any cell of the table."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path

from PETWorks.about.column_names import A_HOUSEHOLD, AN_ADDRESS
from PETWorks.about.hierarchies.dates import CALENDARS, TAIWAN
from PETWorks.about.hierarchies.declaration import parse_declaration
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.hierarchies.proposal import Proposal, propose_hierarchy
from PETWorks.about.roles import ROLE_KEYS
from PETWorks.about.sidecar import read_sidecar
from PETWorks.about.treatment import INTERVAL, visible_text
from PETWorks.anonymizer.problem import METHODS
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.codes import Column
from PETWorks.counting.engines.engine import half_the_machine, load_rows
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.profiles import people_per_value
from PETWorks.counting.table import Table
from PETWorks.errors import Counted, InputError, PETWorksError, Phrase, printable
from PETWorks.gate.check.unique_values import coordinate_pairs
from PETWorks.gate.policy.accountability import regimes
from PETWorks.gate.policy.policy_rules import UNDATED, is_foreign, presets_from
from PETWorks.gate.suggest.privacy_unit import People, suggest_people
from PETWorks.gate.suggest.protection_proposal import MAX_VALUES as MAX_PROTECTED
from PETWorks.gate.suggest.protection_proposal import (
    ProposedProtection,
    allowed_unique,
    cells_of,
    count_unique,
    finder_of_people,
    is_rejected,
    person_codes,
    propose_for_coordinates,
    propose_protection,
    unique_counter_for_people,
)
from PETWorks.gate.suggest.suggestion import (
    MANY,
    Reason,
    Suggestion,
    columns_to_decide,
    effective_values,
    is_first_to_decide,
    looks_personal,
    suggest_roles,
)
from PETWorks.measures.attacks.subsets import MAX_COLUMNS
from PETWorks.measures.disclosure.compared import MOST_VALUES
from PETWorks.tables.cells import is_number
from PETWorks.tables.files import path_from
from PETWorks.tables.headers import has_header_line, names_a_person
from PETWorks.tables.opening import open_one, open_source
from PETWorks.tables.source import Source
from PETWorks.tables.yaml_files import in_yaml, yaml_text

PRESET_FOR_COMPARED = "nics-0.09"  # of releases that are not generalised
LIMITED = "copies"  # the measure to limit where nothing sensitive can be guessed
MEASURED = {"width", "quantiles", "cuts", "dates"}  # words of hierarchies of numbers and dates
COMPARED_LABELS = 20  # at most, of a number or date to be guessed
COMPARED_VALUES = 1100  # at most, of numbers and dates that are compared
EXACT_VALUES = 40  # at most, of numbers and dates that are compared as they are only
FEWEST_LABELS = 8  # with fewer, too many people look alike
FINER_PARTS = (960, 240, 60, 15)
RECORDS_OF_A_PART = 10
PRESET_BY_KIND = {"public": "health-canada-0.09", "controlled": "pdpc-5", "internal": "pdpc-3"}
SUPPRESSION = 0.05  # share of records that a release may suppress
MAX_COLUMNS_OF_A_POLICY = 5_000  # nobody reviews more roles, and the size of policy files is limited
MAX_VALUES = 100_000  # distinct values of a column for which a hierarchy is proposed
MAX_HIERARCHIES = 200  # proposed at most: the size of policy files is limited
LONGEST_KEY = 1_000  # characters; YAML allows 1,024
SIZES = (
    (10, "all"),
    (30, "1-3"),
    (MAX_COLUMNS, "1-2"),
)  # the sizes that are quick, by the largest number of quasi-identifiers
Say = Callable[[str], str]
Why = Callable[[Suggestion], str]

# Comments of the policy that would make the lines below too long.
TITLE = "in every report, also for outsiders; the name of the file if there is none"
ORIGINAL = "the table it was made from: for presence, fidelity and what was lost"
POPULATION = "the people the records were drawn from: a number, a share or a table"
CONTROL = "people like those of the original who had no part in the release (petworks split keeps some aside)"
KIND = "synthetic: its records belong to nobody; perturbed: swapped, noised, randomised, sampled anew; generalised"
LEVELS = "numbers and dates of two tables are rarely equal: rules hold on each of these levels of their hierarchy"
EXCESS = "what lookups in the release tell beyond control people: at most so much of what remains to be guessed"
LAST_YEAR = "last year's table"
OFFICE = "the approver's office"
SUBSETS = "every subset of the quasi-identifiers, counted in records"
METHOD = "one level per column, simpler to analyse; without this line record by record, which keeps more"
INTERVALS = "intervals, where record by record would show the mean of a class for numbers, and the median for dates"
SUPPRESSED = "the share of records it may suppress to keep detail in the others"
TOGETHER = "these columns together name people who have several records"
PART_OF_VALUES = "a part of its values, without the number of the visit, names people who have several records"
MANY_KNOWN = (
    "{n} quasi-identifiers are many: with more than {many}, little is left of each. Move to another role what no "
    "outsider knows"
)
DECIDE = "decide first"
KEEP_PLACE = "{reason}; to keep the place, make it a quasi-identifier, with {words} under hierarchies"
PROTECT = "coarser values where exact ones would give people away: those that keep most"


def suggest_for_file(
    data: Path, separator: str | None, encoding: str | None, *, protects: bool = True
) -> tuple[list[Suggestion], People | None]:
    """A suggested role with its reason for each column, and the people who have several records, if any.

    protects   whether columns whose values single out records are protected, or left out
    """
    source = open_source(open_one(data, separator, encoding), Phrase("the table"))
    if len(source.names) > MAX_COLUMNS_OF_A_POLICY:
        raise InputError(
            "{file}: {columns:,} columns; init suggests roles for at most {most:,}",
            file=data.name,
            columns=len(source.names),
            most=MAX_COLUMNS_OF_A_POLICY,
        )
    sidecar = read_sidecar(data)
    known_roles = sidecar.roles
    table = load_rows(source, source.names, memory_limit=2 * half_the_machine())
    names = [name for name in source.names if name]
    _check_header(data, source, table, names)
    _check_no_totals(table, names, data.name)
    guesses = suggest_roles(table, names)
    people = None if known_roles else suggest_people(table, guesses)
    if people is not None and people.unit is not None:
        people = replace(people, missing=table.rows - people.records)
    unit = None if people is None else people.unit
    if unit is not None:
        guesses = suggest_roles(table, names, unit)
    suggested = [
        replace(suggestion, role=known_roles[suggestion.column], why=Reason("beside"))
        if suggestion.column in known_roles
        else suggestion
        for suggestion in guesses
    ]
    known = sum(suggestion.role == QUASI_IDENTIFIER for suggestion in suggested)
    proposes = sidecar.hierarchy_entry is None and known <= MAX_HIERARCHIES
    suggested = _in_one_calendar(
        [_with_details(suggestion, table, source.encoding, proposes=proposes) for suggestion in suggested]
    )
    if protects:
        suggested = add_protections(suggested, table, None if unit is None else table.columns[unit])
    return [_without_read_dates(suggestion) for suggestion in suggested], people


def _with_details(suggestion: Suggestion, table: WeightedRows, encoding: str | None, *, proposes: bool) -> Suggestion:
    """The suggestion with a hierarchy, if some are proposed, and with the number of values of a quasi-identifier."""
    if proposes and (suggestion.role == QUASI_IDENTIFIER or _is_address(suggestion)):
        suggestion = replace(suggestion, hierarchy=proposal_for_column(suggestion.column, table, encoding))
    if suggestion.role == QUASI_IDENTIFIER:
        suggestion = replace(suggestion, values=effective_values(table.columns[suggestion.column]))
    return suggestion


def _without_read_dates(suggestion: Suggestion) -> Suggestion:
    """The suggestion; dates that its hierarchy reads are no unread ones."""
    reads_dates = suggestion.hierarchy is not None and "dates" in suggestion.hierarchy.words
    return replace(suggestion, unread_dates=False) if reads_dates else suggestion


def _check_header(data: Path, source: Source, table: WeightedRows, names: Sequence[str]) -> None:
    """Raise if a file of a format with a header line seems to lack it, so that its first record was read as names."""
    own_values = sum(table.columns[name].code(name) is not None for name in names)
    are_values = any(is_number(name) or looks_personal(name) for name in names)
    people = sum(map(names_a_person, names))
    if has_header_line(source) and (are_values or 2 * max(own_values, people) >= max(len(names), 1)):
        raise InputError(
            "{file}: the first line does not look like a header of {columns}: one is a "
            "number, a date or an address, or half of them are names of people or values of "
            "their own column",
            file=data.name,
            columns=Counted("one column", "{n} columns", n=len(source.names)),
        )


def _in_one_calendar(suggested: Sequence[Suggestion]) -> list[Suggestion]:
    """The suggestions with the years of all dates in the calendar of Taiwan, if those of one column are."""
    taiwan = {"calendar": CALENDARS[1], "labels": TAIWAN}
    hierarchies = [suggestion.hierarchy for suggestion in suggested if suggestion.hierarchy is not None]
    if not any(taiwan.items() <= hierarchy.words.items() for hierarchy in hierarchies):
        return list(suggested)
    return [
        replace(suggestion, hierarchy=replace(suggestion.hierarchy, words={**suggestion.hierarchy.words, **taiwan}))
        if suggestion.hierarchy is not None and "dates" in suggestion.hierarchy.words
        else suggestion
        for suggestion in suggested
    ]


TOTALS = frozenset("合計 總計 小計 總和 共計 合计 总计 小计 total totals grandtotal subtotal sum".split())  # noqa: SIM905


def _check_no_totals(table: WeightedRows, names: Sequence[str], file: str) -> None:
    """Raise if the last row has totals: it would be judged, and released, as a person."""
    last = [table.columns[name].values[int(table.columns[name].codes[-1])] for name in names] if table.rows > 1 else []
    known = [text for text in map(visible_text, last) if text is not None]
    if 2 * len(known) < len(last) and any(text.replace(" ", "").rstrip(":") in TOTALS for text in known):
        raise InputError(
            "{file}: the last row, number {row:,} with the header, looks like totals and not like a person; delete it",
            file=file,
            row=table.rows + 1,
        )


@dataclass(frozen=True)
class ComparisonTables:
    """The tables with which a release that is not generalised is compared.

    levels   the levels of its hierarchy on which a column is compared
    """

    kind: str
    original: Path
    control: Path | None
    levels: Mapping[str, Sequence[int]] = field(default_factory=dict)


def suggest_for_comparison(
    data: Path, comparison: ComparisonTables, separator: str | None, encoding: str | None
) -> tuple[list[Suggestion], ComparisonTables]:
    """A suggested role for each column, judged by the original, and the levels on which columns are compared.

    In the release itself nobody's values can be recognised. Columns that only the original has are identifiers.
    """
    released = open_source(open_one(data, separator, encoding), Phrase("the table")).names
    suggested, _ = suggest_for_file(comparison.original, separator, encoding, protects=False)
    source = open_source(open_one(comparison.original, separator, encoding), Phrase("the original table"))
    table = load_rows(source, source.names, memory_limit=2 * half_the_machine())
    levels: dict[str, Sequence[int]] = {}
    completed: list[Suggestion] = []
    for suggestion in suggested:
        column = suggestion.column
        if column not in released:
            completed.append(replace(suggestion, role=IDENTIFIER, why=Reason("not-released"), hierarchy=None))
            continue
        compared = suggestion.role in (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE)
        marginal = table.marginal(column)
        proposed = None
        if compared and len(marginal.counts) <= MAX_VALUES:
            counts = marginal.by_value
            proposed = propose_hierarchy(column, counts, source.encoding)
        if proposed is None:
            completed.append(suggestion)
            continue
        if MEASURED & set(proposed[0].words):
            proposed = _in_finer_parts(counts, proposed)
        own_levels = _levels_to_compare(*proposed, is_target=suggestion.role == SENSITIVE_ATTRIBUTE)
        levels |= {column: own_levels} if any(own_levels) else {}
        hierarchy = replace(proposed[0], height=proposed[1].height) if any(own_levels) else None
        completed.append(replace(suggestion, hierarchy=hierarchy))
    return completed, replace(comparison, levels=levels)


def _in_finer_parts(
    counts: Mapping[str | None, int], proposed: tuple[Proposal, Hierarchy]
) -> tuple[Proposal, Hierarchy]:
    """A hierarchy of numbers with parts of a few records each: in coarser ones, noisy copies of records do not show."""
    parts = [number for number in FINER_PARTS if number * RECORDS_OF_A_PART <= sum(counts.values())]
    if len(proposed[1].levels[0]) <= COMPARED_VALUES or len(parts) < 2 or "dates" in proposed[0].words:
        return proposed
    words = {"quantiles": parts}
    try:
        hierarchy = parse_declaration(words, Phrase("a proposal")).build(counts, [], [], Phrase("a proposal"))
    except PETWorksError:  # numbers that are too unevenly spread for this many parts
        return proposed
    reason = Phrase("numbers: {parts} intervals with equally many records, then coarser ones", parts=parts[0])
    return Proposal(words, reason), hierarchy


def _levels_to_compare(proposal: Proposal, hierarchy: Hierarchy, *, is_target: bool) -> list[int]:
    """The levels on which the values of two tables are comparable, the finest first; only 0 for few categories.

    Copies with noise show on the level whose intervals are about as wide as the noise, which nobody knows: numbers are
    compared on all levels. A value to be guessed needs one level, with few labels.
    """
    labels = [len(set(values)) for values in hierarchy.levels]
    most = COMPARED_LABELS if is_target else COMPARED_VALUES
    if not MEASURED & set(proposal.words) and labels[0] <= MOST_VALUES:
        return [0]
    fitting = [level for level in range(hierarchy.height) if labels[level] <= most]
    distinct = [level for level in fitting if level == 0 or labels[level] < labels[level - 1]]
    coarse = [level for level in distinct if labels[level] >= FEWEST_LABELS] or distinct or [hierarchy.height - 1]
    if is_target:
        return coarse[:1]
    return coarse if any(coarse) or labels[0] <= EXACT_VALUES else distinct[:2]


def _is_address(suggestion: Suggestion) -> bool:
    return suggestion.role == IDENTIFIER and suggestion.why.what == AN_ADDRESS


def proposal_for_column(column: str, table: Table, encoding: str | None = None) -> Proposal | None:
    """The hierarchy proposed for a column of a table; None if it has too many values or none can be proposed."""
    marginal = table.marginal(column)
    if len(marginal.counts) > MAX_VALUES or len(yaml_text(column)) > LONGEST_KEY:
        return None
    proposed = propose_hierarchy(column, marginal.by_value, encoding)
    return None if proposed is None else replace(proposed[0], height=proposed[1].height)


def add_protections(
    suggested: Sequence[Suggestion], table: WeightedRows, people: Column | None = None
) -> list[Suggestion]:
    """The suggestions with protections for values that single out records.

    A column that needs a protection and cannot have one becomes an identifier, which is left out of the release.

    people   the person of each record: a value that only one person has singles that person out
    """
    protections: dict[str, ProposedProtection] = {}
    left_out: set[str] = set()
    candidates = {
        suggestion.column: suggestion
        for suggestion in suggested
        if suggestion.role in (SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE)
    }
    places = {name for pair in coordinate_pairs(list(candidates)) for name in pair}
    for column, suggestion in candidates.items():
        if len(table.columns[column].counts) > MAX_PROTECTED:
            continue
        cells = table.columns[column]
        times = cells.counts if people is None else people_per_value(cells, people)[0]
        counts = dict(zip(cells.values, times.tolist(), strict=True))
        records = sum(counts.values())
        alone = count_unique(counts)
        proposed = None
        if alone > allowed_unique(records):
            proposed = propose_protection(
                counts,
                count_unique_after=None if people is None else unique_counter_for_people(cells, people),
                records_of=dict(zip(cells.values, cells.counts.tolist(), strict=True)),
                grouping=column not in places,
                find_people=None if people is None else finder_of_people(cells, people),
            )
        if proposed is not None:
            protections[column] = proposed
        elif is_rejected(counts) and suggestion.why.kind != "beside":
            left_out.add(column)
    for pair in coordinate_pairs(list(candidates)):
        latitudes, longitudes = (cells_of(table.columns[name]) for name in pair)
        proposed = propose_for_coordinates(latitudes, longitudes, people=person_codes(people))
        if proposed is not None and proposed.before > allowed_unique(table.rows):
            protections |= dict.fromkeys(pair, proposed)
            left_out -= set(pair)
    return [
        replace(suggestion, role=IDENTIFIER, why=Reason("exact"))
        if suggestion.column in left_out
        else replace(suggestion, protect=protections.get(suggestion.column))
        for suggestion in suggested
    ]


def starter_policy(
    data: Path,
    policy: Path,
    suggested: Sequence[Suggestion],
    people: People | None = None,
    *,
    release: str = "public",
    comparison: ComparisonTables | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    say: Say = str,
    why: Why = attrgetter("reason"),
    typed: Callable[[Sequence[str]], str] = shlex.join,
    home: str = "",
) -> str:
    """The text of a policy file beside the data, with comments.

    comparison for a release that is not generalised: the tables it is compared with
    say, why   translate comments, and the reasons of suggestions, into the user's language; keys and values stay
    typed      quotes the arguments of a command for the shell
    home       the user's country, whose thresholds come first
    """
    weight, suggested = _separate_weights(suggested)
    by_role = {
        role: [suggestion for suggestion in suggested if suggestion.role == role]
        for role in (*ROLE_KEYS.values(), None)
    }
    known, sensitive = by_role[QUASI_IDENTIFIER], by_role[SENSITIVE_ATTRIBUTE]
    given_options = {
        "separator": separator,
        "encoding": encoding,
        "column": next((suggestion.column for suggestion in known), None),
    }
    options = [text for name, value in given_options.items() if value is not None for text in (f"--{name}", value)]
    levels = typed(["petworks", "hierarchy", path_from(policy.parent, data), *options])
    declared = (
        known if comparison is None else [suggestion for suggestion in (*known, *sensitive) if suggestion.hierarchy]
    )
    hierarchies = [_hierarchies(declared, say, levels)] if any(suggestion.hierarchy for suggestion in declared) else []
    parts = [_sources(data, policy.parent, separator, encoding, say, comparison), _all_roles(by_role, say, why)]
    parts += hierarchies
    if comparison is None:
        parts += [
            _privacy_unit(people, say),
            _sample(weight, suggested, say, why),
            _context(release, known, say),
            _presets(release, say, home),
            _rules(bool(known and sensitive), say),
            _subsets(len(known), say, of_people=people is not None),
            _anonymize(suggested, say),
        ]
    else:
        parts += [
            *([_levels(comparison.levels, say)] if comparison.levels else []),
            _context(release, known, say, comparison.kind),
            _limits(bool(sensitive), say),
            _subsets(len(known), say, of_people=False, compared="certain" if sensitive else "found"),
        ]
    waived = PRESET_BY_KIND[release]
    if comparison is not None:
        waived = f"{PRESET_FOR_COMPARED}: {LIMITED}" if sensitive else LIMITED
    parts += [_sign_off(say), _waivers(waived, say)]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _levels(levels: Mapping[str, Sequence[int]], say: Say) -> list[str]:
    """The levels on which columns are compared."""
    return [
        f"compare_at:                     # {say(LEVELS)}",
        *(f"  {yaml_text(column)}: {list(own)}" for column, own in levels.items()),
    ]


def _limits(sensitive: bool, say: Say) -> list[str]:
    """The rules of a release that is not generalised: limits on its excess over control people."""
    if sensitive:
        return [f"# {say(EXCESS)}", f"presets: [{PRESET_FOR_COMPARED}]"]
    return [f"# {say(EXCESS)}", "rules:", f"  - {{measure: {LIMITED}, excess: 0.09}}"]


def _sources(
    data: Path, folder: Path, separator: str | None, encoding: str | None, say: Say, comparison: ComparisonTables | None
) -> list[str]:
    """The head of the policy, and its files."""
    hierarchies = None if comparison is not None else read_sidecar(data).hierarchies
    control = None if comparison is None else comparison.control
    further = (
        [
            f"# original: original.csv       # {say(ORIGINAL)}",
            *([f"hierarchies: {yaml_text(path_from(folder, hierarchies))}"] if isinstance(hierarchies, Path) else []),
            f"# population: 23400000         # {say(POPULATION)}",
        ]
        if comparison is None
        else [
            f"original: {yaml_text(path_from(folder, comparison.original))}",
            f"# control: control.csv         # {say(CONTROL)}"
            if control is None
            else f"control: {yaml_text(path_from(folder, control))}  # {say(CONTROL)}",
        ]
    )
    return [
        f"# {say('What is released to whom, and what must hold before: petworks check reads this file.')}",
        f"# {say('The roles below are guesses from names and counts. Look at every one; you know the data.')}",
        "petworks_policy: 1",
        f"# title: {say('what the release is called')}  # {say(TITLE)}",
        f"data: {yaml_text(path_from(folder, data))}",
        *([f"separator: {yaml_text(separator)}"] if separator else []),
        *([f"encoding: {yaml_text(encoding)}"] if encoding else []),
        *further,
    ]


def _hierarchies(known: Sequence[Suggestion], say: Say, levels: str) -> list[str]:
    """The hierarchy proposed for each quasi-identifier; `levels` is a command that shows its levels."""
    proposed = [
        (yaml_text(suggestion.column), suggestion.hierarchy) for suggestion in known if suggestion.hierarchy is not None
    ]
    none_proposed = say("none proposed, its values are generalised or too many: they stay or become *")
    return [
        f"# {say('How values become coarser, level by level: for petworks anonymize and for measures of utility.')}",
        f"# {say('Level 0 has the values of the original if it is named above, otherwise those of this table.')}",
        f"# {say('To see the levels of a column, use:')} {printable(levels)}",
        "hierarchies:",
        *(f"  {column}: {in_yaml(proposal.words)}  # {say(proposal.reason)}" for column, proposal in proposed),
        *(
            f"  # {printable(suggestion.column[:60])}: {none_proposed}"
            for suggestion in known
            if not suggestion.hierarchy
        ),
    ]


def _all_roles(by_role: Mapping[str | None, Sequence[Suggestion]], say: Say, why: Why) -> list[str]:
    meanings = {
        "identifiers": say("name a person, or nobody needs them; petworks anonymize leaves them out"),
        "quasi_identifiers": say("what an adversary may know of a person"),
        "sensitive_attributes": say("what nobody may learn of a person"),
        "insensitive_attributes": say("none of these"),
    }
    ranked = columns_to_decide(by_role[QUASI_IDENTIFIER])
    first = {suggestion.column for suggestion in ranked if is_first_to_decide(suggestion)}

    def why_with_mark(suggestion: Suggestion) -> str:
        if _is_address(suggestion) and suggestion.hierarchy is not None and "address" in suggestion.hierarchy.words:
            return say(KEEP_PLACE).format(reason=why(suggestion), words=in_yaml(suggestion.hierarchy.words))
        return f"{why(suggestion)}; {say(DECIDE)}" if suggestion.column in first else why(suggestion)

    many = say(MANY_KNOWN).format(n=len(by_role[QUASI_IDENTIFIER]), many=MANY)
    return [
        *([f"# {many}"] if first else []),
        "roles:",
        *(
            line
            for name, meaning in meanings.items()
            for line in _role(name, by_role[ROLE_KEYS[name]], meaning, why_with_mark)
        ),
        *_no_role(by_role[None], say),
    ]


def _no_role(suggested: Sequence[Suggestion], say: Say) -> list[str]:
    if not suggested:
        return [f"# no_role: {{column: reason}}     # {say('every other column needs a reason for having no role')}"]
    return [
        f"no_role:  # {say('why a column has none')}",
        *(f"  {yaml_text(suggestion.column)}: {yaml_text(suggestion.reason)}" for suggestion in suggested),
    ]


def _role(name: str, suggested: Sequence[Suggestion], meaning: str, why: Why) -> list[str]:
    if not suggested:
        return [f"  {name}: []  # {meaning}"]
    from rich.cells import cell_len

    texts = [yaml_text(suggestion.column) for suggestion in suggested]
    widths = list(map(cell_len, texts))  # a Chinese character is two cells wide
    most = min(max(widths), 30)
    listed = (
        f"    - {text}{' ' * (most - width)}  # {why(suggestion)}"
        for text, width, suggestion in zip(texts, widths, suggested, strict=True)
    )
    return [f"  {name}:  # {meaning}", *listed]


def _privacy_unit(people: People | None, say: Say) -> list[str]:
    """The column that names the person, or what to do where no single column does."""
    if people is None:
        return [f"# privacy_unit: person_id       # {say('where one person has several records')}"]
    if people.unit is not None:
        return [f"privacy_unit: {yaml_text(people.unit)}  # {say('several records of one person count once')}"]
    why = say(PART_OF_VALUES) if people.cut else say(TOGETHER)
    return [
        f"# {', '.join(printable(column[:60]) for column in people.columns)}: {why}",
        f"# privacy_unit: person_id       # {say('add such a column to the table: without it, no release is made')}",
    ]


def _separate_weights(suggested: Sequence[Suggestion]) -> tuple[Suggestion | None, list[Suggestion]]:
    """The first column of sampling weights, which has no role, and the others; further weights are left out."""
    weights = [suggestion for suggestion in suggested if suggestion.why.kind == "weight"]
    others = [
        replace(suggestion, role=IDENTIFIER, why=Reason("other-weight")) if suggestion in weights[1:] else suggestion
        for suggestion in suggested
        if suggestion not in weights[:1]
    ]
    return (weights[0] if weights else None), others


def _sample(weight: Suggestion | None, suggested: Sequence[Suggestion], say: Say, why: Why) -> list[str]:
    """The columns that say how the records of a survey were drawn."""
    household = next((found.column for found in suggested if found.why.what == A_HOUSEHOLD), None)
    lines = [
        f"# sampling_weight: weight      # {say('for a sample: how many people a record stands for')}"
        if weight is None
        else f"sampling_weight: {yaml_text(weight.column)}  # {why(weight)}"
    ]
    members = say("whose members are found together; like the weight, it leaves the release")
    return lines if household is None else [*lines, f"household: {yaml_text(household)}  # {members}"]


def _context(release: str, known: Sequence[Suggestion], say: Say, kind: str | None = None) -> list[str]:
    adversaries = [
        f"  # adversaries:                # {say('who is assumed to know what; the report gives the risk of each')}",
        f"  #   - who: {say('a neighbour')}",
        f"  #     knows: [{', '.join(yaml_text(suggestion.column) for suggestion in known[:3])}]",
    ]
    head = [
        "context:",
        *([f"  kind: {kind}             # {say(KIND)}"] if kind else []),
        f"  release: {release}             # {say('public, controlled or internal')}",
        f"  # purpose: {say('what the release is for')}",
        f"  # recipients: {say('who will get it')}",
        *(adversaries if known else []),
        f"  # earlier_releases:           # {say('about the same people; [] if there are none')}",
        f"  #   - {{what: {say(LAST_YEAR)}, date: 2025-11-30, recipients: {say('anybody')}}}",
    ]
    if kind:
        return head
    return [
        *head,
        f"# releases:                     # {say('measures earlier tables together with this one')}",
        f"#   key: person                 # {say('the column that names the person, also in the original')}",
        "#   earlier:",
        f"#     - {{data: last_year.csv, date: 2025-11-30, recipients: {say('anybody')}}}",
        "#   limits: {re-identification: 0.2, disclosed: 0.01}",
    ]


def _sign_off(say: Say) -> list[str]:
    return [
        f"# role_reasons: {{column: reason}} # {say('why columns have their role')}",
        f"# regimes: [{', '.join(regimes())}]  # {say('lists what these still ask for')}",
        f"# sign_off:                     # {say('for the internal report')}",
        f"#   approver: {say('who approves the release')}",
        f"#   role: {say(OFFICE)}",
        "#   review_by: 2030-12-31",
        f"#   incident_contact: {say('whom to tell if something goes wrong')}",
    ]


def _presets(release: str, say: Say, home: str) -> list[str]:
    """The available presets, those of the user's country first, and a choice that suits the kind of release."""
    return [
        f"# {say('Rules of regulators by name; as a cell size and as a probability, with the source:')}",
        *(
            f"#   {preset.name:<18}  {preset.cell_size:>2}  {preset.probability:<5}  {preset.organisation}, "
            + (say("date unknown") if preset.date == UNDATED else preset.date)
            + (say(" (rule of thumb)") if preset.rule_of_thumb else "")
            + (say(" (abroad)") if is_foreign(preset, home) else "")
            for preset in presets_from(home)
        ),
        f"presets: [{PRESET_BY_KIND[release]}]",
    ]


def _waivers(rule: str, say: Say) -> list[str]:
    return [
        f"# waivers:                      # {say('a rule that need not hold, up to and including a day')}",
        f"#   - rule: {rule}",
        f"#     owner: {say('who answers for it')}",
        f"#     reason: {say('why')}",
        "#     expires: 2030-12-31",
    ]


def _rules(sensitive: bool, say: Say) -> list[str]:
    """Rules of the user's own; `petworks measures` lists the measures."""
    lines = [f"# {say('petworks measures lists what can be asked for')}", "rules:" if sensitive else "# rules:"]
    always, more = ("  ", "  # ") if sensitive else ("#   ", "#   ")
    lines += [f"{always}- measure: l-diversity", f"{always}  l: 2"]
    lines += [f"{more}- measure: t-closeness", f"{more}  t: 0.2"]
    return [*lines, f"{more}- measure: precision", f"{more}  at_least: 0.5"]


def _subsets(known: int, say: Say, *, of_people: bool, compared: str | None = None) -> list[str]:
    """The attack by every subset of the quasi-identifiers, restricted to sizes that are quick; it counts no people."""
    sizes = subset_sizes(known)
    if of_people or sizes is None:
        return [f"# subsets: {{sizes: all}}         # {say(SUBSETS)}"]
    words, example = say("highest-risk, average-risk, uniques, inference: each from 0 to 1"), "uniques: 0.01"
    if compared:  # rules about all columns together miss disclosure by some of them, if noise was added to others
        words, example = say("what any of them tells beyond control people, at least 100"), f"{compared}: 0.09"
    off = "" if compared == "certain" else "# "
    shown = [f"  {off}limits:                     # {words}", f"  {off}  {example}"]
    return [
        f"subsets:                        # {say('attack with every subset of the quasi-identifiers of these sizes')}",
        f"  sizes: {sizes}",
        *shown,
    ]


def subset_sizes(known: int) -> str | None:
    """The sizes of subsets that are quick for this number of quasi-identifiers; None if none are."""
    return next((sizes for most, sizes in SIZES if known <= most), None) if known else None


def can_be_anonymized(suggested: Sequence[Suggestion]) -> bool:
    """Whether there are quasi-identifiers."""
    return any(suggestion.role == QUASI_IDENTIFIER for suggestion in suggested)


def _may_show_means(suggestion: Suggestion) -> bool:
    return suggestion.hierarchy is not None and bool(MEASURED & set(suggestion.hierarchy.words))


def _anonymize(suggested: Sequence[Suggestion], say: Say) -> list[str]:
    """The settings for `petworks anonymize`: the share to suppress and the columns to protect."""
    known = [suggestion for suggestion in suggested if suggestion.role == QUASI_IDENTIFIER]
    protected = [
        (yaml_text(suggestion.column), suggestion.protect) for suggestion in suggested if suggestion.protect is not None
    ]
    unique = say("records that their exact value singles out")
    protect = [
        f"  protect:                      # {say(PROTECT)}",
        *(
            f"    {column}: {in_yaml(protection.words)}  # {unique}: {protection.before:,} -> {protection.after:,}"
            for column, protection in protected
        ),
    ]
    if not known and protected:
        once = say("once there is a quasi-identifier")
        return ["anonymize:", f"  # suppression: {SUPPRESSION}           # {once}", *protect]
    if not known:
        return [f"# anonymize: {{suppression: {SUPPRESSION}}}  # {say('once there is a quasi-identifier')}"]
    # The level below the highest one keeps a column from becoming `*`.
    heights = {
        suggestion.column: suggestion.hierarchy.height for suggestion in known if suggestion.hierarchy is not None
    }
    column = max(heights, key=lambda name: heights[name]) if heights else known[0].column
    first, bound = yaml_text(column), max(heights.get(column, 2) - 1, 1)
    return [
        f"anonymize:                      # {say('how petworks anonymize makes a release that keeps the rules')}",
        f"  # method: {METHODS[1]}              # {say(METHOD)}",
        *([f"  # show: {INTERVAL}              # {say(INTERVALS)}"] if any(map(_may_show_means, known)) else []),
        f"  suppression: {SUPPRESSION}             # {say(SUPPRESSED)}",
        f"  # levels: {{{first}: {{at_most: {bound}}}}}  # {say('for a column that would become too coarse')}",
        *(protect if protected else []),
    ]
