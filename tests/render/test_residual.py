"""The sentence about the risk that is left: the average and the highest, whatever else there is to say."""

import pytest

from PETWorks import check
from policy_checks import DAY

POLICY = """
petworks_policy: 1
data: t.csv
no_rule: {illness: a test}
roles: {quasi_identifiers: [ward], sensitive_attributes: [illness]}
subsets: {sizes: all}
cell_size: 10
rules: [{measure: k-anonymity, k: 10}]
"""
CLASSES = {"a": 10, "b": 90, "c": 100}
AVERAGE, HIGHEST = len(CLASSES) / sum(CLASSES.values()), 1 / min(CLASSES.values())


@pytest.fixture(scope="module")
def passing(tmp_path_factory):
    """A check that passes, and of which no step follows."""
    folder = tmp_path_factory.mktemp("residual")
    rows = [f"{ward};{'xy'[row % 2]}" for ward, size in CLASSES.items() for row in range(size)]
    (folder / "t.csv").write_text("ward;illness\n" + "\n".join(rows) + "\n", "utf-8")
    (folder / "p.yaml").write_text(POLICY, "utf-8")
    return check(folder / "p.yaml", as_of=DAY)


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "finds the right record in 1.5 % of cases on average; for the person most at risk, in 10 %."),
        ("zh-TW", "找出他是哪一筆的機率平均為 1.5%，風險最高者為 10%。"),
    ],
)
def test_both_chances_are_said_where_there_is_nothing_to_do(passing, lang, said):
    assert (AVERAGE, HIGHEST) == (0.015, 0.1)
    assert not passing.document["next_steps"]
    for form in ("text", "markdown"):
        assert said in words(passing.to_format(form, lang, "internal")), form


def test_outsiders_see_no_more_than_the_protected_numbers(passing):
    results = {one["measure"]: one["value"] for one in passing.to_dict("external")["results"]}
    assert results["prosecutor-risk"] == {"at_most": 0.1}
    text = words(passing.to_format("text", "en", "external"))
    assert "for the person most at risk, in ≤ 10 %." in text
    assert "in 1.5 % of cases" not in text


def test_a_pass_is_no_promise(passing):
    page = passing.to_format("html", "en", "internal")
    assert (
        "Meeting the rules does not guarantee that nobody can be identified, and this report is not legal advice."
        in page
    )
    assert "符合規則不保證絕對沒有人會被認出來，本報告也不是法律意見" in page
    assert "of 10\N{NO-BREAK SPACE}% at worst (10 people)" in page, "no line ends within a percentage"
