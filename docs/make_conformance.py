"""Write docs/conformance.md: every measure against its literal definition, pyCANON and reference values.

    make conformance

It needs the reference tables (PETWORKS_REFERENCE_DATA, by default ../shared/data/petworks) and takes some minutes. A
disagreement that is not explained here is an error, and nothing is written.
"""

import csv
import math
import os
import random
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from pycanon import anonymity

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/measures")]

from test_reference import CENSUS, NINE_QUASI_IDENTIFIERS, YAML_ROLES  # noqa: E402

import definitions  # noqa: E402
import frames  # noqa: E402
from PETWorks.about.hierarchy import read_hierarchies  # noqa: E402
from PETWorks.counting.release import Release  # noqa: E402
from PETWorks.errors import NotApplicable  # noqa: E402
from PETWorks.measures.catalogue import all_measures  # noqa: E402

REFERENCE = Path(os.environ.get("PETWORKS_REFERENCE_DATA", ROOT.parent / "shared/data/petworks"))
RANDOM_TABLES = 300
CLOSE = 1e-12
ESTIMATED = {"population-uniqueness"}
# What is too slow as a loop over Fractions on a table of nearly unique records.
SLOW_TWINS = {"t-closeness"}
MOST_CLASSES = 5000  # of which pyCANON takes minutes for each model

PYCANON = {
    "k-anonymity": lambda *a: anonymity.k_anonymity(a[0], a[1]),
    "alpha-k-anonymity": lambda *a: list(reversed(anonymity.alpha_k_anonymity(*a))),
    "l-diversity": anonymity.l_diversity,
    "entropy-l-diversity": anonymity.entropy_l_diversity,
    "recursive-l-diversity": lambda *a: anonymity.recursive_c_l_diversity(*a)[0],
    "basic-beta-likeness": anonymity.basic_beta_likeness,
    "enhanced-beta-likeness": anonymity.enhanced_beta_likeness,
    "delta-disclosure": anonymity.delta_disclosure,
    "t-closeness": anonymity.t_closeness,
}
EXPLAINED = {
    "entropy-l-diversity": "pyCANON cuts exp(entropy) down to a whole number, and rounding before that can take "
    "one more: three equally common values give it 2. We keep the number; a class exactly on the limit meets it.",
    "recursive-l-diversity": "pyCANON sorts the frequencies upwards, so that r₁ is the rarest value, takes l from "
    "the table, and rounds c up. The paper's r₁ is the commonest. Ours is the bound that c must exceed, for the l "
    "asked for.",
    "enhanced-beta-likeness": "pyCANON reports min(largest gain, −ln of the rarest share). That number does not "
    "satisfy the model where a common value gains more than its own −ln p. Then no β does, and we report none.",
    "t-closeness": "pyCANON takes the equal distance for text, also where a hierarchy is given, and the numeric one "
    "by the type of the column; we take the hierarchy, and the numeric one where every value is written as a number.",
}
SUPPRESSED = (
    "pyCANON counts suppressed records as one ordinary class; we set them aside from the classes but leave them in the "
    'overall distribution. With `suppressed="class"` both agree.'
)
MISSING = (
    "pyCANON drops rows that miss a quasi-identifier, and pandas cannot compare a missing sensitive value with itself; "
    "to us missing is a value, and no row is dropped."
)

NO_ANSWER = (
    "\n* pyCANON has no answer where a sensitive value is missing (it compares it with text and fails), where a "
    "numeric column has one value (it divides by nought), and for c where a class has a single value.\n"
)

HEAD = """# Conformance

Made by `make conformance`, with pyCANON {pycanon} and the reference values of an independent Java tool. Every
measure is computed four ways where there are four: by PETWorks; by its *literal twin*, a loop over rows in fractions
straight from the definition (`tests/definitions.py`); by pyCANON; and by the reference tool. *Agrees* means within
{close:g}, relative; for the estimator of population uniques within 1e-8. `–` means that there is nothing to compare
with, `none` that no threshold can hold. The command fails on a disagreement that is not explained below.

Left out for their time alone: pyCANON on tables of more than {classes:,} classes, which take it minutes for each
model, and the twin of t-closeness on tables of more than a thousand records. utility-bias is what a function of yours
says, and has no number of its own.

"""
CROSSWALK = """## One number, four names

(number of classes)/(number of records) is at once the posterior vulnerability of re-identification, the average
prosecutor risk (in ARX also α-distinction), the marketer risk without a population table, and one over the average
class size. Four tools report it under four names. They agree where no record stands aside: the attack always sees
the suppressed records as a class, the risks set them aside unless told otherwise. k-anonymity and the highest
prosecutor risk are one number as well: 1/k.

| table | suppressed | re-identification | average-risk | marketer-risk | 1/(raw AECS) | k-anonymity | 1/prosecutor |
|---|---|---|---|---|---|---|---|
"""


def rows_of(name):
    with (REFERENCE / name).open(encoding="utf-8") as file:
        rows = [[cell.strip() or None for cell in row] for row in csv.reader(file, delimiter=";")]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def levels(folder, columns):
    found = read_hierarchies(REFERENCE / folder, columns)
    return {column: list(zip(*hierarchy.levels, strict=True)) for column, hierarchy in found.items()}


def reference_cases():
    """The reference tables as cases, each with its reference values."""
    adult, released = rows_of("adult.csv"), rows_of("adult_anonymized.csv")
    hierarchies = levels("adult_hierarchy", CENSUS)
    known = [name for name in CENSUS if name != "workclass"]
    case = definitions.Case(released, known, ["workclass"], hierarchies, adult)
    yield "adult_anonymized, eight quasi-identifiers", case, YAML_ROLES | {"k-anonymity": 5}
    nine = definitions.Case(rows_of("KAnonymization.csv"), CENSUS, [], hierarchies, adult)
    yield "KAnonymization, nine quasi-identifiers", nine, NINE_QUASI_IDENTIFIERS
    estimates = {"population-uniqueness": 0.07737217833541048, "prosecutor-risk": 1, "sample-uniqueness": 11973 / 30162}
    estimates["average-risk"] = 16356 / 30162
    whole = definitions.Case(adult, known, ["workclass"], {}, population=3_016_200)
    yield "adult (the original itself), N = 3,016,200", whole, estimates
    inpatients = definitions.Case(rows_of("inpatient_anonymized.csv"), ["zipcode", "age", "nationality"], ["condition"])
    yield "inpatient_anonymized", inpatients, {"l-diversity": 3}
    patients = rows_of("patient_anonymized.csv")
    tree = levels("patient_hierarchy", patients[0])
    case = definitions.Case(patients, ["ZIPCode", "Age"], ["Disease"], tree)
    yield "patient_anonymized", case, {"t-closeness": 8 / 27}
    delta = rows_of("delta.csv")
    tree = levels("delta_hierarchy", delta[0])
    case = definitions.Case(
        rows_of("delta_anonymized.csv"), ["zip", "age", "nationality"], [], tree, delta, population=delta
    )
    yield "delta_anonymized", case, {"delta-presence": [1 / 2, 2 / 3], "k-map": 3}


def random_case(chance, *, plain):
    """A random release; a plain one has no missing cell, no suppressed record and numbers in one sensitive column."""
    zips = [("471", "47*", "*"), ("472", "47*", "*"), ("481", "48*", "*"), ("491", "49*", "*")]
    blank = [] if plain else [None]
    original, released = [], []
    level = chance.randrange(3)
    for _ in range(chance.randint(2, 40)):
        leaf = chance.choice([path[0] for path in zips] + blank)
        row = {"zip": leaf, "sex": chance.choice(["m", "f", *blank]), "age": str(chance.randrange(4))}
        row |= {"disease": chance.choice(["flu", "ulcer", "cold", *blank])}
        original.append(row)
        own = level if plain or chance.random() < 0.8 else chance.randrange(3)
        lifted = next((path[own] for path in zips if path[0] == leaf), None)
        gone = not plain and chance.random() < 0.2
        released.append(row | ({"zip": "*", "sex": "*"} if gone else {"zip": lifted}))
    return definitions.Case(
        released,
        ["zip", "sex"],
        chance.choice([["age"], ["disease"], ["disease", "age"]]) if plain else ["disease"],
        {"zip": zips, "sex": [("m", "*"), ("f", "*")]},
        original,
        population=original * 3 if chance.random() < 0.5 else len(original) * chance.randint(2, 60),
    )


def measured(case):
    release = frames.release_of(case)
    found = {}
    for entry in all_measures():
        try:
            found[entry.name] = None if entry.lacks(release) else [entry(release).value]
        except NotApplicable:
            found[entry.name] = None
    return found


def theirs(case, name):
    """What pyCANON says; numbers as numbers, as it wants them."""
    if name not in PYCANON or (not case.sensitive and name != "k-anonymity"):
        return None
    if len({definitions.key(row, case.quasi_identifiers) for row in case.released}) > MOST_CLASSES:
        return None
    frame = pd.DataFrame(case.released)
    for column in case.sensitive:
        if all(definitions.is_number(value) for value in frame[column] if isinstance(value, str)):
            frame[column] = frame[column].astype(float)
    try:
        value = PYCANON[name](frame, case.quasi_identifiers, case.sensitive)
    except (TypeError, ValueError, ZeroDivisionError, IndexError):
        return None
    return None if isinstance(value, float) and math.isnan(value) else [value]


def agree(one, other, name):
    if isinstance(one, list):
        return all(agree(a, b, name) for a, b in zip(one, other, strict=True))
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-8 if name in ESTIMATED else CLOSE, abs_tol=CLOSE)


def shown(found):
    if found is None:
        return "–"
    value = found[0]
    if value is None:
        return "none"
    return "[" + ", ".join(f"{part:.15g}" for part in value) + "]" if isinstance(value, list) else f"{value:.15g}"


def section(title, case, references):
    """The table of one reference table, and the disagreements."""
    lines = [
        f"## {title}\n\n",
        "| measure | PETWorks | literal twin | pyCANON | reference | |\n|---|---|---|---|---|---|\n",
    ]
    notes = []
    ours = measured(case)
    unaltered = measured(definitions.Case(**(vars(case) | {"suppressed": "class"})))
    for name, value in ours.items():
        if value is None:
            continue
        slow = name in SLOW_TWINS and len(case.released) > 1000
        twin = None if slow else [definitions.TWINS[name](case)]
        peer, reference = theirs(case, name), [references[name]] if name in references else None
        verdicts = []
        for who, other in (("twin", twin), ("reference", reference)):
            if other is not None and not agree(value[0], other[0], name):
                sys.exit(f"{title}: {name} is {value[0]}, the {who} says {other[0]}")
        if twin is not None:
            verdicts.append("twin")
        if reference is not None:
            verdicts.append("reference")
        if peer is not None and agree(value[0], peer[0], name):
            verdicts.append("pyCANON")
        elif peer is not None:
            note = SUPPRESSED if agree(unaltered[name][0], peer[0], name) else EXPLAINED.get(name)
            if note is None:
                sys.exit(f"{title}: {name} is {value[0]}, pyCANON says {peer[0]}, and nobody has explained that")
            notes.append((name, note))
        remark = ("agrees: " + ", ".join(verdicts)) if verdicts else ""
        remark += " (1)" * bool(notes and notes[-1][0] == name) if verdicts or notes else ""
        lines.append(f"| {name} | {shown(value)} | {shown(twin)} | {shown(peer)} | {shown(reference)} | {remark} |\n")
        sys.stderr.write(f"{title}: {name}\n")
    print_notes = [f"\n(1) {', '.join(names)}: {note}\n" for note, names in grouped(notes).items()]
    return "".join([*lines, *print_notes, "\n"])


def grouped(notes):
    found = {}
    for name, note in notes:
        found.setdefault(note, []).append(name)
    return found


def random_section(title, *, plain, seed):
    """How many random tables agree, measure by measure."""
    chance = random.Random(seed)
    compared, twins, peers, differing, failing, notes = *(Counter() for _ in range(5)), {}
    for _ in range(RANDOM_TABLES):
        case = random_case(chance, plain=plain)
        unaltered = measured(definitions.Case(**(vars(case) | {"suppressed": "class"})))
        gaps = any(value is None for row in case.released for value in row.values())
        for name, value in measured(case).items():
            if value is None:
                continue
            compared[name] += 1
            expected = definitions.TWINS[name](case)
            if not agree(value[0], expected, name):
                sys.exit(f"random table: {name} is {value[0]}, its twin {expected}: {case}")
            twins[name] += 1
            peer = theirs(case, name)
            if peer is None:
                failing[name] += name in PYCANON
                continue
            if agree(value[0], peer[0], name):
                peers[name] += 1
                continue
            differing[name] += 1
            note = EXPLAINED.get(name)
            if agree(unaltered[name][0], peer[0], name) if unaltered[name] else False:
                note = SUPPRESSED
            elif gaps and (note is None or name == "t-closeness"):
                note = MISSING
            elif note is None and any(definitions.is_suppressed(row, case) for row in case.released):
                note = SUPPRESSED
            if note is None:
                sys.exit(f"random table: {name} is {value[0]}, pyCANON says {peer[0]}, and nobody explained it: {case}")
            notes.setdefault(name, {}).setdefault(note, 0)
            notes[name][note] += 1
    lines = [f"## {title}\n\n", "| measure | tables | as its twin | as pyCANON | otherwise | pyCANON has no answer |\n"]
    lines.append("|---|---|---|---|---|---|\n")
    for name in sorted(compared, key=[entry.name for entry in all_measures()].index):
        theirs_too = [counts[name] if name in PYCANON else "–" for counts in (peers, differing, failing)]
        lines.append(f"| {name} | {compared[name]} | {twins[name]} | {' | '.join(map(str, theirs_too))} |\n")
    reasons = {}
    for name, found in notes.items():
        for note, number in found.items():
            reasons.setdefault(note, []).append(f"{name} ({number})")
    told = [f"\n* {', '.join(names)}: {note}\n" for note, names in reasons.items()]
    told += [NO_ANSWER] if any(failing.values()) else []
    return "".join([*lines, *(["\nWhy they differ, and on how many tables:\n"] if told else []), *told, "\n"])


def crosswalk():
    lines = []
    for title, case, _ in reference_cases():
        for suppressed in ("apart", "class") if title.startswith("adult_anonymized") else ("apart",):
            case.suppressed, case.population = suppressed, None
            release: Release = frames.release_of(case)
            names = ("re-identification", "average-risk", "marketer-risk", "aecs", "k-anonymity", "prosecutor-risk")
            found = {}
            for entry in all_measures():
                if entry.name in names and not entry.lacks(release):
                    found[entry.name] = entry(release)
            raw = [1 / found["aecs"].details["raw"]] if "aecs" in found else None
            cells = [shown([found[name].value]) for name in names[:3]] + [shown(raw)]
            cells += [shown([found["k-anonymity"].value]), shown([1 / found["prosecutor-risk"].value])]
            lines.append(f"| {title} | {suppressed} | {' | '.join(cells)} |\n")
    return "".join(lines) + "\n"


def main():
    if not REFERENCE.is_dir():
        sys.exit(f"the reference tables are not at {REFERENCE} (PETWORKS_REFERENCE_DATA)")
    text = HEAD.format(pycanon=version("pycanon"), close=CLOSE, classes=MOST_CLASSES)
    text += CROSSWALK + crosswalk()
    for title, case, references in reference_cases():
        text += section(title, case, references)
    text += random_section(
        f"{RANDOM_TABLES} random tables without missing cells and suppressed records", plain=True, seed=1
    )
    text += random_section(
        f"{RANDOM_TABLES} random tables with missing cells, suppressed records and local recoding", plain=False, seed=2
    )
    (ROOT / "docs/conformance.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
