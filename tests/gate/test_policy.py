"""Policy files: what they may say, and how wrong ones are answered."""

import re
from fractions import Fraction

import pytest
import yaml

from conftest import ROOT
from PETWorks import PETWorksError, catalogue, read_policy
from PETWorks.about.roles import ROLE_KEYS
from PETWorks.errors import InputError
from PETWorks.gate.document import NAMES, schema_text
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES, RULE_KEYS, VALUES_PROTECTED, presets
from PETWorks.gate.policy.policy_rules import RULES_OF_EVERY_POLICY as BUILT_IN

TABLE = "age;zip;disease\n30;1;flu\n30;1;cold\n40;2;flu\n40;2;flu\n"
NAMED = "age;zip;name;disease\n30;1;a;flu\n30;1;b;cold\n40;2;c;flu\n40;2;d;flu\n"
GOOD = """\
petworks_policy: 1
data: table.csv
roles:
  quasi_identifiers: [age, zip]
  sensitive_attributes: [disease]
rules:
  - measure: k-anonymity
    k: 2
"""


def written(folder, text, name="policy.yaml", table=TABLE):
    (folder / "table.csv").write_text(table)
    (folder / "other.csv").write_text(table.replace("disease", "illness"))
    if "sensitive_attributes: [disease]" in text and text.endswith("\n") and "no_rule" not in text:
        text += "no_rule: {disease: a test}\n"  # what these tests are about is something else
    (folder / name).write_text(text, "utf-8")
    return folder / name


def refused(folder, text):
    with pytest.raises(PETWorksError) as error:
        read_policy(written(folder, text)).release()
    assert isinstance(error.value, InputError)
    return str(error.value)


def test_a_policy_is_read(tmp_path):
    policy = read_policy(written(tmp_path, GOOD))
    (rule, *roles) = policy.rules
    assert [one.name for one in roles] == [*BUILT_IN, VALUES_PROTECTED]
    assert (policy.title, policy.cell_size, rule.name, rule.parameters["k"]) == ("table.csv", 11, "k-anonymity", 2)
    release = policy.release()
    assert (release.quasi_identifiers, release.sensitive_attributes) == (("age", "zip"), ("disease",))


def test_a_tab_may_separate(tmp_path):
    path = written(tmp_path, GOOD + 'separator: "\\t"\n')
    (tmp_path / "table.csv").write_text(TABLE.replace(";", "\t"))
    assert read_policy(path).release().records == 4


def test_everything_a_policy_can_say(tmp_path):
    (tmp_path / "people.csv").write_text("age;zip\n30;1\n30;1\n40;2\n40;2\n40;2\n")
    text = GOOD + (
        "title: {en: Survey, zh-TW: 調查}\npopulation: people.csv\nprivacy_unit: disease\n"
        "no_role: {zip: {en: old, zh-TW: 舊}}\n"
        "separator: ';'\nencoding: utf-8\n"
        "treatment: {missing: apart, suppressed: class, several_sensitive: quasi-identifiers}\n"
        "context:\n  release: controlled\n  recipients: two universities\n"
        "  adversaries: [{who: a neighbour, knows: [age]}]\n  assumptions: [nothing else is out]\n"
        "cell_size: 7\npresets: [cms-11, pdpc-3]\n"
        "waivers: [{rule: cms-11, owner: me, reason: a test, expires: 2030-01-31}]\n"
    )
    policy = read_policy(written(tmp_path, text.replace("people.csv", "1000")))
    assert policy.population == 1000
    policy = read_policy(written(tmp_path, text))
    assert policy.population.name == "people.csv"
    assert [rule.name for rule in policy.rules if rule.name not in BUILT_IN_RULES] == [
        "cms-11",
        "pdpc-3",
        "k-anonymity",
    ]
    assert policy.no_role == {"zip": {"en": "old", "zh-TW": "舊"}}
    assert (policy.cell_size, policy.release_kind, policy.adversaries[0].knows) == (7, "controlled", ("age",))
    assert policy.treatment == {"missing": "apart", "suppressed": "class", "several_sensitive": "quasi-identifiers"}
    assert policy.waivers[0].expires.isoformat() == "2030-01-31"


@pytest.mark.parametrize(
    ("change", "line", "key", "says"),
    [
        (("petworks_policy: 1", "petworks_policy: 2"), 1, "petworks_policy", "reads version 1"),
        (("petworks_policy: 1\n", ""), 1, None, "'petworks_policy' is missing"),
        (("data: table.csv", "data: table.csv\ntitel: x"), 3, "titel", "did you mean 'title'?"),
        (("data: table.csv", "data: [table.csv]"), 2, "data", "got a list"),
        (("data: table.csv", "data:"), 2, "data", "got nothing"),
        (
            ("  quasi_identifiers", "  quasi_identifier"),
            4,
            "roles.quasi_identifier",
            "did you mean 'quasi_identifiers'?",
        ),
        (("[age, zip]", "age"), 4, "roles.quasi_identifiers", "expected"),
        (("[age, zip]", "[age, age]"), 4, "roles.quasi_identifiers", "twice"),
        (("[disease]", "[disease, age]"), 5, "roles.sensitive_attributes[2]", "two roles"),
        (("k-anonymity", "k-anonimity"), 7, "rules[1].measure", "did you mean 'k-anonymity'?"),
        (("    k: 2", "    kk: 2"), 8, "rules[1].kk", "did you mean 'k'?"),
        (("    k: 2", "    k: none"), 8, "rules[1].k", "needs a number"),
        (("    k: 2", "    k: -1"), 8, "rules[1].k", "1 <= k"),
        (("    k: 2", "    k: [2]"), 8, "rules[1].k", "a parameter of the measure"),
        (("    k: 2\n", ""), 7, "rules[1]", "needs a threshold"),
        (("rules:\n  - measure: k-anonymity\n    k: 2\n", ""), 1, None, "no rule"),
        (("    k: 2\n", "    k: 2\n  - {measure: k-anonymity, k: 3}\n"), 9, "rules[2]", "another 'name'"),
        (("    k: 2\n", "    k: 2\npresets: [cms-12]\n"), 9, "presets[1]", "did you mean 'cms-11'?"),
        (("    k: 2\n", "    k: 2\npresets: [cms-11, cms-11]\n"), 9, "presets", "twice"),
        (("    k: 2\n", "    k: 2\ncell_size: 0\n"), 9, "cell_size", "a whole number"),
        (
            ("    k: 2\n", "    k: 2\ncontext: {release: pubic}\n"),
            9,
            "context.release",
            "'public', 'controlled', 'internal'",
        ),
        (
            ("    k: 2\n", "    k: 2\ncontext: {adversaries: [{who: x, knows: [agee]}]}\n"),
            9,
            None,
            "did you mean 'age'?",
        ),
        (("    k: 2\n", "    k: 2\nsubsets: {sizes: 3}\n"), 9, "subsets.sizes", "within 1-2"),
        (
            ("    k: 2\n", "    k: 2\nsubsets: {sizes: all, limits: {unique: 0.1}}\n"),
            9,
            "subsets.limits.unique",
            "uniques",
        ),
        (
            ("    k: 2\n", "    k: 2\nwaivers: [{rule: x, owner: a, reason: b, expires: 2030-02-28}]\n"),
            9,
            None,
            "no rule",
        ),
        (
            ("    k: 2\n", "    k: 2\nwaivers: [{rule: k-anonymity, owner: a, reason: b, expires: 2030-02-30}]\n"),
            9,
            "waivers[1].expires",
            "no such day",
        ),
        (
            ("    k: 2\n", "    k: 2\nwaivers: [{rule: k-anonymity, owner: a, expires: 2030-02-03}]\n"),
            9,
            "waivers[1]",
            "'reason' is missing",
        ),
        (
            (
                "    k: 2\n",
                "    k: 2\nwaivers:\n" + "  - {rule: k-anonymity, owner: a, reason: b, expires: 2030-02-03}\n" * 2,
            ),
            11,
            "waivers[2].rule",
            "waived twice",
        ),
        (("data: table.csv", "data: ../table.csv"), 2, "data", "allow a higher folder (root=...)"),
        (("data: table.csv", "data: /etc/passwd"), 2, "data", "allow a higher folder (root=...)"),
        (("data: table.csv", 'data: "a\\0b"'), 2, "data", "not a valid path"),
        (("data: table.csv", f"data: {'x' * 5000}"), 2, "data", "not a valid path"),
        (("data: table.csv", "data: gone.csv"), 2, "data", "no such file"),
        (("data: table.csv", "data: table.csv\noriginal: gone.csv"), 3, "original", "no such file"),
        (("  quasi_identifiers: [age, zip]\n", ""), 3, "roles", "no quasi-identifier"),
        (("data: table.csv", "data: table.csv\noriginal: other.csv"), 3, "original", "different columns"),
        (("[disease]", "[diseases]"), 5, "roles.sensitive_attributes[1]", "did you mean 'disease'?"),
        (("    k: 2\n", "    k: 2\nprivacy_unit: ' '\n"), 9, "privacy_unit", "expected"),
        (("    k: 2\n", "    k: 2\npopulation: -1\n"), 9, "population", "population"),
        (("    k: 2\n", "    k: 2\nencoding: nonsense\n"), 2, "data", "encoding"),
        (("    k: 2\n", '    k: 2\n"a\\e[31mb\\nc": 1\n'), 9, "a [31mb c", "no key is called"),
        (("    k: 2\n", "    k: 2\nroles2: x\n---\na: b\n"), None, None, "more than one YAML document"),
        (
            ("roles:\n  quasi_identifiers: [age, zip]\n  sensitive_attributes: [disease]\n", "roles: [age]\n"),
            3,
            "roles",
            "a mapping",
        ),
    ],
)
def test_errors_name_file_line_and_key(tmp_path, change, line, key, says):
    message = refused(tmp_path, GOOD.replace(*change))
    assert line is None or message.startswith(f"policy.yaml, line {line}"), message
    assert "\n" not in message
    if key is not None:
        assert message.startswith(f"policy.yaml, line {line}, {key}: "), message
    assert says in message
    assert "flu" not in message.replace(str(tmp_path), "")


def test_all_errors_are_listed_by_line(tmp_path):
    message = refused(tmp_path, "petworks_policy: 1\nruls: []\ndata: table.csv\ncontxt: {}\ntitel: x\n")
    assert re.findall(r"line (\d+)", message) == ["2", "4", "5"]
    many = "".join(f"unknown{place}: 1\n" for place in range(30))
    assert refused(tmp_path, f"petworks_policy: 1\ndata: table.csv\n{many}").splitlines()[-1] == "and 20 more errors"
    many = "".join(f"key{place}: 1\n" for place in range(11))
    assert refused(tmp_path, GOOD + many).splitlines()[-1] == "and 1 more error"


EVERYTHING_WRONG = """\
petworks_policy: 1
data: table.csv
original: gone.csv
population: ../people.csv
titel: x
roles:
  quasi_identifiers: [age, zpi]
  sensitive_attributes: [disease, age]
context:
  adversaries: [{who: x, knows: [agee]}]
presets: [cms-12]
rules:
  - {measure: k-anonimity, k: 2}
  - {measure: k-anonymity, k: 0}
  - {measure: t-closeness, t: [1]}
  - {measure: l-diversity}
subsets: {sizes: 9, limits: {unique: 0.1}}
waivers:
  - {rule: k-anonimity, owner: a, reason: b, expires: 2030-02-30}
  - {rule: other, owner: a, reason: b, expires: 2030-02-28}
  - {rule: t-closeness, owner: a, reason: b}
"""


def test_all_mistakes_are_reported_at_once_by_line(tmp_path, monkeypatch):
    monkeypatch.setattr("PETWorks.gate.policy.mistakes.MAX_ERRORS", 100)
    lines = refused(tmp_path, EVERYTHING_WRONG).splitlines()
    places = [re.match(r"policy.yaml, line (\d+), ([^:]+): ", line).groups() for line in lines]
    assert places == [
        ("3", "original"),
        ("4", "population"),
        ("5", "titel"),
        ("7", "roles.quasi_identifiers[2]"),
        ("8", "roles.sensitive_attributes[2]"),
        ("10", "context.adversaries[1].knows[1]"),
        ("11", "presets[1]"),
        ("13", "rules[1].measure"),
        ("14", "rules[2].k"),
        ("15", "rules[3].t"),
        ("16", "rules[4]"),
        ("17", "subsets.sizes"),
        ("17", "subsets.limits.unique"),
        ("19", "waivers[1].expires"),
        ("20", "waivers[2].rule"),
        ("21", "waivers[3]"),
    ]
    assert lines[1].endswith("(root=...)"), "hints stay hints"


def test_mistakes_that_only_the_table_shows_are_reported_together(tmp_path):
    wrong = GOOD.replace("[age, zip]", "[agee, zip, sex]") + "context: {adversaries: [{who: x, knows: [age]}]}\n"
    assert re.findall(r"line (\d+), ([^:]+):", refused(tmp_path, wrong)) == [
        ("4", "roles.quasi_identifiers[1]"),
        ("4", "roles.quasi_identifiers[3]"),
        ("9", "context.adversaries[1].knows[1]"),
    ]


def test_the_names_of_columns_are_not_shown_if_the_table_may_have_none(tmp_path):
    path = written(tmp_path, GOOD + "titel: x\n")
    (tmp_path / "table.csv").write_text("30;1;a;flu\n40;2;b;cold\n")
    with pytest.raises(InputError) as error:
        read_policy(path)
    assert "flu" not in str(error.value).replace(str(tmp_path), "")
    assert "the first line looks like data" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\nb: *a\n",
        "a: !!python/object/apply:os.system [ls]\n",
        "petworks_policy: 1\npetworks_policy: 1\n",
        "[" * 5000 + "]" * 5000,
        "? [a]\n: b\n",
        "- 1\n- 2\n",
        "",
        "\x00",
        'data: "unclosed\n',
        "x: " + "y" * (1 << 21),
    ],
)
def test_hostile_files_are_refused(tmp_path, text):
    assert refused(tmp_path, text).startswith("policy.yaml")


def test_files_that_are_none(tmp_path):
    for path in (tmp_path, tmp_path / "missing.yaml"):
        with pytest.raises(InputError):
            read_policy(path)
    (tmp_path / "latin.yaml").write_bytes(b"title: \xff\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_policy(tmp_path / "latin.yaml")


def test_paths_stay_below_the_root(tmp_path):
    (tmp_path / "policies").mkdir()
    (tmp_path / "table.csv").write_text(TABLE)
    path = written(tmp_path / "policies", GOOD.replace("data: table.csv", "data: ../table.csv"))
    with pytest.raises(InputError, match="leads out"):
        read_policy(path)
    assert read_policy(path, root=tmp_path).release().records == 4
    (tmp_path / "policies" / "link.csv").symlink_to(tmp_path / "table.csv")
    with pytest.raises(InputError, match="leads out"):
        read_policy(written(tmp_path / "policies", GOOD.replace("table.csv", "link.csv")))


def test_hierarchies_and_roles_stay_below_the_root_too(tmp_path):
    (tmp_path / "outside.csv").write_text("30;*\n40;*\n")
    (tmp_path / "outside.yaml").write_text("DATASET: {ATTRIBUTE_TYPE: {QUASI_IDENTIFIER: [age]}}\n")
    folder = tmp_path / "inside"
    (folder / "levels").mkdir(parents=True)
    path = written(folder, GOOD + "hierarchies: levels\n")
    assert read_policy(path)
    (folder / "levels/hierarchy_age.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(InputError, match="hierarchies: the path leads out"):
        read_policy(path)
    (folder / "table.yaml").symlink_to(tmp_path / "outside.yaml")
    with pytest.raises(InputError, match="data: the path leads out"):
        read_policy(written(folder, GOOD))


def test_hierarchies_that_the_roles_file_names_stay_below_the_root(tmp_path):
    (tmp_path / "outside.csv").write_text("30;*\n40;*\n")
    folder = tmp_path / "inside"
    (folder / "levels").mkdir(parents=True)
    path = written(folder, GOOD)
    (folder / "table.yaml").write_text("DATASET: {HIERARCHY: levels}\n")
    assert read_policy(path)
    (folder / "levels/hierarchy_age.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(InputError, match="data: the path leads out"):
        read_policy(path)
    assert read_policy(path, root=tmp_path).release().hierarchies
    (folder / "table.yaml").write_text("DATASET: [\n")
    assert read_policy(path), "whoever needs the file says what is wrong with it"


def test_files_with_very_many_errors_are_refused(tmp_path):
    assert "and at least 89 more errors" in refused(tmp_path, "".join(f"key{place}: 1\n" for place in range(60_000)))
    assert "expected" in refused(tmp_path, "petworks_policy: 1\ndata: [" + "a," * 500_000 + "]\n")


def test_every_preset_is_complete_and_its_rules_are_rules():
    for name, preset in presets().items():
        assert preset.organisation, name
        assert preset.title, name
        assert preset.chinese, name
        assert preset.date == "unknown" or re.fullmatch(r"\d{4}(-\d\d){0,2}", preset.date), name
        assert preset.source.startswith("https://"), name
        assert preset.stated_as in ("cell size", "probability", "probability and cell size"), name
        for rule in preset.rules:
            parameters = {key: value for key, value in rule.items() if key != "measure"}
            checked = catalogue[rule["measure"]].check(parameters)
            wanted = checked.get("k") or checked.get("cell_size")
            assert wanted in (None, preset.cell_size), name


def test_presets_are_stated_as_cell_size_and_probability():
    for name, preset in presets().items():
        probability = Fraction(preset.probability)
        assert name.rpartition("-")[2] in (str(preset.cell_size), preset.probability), "the name says the threshold"
        assert preset.cell_size >= int(1 / probability), name  # 0.09 is what regulators call 11
        assert preset.stated_as != "cell size" or probability == Fraction(1, preset.cell_size), name


def test_parameters_of_measures_are_not_keys_of_rules():
    assert [name for name, entry in catalogue.items() if set(RULE_KEYS) & set(entry.parameters)] == []


def test_schemas_are_schemas_and_fit_the_code():
    import json

    from jsonschema import Draft202012Validator

    for name in NAMES:
        Draft202012Validator.check_schema(json.loads(schema_text(name)))
    assert list(json.loads(schema_text("policy"))["properties"]["roles"]["properties"]) == list(ROLE_KEYS)


def test_an_editor_that_reads_numbers_accepts_the_bundled_policy():
    import json

    from jsonschema import Draft202012Validator

    content = yaml.safe_load((ROOT / "data/adult_policy.yaml").read_text("utf-8"))
    assert isinstance(content["petworks_policy"], int)
    assert list(Draft202012Validator(json.loads(schema_text("policy"))).iter_errors(content)) == []


@pytest.mark.parametrize("nothing", ["\\u200b", "...", "\\u3164", "\\u2800-\\ufeff", "*"])
@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("no_rule.disease", "no_rule: {disease: REASON}"),
        ("no_role.other", "no_role: {other: REASON}"),
        ("role_reasons.age", "role_reasons: {age: REASON}"),
        ("role_reasons.age", "role_reasons: {age: {en: known, zh-TW: REASON}}"),
        ("context.rules_reason", "context: {rules_reason: REASON}"),
        ("context.purpose", "context: {purpose: REASON}"),
        ("context.recipients", "context: {recipients: REASON}"),
        ("sign_off.approver", "sign_off: {approver: REASON}"),
        ("sign_off.role", "sign_off: {role: REASON}"),
        ("sign_off.incident_contact", "sign_off: {incident_contact: {en: us, zh-TW: REASON}}"),
        ("unique_values.reason", "unique_values: {share: 0.5, reason: REASON}"),
        ("waivers[1].owner", "waivers: [{rule: k-anonymity, owner: REASON, reason: why, expires: 2999-01-01}]"),
        ("waivers[1].reason", "waivers: [{rule: k-anonymity, owner: we, reason: REASON, expires: 2999-01-01}]"),
    ],
)
def test_reasons_say_something(tmp_path, nothing, key, line):
    found = refused(tmp_path, GOOD + line.replace("REASON", f'"{nothing}"') + "\n")
    assert f"{key}: the text says nothing: it has no letter or digit that can be seen" in found
    read_policy(written(tmp_path, GOOD + line.replace("REASON", "醫") + "\n"))
