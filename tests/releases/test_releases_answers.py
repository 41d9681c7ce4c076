"""Worked answers about two releases of a school, as exact fractions; and what random small tables rarely have."""

import random
from contextlib import nullcontext
from fractions import Fraction
from unittest import mock

import pytest
from test_releases import GRADES, R1, R2, exact, literal_left, literal_linked, literal_offers, school

from conftest import constants
from PETWorks import Release, Releases
from PETWorks.counting import people as people_module
from PETWorks.measures.numbers import format_value
from PETWorks.render.text.releases_text import composition_text


def numbers(document, prior="prior", posterior="posterior"):
    """Before and after, as the document says; its numbers have the digits of the fractions."""
    return Fraction(document[prior]).limit_denominator(1000), Fraction(document[posterior]).limit_denominator(1000)


def share(document, name):
    return Fraction(document[name]).limit_denominator(1000)


def of(document, release):
    return next(part["alone"] for part in document["releases"] if part["name"] == release)


def test_one_release_alone():
    alone = of(school().compose().to_dict(), "R1")
    found = alone["re_identification"]
    assert numbers(found) == (Fraction(1, 10), Fraction(5, 10))
    assert (share(found, "share_alone"), found["people_alone"], found["classes"]) == (Fraction(2, 10), 2, 5)
    grade, disability = (alone["attribute_inference"][name] for name in ("grade", "disability"))
    assert numbers(grade) == (Fraction(3, 10), Fraction(8, 10))
    assert share(grade, "share_in_classes_with_one_value") == Fraction(4, 10)
    assert numbers(disability) == (Fraction(5, 10), Fraction(7, 10))
    assert share(disability, "share_in_classes_with_one_value") == Fraction(2, 10)


def test_worth():
    worth = {"grade": GRADES, "disability": {"yes": 10, "no": 2}}
    inferred = of(school(worth=worth).compose().to_dict(), "R1")["attribute_inference"]
    assert numbers(inferred["grade"]["gain"]) == (Fraction(2), Fraction(56, 10))
    assert numbers(inferred["disability"]["gain"]) == (Fraction(5), Fraction(54, 10))


def test_the_linked_adversary():
    linked = school().compose().to_dict()["linked"]
    assert numbers(linked["re_identification"]) == (Fraction(1, 10), Fraction(6, 10))
    assert share(linked["re_identification"], "share_alone") == Fraction(3, 10)
    assert numbers(linked["attribute_inference"]["grade"]) == (Fraction(3, 10), Fraction(8, 10))


def test_the_unlinked_adversary():
    grade = school().compose().to_dict()["unlinked"]["grade"]
    assert (grade["people"], share(grade, "share_disclosed")) == (8, Fraction(3, 8))
    assert (grade["alone"]["R1"]["people"], share(grade["alone"]["R1"], "share_disclosed")) == (8, Fraction(2, 8))


def test_person_2_falls_though_each_of_their_classes_has_two_values():
    releases = [rows_of(R1), rows_of(R2)]
    offers = literal_offers([[row | {"ill": row["grade"]} for row in rows] for rows in releases], KNOWN)
    assert [len(set(offered["2"])) for offered in offers] == [2, 2]
    assert literal_left("2", offers) == {"A"}
    without = [
        {name: [cell for cell, own in zip(cells, one["id"], strict=True) if own != "2"] for name, cells in one.items()}
        for one in (R2, R1)
    ]
    assert (
        Releases(without, "id", quasi_identifiers=["age", "school", "gender"], sensitive="grade")
        .compose()
        .unlinked["grade"]
        .together.disclosed
        == 2
    )


def without_values(ill):
    table = {"id": list("abcd"), "zip": list("1122"), "ill": ill}
    roles = {"id": "identifier", "zip": "quasi_identifier", "ill": "sensitive_attribute"}
    releases = [Release(table, roles, sensitive_values="folded") for _ in range(2)]
    return Releases(releases, "id").compose()


@pytest.mark.parametrize(
    ("ill", "prior", "chance"),
    [(["flu", "Flu", "cold", None], Fraction(2, 3), Fraction(1)), ([None] * 4, Fraction(0), Fraction(0))],
)
def test_every_output_guesses_among_the_people_who_have_a_value(ill, prior, chance):
    composition = without_values(ill)
    assert numbers(composition.to_dict()["linked"]["attribute_inference"]["ill"]) == (prior, chance)
    row = composition.to_arrow().to_pylist()[-1]
    assert row["attack"] == "attribute-inference of ill"
    assert numbers(row, posterior="chance") == (prior, chance)
    attack = next(attack for attack in composition.facts().attacks if attack.attack != "re-identification")
    assert (exact(attack.prior), exact(attack.together)) == (prior, chance)
    assert f"inference of 'ill' {format_value(float(prior))} -> {format_value(float(chance))}" in repr(composition)
    text = composition_text(composition, lang="en", colour=False, width=120)
    (line,) = [line for line in text.splitlines() if "inference" in line][:1]
    assert line.split()[3:5] == [format_value(float(prior)), format_value(float(chance))]


KNOWN = [["age", "gender"], ["school", "gender"]]


def rows_of(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def test_the_smallest_class_may_be_in_any_release():
    """Two people of the first release are in no other one: their class of two decides."""
    first = {"id": list("abcde"), "zip": list("11222"), "ill": ["flu", "cold", "flu", "cold", "gout"]}
    second = {"id": list("cde"), "zip": list("333"), "ill": ["flu", "cold", "gout"]}
    options = {"quasi_identifiers": "zip", "sensitive": "ill"}
    assert Releases([first, second], "id", **options).compose().invariance["ill"].m == 2
    assert Releases([second, first], "id", **options).compose().invariance["ill"].m == 2


def test_people_who_are_only_where_the_attribute_is_not():
    """They have no values at all, so they are not among those whose values change."""
    plain = {"id": list("abxyz"), "job": list("12345")}
    first = {"id": list("ab"), "zip": list("11"), "ill": ["flu", "cold"]}
    composition = Releases([plain, first, first], "id", quasi_identifiers=["zip", "job"], sensitive="ill").compose()
    invariance = composition.invariance["ill"]
    assert (invariance.m, invariance.changing, list(invariance.repeated)) == (2, 0, ["release 2", "release 3"])
    assert composition.unlinked["ill"].curve[0] is None
    assert composition.unlinked["ill"].together == (2, (2, 0, 0))


def offers_by_zip(rows):
    """As `literal_offers`, without looking at all pairs of people."""
    values = {}
    for row in rows:
        values.setdefault(row["zip"], []).append(row["ill"])
    return {row["id"]: values[row["zip"]] for row in rows}


@pytest.mark.parametrize("many", [150, 5000])
@pytest.mark.parametrize("seed", range(4))
def test_many_values(seed, many):
    """More values than fit into some words: what is left, what is wrong, and whose values are the same."""
    chance = random.Random(seed)
    people = [f"p{number}" for number in range(600)]
    values = {person: f"v{chance.randrange(many)}" for person in people}
    groups = {person: f"{number // 3}" for number, person in enumerate(people)}
    releases = []
    for _ in range(2 + seed // 2):
        rows = []
        for person in chance.sample(people, 560):
            stays = chance.random() < 0.8
            own = values[person] if chance.random() < 0.9 else f"v{chance.randrange(many)}"
            rows.append({"id": person, "zip": groups[person] if stays else f"{chance.randrange(200)}", "ill": own})
        releases.append(rows)
    tables = [{name: [row[name] for row in rows] for name in ("id", "zip", "ill")} for rows in releases]
    spied = mock.patch.object(people_module, "offers_of_many", wraps=people_module.offers_of_many)
    with constants(CELLS_PER_BATCH=100) if seed % 2 else nullcontext(), spied as numbered_anew:
        composition = Releases(tables, "id", quasi_identifiers="zip", sensitive="ill").compose()
    assert numbered_anew.called == (many == 5000)
    offers, focal = [offers_by_zip(rows) for rows in releases], {row["id"]: row["ill"] for row in releases[-1]}
    targets = [person for person in focal if any(person in offered for offered in offers[:-1])]
    left = {person: literal_left(person, offers) for person in targets}
    ill, invariance = composition.unlinked["ill"], composition.invariance["ill"]
    assert ill.together == (
        len(targets),
        tuple(sum(0 < len(one) <= most for one in left.values()) for most in (2, 1, 1)),
    )
    for number, offered in enumerate(offers):
        sizes = [len(set(offered[person])) for person in targets if person in offered]
        alone = (len(sizes), tuple(sum(size <= most for size in sizes) for most in (2, 1, 1)))
        assert ill.alone[f"release {number + 1}"] == alone
    assert ill.contradictory == sum(not one for one in left.values())
    assert ill.mistaken == sum(len(one) == 1 and focal[person] not in one for person, one in left.items())
    sets = {one: {frozenset(offered[one]) for offered in offers if one in offered} for one in people}
    differing = [person for person in people if len(sets[person]) > 1]
    assert (invariance.m, invariance.changing) == (None, len(differing))
    assert 0 < ill.mistaken < ill.together.disclosed < len(targets)
    assert 0 < invariance.changing < len(people)


def test_a_limit_without_a_column_is_about_the_worst_attribute():
    """Classes have both illnesses, but mostly one job: `job` is the worse one by every limit."""
    first = {"id": list("abcdef"), "zip": list("112233"), "ill": list("uvuvuv"), "job": list("wwxxyz")}
    second = {"id": list("abcdef"), "zip": list("445566"), "ill": list("uvuvuv"), "job": list("wwxxyz")}
    names = ["inference", "one-value", "gain", "disclosed", "half-sure", "m-invariance"]
    limits = {f"{name}{column}": 1 for name in names for column in ("", ":ill", ":job")}
    worth = {"ill": {"u": 2}, "job": {"w": 5}}
    releases = Releases([first, second], "id", quasi_identifiers="zip", sensitive=["ill", "job"], worth=worth)
    values = {limit["limit"]: limit["value"] for limit in releases.compose(limits).limits}
    assert [(values[f"{name}:ill"], values[f"{name}:job"]) for name in names] == [
        (3 / 6, 5 / 6),
        (0, 4 / 6),
        (1, 13 / 6),
        (0, 4 / 6),
        (1, 1),
        (2, None),
    ]
    assert [values[name] for name in names] == [5 / 6, 4 / 6, 13 / 6, 4 / 6, 1, None]
    swapped = Releases([first, second], "id", quasi_identifiers="zip", sensitive=["ill"]).compose({"m-invariance": 1})
    assert (swapped.limits[0]["value"], swapped.satisfied) == (2, True)


def test_the_least_m_of_several_attributes():
    first = {"id": list("abcde"), "zip": list("11222"), "ill": list("uvuvw")}
    second = {"id": list("cde"), "zip": list("555"), "ill": list("uvw"), "job": list("uvw")}
    releases = Releases([first, second], "id", quasi_identifiers="zip", sensitive=["ill", "job"])
    found = releases.compose({"m-invariance": 1})
    assert [found.invariance[name].m for name in ("ill", "job")] == [2, 3]
    assert found.limits[0]["value"] == 2


@pytest.mark.parametrize("number", [3, 10, 12])
@pytest.mark.parametrize("cells", [2, 1000])
def test_many_releases_part_by_part(number, cells):
    """With more than ten releases not all sets are counted; with small batches, hits are added up."""
    chance = random.Random(number)
    people = [f"p{one}" for one in range(20)]
    ill = {one: chance.choice("uvw") for one in people}
    releases = [
        # Each tells one person apart, whom nothing else does.
        [{"id": one, "zip": f"{int(one == people[place])}", "ill": ill[one]} for one in people]
        for place in range(number)
    ]
    tables = [{name: [row[name] for row in rows] for name in ("id", "zip", "ill")} for rows in releases]
    with constants(CELLS_PER_BATCH=cells):
        composition = Releases(tables, "id", quasi_identifiers="zip", sensitive="ill").compose()
    n = len(releases[-1])

    def literal(chosen):
        found = literal_linked(
            releases[-1], [releases[one] for one in chosen], [["zip"]] * len(chosen), dict.fromkeys("uvw", 1)
        )
        return {"re-identification": found["classes"], "attribute-inference of ill": found["right"]}, found["alone"]

    for step, exposure in enumerate(composition.curve):
        hits, alone = literal(range(step + 1))
        assert [exposure.classes, exposure.inference["ill"].right, exposure.alone] == [*hits.values(), alone]
    for one in composition.contributions[: number - 1] + composition.contributions[number:-1]:
        left = [place for place in range(number) if f"release {place + 1}" != one.release]
        assert Fraction(one.without).limit_denominator(100) == Fraction(literal(left)[0][one.attack], n)
