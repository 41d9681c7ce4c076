"""The first page of a report, for those who sign: what it says and leaves to the details; one sheet of paper."""

import functools

import pytest
from msgspec.structs import replace

from command import petworks
from PETWorks import check
from PETWorks.gate.document import Notice, RuleVerdicts
from PETWorks.render.check_result import Check
from PETWorks.render.language.language import percent
from PETWorks.render.report.prose import verdict
from policy_checks import DAY

TABLE = ["zip,age,wage,illness", *(f"{n % 2},{30 + n % 4},{1000 + 3 * n},{'abc'[n % 3]}" for n in range(240))]
POLICY = """petworks_policy: 1
data: t.csv
roles: {quasi_identifiers: [zip, age], sensitive_attributes: [illness, wage]}
rules: [{measure: k-anonymity, k: K}, {measure: l-diversity, l: 2}]
unique_values: {share: 1, reason: nobody knows a wage}
context: {release: internal}
sign_off: {approver: Jane Doe, role: head of office, review_by: 2030-01-31}
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
        "The file meets every rule set for this release.",
        "does not guarantee that nobody can be identified, and this report is not legal advice",
        "Whoever signs decides whether that is acceptable.",
        "groups of at least 60 who look the same (required: 5)",
        "符合規則不保證絕對沒有人會被認出來，本報告也不是法律意見",
        "I have read the first page of this report. I approve the release of t.csv (file fingerprint, SHA-256: ",
        "to: people within the organisation.",
        "The release is to be reviewed by 2030-01-31.",
        "this report is the internal edition and must not be passed on",
        "本報告為內部版，不得對外提供",
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
    assert "The smallest number of people who look the same." in page
    assert "Prepared by" not in page
    assert "Declaration" not in page, "there is nothing to sign"
    assert page.index("What to do next") < page.index("What the file contains now")


def test_a_policy_that_names_nobody_has_no_section_about_them(tmp_path):
    named = checked(tmp_path, 5).to_html("en")
    assert 'id="sign-off"' in named
    (tmp_path / "p.yaml").write_text(
        POLICY.replace("K", "5").replace(
            "sign_off: {approver: Jane Doe, role: head of office, review_by: 2030-01-31}", ""
        )
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
        signing = page.locator(".signing")
        assert (signing.locator(".declaration").count(), signing.locator("table.sign").count()) == (1, 1)
        assert signing.evaluate("block => getComputedStyle(block).breakInside") == "avoid", "nobody signs an empty page"


PEOPLE = [
    f"{18 + (n // 3 * 7 + n % 3 * 13) % 62},{'ABCDEF'[n // 3 % 6]},{'fm'[n % 2]},{85.5 if n // 3 % 6 < 4 else 212.25},"
    f"{n // 3},{'low' if n * 5 % 7 < 4 else 'high'}"
    for n in range(600)
]
SURVEY = """petworks_policy: 1
data: survey.csv
roles: {quasi_identifiers: [age, area, sex], sensitive_attributes: [income]}
sampling_weight: weight
household: household
hierarchies: {age: {width: [5, 10, 20]}}
context: {release: controlled}
rules:
  - {measure: individual-risk, highest: 0.01, expected: 2}
  - {measure: k-anonymity, k: 2}
  - {measure: l-diversity, l: 2}
"""


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A folder with a sample, and a release of it without its weights."""
    folder = tmp_path_factory.mktemp("survey")
    (folder / "survey.csv").write_text("\n".join(["age,area,sex,weight,household,income", *PEOPLE]) + "\n")
    (folder / "survey.yaml").write_text(SURVEY)
    done = petworks("anonymize", folder / "survey.yaml", "-o", folder / "public.csv")
    assert done.returncode == 0, done.stderr
    return folder


def test_a_sample_without_its_weights_says_what_they_said(survey):
    result = check(survey / "public_policy.yaml", as_of=DAY)
    risk = next(rule for rule in result.content.rules if rule.name == "individual-risk")
    page = result.to_html("en")
    front = page[: page.index("<nav")]
    assert "This file is a sample of 600 people." in front
    in_sample = next(one.share for one in result.content.notices if one.notice == "highest-risk-in-sample")
    assert f'class="large"><span lang="en">{percent(risk.value)} to {percent(in_sample)}<' in front, (
        "nobody quotes the lower one alone"
    )
    assert f"{percent(in_sample)} for a person who is known to be in it" in front
    assert "to: ________________ (recipients who are known and bound by terms of use)." in front
    assert "measured when the release was made (public_plan.json)" in page
    limits = risk.details["limits"]
    assert limits["highest"]["measured"] == risk.value, "each limit has its value"
    assert f"expected\N{NO-BREAK SPACE}{limits['expected']['measured']:.4g}" in page
    assert "Red: classes smaller than 11, the size below which" in page, "the rules ask for two"
    assert "needs sampling weights" not in page, "it was measured"
    assert "No population was given" not in page


def test_weights_are_not_accused(survey):
    result = check(survey / "survey.yaml", as_of=DAY)
    page = result.to_html("en")
    assert "a physical characteristic" not in page
    assert "An outsider may know weight" not in page
    assert "2 columns for the check only, which must not be released: weight, household." in page[: page.index("<nav")]
    assert "weight, household: sampling weight and household are for the check" in page
    assert "Give them a role" not in page
    assert "anyone in the population, estimated from the sampling weights" in page


def test_a_check_knows_what_a_run_knew():
    """Risk before, information left and the number of removed records, in the words of anonymize."""
    page = first_page(adult())
    assert "original: 100 %" in page
    assert "on average in the 8 columns that outsiders may know" in page


def test_what_outsiders_must_know_too(tmp_path):
    result = checked(tmp_path, 5)
    outside = first_page(result, "external")
    for said in (
        "rounded on purpose: between 240 and 259",
        "How well illness, wage can be guessed is not shown either.",
        "wage, illness, or who has other tables about the same people",
    ):
        assert said in outside, said
    assert "What to do next" not in first_page(checked(tmp_path, 90), "external")


def test_red_classes_are_those_that_a_rule_or_the_external_edition_speaks_of(tmp_path):
    said = "Red: classes smaller than 80. A rule of this release asks for at least 90"
    checked(tmp_path, 90)
    for k, expected in ((90, True), (70, False)):
        (tmp_path / "p.yaml").write_text(POLICY.replace("K", str(k)) + "cell_size: 80\n")
        page = check(tmp_path / "p.yaml", as_of=DAY).to_html("en")
        assert ((said in page), ("That alone is no fault" in page)) == (expected, not expected)


def test_certain_values_of_several_columns_are_one_sentence(tmp_path):
    rows = [f"{n},{30 + n % 4},{1000 + 3 * n},{'abc'[n % 3]}" for n in range(240)]
    (tmp_path / "t.csv").write_text("\n".join([TABLE[0], *rows]) + "\n")
    (tmp_path / "p.yaml").write_text(POLICY.replace("K", "5"))
    page = first_page(check(tmp_path / "p.yaml", as_of=DAY))
    assert "these values are certain: wage for 240 people, illness for 240 people. All who look" in page.replace(
        "illness for 240 people, wage for 240 people", "wage for 240 people, illness for 240 people"
    )
    assert page.count("certain") == 1, "not once for each column"


def test_hidden_failures_are_not_counted_as_kept(tmp_path):
    content = replace(checked(tmp_path, 90).content, rule_verdicts=RuleVerdicts(8, 0, 1, 2), edition="external")
    assert verdict(content, "en") == "At least 1 of 9 rules fails; the results of 2 more are not shown."


def test_a_waiver_says_who_answers_and_until_when(tmp_path):
    waiver = "waivers: [{rule: k-anonymity, owner: the director, reason: a pilot., expires: 2027-06-30}]\n"
    checked(tmp_path, 90)
    (tmp_path / "p.yaml").write_text(POLICY.replace("K", "90") + waiver)
    result = check(tmp_path / "p.yaml", as_of=DAY)
    inside, outside = first_page(result), first_page(result, "external")
    assert "Exception until 2027-06-30. Reason: a pilot. Answers for it: the director." in inside
    assert "a file that is already out does not come back" in inside
    assert "at least 60 who look the same (required: 90, waived)" in inside, "the rule asks for them nevertheless"
    assert "The review (2030-01-31) comes after an exception has ended." in inside
    assert "The review" not in outside
    (tmp_path / "p.yaml").write_text(POLICY.replace("K", "90").replace("2030-01-31", "2027-06-30") + waiver)
    assert "comes after" not in first_page(check(tmp_path / "p.yaml", as_of=DAY)), "both end on one day"
    assert "240 records are in smaller groups. Exception until" in inside
    assert "I know that the file does not meet: k-anonymity (exception until 2027-06-30)." in inside
    assert "本人知悉未符合的規則：k-匿名性（例外至 2027-06-30）。" in inside
    assert "answers for" not in outside
    assert "An exception was made for it, until the date given." in outside


def test_a_few_blank_cells_are_not_coarser_values(tmp_path):
    rows = [f"{n % 2},{30 + n % 4},{'abc'[n % 3]}" for n in range(60)]
    (tmp_path / "o.csv").write_text("\n".join(["zip,age,illness", *rows]) + "\n")
    (tmp_path / "t.csv").write_text("\n".join(["zip,age,illness", "*" + rows[0][1:], *rows[1:]]) + "\n")
    policy = POLICY.replace("wage]", "]").replace(", ]", "]").replace("data: t.csv", "data: t.csv\noriginal: o.csv")
    (tmp_path / "p.yaml").write_text(policy.replace("K", "1"))
    page = first_page(check(tmp_path / "p.yaml", as_of=DAY))
    assert "blank (*) in 1 record" in page
    assert "◐" not in page
    assert 'class="became coarser"' not in page


def test_a_reason_stands_beside_what_it_is_for(tmp_path):
    (tmp_path / "t.csv").write_text(
        "\n".join(["zip,age,days", *(f"{n % 2},{30 + n % 4},v{n % 5}" for n in range(240))])
    )
    policy = POLICY.replace("illness, wage", "days") + "role_reasons: {days: nobody outside was there}\n"
    (tmp_path / "p.yaml").write_text(policy.replace("K", "5"))
    page = check(tmp_path / "p.yaml", as_of=DAY).to_html("en")
    front = page[: page.index("<nav")]
    assert (
        "Figures and any pass hold only if no outsider knows the values of days. "
        "Reason given: “nobody outside was there”" in front
    )
    assert "The policy says: nobody outside was there" in page
    assert "no measure looks at it" not in page, "measures look at it as a secret"
