"""The gate: a policy and its data to a verdict, and all that a report tells, as one document."""

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PETWorks import __version__
from PETWorks.advice import next_steps, released_identifiers
from PETWorks.attacks.subsets import every_subset
from PETWorks.edition import EXTERNAL, INTERNAL, external
from PETWorks.errors import NotApplicable, ParameterError, quoted
from PETWorks.evaluation import evaluate_all
from PETWorks.files import files_named
from PETWorks.findings import assumed, columns, payout, small_classes
from PETWorks.policy import NO_IDENTIFIERS, SUBSETS, Policy, Rule, Waiver, read_policy
from PETWorks.release import Release
from PETWorks.render.json import canonical
from PETWorks.result import Result
from PETWorks.sidecar import read_sidecar

SCHEMA = "petworks-check/1"
PASS, WAIVED, FAIL = "pass", "waived", "fail"


@dataclass(frozen=True)
class Check:
    """A release judged by a policy. `document` is what the JSON has; `edition` is 'internal' or 'external'.

    >>> result = check("data/adult_policy.yaml")
    >>> result
    <Check of adult_anonymized.csv: pass (4 rules: 4 pass)>
    """

    document: Mapping[str, Any]
    note: str | None = None  # which engine counted, if nobody asked for it

    @property
    def verdict(self) -> str:
        """`pass`, `waived` (what does not hold is waived) or `fail`."""
        return str(self.document["verdict"])

    @property
    def passed(self) -> bool:
        """Whether the gate is open."""
        return self.verdict != FAIL

    def to_dict(self, edition: str = INTERNAL) -> dict[str, Any]:
        """The document, ready for JSON: all of it, or what may be seen outside."""
        if edition not in (INTERNAL, EXTERNAL):
            raise ParameterError(f"edition is {INTERNAL!r} or {EXTERNAL!r}, got {edition!r}")
        document = dict(self.document) if edition == INTERNAL else external(self.document)
        undated = {name: value for name, value in document.items() if name not in ("generated", "as_of_given")}
        return {**document, "content_sha256": hashlib.sha256(canonical(undated).encode()).hexdigest()}

    def to_json(self, edition: str = INTERNAL) -> str:
        """The document in canonical form: the same content is the same text."""
        return canonical(self.to_dict(edition))

    def to_html(self, lang: str = "en", edition: str = INTERNAL) -> str:
        """The report: one page in both languages, `lang` ('en' or 'zh-TW') first."""
        from PETWorks.render.html import page

        return page(self.to_dict(edition), lang)

    def to_markdown(self, lang: str = "en", edition: str = INTERNAL) -> str:
        """A short table, as for a pull request."""
        from PETWorks.render.markdown import markdown

        return markdown(self.to_dict(edition), lang)

    def to_junit(self, edition: str = INTERNAL) -> str:
        """A test case for each rule, for a pipeline."""
        from PETWorks.render.junit import junit

        return junit(self.to_dict(edition))

    def __repr__(self) -> str:
        counted = ", ".join(
            f"{number} {verdict}" for verdict, number in self.document["rule_verdicts"].items() if number
        )
        rules = len(self.document["rules"])
        return f"<Check of {_data(self.document)}: {self.verdict} ({rules} rule{'s' * (rules != 1)}: {counted})>"

    def _repr_html_(self) -> str:
        from PETWorks.render.html import summary

        return summary(self.to_dict())


def _data(document: Mapping[str, Any]) -> str:
    return str(document["inputs"][0]["file"] or "a table in memory")


def check(
    policy: str | Path | Policy,
    *,
    data: Any = None,
    as_of: datetime | str | None = None,
    progress: Callable[[int, int], None] | None = None,
    **counted: Any,
) -> Check:
    """Judge a release by a policy file.

    data       other data than the policy names: a path, an address or a frame
    as_of      the moment to judge waivers by and to write down, as 2026-11-16 or 2026-11-16T08:00:00Z; now otherwise
    progress   told how many subsets of how many are counted
    counted    engine, memory_limit and temp_folder, as in `Release`; the result is the same with each
    """
    policy = policy if isinstance(policy, Policy) else read_policy(policy)
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
    return Check(
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
                name: re.sub(r" \(--[a-z-]+\)", "", reason) for name, reason in overview.not_applicable.items()
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
        result = rule.measure(release, **rule.parameters)
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
