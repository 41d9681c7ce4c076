"""What notebooks show of results: the numbers that they have, in both languages, and no cell of the data."""

import re

import pytest
from test_plots import ADULT, DELTA, RULES, composition, small

from PETWorks import Release, Releases, check, evaluate, every_subset
from PETWorks.measures.numbers import percent
from PETWorks.render.notebooks import MAX_ROWS, view_of
from searches import anonymize, apply_levels, frontier

CELL = "wholly-secret-cell"


def secret():
    """A table in which every cell is secret."""
    cells = {"city": [f"{CELL} {row % 3}" for row in range(12)], "job": [f"{CELL} {row % 2}" for row in range(12)]}
    roles = {"city": "quasi_identifier", "job": "quasi_identifier", "illness": "sensitive_attribute"}
    return cells | {"illness": [f"{CELL} {row % 4}" for row in range(12)]}, roles


HIERARCHY = {
    "city": [[f"{CELL} {row}", f"{CELL} any", "*"] for row in range(3)],
    "job": [[f"{CELL} {row}", "*"] for row in range(2)],
}
TWO = {"k-anonymity": {"k": 3}}
VIEWS = {
    "release": lambda: Release(*secret()),
    "result": lambda: evaluate(Release(*secret()), {"k-anonymity": {"k": 3}})["k-anonymity"],
    "evaluation": lambda: evaluate(Release(*secret()), {"k-anonymity": {"k": 2}, "t-closeness": {}}),
    "everything": lambda: evaluate(Release(*secret())),
    "subsets": lambda: every_subset(Release(*secret())),
    "some-subsets": lambda: every_subset(Release(*secret()), 1),
    "anonymization": lambda: anonymize(*secret(), HIERARCHY, TWO),
    "local": lambda: anonymize(*secret(), HIERARCHY, TWO, method="local"),
    "levels": lambda: apply_levels(*secret(), HIERARCHY, {"city": 1}),
    "frontier": lambda: frontier(*secret(), HIERARCHY, TWO),
    "releases": lambda: Releases(["data/school_2022.csv", "data/school_2023.csv"], key="pupil"),
    "composition": lambda: composition(),
    "check": lambda: check("data/adult_policy.yaml"),
}


def cells(page):
    """The cells of all tables, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    return [[re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
@pytest.mark.parametrize("name", VIEWS)
def test_every_view(name, lang):
    page = view_of(VIEWS[name](), lang)
    assert CELL not in page
    assert f'lang="{lang}"' in page
    assert not re.search(r"<(script|link|img|iframe)|https?://", page)
    assert bool(re.search("[\u4e00-\u9fff]", page)) == (lang == "zh-TW")
    assert len(page) < 12_000


def test_a_release():
    page = view_of(small())
    counted = ["records in classes", "6"], ["equivalence classes", "5"], ["smallest class", "1"], ["largest class", "2"]
    assert all(row in cells(page) for row in counted)
    assert ["illness", "sensitive attribute", ""] in cells(page)
    with_levels = view_of(Release("data/adult_anonymized.csv"))
    assert ["age", "quasi-identifier", "4"] in cells(with_levels)
    assert "1,200 records" in with_levels
    assert "no role" in view_of(Release({"a": ["1"]}, {}))


def test_classes_are_not_counted_for_a_view_by_another_engine():
    release = Release("data/adult_anonymized.csv", engine="duckdb")
    assert "evaluate(release)" in release._repr_html_()
    assert "smallest class" not in release._repr_html_()


def test_an_evaluation():
    found = evaluate(small(), {"k-anonymity": {"k": 2}, "l-diversity": {"l": 1}})
    rows = cells(found._repr_html_())
    assert ["k-anonymity", "1", "k=2", "does not hold"] in rows
    assert ["l-diversity", "1", "l=1", "holds"] in rows
    assert 'verdict fail">does not hold' in found._repr_html_()
    everything = evaluate(small())
    assert any(row[0] == "precision" and "hierarch" in row[1] for row in cells(everything._repr_html_()))
    assert "verdict fail" not in everything._repr_html_().partition("</style>")[2]


def test_subsets():
    found = every_subset(small())
    rows = cells(found._repr_html_())
    for answer in found.by_size():
        if answer["attack"] == "re-identification":
            highest = answer["highest"]
            assert [row[3:] for row in rows if row[0] == str(answer["known"])] == [
                [percent(highest["posterior"]), ", ".join(highest["attributes"])]
            ]
    for driver in found.drivers()[:3]:
        assert [driver["attribute"], percent(driver["shapley"]), percent(driver["without"])] in rows


def test_a_release_that_was_made():
    result = anonymize("data/adult.csv", ADULT, "data/adult_hierarchy", RULES, suppression=0.05)
    page = result._repr_html_()
    assert [row for row in cells(page)[::-1] if row[0] in ("age", "sex")] == [["age", "4", "4"], ["sex", "0", "1"]]
    assert "Loss (granularity, geometric mean of the columns): 0.4242." in page
    assert "39 of 1,200 records (3.2 %) are suppressed" in page
    assert ["smallest class", "1", "5"] in cells(page)


def test_a_large_release_is_not_compared(monkeypatch):
    monkeypatch.setattr("PETWorks.render.notebooks.MAX_RECORDS", 8)
    result = anonymize(*DELTA, {"k-anonymity": {"k": 2}})
    page = result._repr_html_()
    assert "release" not in vars(result)
    assert "&lt;Anonymization: levels zip 1, nationality 1" in page
    assert "before" not in page.partition("</style>")[2]


def test_long_tables_say_how_much_is_left_out():
    names = [f"c{place}" for place in range(MAX_ROWS + 3)]
    page = Release({name: ["1"] for name in names}, {})._repr_html_()
    assert "3 more rows" in page
    assert names[-4] in page
    assert f">{names[-1]}<" not in page


def test_a_composition():
    rows = cells(composition()._repr_html_())
    assert ["re-identification", "10 %", "60 %", "30 %"] in rows
    assert ["school_2022.csv", "9", "40 %", "80 %", "70 %"] in rows


def test_hostile_names():
    """Of columns, of releases and of rules: all that a view shows of a user's."""
    name = "<script>window.hacked = 1</script>"
    releases = Releases({name: "data/school_2022.csv", "b": "data/school_2023.csv"}, key="pupil", focal=name)
    release = Release({name: ["1", "2"], "b": ["x", "y"]}, {name: "quasi_identifier", "b": "sensitive_attribute"})
    for result in (releases, releases.compose(), release, evaluate(release), every_subset(release)):
        page = result._repr_html_()
        assert "<script" not in page
        assert "&lt;script&gt;" in page
