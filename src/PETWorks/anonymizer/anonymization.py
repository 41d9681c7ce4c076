"""The release with the least loss that keeps the rules, and the proof that there is no better one."""

import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from PETWorks.anonymizer.best_levels import Anonymization as Anonymization
from PETWorks.anonymizer.judging import records_failing
from PETWorks.anonymizer.lattice import Node
from PETWorks.anonymizer.local_anonymization import recoded_locally
from PETWorks.anonymizer.problem import REMOVE, Problem, check_method, problem_of
from PETWorks.anonymizer.record_order import IN_ORDER, RecordOrder
from PETWorks.anonymizer.rules import Rule
from PETWorks.anonymizer.searching import Progress
from PETWorks.anonymizer.unfinished import read_unfinished
from PETWorks.counting.release import Release
from PETWorks.errors import Joined, NotApplicable, ParameterError, Phrase, quoted
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.measures.parameters import number_given

SECONDS = 60  # for a lattice that is too large to search it to the end


def anonymize_release(
    release: Release,
    rules: tuple[Rule, ...],
    *,
    suppression: float = 0.0,
    suppressed_records: str = REMOVE,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, Any] | None = None,
    method: str = "global",
    seconds: float | None = None,
    resume: str | os.PathLike[str] | None = None,
    order: RecordOrder = IN_ORDER,
    progress: Callable[[Progress], None] | None = None,
) -> Anonymization:
    """The release of a table with the least loss that keeps the rules; see `anonymize` for the settings."""
    check_method(method, objective)
    given = None if seconds is None else number_given(seconds)
    if seconds is not None and (given is None or not 0 < given < math.inf):
        raise ParameterError("expected a number of seconds above 0, got {seconds!r}", seconds=seconds, what="seconds")
    problem = problem_of(
        release,
        rules,
        suppression,
        objective,
        aggregate,
        weights,
        levels,
        local=method == "local",
        suppressed_records=suppressed_records,
    )
    if method == "local":
        problem.lattice.check_size(Phrase("for local recoding"))
    search = problem.search()
    if resume is not None:
        search.known.update(read_unfinished(Path(resume), problem))
    if given is None and problem.lattice.is_large:
        given = SECONDS
    begun = monotonic()
    limit = math.inf if given is None else given
    searching = limit if method == "global" else limit / 2  # the other half is for local recoding
    try:
        search.run(report=progress, stop=lambda: monotonic() - begun >= searching)
    except KeyboardInterrupt:  # the best so far will do, if there is one
        if search.best is None:
            raise
    best = search.best
    if best is None:
        raise _unsatisfiable(problem)
    classes = problem.ground.at(best.node)
    suppressed = search.judge(classes).suppressed
    assert suppressed is not None
    optimal = search.is_finished
    bound = best.loss if optimal else search.bound
    found = Anonymization(
        release, classes, suppressed, problem, search, best.loss, optimal, bound, search.checked, order=order
    )
    return found if method == "global" else recoded_locally(found, progress, lambda: monotonic() - begun >= limit)


def _unsatisfiable(problem: Problem) -> NotApplicable:
    """The error for rules that nothing keeps: which of them fails even where it is kept most easily."""
    failing, hopeless, in_the_way = [], False, dict[str, None]()
    for rule in problem.rules:
        lowest = rule.worse_by_suppression  # a rule about utility
        node = problem.lattice.low if lowest else problem.lattice.high
        search = problem.search((rule,))
        search.look_at(node)
        if search.has_any():
            continue
        records = records_failing(search.judge, problem.ground.at(node), rule)
        hopeless = hopeless or records == problem.ground.records
        bounded = _bounded(problem, lowest=lowest)
        in_the_way |= dict.fromkeys(bounded)
        if bounded:
            fails = Phrase("{rule} fails on all levels that are allowed", rule=rule.name)
        elif not (lowest or records or _says_something(problem, node)):
            fails = Phrase("{rule} is kept only where nothing is left: every quasi-identifier is *", rule=rule.name)
        elif lowest:
            fails = Phrase("{rule} fails even on the lowest level of every column", rule=rule.name)
        else:
            fails = Phrase("{rule} fails even on the highest level of every column", rule=rule.name)
        if records:
            fails = Phrase(
                "{fails}: {records:,} of {all:,} records are in classes that fail",
                fails=fails,
                records=records,
                all=problem.ground.records,
            )
        failing.append(fails)
    if not failing:
        in_the_way = dict.fromkeys(problem.allowed_levels)
    text = Joined("; ", failing) or Phrase("each of the rules can be kept, but not all of them together")
    remedy = Phrase("loosen, waive or leave out a rule, or allow more suppression")
    if hopeless:
        remedy = Phrase("loosen, waive or leave out a rule")
    if in_the_way:
        remedy = Phrase(
            "allow more levels of {columns}, if that helps; or {others}", columns=quoted(in_the_way), others=remedy
        )
    return NotApplicable(
        "no levels keep the rules with at most {most} suppressed records: {reason}; {remedy}",
        most=problem.most,
        reason=text,
        remedy=remedy,
        what="rules",
    )


def _says_something(problem: Problem, node: Node) -> bool:
    """Whether a cell of the quasi-identifiers is not `*` on a node, if nothing is suppressed there."""
    classes = problem.ground.at(node)
    return classes.say_something(np.ones(len(classes.records), np.bool_))


def _bounded(problem: Problem, *, lowest: bool) -> list[str]:
    """The columns that may not have their lowest, or their highest, level."""
    heights = {column: problem.original.hierarchies[column].height for column in problem.lattice.columns}
    return [
        column
        for column, (low, high) in problem.allowed_levels.items()
        if (low > 0 if lowest else high < heights[column])
    ]
