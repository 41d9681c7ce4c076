"""What the external edition says about other releases.

How many there are, and the risk of re-identification with them, is told in the ranges of everything else. Files,
digests, dates, recipients and columns of other releases, how many people they have, and everything about single values
stay inside. So does the register.
"""

from collections.abc import Callable

from PETWorks.gate.bounds import Bound
from PETWorks.gate.document import CheckDocument
from PETWorks.gate.protected import Protected, attacks_shown, intersections
from PETWorks.gate.ranges import Range, complement
from PETWorks.gate.releases_document import (
    ReleaseOfSet,
    ReleasesFacts,
    SetAttack,
    SetIntersection,
    SetShare,
    SetStep,
)
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION


def releases_outside(
    document: CheckDocument, known: Protected, share: Callable[[Range], Bound], about: Callable[[Range], Bound]
) -> ReleasesFacts | None:
    """Other releases, as outsiders may know of them; `share` and `about` put a count into words."""
    facts = document.releases
    if facts is None:
        return None

    def chance(attack: str, count: Range) -> Bound:
        return share(count) if attack == RE_IDENTIFICATION else complement(share(count))

    attacks = []
    for given, (steps, shares) in zip(attacks_shown(document), known.releases, strict=True):
        told = given.attack == RE_IDENTIFICATION
        curve = tuple(
            SetStep(step.release, chance(given.attack, count), share(certain) if told else None)
            for step, (count, certain) in zip(given.curve, steps, strict=True)
        )
        added = tuple(
            SetShare(
                one.release,
                None if adds is None else share(adds),
                without=None if without is None else chance(given.attack, without),
            )
            for one, (adds, without) in zip(given.shares, shares, strict=True)
        )
        together = curve[-1]
        attacks.append(SetAttack(given.attack, None, None, together.chance, None, together.certain, curve, added))
    return ReleasesFacts(
        measured=facts.measured,
        not_measured=facts.not_measured,
        people=about(known.people),
        releases=tuple(_outside(one) for one in facts.releases),
        attacks=tuple(attacks),
        unlinked=tuple(
            SetIntersection(one.attribute, None if people is None else about(people))
            for one, people in zip(intersections(document), known.attacked, strict=True)
        ),
    )


def _outside(given: ReleaseOfSet) -> ReleaseOfSet:
    """A release by its number, and by the name that the policy gives it."""
    return ReleaseOfSet(number=given.number, name=given.name, this=given.this, measured=given.measured)
