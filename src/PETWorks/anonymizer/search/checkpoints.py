"""The file of a search that was stopped: the outcome of each node, so that the search can continue.

One JSON object: what was searched, as checksums, and the outcomes. It contains no cells of the table.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from PETWorks.about.treatment import EXACT
from PETWorks.anonymizer.judge import Outcome
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.problem import Problem
from PETWorks.anonymizer.rules import MeasureRule, Rule, SubsetRule
from PETWorks.errors import InputError, Joined, Phrase, quoted
from PETWorks.tables.files import read_small
from PETWorks.tables.output import write_whole

FORMAT, EARLIER_FORMAT = 2, 1
MAX_BYTES = 1 << 30
INFINITELY_MANY = 1 << 62  # stands for infinitely many records
REMOVED = "suppressed_records_leave"  # which part of the file says whether suppressed records leave the table
PART_NAMES = {
    "table": Phrase("'table'"),
    "population": Phrase("'population'"),
    "hierarchies": Phrase("'hierarchies'"),
    "rules": Phrase("'rules'"),
    "suppression_limit": Phrase("'suppression limit'"),
    "objective": Phrase("'objective'"),
    REMOVED: Phrase("'suppressed records'"),
    "levels": Phrase("'levels'"),
    "treatment": Phrase("'treatment'"),
}  # names in error messages of the parts that must match


def write_checkpoint(path: Path, problem: Problem, known: Mapping[Node, Outcome]) -> None:
    """Write the outcomes of nodes to a file."""
    found = [[list(node), *astuple(_finite(outcome))] for node, outcome in known.items()]
    about = {**_problem_identity(problem), "keeps_columns": problem.columns is not None, "sha256": _checksum(found)}
    content = json.dumps({**about, "found": found}, separators=(",", ":"), allow_nan=False)
    table = problem.original.source.path
    write_whole({path: content.encode()}, like=() if table is None else [table])


def _checksum(found: list[Any]) -> str:
    return sha256(json.dumps(found).encode()).hexdigest()


def _finite(outcome: Outcome) -> Outcome:
    """An outcome without infinite numbers, for JSON: a node that always fails needs more records than there are."""
    return replace(outcome, lasting=INFINITELY_MANY) if outcome.lasting == math.inf else outcome


def read_checkpoint(path: Path, problem: Problem) -> dict[Node, Outcome]:
    """The outcomes of an earlier search of the same problem; raise if it was another problem."""
    content = read_small(path, MAX_BYTES)
    about = _problem_identity(problem)
    try:
        read = json.loads(content)
        by_earlier_version = read["petworks_search"] == EARLIER_FORMAT
        not_compared = {"petworks_search", REMOVED} if by_earlier_version else ()
        different = [key for key in about if key not in not_compared and read[key] != about[key]]
        if read["sha256"] != _checksum(read["found"]):
            raise ValueError
        # In earlier versions no columns were kept, and suppressed records stayed with `*`.
        releases_differ = problem.columns is not None and not read.get("keeps_columns", False)
        releases_differ |= by_earlier_version and (problem.cube.removes or problem.aggregate == "maximum")
        found = {} if different else dict(_outcomes(read["found"], problem))
        if releases_differ:  # what fails still fails; the others are tested again
            found = {node: outcome for node, outcome in found.items() if outcome.records is None}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            "{file}: not the file of an unfinished search, or damaged; remove it to start over", file=path.name
        ) from None
    if different:
        raise InputError(
            "{file}: the file of another search: it had other {other}; give the same table "
            "and options, or remove the file to start over",
            file=path.name,
            other=Joined(", ", [PART_NAMES.get(key, quoted([key])) for key in different]),
        )
    return found


def _outcomes(found: Sequence[Any], problem: Problem) -> Iterator[tuple[Node, Outcome]]:
    """Check and convert the outcomes of nodes; raise ValueError if they are invalid."""
    low, high, columns = problem.lattice.low, problem.lattice.high, len(problem.lattice.columns)
    for levels, records, loss, lasting, added, coarser, given_up_at, *others in found:
        lost, tie = others or (0, 0.0)  # earlier versions wrote neither
        node = tuple(levels)
        in_lattice = len(node) == columns and all(
            type(level) is int and first <= level <= last for level, first, last in zip(node, low, high, strict=True)
        )
        numbers = [loss, lasting, coarser, given_up_at, tie, *(added or ())]
        are_numbers = all(
            number is None or (type(number) in (int, float) and math.isfinite(number)) for number in numbers
        )
        fits = records is None or (type(records) is int and 0 <= records <= problem.cube.records)
        fits &= type(lost) is int and 0 <= lost < 1 << columns
        complete = (records is None) == (loss is None) and None not in (lasting, tie) and len(added or low) == columns
        if not (in_lattice and are_numbers and fits and complete):
            raise ValueError
        to_columns = None if added is None else tuple(added)
        yield node, Outcome(records, loss, lasting, to_columns, coarser, given_up_at, lost, tie)


def _problem_identity(problem: Problem) -> dict[str, Any]:
    """The identity of the problem: a file about another problem must not be used."""
    release, cube = problem.original, problem.cube
    population = cube.view.background.population
    tables = [cube.base.rows, *(background.rows for background in cube.backgrounds.values())]
    hierarchies = "".join(release.hierarchies[name].to_csv() for name in problem.lattice.columns)
    return {
        "petworks_search": FORMAT,
        "table": [table.fingerprint(list(table.domains)) for table in tables],
        "population": None if population is None else [population.number, population.fraction],
        "hierarchies": sha256(hierarchies.encode("utf-8", "surrogateescape")).hexdigest(),
        "rules": [_rule(rule) for rule in problem.rules],
        "suppression_limit": problem.max_suppressed,
        "objective": [_objective(problem.objective_name), problem.aggregate, dict(problem.weights)],
        REMOVED: cube.removes,
        "levels": [list(problem.lattice.low), list(problem.lattice.high)],
        # Earlier versions had no case folding, and wrote nothing about exact values.
        "treatment": {name: way for name, way in release.treatment.items() if way != EXACT},
    }


def _objective(name: str) -> str:
    """The name of an objective, marked where earlier versions computed it differently."""
    return f"{name} by level" if name in ("ambiguity", "missings") else name


def _rule(rule: Rule) -> list[Any]:
    if isinstance(rule, SubsetRule):
        return [rule.name, {"at_most": rule.at_most, "sizes": str(rule.sizes)}]
    if not isinstance(rule, MeasureRule):
        return [rule.name]
    if any(map(callable, rule.parameters.values())):
        raise InputError(
            "{rule}: a search with a function of your own cannot be resumed", rule=rule.name, what="resume"
        )
    plain = {name: value for name, value in rule.parameters.items() if isinstance(value, str | int | float | None)}
    return [rule.metric.name, plain]
