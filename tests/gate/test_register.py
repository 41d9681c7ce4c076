"""The register of releases: what it keeps, what it finds, and files in it that are no entries."""

import json

import pytest
from jsonschema import Draft202012Validator
from test_releases_of_policies import ALONE, RELEASES, folder, judged  # noqa: F401 - a fixture

from PETWorks import PETWorksError, check, read_policy
from PETWorks.gate.document import schema_text
from PETWorks.gate.register import file_of_entry, make_entry, read_register
from policy_checks import CHECK, DAY

SCHEMA = Draft202012Validator(json.loads(schema_text("register")))
EARLIER = """\
petworks_policy: 1
title: {en: School 2022, zh-TW: 2022 年學校資料}
data: then.csv
no_rule: {grade: a test}
roles: {identifiers: [pupil], quasi_identifiers: [school, gender], sensitive_attributes: [grade]}
context: {recipients: the ministry, release: controlled}
rules: [{measure: k-anonymity, k: 1}]
releases: {key: pupil}
"""


@pytest.fixture
def register(folder):  # noqa: F811 - the fixture above
    (folder / "register").mkdir()
    (folder / "then_policy.yaml").write_text(EARLIER, "utf-8")
    added(folder, check(folder / "then_policy.yaml", as_of=DAY))
    return folder / "register"


def added(folder, result, **given):  # noqa: F811
    files = file_of_entry(folder / "register", make_entry(result.file(), **given))
    for path, content in files.items():
        path.write_bytes(content)
    return list(files)


def test_an_entry_has_digest_date_recipients_columns_roles_and_verdict(folder, register):  # noqa: F811
    (file,) = register.iterdir()
    content = json.loads(file.read_text("utf-8"))
    assert SCHEMA.is_valid(content)
    assert file.name == f"2026-11-16-{content['sha256'][:12]}.json"
    assert (content["date"], content["recipients"], content["key"], content["verdict"]) == (
        "2026-11-16",
        "the ministry",
        "pupil",
        "fail",  # the key is in the table
    )
    assert content["columns"] == {
        "pupil": "identifier",
        "school": "quasi_identifier",
        "gender": "quasi_identifier",
        "grade": "sensitive_attribute",
    }
    rows = [line.split(",") for line in (folder / "then.csv").read_text().splitlines()[1:]]
    cells = {cell for row in rows for cell in row}
    words = {*map(str, content.values()), *content["columns"]}
    assert not cells & words


def test_the_same_check_gives_the_same_file(folder, register):  # noqa: F811
    result = check(folder / "then_policy.yaml", as_of=DAY)
    assert added(folder, result) == []
    assert len(list(register.iterdir())) == 1
    with pytest.raises(PETWorksError, match=r"the register has another entry .* of the same table and day"):
        added(folder, result, recipients="somebody else")
    assert len(added(folder, result, recipients="somebody else", day="2026-12-01")) == 1
    assert [entry.recipients for entry in read_register(register)] == ["the ministry", "somebody else"]


def test_a_check_says_what_earlier_releases_share_and_who_has_them(folder, register):  # noqa: F811
    result = judged(folder, ALONE + "register: register\n")
    (found,) = result.content.releases.registered
    assert (found.recipients, found.date, found.measured) == ("the ministry", "2026-11-16", False)
    assert (found.shared_keys, found.shared_quasi_identifiers, found.shared_sensitive_attributes) == (
        ("pupil",),
        ("gender",),
        ("grade",),
    )
    assert result.content.releases.not_measured == 1
    step = next(step for step in result.content.next_steps if step.step == "measure-together")
    assert step.releases == ({"en": "School 2022", "zh-TW": "2022 年學校資料"},)
    for text in (result.to_html(), result.to_markdown(), result.to_format("text")):
        assert "the ministry" in text
    assert "2022 年學校資料" in result.to_html("zh-TW")
    outside = result.to_dict("external")
    assert "registered" not in outside["releases"]
    for text in (json.dumps(outside), result.to_html(edition="external"), result.to_markdown(edition="external")):
        assert "ministry" not in text
        assert "School 2022" not in text


def test_a_release_that_shares_quasi_identifiers_only_may_be_about_other_people(folder, register):  # noqa: F811
    text = (folder / "now.csv").read_text().replace("pupil", "number")
    (folder / "now.csv").write_text(text)
    facts = judged(folder, ALONE.replace("pupil", "number") + "register: register\n").content
    assert [one.shared_keys for one in facts.releases.registered] == [()]
    assert facts.releases.not_measured == 0
    assert "measure-together" not in [step.step for step in facts.next_steps]


def test_what_was_measured_is_marked(folder, register):  # noqa: F811
    result = judged(folder, ALONE + RELEASES + "register: register\n")
    assert [one.measured for one in result.content.releases.registered] == [True]
    assert result.content.releases.not_measured == 0
    assert "measure-together" not in [step.step for step in result.content.next_steps]
    assert [one.use for one in result.content.inputs][-1] == "register"


def test_a_release_is_no_earlier_release_of_itself(folder, register):  # noqa: F811
    (folder / "again.yaml").write_text(EARLIER, "utf-8")
    assert check(folder / "again.yaml", as_of=DAY, register=register).content.releases.registered == ()


def test_releases_that_share_nothing_are_left_out(folder, register):  # noqa: F811
    (folder / "other.csv").write_text("town;illness\na;flu\na;cold\n")
    roles = "roles: {quasi_identifiers: [town], sensitive_attributes: [illness]}"
    other = f"petworks_policy: 1\ndata: other.csv\n{roles}\nrules: [{{measure: k-anonymity, k: 1}}]\n"
    result = judged(folder, other, register=register)
    assert result.content.releases.registered == ()
    assert "No release of the register shares" in result.to_html()
    assert result.content.options["register"] == "FOLDER"


def test_documents_that_cannot_be_registered(folder, register):  # noqa: F811
    result = check(folder / "then_policy.yaml", as_of=DAY)
    with pytest.raises(PETWorksError, match="the external edition has no digest of the table"):
        make_entry(result.file("external"))
    from msgspec.structs import replace

    with pytest.raises(PETWorksError, match="the document was changed since the check"):
        make_entry(replace(result.file(), verdict="pass"))
    with pytest.raises(PETWorksError, match="no column 'person'"):
        make_entry(result.file(), key="person")
    with pytest.raises(PETWorksError, match=r"a day is like 2026-11-16, got '16.11.2026'"):
        make_entry(result.file(), day="16.11.2026")
    (folder / "p.yaml").write_text(ALONE.replace("context: {recipients: researchers}\n", ""))
    with pytest.raises(PETWorksError, match="the policy does not say who receives the table"):
        make_entry(check(folder / "p.yaml", as_of=DAY).file())


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("<<<<<<< ours\n{}\n", "bad.json: not JSON; expected an entry of a register"),
        ("[]", "bad.json: not an entry of a register"),
        ("{}", "bad.json: not an entry of a register"),
        ("\udcff".encode("utf-8", "surrogateescape"), "bad.json: not JSON in UTF-8"),
        ("[" * 100_000, "bad.json: not JSON"),
        ('{"x": ' + '"' + "y" * (1 << 20) + '"}', "larger than 1 MiB"),
    ],
)
def test_files_that_are_no_entries(register, content, says):
    (register / "bad.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PETWorksError) as error:
        read_register(register)
    assert says in str(error.value)


def test_an_entry_that_was_edited(register):
    (file,) = register.iterdir()
    content = json.loads(file.read_text("utf-8"))
    for change, says in (
        ({"date": "2026-13-01"}, "a day is like 2026-11-16"),
        ({"verdict": "good"}, "verdict violates 'enum'"),
        ({"columns": {"a": "secret"}}, "violates"),
        ({"cells": [1]}, "violates 'additionalProperties'"),
    ):
        file.write_text(json.dumps({**content, **change}), "utf-8")
        with pytest.raises(PETWorksError, match=says):
            read_register(register)


def test_links_and_folders_are_no_entries(register, tmp_path):
    (register / "README.md").write_text("beside entries\n")
    assert len(read_register(register)) == 1
    (register / "link.json").symlink_to(next(register.glob("2026*")))
    with pytest.raises(PETWorksError, match="a symbolic link"):
        read_register(register)
    (register / "link.json").unlink()
    (register / "folder.json").mkdir()
    with pytest.raises(PETWorksError, match="not a regular file"):
        read_register(register)
    with pytest.raises(PETWorksError, match="no such folder"):
        read_register(tmp_path / "gone")


def test_a_register_outside_the_folder_of_the_policy_is_refused(folder, register, tmp_path_factory):  # noqa: F811
    outside = tmp_path_factory.mktemp("outside")
    (folder / "link").symlink_to(outside)
    for path in ("../elsewhere", "link", str(outside)):
        (folder / "policy.yaml").write_text(ALONE + f"register: {path}\n")
        with pytest.raises(PETWorksError, match=r"register: the path leads out|register: no such"):
            read_policy(folder / "policy.yaml")


def test_the_document_is_valid(folder, register):  # noqa: F811
    document = judged(folder, ALONE + "register: register\n").to_dict()
    assert [error.message for error in CHECK.iter_errors(document)] == []
