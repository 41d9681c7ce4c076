"""The gate: a policy and its data to a verdict, and all that a report tells, as one document."""

import hashlib
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PETWorks import __version__
from PETWorks.about.sidecar import read_sidecar
from PETWorks.counting.release import Release
from PETWorks.errors import NotApplicable, ParameterError, quoted
from PETWorks.gate.advice import next_steps, released_identifiers
from PETWorks.gate.external import INTERNAL
from PETWorks.gate.facts import assumed, columns, payout, small_classes
from PETWorks.gate.policy import NO_IDENTIFIERS, SUBSETS, Policy, Rule, Waiver
from PETWorks.measures.attacks.subsets import every_subset
from PETWorks.measures.evaluation import evaluate_all
from PETWorks.measures.result import Result
from PETWorks.tables.opening import files_named

SCHEMA = "petworks-check/1"
PASS, WAIVED, FAIL = "pass", "waived", "fail"


def judged(
    policy: Policy,
    data: Any = None,
    as_of: datetime | str | None = None,
    progress: Callable[[int, int], None] | None = None,
    **counted: Any,
) -> tuple[dict[str, Any], str | None]:
    """The document of a check, and which engine counted if nobody asked for it. See `check` for the arguments."""
    moment = _moment(as_of)
    address = isinstance(data, str) and "://" in data
    given = Path(data) if isinstance(data, str | os.PathLike) and not address else data
    release = policy.release(given, **counted)
    found = None
    if policy.subset_sizes is not None:
        with policy.located("subsets"):
            found = every_subset(release, policy.subset_sizes, progress=progress)
    answers = None if found is None else found.answers(policy.limits)["subsets"]
    waivers = {waiver.rule: waiver for waiver in policy.waivers}
    today = moment.date()
    rules = [
        _judged(rule, waivers.get(rule.name), today.isoformat(), _measured(release, policy, rule, answers))
        for rule in policy.rules
    ]
    overview = evaluate_all(release, None)
    verdicts = [rule["verdict"] for rule in rules]
    by_name = {result.measure: result for result in overview.results}
    drivers = [] if answers is None or answers["drivers"] is None else answers["drivers"]
    shares = [driver for driver in drivers if driver["attack"] == "re-identification"]
    leading = [driver["attribute"] for driver in sorted(shares, key=lambda driver: -driver["shapley"])]
    return (
        {
            "schema": SCHEMA,
            "petworks": __version__,
            "generated": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "as_of_given": as_of is not None,
            "edition": INTERNAL,
            "title": policy.title,
            "verdict": FAIL if FAIL in verdicts else WAIVED if WAIVED in verdicts else PASS,
            "rule_verdicts": {verdict: verdicts.count(verdict) for verdict in (PASS, WAIVED, FAIL)},
            "policy": _described(policy),
            "inputs": _inputs(policy, policy.data if given is None else given),
            "table": {name: value for name, value in overview.table.items() if name != "engine"},
            "columns": columns(release, overview.results),
            "rules": rules,
            "small_classes": small_classes(release, policy.cell_size),
            "adversaries": assumed(release, policy.adversaries),
            "subsets": answers,
            "payout_curve": payout(release, by_name["publisher-payout"].parameters)
            if "publisher-payout" in by_name
            else None,
            "results": [result.to_dict() for result in overview.results],
            "not_applicable": {
                # A document says what is missing; how to give it differs from interface to interface.
                name: error.message
                for name, error in overview.reasons.items()
            },
            "next_steps": next_steps(release, policy, rules, today, leading),
        },
        release.engine.note,
    )


def _moment(given: datetime | str | None) -> datetime:
    """A moment in UTC; without a zone it is taken to be."""
    try:
        found = datetime.fromisoformat(given.strip()) if isinstance(given, str) else given or datetime.now(UTC)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError, AttributeError):
        raise ParameterError(f"as_of is like 2026-11-16 or 2026-11-16T08:00:00Z, got {quoted([str(given)])}") from None


def _measured(release: Release, policy: Policy, rule: Rule, answers: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a rule is judged by."""
    if rule.name == NO_IDENTIFIERS:
        inside = released_identifiers(release)
        measured: dict[str, Any] = {"measure": NO_IDENTIFIERS, "parameters": {}, "value": inside, "compared": None}
        return {**measured, "satisfied": not inside, "details": {}}
    if rule.measure is None:
        (limit,) = rule.parameters
        assert answers is not None
        found = next(answer for answer in answers["limits"] if answer["limit"] == limit)
        return {
            "measure": SUBSETS,
            "parameters": {limit: found["at_most"]},
            "value": found["worst"],
            "compared": None,
            "satisfied": found["satisfied"],
            "details": {},
        }
    with policy.located(*rule.key):
        result = rule.measure.measure(release, rule.parameters)
        if result.satisfied is None:
            raise NotApplicable(f"{rule.measure.name} has no threshold here, so that there is nothing to judge")
    asked = {name: value for name, value in result.parameters.items() if name in (rule.given or result.parameters)}
    return {
        "measure": result.measure,
        "parameters": asked,
        **_compared(result, asked),
        "satisfied": result.satisfied,
        "details": dict(result.details),
    }


def _compared(result: Result, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What was held against the threshold, and which one, where that is one number beside the value: a class size."""
    limits = {name: limit["measured"] for name, limit in result.details.get("limits", {}).items()}
    if "excess" in asked and "at_most" not in asked:
        limits = {"excess": result.details["excess"]}
    if len(limits) != 1:
        return {"value": result.value, "compared": "average" if "average" in limits else None}
    ((name, value),) = limits.items()
    return {"value": value, "compared": name}


def _judged(rule: Rule, waiver: Waiver | None, today: str, measured: dict[str, Any]) -> dict[str, Any]:
    """A rule with its verdict: a waiver opens the gate up to its last day."""
    state = None
    if waiver is not None:
        expired = waiver.expires.isoformat() < today
        state = "not needed" if measured["satisfied"] else "expired" if expired else "active"
    verdict = PASS if measured["satisfied"] else WAIVED if state == "active" else FAIL
    return {
        "name": rule.name,
        "preset": rule.preset,
        "why": rule.why,
        "verdict": verdict,
        **measured,
        "waiver": None
        if waiver is None
        else {
            "owner": waiver.owner,
            "reason": waiver.reason,
            "expires": waiver.expires.isoformat(),
            "state": state,
        },
    }


def _described(policy: Policy) -> dict[str, Any]:
    return {
        "file": policy.path.name,
        "sha256": _digest(policy.path),
        "cell_size": policy.cell_size,
        "release": policy.release_kind,
        "recipients": policy.recipients,
        "assumptions": list(policy.assumptions),
        "subset_sizes": policy.subset_sizes,
        "presets": [preset.to_dict() for preset in policy.presets],
    }


def _inputs(policy: Policy, given: Any) -> list[dict[str, Any]]:
    """The files that were read, with their digests; the data first."""
    found = [_input("data", given)]
    if isinstance(given, Path):
        beside = (given.with_suffix(suffix) for suffix in (".yaml", ".yml"))
        found += [_input("roles", path) for path in beside if path.is_file() and not path.samefile(policy.path)][:1]
    folder = policy.hierarchies
    if folder is None and isinstance(given, Path):
        folder = read_sidecar(given)[1]
    others = {"original": policy.original, "population": policy.population, "hierarchies": folder}
    return found + [_input(name, file) for name, file in others.items() if isinstance(file, Path)]


def _input(name: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Path):
        return {"is": name, "file": None, "bytes": None, "sha256": None}
    files = sorted(given.glob("*hierarchy_*.csv")) if given.is_dir() else files_named(given)
    if given.is_dir() or len(files) > 1:
        listed = "".join(f"{_digest(file)}  {file.name}\n" for file in files)
        digest = hashlib.sha256(listed.encode()).hexdigest()
    else:
        digest = _digest(files[0])
    return {"is": name, "file": given.name, "bytes": sum(file.stat().st_size for file in files), "sha256": digest}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
