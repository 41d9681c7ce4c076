"""The first page of a report, for those who sign: what it says and leaves to the details; one sheet of paper."""

import functools

import pytest
from msgspec.structs import replace

from PETWorks import check
from PETWorks.gate.document import Notice
from PETWorks.render.check_result import Check
from policy_checks import DAY

TABLE = ["zip,age,wage,illness", *(f"{n % 2},{30 + n % 4},{1000 + 3 * n},{'abc'[n % 3]}" for n in range(240))]
POLICY = """petworks_policy: 1
data: t.csv
roles: {quasi_identifiers: [zip, age], sensitive_attributes: [illness, wage]}
rules: [{measure: k-anonymity, k: K}, {measure: l-diversity, l: 2}]
unique_values: {share: 1, reason: nobody knows a wage}
context: {release: internal}
sign_off: {approver: Jane Doe, role: head of office}
"""


@functools.cache
def adult():
    return check("data/adult_policy.yaml", as_of=DAY)


def checked(folder, k):
    (folder / "t.csv").write_text("\n".join(TABLE) + "\n")
    (folder / "p.yaml").write_text(POLICY.replace("K", str(k)))
    return check(folder / "p.yaml", as_of=DAY)


def first_page(result, edition="internal"):
    text = result.to_html("en", edition)
    return text[text.index("<h1>") : text.index("<nav")]


def test_what_a_pass_means(tmp_path):
    page = first_page(checked(tmp_path, 5))
    for said in (
        "The file keeps every rule that was set for this release.",
        "no promise that nobody can be found in it, and no legal opinion",
        "Whoever signs decides whether that is acceptable.",
        "everybody looks like at least 59 others",
        "符合規則不保證絕對沒有人會被認出來，也不是法律意見",
        "I approve that t.csv",
        "to people within the organisation",
        "Jane Doe",
        "Prepared by",
    ):
        assert said in page, said
    assert "1.7 %" in page
    for jargon in ("quasi-identifier", "equivalence class", "anonymize.protect", "role_reasons", "suppress"):
        assert jargon not in page, jargon


def test_remarks_advise_in_the_details_only(tmp_path):
    content = checked(tmp_path, 5).content
    page = Check(replace(content, notices=(Notice("found-by-amount", ("wage",), share=0.9),))).to_html("en")
    front = page[: page.index("<nav")]
    assert "Whoever knows the exact value of wage, too, knows which record is whose" in front
    assert "Make wage coarser (anonymize.protect)" in page.removeprefix(front)


def test_a_failing_file_is_not_to_be_signed(tmp_path):
    page = first_page(checked(tmp_path, 90))
    assert "so it must not go out as it is" in page
    assert "How many people look the same at least." in page
    assert "there is nothing to sign" in page
    assert "Prepared by" not in page
    assert page.index("What to do next") < page.index("What the file contains now")


def test_a_policy_that_names_nobody_has_no_section_about_them(tmp_path):
    named = checked(tmp_path, 5).to_html("en")
    assert 'id="sign-off"' in named
    (tmp_path / "p.yaml").write_text(
        POLICY.replace("K", "5").replace("sign_off: {approver: Jane Doe, role: head of office}", "")
    )
    unnamed = check(tmp_path / "p.yaml", as_of=DAY).to_html("en")
    assert 'id="sign-off"' not in unnamed
    assert "Prepared by" in unnamed, "there are fields for signatures nevertheless"


def test_columns_are_a_table_where_the_original_is_known():
    page = first_page(adult())
    states = {column.column: column for column in adult().content.columns}
    assert states["race"].information_kept == 0
    for state, column in (("lost", "race"), ("coarser", "age"), ("kept", "workclass")):
        row = page[page.index(f'<th scope="row">{column}</th>') :]
        assert f'class="became {state}"' in row[: row.index("</tr>")], column
    outside = first_page(adult(), "external")
    assert 'class="became' not in outside
    assert "Prepared by" not in outside
    assert "is shown in the internal edition only" in outside


@pytest.mark.parametrize("lang", ["English", "正體中文"])
def test_the_first_page_is_one_sheet(browser, tmp_path, lang):
    (tmp_path / "report.html").write_text(adult().to_html(), "utf-8")
    with browser.new_context(viewport={"width": 680, "height": 994}) as context:  # A4 without its margins
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())
        page.get_by_label(lang).check()
        page.emulate_media(media="print")
        assert page.evaluate("document.querySelector('.summary').getBoundingClientRect().bottom") < 994
        assert page.evaluate("document.documentElement.scrollWidth") <= 680, "wider pages are printed smaller"
