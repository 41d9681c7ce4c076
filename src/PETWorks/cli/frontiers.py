"""What `petworks anonymize --frontier` does: the least loss for other thresholds and limits of suppression."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from PETWorks.anonymizer.frontiers import Frontier, frontier_of
from PETWorks.anonymizer.rules import Rule
from PETWorks.anonymizer.searching import Progress
from PETWorks.anonymizer.varying import SUPPRESSION, with_threshold
from PETWorks.cli.arguments import note, shown_name
from PETWorks.cli.release_files import Job
from PETWorks.errors import ParameterError
from PETWorks.gate.anonymising import frontier_by
from PETWorks.gate.anonymization_document import FrontierFacts
from PETWorks.gate.anonymization_facts import frontier_facts
from PETWorks.measures.catalogue import find
from PETWorks.render.json import dumps
from PETWorks.render.terminal import style

OF_A_SEARCH = ("seconds", "resume", "method")  # settings that a frontier does not take


def vary_given(texts: tuple[str, ...]) -> dict[str, Any] | None:
    """`k-anonymity:k=2,5,10` and `suppression=0,0.05`, as `frontier` takes them."""
    vary: dict[str, Any] = {}
    for text in texts:
        name, equals, values = text.rpartition("=")
        measure, colon, parameter = (part.strip() for part in name.partition(":"))
        if not equals or not measure or bool(colon) == (measure == SUPPRESSION) or measure in vary:
            raise ParameterError(
                "--vary expects MEASURE:parameter=VALUE,... or suppression=SHARE,..., each once; got {given!r}",
                given=text[:60],
            )
        listed = [value.strip() for value in values.split(",")]
        vary[measure] = {parameter: listed} if colon else listed
    return vary or None


def with_thresholds(rules: tuple[Rule, ...], texts: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules with other thresholds, given as `k-anonymity:k=10`."""
    named = set()
    for text in texts:
        name, equals, value = text.rpartition("=")
        measure, colon, parameter = (part.strip() for part in name.partition(":"))
        if not equals or not colon or not measure or not parameter:
            raise ParameterError("--threshold expects MEASURE:parameter=VALUE, got {given!r}", given=text[:60])
        if (measure, parameter) in named:
            raise ParameterError(
                "--threshold gives {metric}:{parameter} twice; each threshold has one value",
                metric=measure,
                parameter=parameter,
            )
        named.add((measure, parameter))
        rules = with_threshold(rules, find(measure).name, parameter, value.strip())
    return rules


def frontier_found(
    job: Job, given: Mapping[str, Any], vary: Mapping[str, Any] | None, report: Callable[[Progress], None]
) -> Frontier:
    """The frontier of a table and its rules."""
    settings = {name: value for name, value in given.items() if value is not None and name not in OF_A_SEARCH}
    if job.policy is not None:
        return frontier_by(job.policy, job.release, job.rules, settings, vary, report)
    return frontier_of(job.release, job.rules, vary, **settings, progress=report)


def show_frontier(table: str, found: Frontier, options: Mapping[str, Any]) -> None:
    """Print the points, and how to make a release of one."""
    facts = frontier_facts(found)
    if options["output_format"] == "json":
        click.echo(dumps({"frontier": facts.to_dict()}))
        return
    from PETWorks.render.anonymization_text import frontier_text

    click.echo(frontier_text(shown_name(table), facts, **style(None)), nl=False)
    if facts.points:
        note("cli.of-the-frontier", command=_options(facts))


def _options(facts: FrontierFacts) -> str:
    """The options for the release of the rules' own point; of the strictest if nothing keeps the rules as they are."""
    is_kept = facts.best_point(facts.threshold, facts.suppression) is not None
    point = facts if is_kept else facts.points[-1]
    threshold = "" if facts.measure is None else f" --threshold {facts.measure}:{facts.parameter}={point.threshold}"
    return f"-o released.csv{threshold} --suppression {point.suppression}"
