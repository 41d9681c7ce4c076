"""What a report says about utility: what was lost of each column, and which measures do not see it."""

import html
import math
import re
from collections import Counter

import numpy as np
import pytest
from test_policy import GOOD

from PETWorks import check
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.counting.counts import Marginal
from PETWorks.gate.check.facts import information_kept
from policy_checks import CHECK, DAY

FORMATS = ("text", "markdown", "html")


@pytest.fixture
def recoded(tmp_path):
    """600 people whose dates of birth became four periods without a hierarchy; 30 of them were deleted."""
    days = [f"19{40 + place // 12 % 60:02}-{place % 12 + 1:02}-01" for place in range(600)]
    zips = [str(place % 3) for place in range(600)]
    header = "birth;zip;disease\n"

    def lines(births):
        return [f"{birth};{code};flu\n" for birth, code in zip(births, zips, strict=True)]

    (tmp_path / "original.csv").write_text(header + "".join(lines(days)))
    periods = [f"19{int(day[2:4]) // 20 * 20}+" for day in days]
    (tmp_path / "table.csv").write_text(header + "".join(lines(periods)[30:]))
    (tmp_path / "policy.yaml").write_text(GOOD.replace("age", "birth") + "original: original.csv\n")
    return tmp_path / "policy.yaml"


def plain(text):
    text = re.sub(r"<style>.*?</style>", "", html.unescape(text), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)).replace("\\", "")


def test_a_recoded_column_is_seen_although_aecs_does_not_see_it(recoded):
    content = check(recoded, as_of=DAY).content
    by_name = {column.column: column for column in content.columns}
    birth, zip_code = by_name["birth"], by_name["zip"]
    assert next(one.value for one in content.results if one.measure == "aecs") > 0.89
    assert (birth.distinct_before, birth.distinct, birth.recoded, birth.changed) == (600, 3, True, 1.0)
    shares = [birth_count / 570 for birth_count in (210, 240, 120)]
    entropy = -sum(share * math.log2(share) for share in shares)
    assert birth.information_kept == pytest.approx(entropy / math.log2(600) * 570 / 600)
    assert (zip_code.recoded, zip_code.changed, zip_code.information_kept) == (False, 0.0, pytest.approx(570 / 600))
    assert content.table.original_records == 600


def test_values_before_and_after_are_counted_alike(tmp_path):
    """Sensitive values that differ in spelling are one, in the release as in the original."""
    table = "age;zip;disease\n" + "".join(f"3*;1;{value}\n" for value in ("flu", "Flu", "unknown", "cold") * 5)
    for name in ("table", "original"):
        (tmp_path / f"{name}.csv").write_text(table)
    (tmp_path / "policy.yaml").write_text(GOOD + "original: original.csv\n")
    columns = {column.column: column for column in check(tmp_path / "policy.yaml", as_of=DAY).content.columns}
    assert (columns["disease"].distinct_before, columns["disease"].distinct) == (2, 2)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    ("lang", "deleted", "blind", "hierarchies"),
    [
        (
            "en",
            "30 of the original's 600 records (5 %) are not in the release, which has 570.",
            "These columns were recoded: birth. Measures that do not see how coarse they became: aecs, discernibility",
            "need hierarchies for these columns: birth",
        ),
        (
            "zh-TW",
            "原始資料表 600 筆資料列中，有 30 筆（5%）未釋出",
            "無法反映其粗略程度的指標：平均等價類大小",
            "需要下列欄位的",
        ),
    ],
)
def test_reports_begin_with_what_was_lost(recoded, kind, lang, deleted, blind, hierarchies):
    result = check(recoded, as_of=DAY)
    text = plain(result.to_format(kind, lang))
    for sentence in (deleted, blind, hierarchies):
        assert sentence in text
    assert text.index(deleted) < text.index(blind)
    assert re.search(r"birth\W+600\W+3\W+100 ?%", text)
    outside = plain(result.to_format(kind, lang, "external"))
    assert deleted not in outside
    assert "600 " not in re.sub(r"\b[0-9a-f]{32,}\b", "", outside)  # salts and commitments are random
    assert list(CHECK.iter_errors(result.to_dict("external"))) == []
    row = next(one for one in result.to_dict("external")["columns"] if one["column"] == "birth")
    assert not {"changed", "information_kept", "recoded", "distinct_before"} & set(row)


def test_columns_are_ranked_by_what_they_lost():
    text = check("data/adult_policy.yaml", as_of=DAY).to_html()
    section = text[text.index('aria-labelledby="utility"') : text.index('aria-labelledby="method"')]
    names = re.findall(r'<th scope="row">([a-z-]+)</th>', section)
    assert names[:2] == ["race", "age"]
    assert set(names[-2:]) == {"sex", "workclass"}, "as they were"
    assert section.index("the same number of records") < section.index("race")
    assert section.index("race") < section.rindex("discernibility")
    assert "Sees class sizes only" in section


def test_suppressed_cells_tell_nothing(tmp_path, recoded):
    (tmp_path / "original.csv").write_text("birth;zip;disease\n" + "1;1;flu\n2;2;flu\n" * 20)
    (tmp_path / "table.csv").write_text("birth;zip;disease\n" + "1;*;flu\n2;*;flu\n" * 10 + "1;1;flu\n2;2;flu\n" * 10)
    columns = {one.column: one for one in check(recoded, as_of=DAY).content.columns}
    assert (columns["zip"].changed, columns["zip"].information_kept, columns["zip"].recoded) == (0.5, 0.5, False)
    assert (columns["birth"].changed, columns["birth"].information_kept) == (0.0, 1.0)
    assert columns["disease"].information_kept is None, "it told nothing before"


def marginal(*values):
    counts = Counter(values)
    return Marginal(list(counts), np.array(list(counts.values())), len(values))


def test_information_follows_from_what_labels_stand_for():
    before, tree = (
        marginal(*"aabcd", None, "*"),
        Hierarchy([("a", "A", "*"), ("b", "A", "*"), *((x, "B", "*") for x in "cd")]),
    )
    total = 2 * math.log2(5 / 2) + 3 * math.log2(5)

    def kept(*labels, level=None, hierarchy=tree):
        return information_kept(before, marginal(*labels), hierarchy, level)

    assert kept(*"aabcd", None, "*") == pytest.approx(1)
    assert kept(*"aabcd", None, "*", hierarchy=None) == pytest.approx(1)
    assert kept(*"*******") == 0
    for level, hierarchy in ((1, tree), (None, tree), (None, None)):
        told = (3 * math.log2(5 / 3) + 2 * math.log2(5 / 2)) / total
        assert kept(*"AAABB", None, "*", level=level, hierarchy=hierarchy) == pytest.approx(told)
    # Labels on several levels, more of them than there were values: each tells what it stands for.
    mixed = math.log2(5 / 2) + math.log2(5 / 3) + 2 * math.log2(5) + math.log2(5 / 2)
    assert kept("a", "A", "b", "c", "B", None, "*") == pytest.approx(mixed / total)
    assert kept("a", "A", "b", "c", "B", None, "*", hierarchy=None) is None
    assert kept(*"aab") == pytest.approx((2 * math.log2(5 / 2) + math.log2(5)) / total), "two records have left"
    assert kept("37.5", "a", "a") is None, "nobody knows what a mean stands for"
    assert information_kept(marginal("a", "a", None), marginal("a", "*", None), tree) is None, "it told nothing before"


def test_amounts_are_shown_only_where_the_policy_sets_them(recoded):
    for text, shown in (
        ("", []),
        ("  - {measure: profitability}\n", []),
        ("  - {measure: profitability, publisher_benefit: 500}\n", ["profitability"]),
        ("  - {measure: publisher-payout, at_least: 0, publisher_loss: 7}\n", ["publisher-payout"]),
    ):
        policy = recoded.with_name("money.yaml")
        policy.write_text(recoded.read_text().replace("original:", f"{text}original:"))
        result = check(policy, as_of=DAY)
        content = result.content
        found = [one for one in content.results if one.measure in ("profitability", "publisher-payout")]
        assert [one.measure for one in found] == shown
        assert (content.payout_curve is not None) == (shown == ["publisher-payout"])
        page = plain(result.to_html())
        assert ("Amounts per record" in page) == bool(shown)
        if "profitability" not in shown:
            assert content.not_applicable["profitability"] == "needs amounts: a rule of the policy that sets them"
        assert ("profitability: needs amounts" in page) == ("profitability" not in shown)
        for one in found:
            assert one.parameters["publisher_benefit" if one.measure == "profitability" else "publisher_loss"] in (
                500,
                7,
            )
            assert one.satisfied is None


@pytest.mark.parametrize(
    ("lang", "says"),
    [
        ("en", "values that the original does not have are in 'birth', and no hierarchy says what those in 'birth'"),
        ("zh-TW", "含有原始資料表沒有的值"),
    ],
)
def test_why_presence_was_not_measured(recoded, lang, says):
    result = check(recoded, as_of=DAY)
    assert says in plain(result.to_html(lang))
    reason = result.content.not_applicable["delta-presence"]
    values = (
        "values that the original does not have are in 'birth', and no hierarchy says what those in 'birth' stand for"
    )
    assert reason == f"released records that match no record of the original: 570; {values}"
    (recoded.parent / "table.csv").write_text("birth;zip;disease\n1940-01-01;0;flu\n1940-01-01;0;flu\n")
    reason = check(recoded, as_of=DAY).content.not_applicable["delta-presence"]
    assert reason == "released records beyond those the original has of their kind: 1; the release was not made from it"
