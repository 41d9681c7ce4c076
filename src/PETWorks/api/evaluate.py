"""The Python functions that measure and attack a release: `evaluate` and `attack`."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from PETWorks.about.kinds import GENERALISED
from PETWorks.api.release_or_policy import is_policy, open_policy, open_release
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError
from PETWorks.measures.attacks.inference import WorthByValue
from PETWorks.measures.attacks.subsets import Sizes, Subsets, every_subset
from PETWorks.measures.disclosure.subsets import LookupSubsets, look_up_subsets
from PETWorks.measures.evaluation import Evaluation, evaluate_measures

if TYPE_CHECKING:
    from PETWorks.gate.policy.policy import Policy


def evaluate(
    release: "Release | Policy | str | os.PathLike[str]",
    wanted: str | Iterable[str] | Mapping[str, Mapping[str, Any]] | None = None,
) -> Evaluation:
    """Measure a release: the wanted measures (names, or a dict from name to parameters), or all that apply.

    release   a `Release`, a `Policy` or the path of a policy file, whose table is measured

    >>> evaluate(Release("data/patient_anonymized.csv"), {"t-closeness": {"t": 0.376}})
    <Evaluation of 9 records>
      <t-closeness = 0.296296 (t=0.376): satisfied>
    >>> evaluate("data/adult_policy.yaml", "k-anonymity")["k-anonymity"].value
    5
    """
    return evaluate_measures(open_release(release), wanted)


def attack(
    release: "Release | Policy | str | os.PathLike[str]",
    sizes: Sizes | None = None,
    *,
    worth: WorthByValue | None = None,
    memory: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Subsets | LookupSubsets:
    """Attack a release with every subset of its quasi-identifiers, or with those of the given sizes.

    release      a `Release`, a `Policy` or the path of a policy file, whose table is attacked
    sizes        "all", 3, "1-3", "1,3" or [1, 3]; by default those of the policy, otherwise all
    worth        what it is worth to an adversary to guess a value, 1 by default: {"grade": {"A": 10}}
    memory       bytes to work in, beside the table; by default the limit of the release
    checkpoint   a file for finished subsets; with `resume` the run continues from it. It is not removed: the caller
                 removes it when the result is saved
    progress     called with the number of finished subsets and the number of all

    A release that is not generalised is compared with its original, and with control people if it has any; see
    `LookupSubsets`. It has no worth of values. If a policy compares columns on several levels, each
    subset has the numbers of those on which most is told.

    >>> subsets = attack(Release("data/patient_anonymized.csv"))
    >>> subsets.row({"Age"})["classes"], subsets.row({"Age", "ZIPCode"})["classes"]
    (2, 3)
    """
    policy = open_policy(release) if is_policy(release) else None
    opened = open_release(release if policy is None else policy)
    wanted = sizes or (policy and policy.subset_sizes) or "all"
    if opened.kind != GENERALISED:
        if worth is not None:
            raise ParameterError("a worth of values is for generalised tables", what="worth")
        levels = () if policy is None else policy.levels_compared
        return look_up_subsets(
            opened, wanted, levels=levels, memory=memory, checkpoint=checkpoint, resume=resume, progress=progress
        )
    return every_subset(
        opened,
        wanted,
        worth=worth,
        memory=memory,
        checkpoint=checkpoint,
        resume=resume,
        progress=progress,
    )
