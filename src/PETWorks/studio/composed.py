"""What several releases disclose together, as a page shows it: made of what `petworks compose --format json` prints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.errors import InputError
from PETWorks.releases.cautions import Caution
from PETWorks.render import charts
from PETWorks.render.language import attack_name, percent, said
from PETWorks.render.languages import LANGUAGES

MOST_ATTACKS = 4
HALF = "1/2"

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Contributions:
    """What each release adds to an attack, the one that adds most first; bars are shares of the largest."""

    attack: str
    rows: Sequence[Numbers]
    bars: Sequence[float]


def shown_composition(result: Any, lang: str) -> dict[str, Any]:
    """The sentences, rows and charts of a composition."""
    if not isinstance(result, dict) or "curve" not in result:
        raise InputError("the command printed no result; start it again")
    return {
        "composed": result,
        "composed_texts": list(_sentences(result, lang)),
        "cautions": [Caution(**one).text for one in result.get("cautions", ())],
        "attributes": list(result["linked"]["attribute_inference"])[:MOST_ATTACKS],
        "crossed": list(result["unlinked"])[:MOST_ATTACKS],
        "release_chart": _chart(result),
        "contributions": _contributions(result, lang),
        "half": HALF,
        "drawn": charts.drawn,
        "attack_name": lambda attack: attack_name(attack, lang),
        "no_m": lambda one: said(
            lang,
            "studio.compare.no-m",
            repeated=sum(one["classes_with_a_repeated_value"].values()),
            changing=one["people_with_another_set_of_values"],
        ),
    }


def _sentences(result: Numbers, lang: str) -> Iterator[str]:
    """What is learned with all releases, next to the last one alone."""
    alone = next(part["alone"] for part in result["releases"] if part["name"] == result["focal"])
    linked, number = result["linked"], len(result["releases"])

    def both(attack: str, share: str) -> dict[str, str]:
        return {
            "together": percent(linked[attack][share], lang),
            "alone": percent(alone[attack][share], lang),
        }

    yield said(lang, "studio.compare.identity", n=number, **both("re_identification", "posterior"))
    yield said(lang, "studio.compare.alone", **both("re_identification", "share_alone"))
    for column, one in list(linked["attribute_inference"].items())[:MOST_ATTACKS]:
        shares = {"together": one["posterior"], "alone": alone["attribute_inference"][column]["posterior"]}
        texts = {key: percent(share, lang) for key, share in shares.items()}
        yield said(lang, "studio.compare.inference", column=[column], **texts)
    for column, one in list(result["unlinked"].items())[:MOST_ATTACKS]:
        before = one["alone"].get(result["focal"], {}).get("share_disclosed", 0.0)
        texts = {"together": percent(one["share_disclosed"], lang), "alone": percent(before, lang)}
        yield said(lang, "studio.compare.disclosed", column=[column], **texts)


def _chart(result: Numbers) -> dict[str, Any]:
    """The chance to pick a record, and who is alone, with one release after the other."""
    steps = [step["linked"]["re_identification"] for step in result["curve"]]
    lines = {
        kind: (
            {lang: said(lang, label) for lang in LANGUAGES},
            {number: float(step[share]) for number, step in enumerate(steps, 1)},
        )
        for kind, label, share in (
            ("highest", "studio.compare.line-chance", "posterior"),
            ("median", "studio.compare.line-alone", "share_alone"),
        )
    }
    return charts.shares(lines, "studio.compare.axis")


def _contributions(result: Numbers, lang: str) -> list[Contributions]:
    attacks = dict.fromkeys(one["attack"] for one in result["contributions"])
    groups = []
    for attack in list(attacks)[:MOST_ATTACKS]:
        own = [one for one in result["contributions"] if one["attack"] == attack]
        own.sort(key=lambda one: (-(one["shapley"] or 0), -(one["saves"] or 0)))
        most = max((one["shapley"] or 0 for one in own), default=0) or 1
        title = said(lang, "studio.compare.adds", attack=attack_name(attack, lang))
        groups.append(Contributions(title, own, [max((one["shapley"] or 0) / most, 0.0) for one in own]))
    return groups
