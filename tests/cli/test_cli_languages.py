"""What commands print in Chinese: no English is left, tables align, numbers are those of the English output."""

import json
import re
import shutil

import pytest
from rich.cells import cell_len

from command import petworks
from conftest import ROOT
from PETWorks import Release
from PETWorks.errors import PETWorksError
from PETWorks.measures.catalogue import all_measures
from PETWorks.measures.evaluation import evaluate_requests
from PETWorks.measures.result import flatten
from PETWorks.render.language.texts import DETAILS

DATA = ROOT / "data"
COMMANDS = {
    "evaluate": f"evaluate {DATA}/patient_anonymized.csv",
    "evaluate measures": f"evaluate {DATA}/adult_anonymized.csv --original {DATA}/adult.csv --population 0.01 "
    "--measure t-closeness:t=0.3 --measure prosecutor-risk:highest=0.1 --measure l-diversity:l=2",
    "measures": "measures",
    "attack": f"attack {DATA}/patient_anonymized.csv --subsets all --limit uniques=0.1 --worth Disease:flu=3",
    "compose": f"compose {DATA}/school_2022.csv {DATA}/school_2023.csv --key pupil --limit disclosed=0.01 "
    "--subsets 1-2 --subset-limit uniques=0.2 --worth grade:A=3",
    "presets": "presets",
    "regimes": "regimes",
    "hierarchy": f"hierarchy {DATA}/adult.csv --column age",
    "check": f"check {DATA}/adult_policy.yaml",
    "frontier": "anonymize {tmp}/delta_policy.yaml --frontier --vary k-anonymity:k=2,3",
    "anonymize": "anonymize {tmp}/delta_policy.yaml -o {tmp}/released.csv --explain --reasons {tmp}/why.csv "
    "--shuffle --seed 1",
    "apply": "apply {tmp}/delta_policy.yaml --levels zip=1,age=2,nationality=1 --suppress -o {tmp}/released.csv",
    "apply plan": "apply {tmp}/delta.csv --plan {tmp}/first_plan.json -o {tmp}/released.csv",
    "diff": "diff {tmp}/old.json {tmp}/new.json",
    "verify": "verify {tmp}/old.json --policy {tmp}/delta_policy.yaml",
    "register": "register list --register {tmp}/register",
    "init": "init {tmp}/delta.csv -o {tmp}/new_policy.yaml",
}
POLICY = """petworks_policy: 1
data: delta.csv
no_rule: {salary-class: a test}
roles:
  quasi_identifiers: [zip, age, nationality]
  sensitive_attributes: [salary-class]
  insensitive_attributes: []
hierarchies: {zip: {prefix: [3, 1]}, age: {width: [10, 20]}, nationality: {rare: {fewer_than: 3}}}
rules:
  - measure: k-anonymity
    k: 2
anonymize: {suppression: 0.4}
"""
ENGLISH = re.compile(
    r"\b(the|of|and|with|is|are|records?|none|holds?|class(es)?|attack|values?|column)\b", re.IGNORECASE
)
# What is the same in all languages: names of files, rules, parameters and presets, options.
KEPT = re.compile(r"\S+[=/.:_]\S*|--\S+|`[^`]*`|「[^」]*」|（.*?）|[A-Za-z]+-[A-Za-z-]+|petworks \S+")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("languages")
    shutil.copy(DATA / "delta.csv", made)
    (made / "delta_policy.yaml").write_text(POLICY)
    first = petworks("anonymize", made / "delta_policy.yaml", "-o", made / "first.csv")
    assert first.returncode == 0, first.stderr
    petworks("check", made / "delta_policy.yaml", "--json", made / "old.json")
    petworks("check", made / "first_policy.yaml", "--json", made / "new.json")
    petworks("register", "add", made / "new.json", "--register", made / "register", "--recipients", "x")
    return made


def printed(command, folder, lang):
    for name in ("new_policy.yaml", "why.csv", *(path.name for path in folder.glob("released*"))):
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return petworks("--lang", lang, *command.replace("{tmp}", str(folder)).split())


@pytest.mark.parametrize("name", COMMANDS)
def test_chinese_output(name, folder):
    english, chinese = (printed(COMMANDS[name], folder, lang) for lang in ("en", "zh-TW"))
    assert chinese.returncode == english.returncode < 2, chinese.stderr
    assert (chinese.stderr == "") == (english.stderr == "")
    sources = name in ("presets", "regimes")  # titles of publications stay as they are
    for line in (chinese.stdout + chinese.stderr).splitlines():
        assert cell_len(line.replace(str(folder), "")) <= 120 or line.startswith(("petworks: ", "若未通過")), line
        assert sources or not ENGLISH.search(KEPT.sub("", line)), line
    if not sources and name not in ("measures", "anonymize"):  # sentences have their numbers elsewhere
        numbers = [
            re.findall(r"\d[\d,.]*\d|\d", re.sub(r"[\w-]*[A-Za-z_][\w-]*", "", one.stdout))
            for one in (english, chinese)
        ]
        assert sorted(numbers[0]) == sorted(numbers[1])


@pytest.mark.parametrize("name", ["evaluate", "attack", "compose", "check", "diff", "register", "hierarchy"])
def test_columns_of_tables_align(name, folder):
    """The line below the headers is as wide as the table, and no header or cell reaches beyond it."""
    lines = printed(COMMANDS[name], folder, "zh-TW").stdout.splitlines()
    rules = [place for place, line in enumerate(lines) if set(line.strip()) == {"─"}]
    assert rules
    for place in rules:
        width = cell_len(lines[place])
        starts = [
            cell_len(lines[place - 1][: match.start()]) for match in re.finditer(r"(?<=  )\S|^ \S", lines[place - 1])
        ]
        table = [lines[place - 1], *(line for line in _until_blank(lines[place + 1 :]))]
        assert all(cell_len(line) <= width + 1 for line in table)
        for line in table:
            begins = {cell_len(line[: match.start()]) for match in re.finditer(r"(?<=   )\S", line)}
            assert begins <= {start + shift for start in starts for shift in (0, 1)} | set(range(2)), line


def _until_blank(lines):
    for line in lines:
        if not line.strip():
            return
        yield line


def test_json_is_the_same(folder):
    for command in (
        "evaluate {d}/patient_anonymized.csv",
        "attack {d}/patient_anonymized.csv --subsets all",
        "measures",
        "presets",
        "regimes",
        "hierarchy {d}/adult.csv --column age",
        "register list --register {tmp}/register",
        "compose {d}/school_2022.csv {d}/school_2023.csv --key pupil",
        "diff {tmp}/old.json {tmp}/new.json",
        "verify {tmp}/old.json",
        "apply {tmp}/delta.csv --plan {tmp}/first_plan.json -o {tmp}/released.csv",
    ):
        command = command.replace("{d}", str(DATA)) + " --format json"
        english, chinese = (printed(command, folder, lang) for lang in ("en", "zh-TW"))
        assert json.loads(english.stdout) == json.loads(chinese.stdout), command
        assert english.returncode == chinese.returncode


def test_a_policy_differs_in_its_comments_only(folder):
    texts = []
    for lang in ("en", "zh-TW"):
        assert printed(COMMANDS["init"], folder, lang).returncode == 0
        texts.append((folder / "new_policy.yaml").read_text("utf-8"))
    without = [[re.sub(r"\s*#.*", "", line) for line in text.splitlines()] for text in texts]
    assert without[0] == without[1]
    comments = "\n".join(re.findall(r"# .*", texts[1]))
    assert not ENGLISH.search(KEPT.sub("", re.sub(r"\(.*?\)|, \d{4}.*|[A-Z].*", "", comments)))
    assert petworks("check", folder / "new_policy.yaml").returncode in (0, 1)


def releases():
    roles = {"ZIPCode": "quasi_identifier", "Disease": "sensitive_attribute", "Salary": "sensitive_attribute"}
    yield Release(DATA / "adult_anonymized.csv", original=DATA / "adult.csv", population=0.01)
    yield Release(DATA / "adult_anonymized.csv", original=DATA / "adult.csv", population=DATA / "adult.csv")
    yield Release(DATA / "patient_anonymized.csv", roles, privacy_unit="Age")


def test_every_key_of_the_details_is_translated():
    """With and without thresholds: these add keys."""
    keys = set()
    for release in releases():
        for entry in all_measures():
            limits = [
                name for name, one in entry.parameters.items() if one.default is None and one.rule.kind == "number"
            ]
            for wanted in ((), limits, limits[:1]):
                try:
                    results = evaluate_requests(release, [(entry, entry.check(dict.fromkeys(wanted, 1)))]).results
                except PETWorksError:
                    continue
                keys |= {key for result in results for key in keys_of(result.details, set(release.columns))}
    letters = {"k", "l", "c", "t"}
    assert keys - set(DETAILS) - letters == set()


def keys_of(details, columns):
    """The keys that are shown; names of columns and ranges of numbers are none."""
    for name, value in details.items():
        if isinstance(value, dict) and value and all(isinstance(row, dict) for row in value.values()):
            yield from (name, *next(iter(value.values())))
        else:
            parts = (part for key in flatten({name: value}) for part in key.split(": "))
            yield from (part for part in parts if part not in columns and not re.search(r"\d|'", part))
