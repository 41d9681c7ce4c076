"""Policies that name other releases about the same people: what is measured, judged, assumed and refused."""

import json
from fractions import Fraction
from hashlib import sha256

import pytest

from conftest import ROOT
from PETWorks import PETWorksError, Releases, check, read_policy
from PETWorks.render.language.texts import TEXTS
from policy_checks import CHECK, DAY

ALONE = """\
petworks_policy: 1
title: School 2023
data: now.csv
cell_size: 3
no_rule: {grade: a test, disability: a test}
roles: {identifiers: [pupil], quasi_identifiers: [age, gender], sensitive_attributes: [grade, disability]}
context: {recipients: researchers}
rules: [{measure: k-anonymity, k: 1}]
"""
THEN = "roles: {quasi_identifiers: [school, gender], sensitive_attributes: [grade], identifiers: [pupil]}"
RELEASES = f"""\
releases:
  key: pupil
  earlier:
    - {{name: School 2022, data: then.csv, date: 2022-09-01, recipients: the ministry, {THEN}}}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "now.csv").write_bytes((ROOT / "data/school_2023.csv").read_bytes())
    (tmp_path / "then.csv").write_bytes((ROOT / "data/school_2022.csv").read_bytes())
    return tmp_path


def judged(folder, text, **options):
    (folder / "policy.yaml").write_text(text, "utf-8")
    result = check(folder / "policy.yaml", as_of=DAY, **options)
    for edition in ("internal", "external"):
        assert [error.message for error in CHECK.iter_errors(result.to_dict(edition))] == []
    return result


def refused(folder, text):
    with pytest.raises(PETWorksError) as error:
        judged(folder, text)
    return str(error.value)


def exact(number):
    return Fraction(number).limit_denominator(1000)


def test_what_is_measured_is_what_releases_disclose(folder):
    """The worked answers: re-identification 6/10, alone 3/10, grade 8/10; 3 of 8 people disclosed."""
    facts = judged(folder, ALONE + RELEASES).content.releases
    identity, grade, disability = facts.attacks
    assert (exact(identity.together), exact(identity.certain)) == (Fraction(6, 10), Fraction(3, 10))
    assert (exact(identity.alone), exact(identity.certain_alone)) == (Fraction(5, 10), Fraction(2, 10))
    assert (exact(grade.together), exact(grade.certain), exact(disability.alone)) == (
        Fraction(8, 10),
        Fraction(5, 10),
        Fraction(7, 10),
    )
    assert [(step.release, exact(step.chance)) for step in identity.curve] == [
        (1, Fraction(4, 10)),
        (2, Fraction(6, 10)),
    ]
    assert [(one.release, one.adds_exact) for one in identity.shares] == [(1, "1/5"), (2, "3/10")]
    assert (exact(identity.shares[0].without), exact(identity.shares[0].saves)) == (Fraction(1, 2), Fraction(1, 10))
    (crossed,) = facts.unlinked
    assert (crossed.people, exact(crossed.disclosed)) == (8, Fraction(3, 8))
    assert [(one.release, exact(one.disclosed)) for one in crossed.alone] == [(1, Fraction(2, 8)), (2, Fraction(2, 8))]
    assert [(one.people, one.in_common, one.this) for one in facts.releases] == [(9, 8, False), (10, 10, True)]
    twin = Releases(["data/school_2022.csv", "data/school_2023.csv"], "pupil").compose()
    assert [one.m for one in facts.m_invariance] == [one.m for one in twin.invariance.values()]


@pytest.mark.parametrize(
    ("limit", "value", "verdict"),
    [
        ("re-identification: 0.6", 0.6, "pass"),
        ("re-identification: 0.59", 0.6, "fail"),
        ("alone: 3/10", 0.3, "pass"),
        ("inference: 0.79", 0.8, "fail"),
        ("inference:disability: 0.7", 0.7, "pass"),
        ("one-value: 0.4", 0.5, "fail"),
        ("disclosed: 1/4", 0.375, "fail"),
        ("half-sure: 1", 1.0, "pass"),
        ("m-invariance: 2", None, "fail"),
    ],
)
def test_limits_are_rules(folder, limit, value, verdict):
    name, _, number = limit.rpartition(": ")
    result = judged(folder, ALONE + RELEASES + f'  limits: {{"{name}": {number}}}\n')
    rule = next(one for one in result.content.rules if one.measure == "all-releases")
    assert (rule.name, rule.verdict) == (f"all-releases: {name}", verdict)
    assert rule.value == pytest.approx(value)
    assert f'name="all-releases: {name}"' in result.to_junit()
    assert name in result.to_markdown()
    assert name in result.to_format("text")
    assert f"all-releases: {name}" in result.to_html()
    assert ("≥ 2" if name == "m-invariance" else "≤ ") in result.to_markdown()


def test_a_limit_can_be_waived(folder):
    waived = "waivers: [{rule: 'all-releases: alone', owner: somebody, reason: a pilot, expires: 2027-01-01}]\n"
    rules = judged(folder, ALONE + RELEASES + "  limits: {alone: 0}\n" + waived).content.rules
    assert next(rule.verdict for rule in rules if rule.measure == "all-releases") == "waived"


def test_gain_needs_a_worth(folder):
    limit = "  limits: {gain:grade: 5}\n"
    assert "releases.limits.gain:grade: the limit 'gain' needs a worth" in refused(folder, ALONE + RELEASES + limit)
    worth = "  worth: {grade: {A: 10, B: 6, C: 6, D: 6, E: 8}}\n"
    result = judged(folder, ALONE + RELEASES + limit + worth)
    assert exact(next(one for one in result.content.rules if one.measure == "all-releases").value) == Fraction(56, 10)
    assert result.content.releases.attacks[1].gain[0] == 2.0
    assert "expected gain 2" in result.to_html()


def test_what_was_measured_replaces_the_assumption(folder):
    stated = (
        "context: {recipients: researchers, assumptions: [No other table about the same people is released., Mine.]}"
    )
    text = ALONE.replace("context: {recipients: researchers}", stated)
    none, measured = judged(folder, text), judged(folder, text + RELEASES)
    digest = "    - {sha256: " + "a" * 64 + ", recipients: a newspaper}\n"
    partly = judged(folder, text + RELEASES + digest)
    only = judged(folder, text + "releases: {earlier: [{sha256: " + "a" * 64 + ", recipients: a newspaper}]}\n")
    assumed = TEXTS["context.no-other-table"]
    for result, sentences in (
        (none, [assumed]),
        (measured, ["1 earlier release about the same people was measured together with this one; no further one"]),
        (
            partly,
            ["measured together with this one.", "1 other table about the same people has been released, but was not"],
        ),
        (only, ["1 other table about the same people has been released, but was not measured"]),
    ):
        for edition in ("internal", "external"):
            page = result.to_html(edition=edition)
            assert all(sentence in page for sentence in sentences), sentences
            assert ("no other table" in page.casefold()) == (result is none)
            assert "Mine." in page
    assert (partly.content.releases.measured, partly.content.releases.not_measured) == (1, 1)
    assert not partly.content.releases.releases[-1].measured
    stated = stated.replace(
        "recipients:", "earlier_releases: [{what: A list, date: 2020-01-01, recipients: x}], recipients:"
    )
    listed = judged(folder, ALONE.replace("context: {recipients: researchers}", stated))
    assert listed.content.releases.not_measured == 1


def test_a_digest_that_matches_and_one_that_does_not(folder):
    digest = sha256((folder / "then.csv").read_bytes()).hexdigest()
    given = RELEASES.replace("data: then.csv", f"data: then.csv, sha256: {digest.upper()}")
    assert judged(folder, ALONE + given).content.releases.releases[0].sha256 == digest
    wrong = RELEASES.replace("data: then.csv", f"data: then.csv, sha256: {'0' * 64}")
    assert refused(folder, ALONE + wrong) == (
        "policy.yaml, line 12, releases.earlier[1].sha256: 'then.csv' has another SHA-256: it is not the table that "
        "was released"
    )


def test_the_key_may_be_in_the_original(folder):
    lines = (folder / "now.csv").read_text().splitlines()
    (folder / "original.csv").write_text("\n".join(lines) + "\n")
    (folder / "now.csv").write_text("\n".join(line.partition(",")[2] for line in lines) + "\n")
    then = (folder / "then.csv").read_text().splitlines()
    (folder / "then_original.csv").write_text(
        "name," + then[0] + "\n" + "\n".join(f"x,{line}" for line in then[1:]) + "\n"
    )
    (folder / "then.csv").write_text("\n".join(line.partition(",")[2] for line in then) + "\n")
    given = RELEASES.replace("data: then.csv", "data: then.csv, original: then_original.csv, key: pupil")
    given = given.replace("identifiers: [pupil]", "insensitive_attributes: []")
    result = judged(folder, ALONE + "original: original.csv\n" + given + "  limits: {disclosed: 1/4}\n")
    assert exact(result.content.releases.attacks[0].together) == Fraction(6, 10)
    steps = [step.step for step in result.content.next_steps]
    assert "remove-key" not in steps
    assert {"blur-together", "withdraw"} <= set(steps)


def test_a_key_in_the_table_must_go_before_the_release(folder):
    result = judged(folder, ALONE + RELEASES)
    rules = {rule.name: (rule.verdict, rule.value) for rule in result.content.rules}
    assert rules["no-linked-records"] == ("fail", ("pupil",))
    assert result.content.verdict == "fail"
    assert "remove-key" in [step.step for step in result.content.next_steps]
    assert "not the file to release" in result.to_html()


def test_the_policy_of_an_earlier_release_describes_it(folder):
    own = f"petworks_policy: 1\ntitle: Then\ndata: then.csv\n{THEN}\nrules: [{{measure: k-anonymity, k: 1}}]\n"
    own += "context: {recipients: somebody}\nreleases: {key: pupil, earlier: [{data: gone.csv, recipients: x}]}\n"
    (folder / "then.yaml").write_text(own)
    facts = judged(folder, ALONE + "releases: {key: pupil, earlier: [{policy: then.yaml}]}\n").content.releases
    assert (facts.releases[0].name, facts.releases[0].recipients) == ("Then", "somebody")
    assert exact(facts.attacks[0].together) == Fraction(6, 10)


def test_files_of_other_releases_are_inputs(folder):
    inputs = judged(folder, ALONE + RELEASES).content.inputs
    assert [(one.use, one.file) for one in inputs] == [("data", "now.csv"), ("release", "then.csv")]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("{earlier: [{data: then.csv, recipients: x}]}", "releases: the key 'key' is missing"),
        ("{key: pupil, earlier: [{data: then.csv}]}", "releases.earlier[1]: the key 'recipients' is missing"),
        ("{key: pupil, earlier: [{recipients: x}]}", "releases.earlier[1]: which table was it?"),
        ("{key: pupil, earlier: [{data: gone.csv, recipients: x}]}", "releases.earlier[1].data: no such file"),
        ("{key: pupil, earlier: [{data: ../then.csv, recipients: x}]}", "releases.earlier[1].data: the path leads out"),
        ("{key: pupil, earlier: [{policy: ../p.yaml, recipients: x}]}", "releases.earlier[1].policy: the path leads"),
        ("{key: pupil, earlier: [{sha256: 12, recipients: x}]}", "releases.earlier[1].sha256: expected the SHA-256"),
        ("{key: pupil, earlier: [{data: then.csv, recipients: x, date: 2022-13-01}]}", "no such day"),
        ("{key: pupil, earlir: []}", "releases.earlir: no key is called 'earlir'; did you mean 'earlier'?"),
        ("{key: pupil, limits: {alone: 0}}", "releases.limits: there is no earlier release to measure"),
        ("{key: pupil, earlier: [SCHOOL], limits: {alon: 0}}", "releases.limits.alon: no limit is called 'alon'"),
        ("{key: pupil, earlier: [SCHOOL], limits: {alone: 2}}", "releases.limits.alone: "),
        ("{key: person, earlier: [SCHOOL]}", "releases.earlier[1]: no column 'person', which is to name the people"),
        (
            "{key: pupil, earlier: [SCHOOL, SCHOOL]}",
            "two releases are called 'then.csv'; give one of them another 'name'",
        ),
        ("{key: pupil, earlier: [SCHOOL], worth: {age: {x: 2}}}", "releases.worth: "),
        ("{key: gender, earlier: [SCHOOL]}", "releases"),
    ],
)
def test_mistakes_are_located(folder, given, says):
    given = given.replace("SCHOOL", f"{{data: then.csv, recipients: x, {THEN}}}")
    text = refused(folder, f"{ALONE}releases: {given}\n")
    assert text.startswith("policy.yaml, line ")
    assert says in text
    for cell in ("25", "49", "disability=yes"):
        assert f"'{cell}'" not in text


def test_all_mistakes_are_reported_at_once(folder):
    given = "releases:\n  key: pupil\n  earlier:\n    - {data: gone.csv, recipients: x}\n    - {data: then.csv}\n"
    text = refused(folder, ALONE + given + "    - {recipients: y}\nrulez: 1\n")
    assert [line.partition(": ")[0].split(", ")[2] for line in text.split("\n")] == [
        "releases.earlier[1].data",
        "releases.earlier[2]",
        "releases.earlier[3]",
        "rulez",
    ]


def test_links_that_lead_out_are_refused(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "then.csv").write_text((folder / "then.csv").read_text())
    (folder / "then.csv").unlink()
    (folder / "then.csv").symlink_to(outside / "then.csv")
    assert "the path leads out of the policy's folder" in refused(folder, ALONE + RELEASES)


def test_a_file_of_another_release_that_changes_meanwhile_is_an_error(folder, monkeypatch):
    from PETWorks.gate import case

    asked = case.sign_off

    def changing(*given):
        (folder / "then.csv").write_text((folder / "then.csv").read_text() + "12,Y,F,A\n")
        return asked(*given)

    monkeypatch.setattr(case, "sign_off", changing)
    assert "then.csv: the file changed while it was checked" in refused(folder, ALONE + RELEASES)


def test_a_policy_alone_has_no_other_releases(folder):
    (folder / "policy.yaml").write_text(ALONE + RELEASES + "  limits: {alone: 0}\n")
    policy = read_policy(folder / "policy.yaml", alone=True)
    assert (policy.releases.earlier, [rule for rule in policy.rules if rule.about_all_releases]) == ((), [])


def test_results_have_no_cell(folder):
    document = judged(folder, ALONE + RELEASES).to_dict()
    texts = json.dumps(document["releases"])
    assert not any(f'"{cell}"' in texts for cell in ("A", "B", "25", "49", "yes", "11"))


def test_warnings_are_in_every_language_of_the_report(folder):
    table = (folder / "then.csv").read_text("utf-8")
    header, *rows = table.splitlines()
    place = header.split(",").index("grade")
    coded = [",".join("x" if at == place else cell for at, cell in enumerate(row.split(","))) for row in rows]
    (folder / "then.csv").write_text("\n".join([header, *coded]) + "\n", "utf-8")
    page = judged(folder, ALONE + RELEASES).to_format("html", "zh-TW")
    assert "do not occur in" in page
    assert "「grade」有 100 % 的值未出現在" in page
    (warning,) = judged(folder, ALONE + RELEASES).to_dict()["releases"]["warnings"]
    assert warning.startswith("100 % of the values of 'grade' in 'School 2022'")
