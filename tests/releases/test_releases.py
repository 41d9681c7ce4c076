"""Several releases about the same people: the worked example, and random tables against literal definitions."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from PETWorks import Release, Releases
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

# Two releases of a school: quasi-identifiers, then the sensitive attributes.
FIRST = "1 25 F A no, 2 25 F A yes, 3 25 F C yes, 4 25 M B yes, 5 25 M B no, 6 49 F C yes, 7 49 F C yes, 8 49 F E no, "
FIRST += "9 49 M D no, 10 60 M D no"
SECOND = "1 X F A, 2 Y F A, 3 X F C, 4 Y M B, 5 Y M B, 6 X F C, 7 X F C, 8 X F E, 11 Y F E"
GRADES = {"A": 10, "B": 6, "C": 6, "D": 6, "E": 8}


def table(text, names):
    rows = [row.split() for row in text.split(", ")]
    return {name: [row[place] for row in rows] for place, name in enumerate(names.split())}


R1 = table(FIRST, "id age gender grade disability")
R2 = table(SECOND, "id school gender grade")
QI, SENSITIVE = ["age", "school", "gender"], ["grade", "disability"]


def school(**options):
    return Releases({"R2": R2, "R1": R1}, "id", quasi_identifiers=QI, sensitive=SENSITIVE, **options)


def exact(number):
    return Fraction(number).limit_denominator(1000)


def test_one_release_alone():
    alone = school().compose().releases[1].alone
    assert (alone.people, exact(alone.posterior), exact(alone.alone_share)) == (10, Fraction(5, 10), Fraction(2, 10))
    chances = {
        name: (one.commonest, exact(one.posterior), exact(one.one_value_share)) for name, one in alone.inference.items()
    }
    assert chances == {
        "grade": (3, Fraction(8, 10), Fraction(4, 10)),
        "disability": (5, Fraction(7, 10), Fraction(2, 10)),
    }


def test_the_linked_adversary():
    together = school().compose().together
    assert (exact(together.posterior), exact(together.alone_share)) == (Fraction(6, 10), Fraction(3, 10))
    assert exact(together.inference["grade"].posterior) == Fraction(8, 10)


def test_the_unlinked_adversary():
    grade = school().compose().unlinked["grade"]
    assert grade.alone["R1"] == (8, (8, 2, 2))
    assert grade.together == (8, (8, 3, 3))
    assert [one.disclosed for one in grade.curve] == [2, 3]
    assert (grade.changed, grade.contradictory, grade.mistaken) == (0, 0, 0)


def test_worth_of_values():
    composition = school(worth={"grade": GRADES, "disability": {"yes": 10, "no": 2}}).compose()
    alone = composition.releases[1].alone.inference
    assert alone["grade"].gain.to_dict() == {"prior": 2.0, "posterior": 5.6}
    assert alone["disability"].gain.to_dict() == {"prior": 5.0, "posterior": 5.4}


def test_worth_of_one_each_is_attribute_inference():
    one = school(worth={"grade": {"A": 1}}).compose().together.inference["grade"]
    assert (one.gain.prior, one.gain.posterior) == (one.commonest / 10, one.posterior)


def test_what_each_release_adds():
    added = {(one.release, one.attack): one for one in school().compose().contributions}
    other, own = added["R2", "re-identification"], added["R1", "re-identification"]
    assert (other.without, exact(other.saves), other.shapley) == (5 / 10, Fraction(1, 10), Fraction(2, 10))
    assert (own.without, own.saves, own.shapley) == (None, None, Fraction(3, 10))


def test_m_invariance_of_the_textbook_case():
    """Bucketised microdata whose classes keep their set of values: 2-invariant."""
    first = {"id": list("abcd"), "zip": list("1122"), "ill": ["flu", "cold", "flu", "gout"]}
    second = {"id": list("abde"), "zip": list("3344"), "ill": ["flu", "cold", "gout", "flu"]}
    options = {"quasi_identifiers": "zip", "sensitive": "ill"}
    composition = Releases([first, second], "id", **options).compose({"m-invariance": 2})
    assert (composition.invariance["ill"].m, composition.satisfied) == (2, True)
    assert Releases([first, second], "id", **options).compose({"m-invariance": 3}).satisfied is False
    second["ill"][3] = "cold"
    invariance = Releases([first, second], "id", **options).compose({"m-invariance": 1}).invariance["ill"]
    assert (invariance.m, invariance.changing) == (None, 1)
    assert invariance.reasons == ["1 person with other values in another release"]


def test_a_value_that_changed():
    """One release says a, the other b: nothing is left; and a wrong value can be the only one left."""
    first = {"id": ["1", "2", "3"], "zip": ["1", "2", "2"], "ill": ["a", "a", "b"]}
    second = {"id": ["1", "2", "3"], "zip": ["1", "2", "2"], "ill": ["b", "b", "c"]}
    ill = Releases([first, second], "id", quasi_identifiers="zip", sensitive="ill").compose().unlinked["ill"]
    assert (ill.changed, ill.contradictory, ill.mistaken) == (3, 1, 1)
    assert ill.together == (3, (2, 2, 2))  # b is left of persons 2 and 3, and right for person 2


@pytest.mark.parametrize(
    ("limits", "satisfied"),
    [
        ({"re-identification": "6/10"}, True),
        ({"re-identification": 0.59}, False),
        ({"alone": 0.3, "inference": 0.8, "one-value": 0.5}, True),
        ({"inference:disability": 0.7}, True),
        ({"inference:disability": 0.69}, False),
        ({"disclosed:grade": "3/8", "half-sure": 1}, True),
        ({"disclosed": "2/8"}, False),
        ({"half-sure": 0.99}, False),
        ({"gain": 5.6}, True),
        ({"gain": 5.5}, False),
        ({"m-invariance": 1}, False),
        ({}, None),
    ],
)
def test_limits(limits, satisfied):
    assert school(worth={"grade": GRADES}).compose(limits).satisfied is satisfied


def test_releases_that_were_made_before():
    made = [Release(R2, _roles(R2)), Release(R1, _roles(R1))]
    composition = Releases(made, "id", sensitive="grade").compose()
    assert composition.to_dict()["linked"]["re_identification"]["posterior"] == 0.6
    assert list(composition.together.inference) == ["grade"]
    assert (composition.focal, [part.name for part in composition.releases]) == (
        "release 2",
        ["release 1", "release 2"],
    )
    assert Releases(made, "id", focal=made[0]).compose().focal == "release 1"


def _roles(data):
    return {name: QUASI_IDENTIFIER if name in QI else SENSITIVE_ATTRIBUTE for name in data if name != "id"}


def test_the_key_may_be_in_the_original():
    released = {name: cells for name, cells in R2.items() if name != "id"}
    release = Release(released, _roles(R2) | {"id": "identifier"}, original=R2)
    other = Release(R1, _roles(R1))
    assert Releases([release, other], "id").compose().together.classes == 6


def test_the_key_may_be_called_differently():
    other = {"pupil" if name == "id" else name: cells for name, cells in R2.items()}
    renamed = {"R2": other, "R1": R1}
    together = Releases(renamed, {"R2": "pupil", "R1": "id"}, quasi_identifiers=QI, sensitive=SENSITIVE)
    assert together.compose().to_dict() == school().compose().to_dict()


def test_the_order_of_rows_and_columns_means_nothing():
    shuffled = {name: cells[::-1] for name, cells in reversed(R1.items())}
    releases = Releases({"R2": R2, "R1": shuffled}, "id", quasi_identifiers=QI, sensitive=SENSITIVE)
    given, other = releases.compose().to_dict(), school().compose().to_dict()
    assert given.pop("releases")[0] == other.pop("releases")[0]
    assert given["linked"]["attribute_inference"]["grade"] == other["linked"]["attribute_inference"]["grade"]
    assert given["unlinked"] == other["unlinked"]
    assert given["m_invariance"]["grade"] == other["m_invariance"]["grade"]


def test_fifty_releases():
    years = [R1 | {"age": [f"{int(age) // (year + 1)}" for age in R1["age"]]} for year in range(50)]
    composition = Releases(years, "id", quasi_identifiers=["age", "gender"], sensitive=SENSITIVE).compose()
    assert len(composition.curve) == 50
    assert composition.together.classes == 5  # the later ones are coarser
    assert all(one.shapley is None for one in composition.contributions)


def test_eleven_releases_have_no_shapley_values_and_ten_have():
    for number, known in ((10, True), (11, False)):
        parts = (
            Releases([R1] * number, "id", quasi_identifiers=["age", "gender"], sensitive=SENSITIVE)
            .compose()
            .contributions
        )
        assert all((one.shapley is not None) is known for one in parts)


# Literal definitions, on lists of dicts.


def literal_class(people, releases, known):
    """For each person what is known about them: their values in every release, or that they are not in it."""
    by_person = [
        {row["id"]: tuple(row[name] for name in own) for row in rows} for rows, own in zip(releases, known, strict=True)
    ]
    return {person: tuple(values.get(person) for values in by_person) for person in people}


def literal_linked(focal, releases, known, worth):
    people = [row["id"] for row in focal]
    classes = literal_class(people, releases, known)
    sizes = Counter(classes.values())
    values = {row["id"]: row["ill"] for row in focal}
    cells = Counter((classes[person], values[person]) for person in people)
    best = {own: max(count for (one, _), count in cells.items() if one == own) for own in sizes}
    gains = {own: max(count * worth[value] for (one, value), count in cells.items() if one == own) for own in sizes}
    different = Counter(own for own, _ in cells)
    return {
        "classes": len(sizes),
        "alone": sum(size == 1 for size in sizes.values()),
        "right": sum(best.values()),
        "one_value": sum(sizes[own] for own in sizes if different[own] == 1),
        "gain": Fraction(sum(gains.values()), len(people)),
    }


def literal_offers(releases, known):
    """For each release and each person in it, the sensitive values in their class."""
    offers = []
    for rows, own in zip(releases, known, strict=True):
        offered = {}
        for row in rows:
            alike = [other for other in rows if all(other[name] == row[name] for name in own)]
            offered[row["id"]] = [other["ill"] for other in alike]
        offers.append(offered)
    return offers


def literal_left(person, offers):
    """The values that a person can have; None if they are in no release."""
    sets = [set(offered[person]) for offered in offers if person in offered]
    return set.intersection(*sets) if sets else None


def literal_m(releases, known):
    offers = literal_offers(releases, known)
    people = {row["id"] for rows in releases for row in rows}
    unique = all(len(values) == len(set(values)) for offered in offers for values in offered.values())
    same = all(len({frozenset(offered[one]) for offered in offers if one in offered}) == 1 for one in people)
    return min(len(values) for offered in offers for values in offered.values()) if unique and same else None


PEOPLE = [f"p{number}" for number in range(9)]
ILL = ["flu", "cold", "gout", None]


@st.composite
def several(draw):
    """Releases of random people, one of whom is in all; each with quasi-identifiers of its own."""
    steady = draw(st.booleans())
    fixed = {person: draw(st.sampled_from(ILL)) for person in PEOPLE}
    releases = []
    for _ in range(draw(st.integers(2, 4))):
        own = draw(st.lists(st.sampled_from(PEOPLE), unique=True))
        rows = []
        for person in dict.fromkeys(["p0", *own]):
            ill = fixed[person] if steady else draw(st.sampled_from(ILL))
            rows.append(
                {"id": person, "a": draw(st.sampled_from("12*")), "b": draw(st.sampled_from(["x", None])), "ill": ill}
            )
        releases.append(draw(st.permutations(rows)))
    known = [draw(st.sampled_from([["a"], ["b"], ["a", "b"]])) for _ in releases]
    return releases, known, draw(st.integers(0, len(releases) - 1))


def composed(case, worth=None):
    releases, known, place = case
    made = {}
    for number, (rows, own) in enumerate(zip(releases, known, strict=True)):
        roles = dict.fromkeys(own, QUASI_IDENTIFIER) | {"ill": SENSITIVE_ATTRIBUTE}
        made[f"r{number}"] = Release({name: [row[name] for row in rows] for name in ("id", "a", "b", "ill")}, roles)
    return Releases(made, "id", focal=f"r{place}", worth=worth).compose()


def counted(exposure):
    one = exposure.inference["ill"]
    return {"classes": exposure.classes, "alone": exposure.alone, "right": one.right, "one_value": one.one_value}


@given(several())
@examples(150)
def test_linked_is_its_definition(case):
    releases, known, place = case
    present = {row["ill"] for rows in releases for row in rows}
    worth = {value: 3 for value in ("flu",) if value in present}
    composition = composed(case, {"ill": worth})
    full = dict.fromkeys(ILL, 1) | worth
    for chosen, exposure in [
        *((slice(step + 1), exposure) for step, exposure in enumerate(composition.curve)),
        (slice(None), composition.together),
    ]:
        expected = literal_linked(releases[place], releases[chosen], known[chosen], full)
        gain = expected.pop("gain")
        assert counted(exposure) == expected
        assert exact(exposure.inference["ill"].gain.posterior) == gain
    for part, rows, own in zip(composition.releases, releases, known, strict=True):
        expected = literal_linked(rows, [rows], [own], full)
        assert counted(part.alone) == {name: expected[name] for name in counted(part.alone)}


@given(several())
@examples(60)
def test_contributions_are_their_definitions(case):
    releases, known, place = case
    worth = dict.fromkeys(ILL, 1)
    focal = releases[place]
    n = len(focal)
    prior = {"classes": 1, "right": Counter(row["ill"] for row in focal).most_common(1)[0][1]}

    def successes(players, what):
        if not players:
            return prior[what]
        chosen = sorted(players)
        return literal_linked(focal, [releases[one] for one in chosen], [known[one] for one in chosen], worth)[what]

    everyone = range(len(releases))
    for one in composed(case).contributions:
        player = int(one.release[1:])
        what = "classes" if one.attack == "re-identification" else "right"
        if player == place:
            assert one.without is None
        else:
            left = successes(set(everyone) - {player}, what)
            assert exact(one.without) == Fraction(left, n)
            assert exact(one.saves) == Fraction(successes(set(everyone), what) - left, n)
        orders = list(permutations(everyone))
        gains = [
            successes(set(order[: order.index(player) + 1]), what) - successes(set(order[: order.index(player)]), what)
            for order in orders
        ]
        assert one.shapley == Fraction(sum(gains), len(orders) * n)


@given(several())
@examples(150)
def test_unlinked_is_its_definition(case):
    releases, known, place = case
    offers = literal_offers(releases, known)
    focal = {row["id"]: row["ill"] for row in releases[place]}
    others = [rows for number, rows in enumerate(releases) if number != place]
    elsewhere = {row["id"] for rows in others for row in rows}
    targets = [person for person in focal if person in elsewhere]
    values = len({row["ill"] for rows in releases for row in rows})

    def confidence(people, offers):
        left = [values if (own := literal_left(one, offers)) is None else len(own) for one in people]
        reached = [sum(size > 0 and Fraction(1, size) >= level for size in left) for level in LEVELS]
        return len(people), tuple(reached)

    ill = composed(case).unlinked["ill"]
    assert ill.together == confidence(targets, offers)
    assert [tuple(one) for one in ill.curve] == [confidence(targets, offers[: n + 1]) for n in range(len(releases))]
    for number, offered in enumerate(offers):
        assert ill.alone[f"r{number}"] == confidence([one for one in targets if one in offered], [offered])
    changed = {row["id"] for rows in others for row in rows if row["id"] in focal and row["ill"] != focal[row["id"]]}
    left = {person: literal_left(person, offers) for person in targets}
    assert ill.changed == len(changed)
    assert ill.contradictory == sum(not own for own in left.values())
    assert ill.mistaken == sum(len(own) == 1 and focal[person] not in own for person, own in left.items())


LEVELS = (Fraction(1, 2), Fraction(2, 3), Fraction(1))


@given(several())
@examples(150)
def test_m_invariance_is_its_definition(case):
    releases, known, _ = case
    found = composed(case).invariance["ill"]
    assert found.m == literal_m(releases, known)
    offers = literal_offers(releases, known)
    for number, (rows, own) in enumerate(zip(releases, known, strict=True)):
        values = {tuple(row[name] for name in own): offers[number][row["id"]] for row in rows}
        assert found.repeated[f"r{number}"] == sum(len(set(one)) < len(one) for one in values.values())
    people = {row["id"] for rows in releases for row in rows}
    assert found.changing == sum(
        len({frozenset(offered[one]) for offered in offers if one in offered}) > 1 for one in people
    )


@given(st.permutations(range(8)), st.integers(1, 4))
@examples(60)
def test_m_invariance_where_it_holds(order, size):
    """Classes of people who stay together, all with different values, but under other names in each release."""
    rows = [{"id": PEOPLE[one], "a": f"{one // size}", "b": "", "ill": f"v{one % size}"} for one in range(8)]
    again = [rows[one] | {"a": f"q{one // size}"} for one in order]
    case = [rows, again], [["a"], ["a"]], 1
    assert composed(case).invariance["ill"].m == literal_m(*case[:2]) == (size if 8 % size == 0 else 8 % size)


def test_more_values_than_fit_into_a_word():
    people = [f"{number}" for number in range(400)]
    first = {"id": people, "zip": [f"{n // 200}" for n in range(400)], "ill": [f"{n // 2}" for n in range(400)]}
    second = first | {"zip": [f"{n % 200}" for n in range(400)]}
    case = (
        [[dict(zip(one, row, strict=True)) for row in zip(*one.values(), strict=True)] for one in (first, second)],
        [["zip"], ["zip"]],
    )
    ill = Releases([first, second], "id", quasi_identifiers="zip", sensitive="ill").compose().unlinked["ill"]
    offers = literal_offers(*case)
    left = [len(literal_left(person, offers)) for person in people]
    assert ill.together == (400, tuple(sum(size <= most for size in left) for most in (2, 1, 1)))
    assert ill.together.disclosed == 400
    assert ill.alone["release 1"].disclosed == 0
