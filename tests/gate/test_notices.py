"""What stands beside the verdict: columns that nobody measured, nearly unique ones, those of which nothing is left."""

import json

import pytest

from command import petworks
from PETWorks import Release, ReleaseWarning, anonymize, check

POLICY = """petworks_policy: 1
data: table.csv
hierarchies: {age: {width: [10]}, zip: {prefix: [1]}}
no_rule: {cost: a test}
unique_values: {share: 1, reason: a test}
roles:
  quasi_identifiers: [age, zip]
  sensitive_attributes: [cost]
  insensitive_attributes: [visited, ward]
rules:
  - {measure: k-anonymity, k: 2}
"""
EXPLAINED = """role_reasons:
  visited: a day of the year in which nobody saw them come
  cost: known to the ledger alone
"""
# tests/gate/test_worst_case.py, tests/gate/test_sufficient_rules.py
ALWAYS = ("highest-risk", "certain-value", "likely-value", "not-covered", "no-rule", "unique-values-reason")


@pytest.fixture
def folder(tmp_path):
    """Everybody is of one age that is suppressed; costs are unique, as allowed; visits are days, a ward is a letter."""
    rows = [f"*,{10 + n % 2},{1000 + 7 * n},v{1 + n % 5},same" for n in range(40)]
    (tmp_path / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *rows]) + "\n")
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def notices(folder):
    document = check(folder / "policy.yaml").content
    return document.verdict, {one.notice: one.columns for one in document.notices if one.notice not in ALWAYS}


def test_what_the_verdict_does_not_say(folder):
    assert notices(folder) == (
        "pass",
        {"perhaps-known": ("visited",), "nearly-unique": ("cost",), "nothing-left": ("age",)},
    )
    told = petworks("check", folder / "policy.yaml")
    assert told.returncode == 0
    first = " ".join(told.stdout.split("rule  ")[0].split())
    for text in (
        "An outsider may know visited, and no rule takes that into account",
        "unique value in cost: whoever knows it finds the record.",
        "Nothing is left of age: every cell is *.",
    ):
        assert text in first, "beside the verdict, above the rules"
    assert "make such columns quasi-identifiers or leave them out, or explain under 'role_reasons'" in " ".join(
        told.stdout.split()
    )


@pytest.mark.parametrize("format_name", ["html", "markdown"])
def test_every_report_for_people_has_them(folder, format_name):
    text = check(folder / "policy.yaml").to_format(format_name, "en", "internal")
    assert "unique value in cost: whoever knows it finds the record." in text
    outside = check(folder / "policy.yaml").to_format(format_name, "en", "external")
    assert "whoever knows it finds the record." not in outside


def test_a_reason_in_the_policy_settles_it(folder):
    (folder / "policy.yaml").write_text(POLICY + EXPLAINED)
    assert notices(folder) == ("pass", {"explained": ("cost",), "nothing-left": ("age",)})  # of both, cost is the last
    steps = {one.step for one in check(folder / "policy.yaml").content.next_steps}
    assert not steps & {"measure-or-explain", "round-values", "look-again"}


def test_a_reason_is_quoted_with_what_happens_if_it_is_wrong(tmp_path):
    """Whoever knows the district: of ten people of each of 8 ages, one is unique, and two look alike."""
    of_age = [["d{}", *["e{}"] * 2, *["f{}"] * 7] for _ in range(8)]
    rows = [
        f"{20 + age},{form.format(age % 2)},{place % 3}"
        for age, forms in enumerate(of_age)
        for place, form in enumerate(forms)
    ]
    (tmp_path / "table.csv").write_text("\n".join(["age,district,ill", *rows]) + "\n")
    roles = "{quasi_identifiers: [age], sensitive_attributes: [ill], insensitive_attributes: [district]}"
    (tmp_path / "policy.yaml").write_text(
        f"petworks_policy: 1\ndata: table.csv\nroles: {roles}\n"
        "rules: [{measure: k-anonymity, k: 6}, {measure: l-diversity, l: 2}]\n"
        "role_reasons: {district: needed for research}\ncontext: {rules_reason: a test}\n"
    )
    result = check(tmp_path / "policy.yaml")
    (told,) = (one for one in result.content.notices if one.notice == "explained")
    assert (result.content.verdict, told.columns, told.reason) == ("pass", ("district",), "needed for research")
    assert (told.records, told.below, told.size) == (8, 24, 6)
    sentence = (
        "Figures and any pass hold only if no outsider knows the values of district. Reason given: “needed for "
        "research”. If somebody knows them as well, 8 records look like no other, and 24 are in groups of fewer than 6."
    )
    terminal = petworks("check", tmp_path / "policy.yaml").stdout
    assert " ".join(terminal.split("rule  ")[0].split()).index(sentence) < terminal.index("at worst")
    page = result.to_html("en")
    front = page[: page.index('<section id="') if '<section id="' in page else len(page)]
    assert sentence in front
    assert "assuming that no outsider knows the values of district" in front
    outside = result.to_html("en", "external") + result.to_format("json", "en", "external")
    assert "needed for research" not in outside


def test_a_reason_does_not_excuse_what_fails(folder):
    names = "\n".join(f"*,{10 + n % 2},c{n},2025-01-01,person{n}@example.org" for n in range(40))
    (folder / "table.csv").write_text(f"age,zip,cost,visited,ward\n{names}\n")
    (folder / "policy.yaml").write_text(POLICY + EXPLAINED + "  ward: they asked for it\n")
    assert notices(folder)[0] == "fail"


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("  - {measure: k-anonymity, k: 2}\n", False),
        ("  - {measure: prosecutor-risk, highest: 0.5}\n", False),
        ("  - {measure: l-diversity, l: 2}\n", False),
        ("  - {measure: l-diversity, l: 1}\n", True),
        ("  - {measure: k-anonymity, k: 1}\n", True),
        ("  - {measure: prosecutor-risk, highest: 1}\n", True),
        ("  - {measure: t-closeness, t: 1}\nsubsets: {sizes: 1, limits: {highest-risk: 0.5}}\n", False),
        ("  - {measure: t-closeness, t: 1}\nsubsets: {sizes: 1, limits: {highest-risk: 1}}\n", True),
        (
            "  - {measure: k-anonymity, k: 30}\n  - {measure: t-closeness, t: 1}\n"
            "waivers: [{rule: k-anonymity, owner: we, reason: we trust them, expires: 2999-01-01}]\n",
            True,
        ),
    ],
)
def test_somebody_must_limit_the_size_of_classes(folder, rules, told):
    head, _, _ = POLICY.partition("rules:")
    (folder / "policy.yaml").write_text(f"{head}context: {{rules_reason: a test}}\nrules:\n{rules}")
    assert ("no-class-size" in notices(folder)[1]) == told


def test_a_column_that_was_empty_has_lost_nothing(folder):
    rows = [f",{10 + n % 2},{1000 + 7 * n},v{1 + n % 5},same" for n in range(40)]
    (folder / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *rows]) + "\n")
    assert "nothing-left" not in notices(folder)[1]


def test_outsiders_do_not_read_them(folder):
    document = json.loads(check(folder / "policy.yaml").to_json(edition="external"))
    assert not document.get("notices")


def test_anonymize_says_the_same(folder):
    rows = [f"{20 + n % 9},{10 + n % 2},{1000 + 7 * n},v{1 + n % 5},same" for n in range(40)]
    (folder / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *rows]) + "\n")
    made = petworks("anonymize", folder / "policy.yaml", "-o", folder / "released.csv", "--level", "age=2")
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[1:8] == [
        "The chance to find a person is 5 % on average; at worst it is 5 %, for 40 people.",
        "An outsider may know visited, and no rule takes that into account: the verdict says nothing about someone who "
        "does.",
        "Nearly every record has a unique value in cost: whoever knows it finds the record.",
        "Nothing is left of age: every cell is *.",
        "The verdict relies on the policy's reason why exact values of cost may single out up to 100 % of the records.",
        "The verdict relies on the policy's reasons why no rule is about the values of cost.",
        "The verdict does not consider somebody who already knows a person's ward, or who has other tables about the "
        "same people.",
    ]
    assert "look at" not in made.stdout
    told = json.loads(
        petworks("anonymize", folder / "policy.yaml", "-o", folder / "released.csv", "--format", "json").stdout
    )
    assert told["columns_to_look_at"] == ["cost", "visited"]
    assert [one["notice"] for one in told["notices"]] == [
        "highest-risk",
        "likely-value",
        "perhaps-known",
        "nearly-unique",
        "unique-values-reason",
        "no-rule",
        "not-covered",
    ]


def test_the_last_line_says_that_a_release_fails(folder):
    applied = petworks("apply", folder / "policy.yaml", "-o", folder / "released.csv", "--levels", "zip=0")
    assert applied.returncode == 0
    (folder / "policy.yaml").write_text(POLICY.replace("k: 2", "k: 30"))
    applied = petworks("apply", folder / "policy.yaml", "-o", folder / "released.csv", "--levels", "zip=0")
    assert applied.returncode == 1
    assert applied.stderr.splitlines()[-1].endswith("released.csv does not pass: do not hand it out")


def suppressing(folder, *options):
    """A table in which one person stands out, and all others fill classes of four."""
    rows = [f"{20 + n // 4 % 5},{10 + n % 2},{n % 3},same,same" for n in range(40)] + ["99,10,1,same,same"]
    (folder / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *rows]) + "\n")
    text = POLICY.replace("[10]", "[1]").replace("k: 2}", "k: 2}\n" + "".join(options))
    (folder / "policy.yaml").write_text(text + "anonymize: {suppression: 0.1, levels: {age: 0, zip: 0}}\n")
    return petworks("anonymize", folder / "policy.yaml", "-o", folder / "released.csv")


def test_suppressed_records_leave_the_table(folder):
    """The plan lists them; with stars they stay, and are judged as a class that one record cannot keep."""
    made = suppressing(folder)
    assert made.returncode == 0, made.stderr
    released = (folder / "released.csv").read_text().splitlines()
    assert len(released) == 1 + 40
    assert not any(line.startswith("*") for line in released)
    document = check(folder / "released_policy.yaml").content
    assert document.table.removed_records == 1
    assert json.loads((folder / "released_plan.json").read_text())["removed"] == "41"
    stars = petworks(
        "anonymize", folder / "policy.yaml", "-o", folder / "released.csv", "--suppressed-records", "stars"
    )
    assert stars.returncode == 2, "nothing may be suppressed then: no other levels are allowed"


def test_stars_of_one_sensitive_value_fail_as_a_class(folder):
    """Enough of them, but all alike: two classes that l-diversity rejects make one that it would reject, too."""
    rows = [f"{20 + n % 2},{10 + n // 2 % 2},{n % 3},same,same" for n in range(48)]
    rows += [f"{80 + n % 2},10,7,same,same" for n in range(8)]
    (folder / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *rows]) + "\n")
    text = POLICY.replace("[10]", "[1]") + "  - {measure: l-diversity, l: 2}\n"
    (folder / "policy.yaml").write_text(text + "anonymize: {suppression: 0.2, levels: {age: 0, zip: 0}}\n")
    assert petworks("anonymize", folder / "policy.yaml", "-o", folder / "released.csv").returncode == 0
    assert len((folder / "released.csv").read_text().splitlines()) == 1 + 48
    kept = [row if int(row[:2]) < 80 else f"*,*{row[5:]}" for row in rows]
    (folder / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *kept]) + "\n")
    verdicts = {rule.name: rule.verdict for rule in check(folder / "policy.yaml").content.rules}
    assert (verdicts["k-anonymity"], verdicts["l-diversity"], verdicts["records-left"]) == ("pass", "fail", "pass")


def test_nothing_left_fails(folder):
    """Every class rule holds for a table of which every record is suppressed."""
    rows = [f"*,*,{n % 3},same,same" for n in range(48)]
    (folder / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *rows]) + "\n")
    document = check(folder / "policy.yaml").content
    failing = [rule.name for rule in document.rules if rule.verdict == "fail"]
    assert failing == ["records-left"]
    assert "nothing-left" in {one.step for one in document.next_steps}
    (folder / "policy.yaml").write_text(POLICY + "treatment: {suppressed: apart}\n")
    assert check(folder / "policy.yaml").verdict == "fail"


def test_one_value_is_little(folder):
    rows = [f"{20 + n % 9},1{n % 2},{1000 + 7 * n},v{1 + n % 5},same" for n in range(40)]
    (folder / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *rows]) + "\n")
    made = petworks("anonymize", folder / "policy.yaml", "-o", folder / "released.csv", "--level", "zip=1")
    assert "Only one value is left of zip." in made.stdout


def test_a_waiver_does_not_hide_names(folder):
    (folder / "policy.yaml").write_text(
        POLICY.replace("roles:\n", "roles:\n  identifiers: [ward]\n").replace("visited, ward", "visited")
        + "waivers: [{rule: no-direct-identifiers, owner: we, reason: they asked, expires: 2999-01-01}]\n"
    )
    verdict, found = notices(folder)
    assert verdict == "waived"
    assert found["identifiers-left"] == ("ward",)


def test_the_external_edition_has_them_nowhere(folder):
    """Not on standard error either: logs of pipelines are read by outsiders."""
    told = petworks("check", folder / "policy.yaml", "--edition", "external", "--html", folder / "out.html")
    for text in (told.stdout, told.stderr, (folder / "out.html").read_text("utf-8")):
        assert "may know visited" not in text


@pytest.mark.parametrize(("step", "alone"), [(1, 1.0), (1000, 0.0)])
def test_amounts_by_which_records_are_found_are_told(folder, step, alone):
    """Rounded, so that no column says it alone; but in its class, everybody has an amount of their own."""
    rows = [f"{20 + n % 2},{10 + n // 2 % 2},{(n // 4 + 20) * 100 // step * step},same,same" for n in range(120)]
    (folder / "table.csv").write_text("\n".join(["age,zip,cost,visited,ward", *rows]) + "\n")
    document = check(folder / "policy.yaml").content
    found = {one.notice: (one.columns, one.share) for one in document.notices}
    assert found.get("found-by-amount") == ((("cost",), alone) if alone else None)
    (folder / "policy.yaml").write_text(POLICY + "role_reasons: {cost: nobody sees the bills}\n")
    found = {one.notice: one.columns for one in check(folder / "policy.yaml").content.notices}
    assert "found-by-amount" not in found
    assert found.get("explained") == (("cost",) if alone else None)


def test_outsiders_read_what_nobody_is_assumed_to_know(folder):
    assert "It is assumed that nobody knows: cost, visited, ward." in check(folder / "policy.yaml").to_html(
        "en", "external"
    )


def test_a_protected_column_is_not_said_to_be_unchanged(tmp_path):
    lines = [f"{age},{1000 + 37 * place}" for place in range(40) for age in ("30", "40")]
    (tmp_path / "t.csv").write_text("\n".join(["age,salary", *lines]) + "\n")
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.csv\nroles: {quasi_identifiers: [age], insensitive_attributes: [salary]}\n"
        "hierarchies: {age: {rare: {fewer_than: 5}}}\nrules: [{measure: k-anonymity, k: 2}]\n"
        "anonymize: {protect: {salary: {round: 1000}}}\n"
    )
    for command in (("anonymize", "p.yaml"), ("apply", "t.csv", "--plan", "r_plan.json")):
        made = petworks(*command, "-o", "r.csv" if command[0] == "anonymize" else "s.csv", cwd=tmp_path)
        assert made.returncode == 1, "a salary is declared insensitive, and no reason is given"
        assert "go out unchanged" not in made.stdout
        assert "salary, which may be sensitive; the values were made coarser" in " ".join(made.stdout.split())
    found = {one.notice: one.columns for one in check(tmp_path / "r_policy.yaml").content.notices}
    assert found["perhaps-sensitive-coarser"] == ("salary",)
    assert "perhaps-sensitive" not in found
    (tmp_path / "r.csv").write_text((tmp_path / "t.csv").read_text())  # not the file that the plan is about
    found = {one.notice: one.columns for one in check(tmp_path / "r_policy.yaml").content.notices}
    assert "perhaps-sensitive-coarser" not in found
    roles = {"age": "quasi_identifier", "salary": "insensitive_attribute"}
    hierarchies = {"age": {"rare": {"fewer_than": 5}}}
    release = Release(tmp_path / "t.csv", roles, hierarchies, protect={"salary": {"round": 1000}})
    with pytest.warns(ReleaseWarning) as told:
        anonymize(release, {"k-anonymity": {"k": 2}})
    assert any("made coarser" in str(one.message) for one in told)


@pytest.mark.parametrize(("expires", "told"), [("2028-11-16", False), ("2028-11-17", True), ("2999-12-31", True)])
@pytest.mark.parametrize("k", [2, 100])  # not needed, needed
def test_a_waiver_that_runs_for_more_than_two_years_is_named(folder, expires, told, k):
    rules = POLICY.replace("k: 2", f"k: {k}") + "context: {rules_reason: a test}\n"
    waiver = f"waivers: [{{rule: k-anonymity, owner: us, reason: a pilot, expires: {expires}}}]\n"
    (folder / "policy.yaml").write_text(rules + waiver)
    result = check(folder / "policy.yaml", as_of="2026-11-16")
    assert ({"notice": "long-waiver", "rules": ["k-anonymity"]} in result.document["notices"]) is told
    assert result.verdict == ("pass" if k == 2 else "waived")
    for lang, words in (
        ("en", "Waived for more than two years from today: k-anonymity."),
        ("zh-TW", "自今日起豁免超過兩年的規則：k-匿名性。"),
    ):
        for shown in (result.to_format("text", lang, "internal"), result.to_format("html", lang, "internal")):
            assert (words in shown.replace("\n", " ")) is told
