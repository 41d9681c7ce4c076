"""Several releases in other tools: bvmlib (the linked adversary) and anonypyx (the intersection attack).

Random collections of releases that both sides can read, and the comparison of their numbers. The tools are used only as
oracles: bvmlib has a copyleft licence, so none of its code is copied here.
"""

import importlib.util
import math
import random
import sys
import types
from collections import Counter
from fractions import Fraction
from importlib.metadata import version

import pandas as pd

from PETWorks import Release, Releases
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

ILL = ["asthma", "cold", "flu", "gout"]
WORTH = {"asthma": 1, "cold": 2, "flu": 3, "gout": 7}
OLDEST = 5

SAME_FOR_ALL = (
    "everyone has the same sensitive value: bvmlib subtracts 1 and reports that nobody's value is certain; PETWorks "
    "counts the people in classes with one value, and the prior, which is 1, says that nothing was learnt."
)
ONE_PERSON = (
    "the release has one person: bvmlib subtracts 1 and reports that nobody is unique; PETWorks counts the person."
)


def collection(chance, *, steady):
    """Two or three releases of people, as lists of dicts; if `steady`, nobody's age or zip changes."""
    people = [f"p{number}" for number in range(chance.randint(1, 25))]
    attributes = {person: (chance.randint(0, OLDEST), chance.choice("xyz")) for person in people}
    values = ILL[: chance.choice([1, 2, 3, 3, 4, 4, 4, 4])]
    ill = {person: chance.choice(values) for person in people}
    releases = []
    for _ in range(chance.randint(2, 3)):
        width, keeps_zip = chance.choice([1, 2, 3, OLDEST + 1]), chance.random() < 0.7
        rows = []
        for person in dict.fromkeys([people[0], *chance.sample(people, chance.randint(len(people) // 2, len(people)))]):
            age, place = attributes[person] if steady else (chance.randint(0, OLDEST), chance.choice("xyz"))
            low = age - age % width
            value = ill[person] if chance.random() < 0.9 else chance.choice(values)
            row = {"id": person, "age": f"{low}-{low + width - 1}", "zip": place if keeps_zip else "*", "ill": value}
            rows.append(row | {"exact": age, "place": place})
        releases.append(rows)
    return releases


def ours(releases):
    """The composition by PETWorks; the first release is the focal one, as in bvmlib."""
    roles = {"age": QUASI_IDENTIFIER, "zip": QUASI_IDENTIFIER, "ill": SENSITIVE_ATTRIBUTE}
    tables = {
        f"r{number}": Release({name: [row[name] for row in rows] for name in ("id", *roles)}, roles)
        for number, rows in enumerate(releases)
    }
    present = {row["ill"] for rows in releases for row in rows}
    worth = {value: gain for value, gain in WORTH.items() if value in present}
    return Releases(tables, "id", focal="r0", worth={"ill": worth}).compose()


def linked(exposure):
    """The numbers that bvmlib has, too."""
    inference = exposure.inference["ill"]
    return {
        "re-identification": exposure.posterior,
        "alone": exposure.alone_share,
        "prior of inference": inference.commonest / inference.people,
        "inference": inference.posterior,
        "one value": inference.one_value_share,
        "prior gain": inference.gain.prior,
        "gain": inference.gain.posterior,
    }


def bvmlib(releases):
    """The same numbers by bvmlib 1.1.0, for one release or several; the sensitive attribute is only in the first."""
    from bvmlib.bvm import BVM, BVMLongitudinal

    known = ["age", "zip"]
    tables = [
        pd.DataFrame(rows)[["id", *known] + (["ill"] if place == 0 else [])] for place, rows in enumerate(releases)
    ]
    if len(tables) == 1:
        assessment = BVM(tables[0])
        assessment.qids(known)
    else:
        assessment = BVMLongitudinal(tables, ["id"] * len(tables))
        assessment.qids([known] * len(tables))
        assessment.worth_assignment = None  # otherwise it fails: only the class for one table sets it
    assessment.sensitive(["ill"])
    assessment.worth("ill", WORTH)
    found = assessment.assess()
    people, ill, gain = (found[name].iloc[0] for name in ("re_id", "att_inf", "information_worth"))
    return {
        "re-identification": people["Posterior"],
        "alone": people["dCR"],
        "prior of inference": ill["Prior"],
        "inference": ill["Posterior"],
        "one value": ill["dCA"],
        "prior gain": gain["Prior Worth"],
        "gain": gain["Posterior Worth"],
    }


def anonypyx_attackers():
    """The attackers of anonypyx, without the rest of the package, which needs scikit-learn."""
    if "anonypyx" not in sys.modules:
        package = types.ModuleType("anonypyx")
        package.__path__ = importlib.util.find_spec("anonypyx").submodule_search_locations
        sys.modules["anonypyx"] = package
    from anonypyx.attackers.intersection_attacker import IntersectionAttacker
    from anonypyx.generalisation.machinereadable import MachineReadable

    return IntersectionAttacker, MachineReadable


def anonypyx(releases):
    """The sensitive values that anonypyx 0.2.11 leaves for each person of the first release; its ages are intervals."""
    attacker, schema = anonypyx_attackers()
    places = {"x": "zip_x", "y": "zip_y", "z": "zip_z"}
    columns = schema({"zip": list(places.values())}, {"age": ("age_min", "age_max")}, ["ill"])
    people = [row["id"] for row in releases[0]]
    knowledge = [
        {"ID": number, "age_min": row["exact"], "age_max": row["exact"]}
        | {name: row["place"] == place for place, name in places.items()}
        for number, row in enumerate(releases[0])
    ]
    attack = attacker(pd.DataFrame(knowledge), ["age", "zip"], "ill", columns)
    for rows in releases:
        published = [
            dict(zip(("age_min", "age_max"), map(int, row["age"].split("-")), strict=True))
            | {name: row["zip"] in ("*", place) for place, name in places.items()}
            | {"ill": row["ill"]}
            for row in rows
        ]
        inside = {row["id"] for row in rows}
        present = [number for number, person in enumerate(people) if person in inside]
        attack.observe(pd.DataFrame(published), ["age", "zip", "ill"], present)
    return {person: set(attack.predict(number, "ill")) for number, person in enumerate(people)}


def confidence(remaining):
    """Number of people, and of those with a confidence of at least 1/2, 2/3 and 1, given their remaining values."""
    levels = (Fraction(1, 2), Fraction(2, 3), Fraction(1))
    return len(remaining), tuple(
        sum(bool(values) and Fraction(1, len(values)) >= level for values in remaining) for level in levels
    )


def compare_linked(releases, agreed, explained):
    """Count where PETWorks and bvmlib agree, for all releases and for the focal one; fail if unexplained."""
    composition = ours(releases)
    for title, exposure, chosen in (
        ("several", composition.together, releases),
        ("one", composition.releases[0].alone, releases[:1]),
    ):
        our_numbers, their_numbers = linked(exposure), bvmlib(chosen)
        for name, value in our_numbers.items():
            if math.isclose(value, their_numbers[name], rel_tol=1e-12):
                agreed[title, name] += 1
                continue
            reason = None
            if name == "alone" and len(releases[0]) == 1:
                reason = ONE_PERSON
            if name == "one value" and len({row["ill"] for row in releases[0]}) == 1:
                reason = SAME_FOR_ALL
            assert reason, f"{name} is {value}, bvmlib says {their_numbers[name]}, which is not explained: {chosen}"
            assert (value, their_numbers[name]) == (1, 0)
            explained.setdefault((title, name), Counter())[reason] += 1


def compare_intersection(releases):
    """Whether PETWorks and anonypyx leave the same values, for people who are in another release, too."""
    remaining = anonypyx(releases)
    elsewhere = {row["id"] for rows in releases[1:] for row in rows}
    targets = [person for person in remaining if person in elsewhere]
    attack = ours(releases).unlinked["ill"]
    focal = {row["id"]: row["ill"] for row in releases[0]}
    mistaken = sum(len(remaining[person]) == 1 and focal[person] not in remaining[person] for person in targets)
    return (
        tuple(attack.together) == confidence([remaining[person] for person in targets])
        and attack.contradictory == sum(not remaining[person] for person in targets)
        and attack.mistaken == mistaken
    )


HEAD = """## Several releases: {number} random collections

Two or three releases of up to 25 people, generalised differently; not everybody is in each of them, and the first is
the focal one. bvmlib {bvmlib} answers for the linked adversary, with all releases and with the focal one alone.
anonypyx {anonypyx} answers for the intersection attack, in collections where nobody's age and place change, because it
knows one value of each. What neither tool has (what a release adds, Shapley values, m-invariance) is compared with
literal definitions in `tests/releases`.

| measure | tool | several releases agree | differ | one release agrees | differs |
|---|---|---|---|---|---|
"""
NAMES = {
    "re-identification": "re-identification, posterior",
    "alone": "share of people alone in their class",
    "prior of inference": "attribute inference, prior",
    "inference": "attribute inference, posterior",
    "one value": "share of people in classes with one value",
    "prior gain": "gain with a worth of each value, prior",
    "gain": "gain with a worth of each value, posterior",
}
COLLECTIONS = 100


def section():
    """The part of docs/conformance.md about several releases; fail if a difference is not explained."""
    agreed, explained = Counter(), {}
    chance = random.Random(17)
    for _ in range(COLLECTIONS):
        compare_linked(collection(chance, steady=False), agreed, explained)
    agreeing = sum(compare_intersection(collection(chance, steady=True)) for _ in range(COLLECTIONS))
    assert agreeing == COLLECTIONS, "an intersection differs, which is not explained"
    text = HEAD.format(number=COLLECTIONS, bvmlib=version("bvmlib"), anonypyx=version("anonypyx"))
    for name, words in NAMES.items():
        differ = {title: sum(explained.get((title, name), {}).values()) for title in ("several", "one")}
        cells = [f"{agreed[title, name]} | {differ[title]}" for title in ("several", "one")]
        text += f"| {words} | bvmlib | {' | '.join(cells)} |\n"
    text += f"| values left: disclosed, confidence, none, a wrong one | anonypyx | {agreeing} | 0 | – | – |\n"
    text += "\nReasons for the differences, with the number of collections:\n"
    for (title, name), reasons in explained.items():
        for reason, number in reasons.items() if title == "several" else ():
            text += f"\n* {NAMES[name]} ({number}): {reason}\n"
    return (
        text + "\n[Compatibility](compatibility.md#several-releases) lists what else differs; each line has a test.\n"
    )
