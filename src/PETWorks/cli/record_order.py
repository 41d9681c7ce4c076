"""The order of the records in a release, as options and policy ask for it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PETWorks.anonymizer.record_order import SHUFFLED, RecordOrder, choose_order, seed_given
from PETWorks.anonymizer.rules import Rule
from PETWorks.cli.arguments import note, shown_path
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError
from PETWorks.gate.policy import Policy
from PETWorks.render.releasing import why_in_order
from PETWorks.render.spoken import language


def record_order(
    release: Release, rules: Sequence[Rule], policy: Policy | None, options: dict[str, Any]
) -> RecordOrder:
    """The order that options and policy ask for; without that, a random one where it is possible."""
    asked = options["shuffle"]
    if asked is None and policy is not None and "order" in policy.anonymize:
        asked = policy.anonymize["order"] == SHUFFLED
    return choose_order(release, rules, asked, None if options["seed"] is None else seed_given(options["seed"]))


def check_seed(options: dict[str, Any]) -> None:
    """Raise if the seed is malformed, or given without shuffling."""
    given = options["seed"]
    if given is not None and options["shuffle"] is False:
        raise ParameterError("--seed is for records in random order, so it cannot be combined with --keep-order")
    if given is not None and seed_given(given) is None:
        raise ParameterError("--seed expects a whole number, got {given!r}", given=given[:40])


def tell_order(order: RecordOrder, policy: Path) -> None:
    """Say which order it is, to those who make the release; its policy has the seed."""
    if order.shuffled:
        note("cli.shuffled", path=shown_path(policy))
    elif order.why_not is not None:
        note("cli.in-order", why=why_in_order(order, language()))
