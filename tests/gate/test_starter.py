"""`petworks init`: a policy to start from."""

import json
import re
import shlex
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from rich.cells import cell_len

from command import petworks
from PETWorks import check
from PETWorks.about.hierarchies.declaration import parse_declaration
from PETWorks.counting.engines.engine import load_rows
from PETWorks.errors import InputError
from PETWorks.gate.document import schema_text
from PETWorks.gate.policy.mistakes import Mistakes, check_against_schema
from PETWorks.gate.policy.policy import read_policy
from PETWorks.gate.suggest.starter import starter_policy, suggest_for_file
from PETWorks.render.report.prose import comment_translators
from PETWorks.tables.opening import open_path
from PETWorks.tables.yaml_files import read_yaml

CELLS = ["Wang-cell", "Li-cell", "Chen-cell", "Lin-cell"]
PEOPLE = {
    "姓名": CELLS,
    "年齡": ["31-cell", "31-cell", "45-cell", "45-cell"],
    "郵遞區號": ["100-cell", "100-cell", "104-cell", "104-cell"],
    "診斷": ["flu-cell", "flu-cell", "cold-cell", "flu-cell"],
    "source": ["x-cell"] * 4,
}


@pytest.fixture
def people(tmp_path):
    rows = [";".join(PEOPLE), *(";".join(row) for row in zip(*PEOPLE.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(rows), "utf-8")
    return tmp_path / "people.csv"


def test_init_writes_a_policy_that_check_takes(people):
    done = petworks("init", people)
    assert (done.returncode, done.stderr) == (0, "")
    policy = people.with_name("people_policy.yaml")
    text = policy.read_text("utf-8")
    assert "cell" not in text.replace("cell size", "").replace("cell_size", "")
    assert not any(cell in done.stdout for column in PEOPLE.values() for cell in column)
    read = read_policy(policy)
    by_role = {role: [name for name, one in read.roles.items() if one == role] for role in set(read.roles.values())}
    assert by_role["identifier"] == ["姓名"]
    assert by_role["quasi_identifier"] == ["年齡", "郵遞區號"]
    assert by_role["sensitive_attribute"] == ["診斷"]
    assert [preset.name for preset in read.presets] == ["health-canada-0.09"]
    assert text.count("#") > 20
    done = petworks("check", policy)
    assert done.returncode == 1, done.stderr
    assert "Remove the direct identifiers" in done.stdout


def test_comments_of_columns_begin_in_one_place(people):
    assert petworks("init", people, "--lang", "zh-TW").returncode == 0
    lines = people.with_name("people_policy.yaml").read_text("utf-8").splitlines()
    age, postcode = (
        next(line for line in lines if line.startswith(f'    - "{name}"')) for name in ("年齡", "郵遞區號")
    )
    assert cell_len(age.partition("#")[0]) == cell_len(postcode.partition("#")[0])
    assert age.index("#") > postcode.index("#")


def test_init_does_not_overwrite(people):
    assert petworks("init", people).returncode == 0
    before = people.with_name("people_policy.yaml").read_bytes()
    again = petworks("init", people)
    assert (again.returncode, "it already exists" in again.stderr) == (2, True)
    assert people.with_name("people_policy.yaml").read_bytes() == before
    assert petworks("init", people, "-o", people.with_name("other.yaml"), "--release", "internal").returncode == 0
    assert read_policy(people.with_name("other.yaml")).presets[0].name == "pdpc-3"


def test_roles_beside_the_table_are_taken():
    found, unit = suggest_for_file(Path("data/patient_anonymized.csv"), None, None)
    assert {one.column: one.role for one in found}["Disease"] == "sensitive_attribute"
    assert all("YAML file" in one.reason for one in found if one.column in ("ZIPCode", "Age", "Disease"))
    assert unit is None


def test_a_person_with_several_records(tmp_path):
    lines = ["patient_id,age,drug", *(f"P{place % 40:05d},{20 + place % 7},d{place % 3}" for place in range(100))]
    (tmp_path / "visits.csv").write_text("\n".join(lines))
    assert petworks("init", tmp_path / "visits.csv").returncode == 0
    policy = read_policy(tmp_path / "visits_policy.yaml")
    assert (policy.privacy_unit, policy.subset_sizes) == ("patient_id", None)
    assert petworks("check", tmp_path / "visits_policy.yaml").returncode in (0, 1)


@pytest.mark.parametrize(
    "arguments", [("missing.csv",), ("data/patient_anonymized.csv", "--release", "secret"), ("data",)]
)
def test_wrong_use(arguments, tmp_path):
    done = petworks("init", *arguments, "-o", tmp_path / "x.yaml")
    assert done.returncode == 2
    assert not (tmp_path / "x.yaml").exists()


@pytest.mark.parametrize(
    "text",
    [
        "Wang;45;flu\nLi;46;cold\n",
        "男;臺北\n男;臺北\n女;臺中\n",
        "1;2\n3;4\n",
        "a,a\n1,2\n",
        "Alice Smith,1980-01-02\nBob Jones,1981-02-03\n",
    ],
)
def test_first_lines_that_are_no_names(tmp_path, text):
    (tmp_path / "t.csv").write_text(text, "utf-8")
    done = petworks("init", tmp_path / "t.csv")
    assert done.returncode == 2
    assert not any(cell in done.stderr + done.stdout for cell in ("Alice", "Wang", "flu", "男", "臺北"))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


MIXED = {
    "age": [str(20 + place % 60) for place in range(300)],
    "birthday": [f"{1950 + place % 50}-{1 + place % 12:02}-{1 + place % 28:02}" for place in range(300)],
    "zip": [f"{10000 + 37 * (place % 80)}" for place in range(300)],
    "sex": ["f", "m", "f"] * 100,
    "city": ["Taipei", "Tainan", ""] * 100,
    "diagnosis": ["flu", "cold", "flu", "asthma"] * 75,
}


def test_init_proposes_a_hierarchy_for_each_quasi_identifier(tmp_path):
    rows = [",".join(MIXED), *(",".join(row) for row in zip(*MIXED.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    assert petworks("init", tmp_path / "t.csv").returncode == 0
    policy = tmp_path / "t_policy.yaml"
    text = policy.read_text("utf-8")
    read = read_policy(policy)
    known = {name for name, role in read.roles.items() if role == "quasi_identifier"}
    assert known == set(read.hierarchies) == set(MIXED) - {"diagnosis"}
    assert "  age: {width: [5, 10, 20], cuts: [20, 60], labels: 20–39}  # ages: intervals of 5, 10, 20 years, " in text
    assert (
        "  birthday: {dates: [month, quarter, half-year, year, 5-years, decade, 20-years]}  # dates; levels: " in text
    )
    assert "levels: 1 = month, 2 = quarter, 3 = half-year, 4 = year, 5 = 5-years, 6 = decade, " in text
    assert not any(cell in text for cell in ("Taipei", "10037", "1951-02-02"))
    assert read.anonymize == {"suppression": "0.05"}
    with_them = check(policy).content
    start, end = text.index("# How values become coarser"), text.index("# privacy_unit")
    policy.write_text(text[:start] + text[end:])
    without = check(policy).content
    assert [(rule.name, rule.verdict) for rule in with_them.rules] == [(one.name, one.verdict) for one in without.rules]
    measured = [set(content.not_applicable) for content in (without, with_them)]
    assert {"precision", "granularity"} <= measured[0] - measured[1]


def test_a_column_without_a_name_is_left_out(tmp_path):
    (tmp_path / " t.csv").write_text(",age,zip\n0,30,1\n1,30,1\n")
    assert petworks("init", tmp_path / " t.csv").returncode == 0
    done = petworks("check", tmp_path / " t_policy.yaml")
    assert done.returncode == 1, done.stderr


def test_an_empty_column_has_no_role_and_a_reason(tmp_path):
    (tmp_path / "t.csv").write_text("age,zip,left\n" + "30,1,\n" * 30)
    assert petworks("init", tmp_path / "t.csv").returncode == 0
    assert read_policy(tmp_path / "t_policy.yaml").no_role == {"left": "no suggestion: no value in 30 records"}
    assert petworks("check", tmp_path / "t_policy.yaml").returncode == 0


def test_a_table_of_identifiers_alone(tmp_path):
    (tmp_path / "t.csv").write_text("name,email\nAnn,a@b.example\nBob,b@b.example\n")
    done = petworks("init", tmp_path / "t.csv")
    assert (done.returncode, "No column looks like a quasi-identifier" in done.stdout) == (0, True)
    assert "no quasi-identifier" in petworks("check", tmp_path / "t_policy.yaml").stderr


def test_many_quasi_identifiers(tmp_path):
    for count, sizes in ((10, "all"), (30, "1-3"), (60, "1-2"), (61, None)):
        table = pa.table([pa.array(["a", "b", "a"])] * count, names=[f"city_{place}" for place in range(count)])
        parquet.write_table(table, tmp_path / f"t{count}.parquet")
        assert petworks("init", tmp_path / f"t{count}.parquet").returncode == 0
        policy = read_policy(tmp_path / f"t{count}_policy.yaml")
        assert (policy.subset_sizes, len(policy.roles)) == (sizes, count)


def test_names_of_files_do_not_steer_the_terminal(tmp_path):
    path = tmp_path / "a\x1b]0;PWNED\x07b.csv"
    path.write_text("age,zip\n30,1\n30,1\n")
    done = petworks("init", path)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout


NAMES = st.text(min_size=1, max_size=12).filter(lambda name: name.strip() == name and name.isprintable())
ODD = [
    "yes",
    "null",
    "1",
    "a: b",
    "- x",
    "#x",
    "'",
    '"',
    "{",
    "[a",
    "@",
    "%",
    "a\tb",
    "=1+1",
    "\u202eabc",
    "x" * 10_000,
]


def test_the_command_in_its_comments_can_be_copied(tmp_path):
    """It stands in the file, and is run where the file is."""
    data = tmp_path / "my people.csv"
    data.write_text("age|birth city\n" + "".join(f"{20 + place % 50}|a{place % 3}\n" for place in range(99)), "utf-8")
    found, unit = suggest_for_file(data, "|", None)
    text = starter_policy(data, tmp_path / "p.yaml", found, unit, separator="|")
    command = re.search(r"^# To see the levels of a column, use: petworks (.*)$", text, re.MULTILINE)[1]
    done = petworks(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "40–59" in done.stdout


@given(st.lists(NAMES | st.sampled_from(ODD), min_size=1, max_size=6, unique_by=str.strip))
def test_any_name_of_a_column_survives(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("names")
    data = folder / "t.parquet"
    columns = ["city", *(name for name in names if name != "city")]  # one that is a quasi-identifier
    parquet.write_table(pa.table([pa.array(["a", "b"])] * len(columns), names=columns), data)
    source = open_path(data)
    assert load_rows(source, source.names).rows == 2
    found, unit = suggest_for_file(data, None, None)
    policy = folder / "p.yaml"
    policy.write_text(starter_policy(data, policy, found, unit), "utf-8")
    read = read_policy(policy)
    assert set(read.roles) == {one.column for one in found if one.role is not None}
    read.release()


@pytest.mark.parametrize("text", ["35\n36\n", "王小明\n李大華\n", "Chen\nLin\nWang\n"])
def test_a_table_of_one_column_without_a_header(tmp_path, text):
    (tmp_path / "t.csv").write_text(text, "utf-8")
    with pytest.raises(InputError, match="does not look like a header of one column"):
        suggest_for_file(tmp_path / "t.csv", None, None)


@pytest.mark.parametrize("word", ["合計", "總 計", "Total:", "SUBTOTAL"])
def test_a_row_of_totals_is_no_person(tmp_path, word):
    table = tmp_path / "t.csv"
    rows = [f"P{n},{20 + n},n,{n}" for n in range(6)]
    table.write_text("\n".join(["id,age,town,cost", *rows, f"{word},,,"]) + "\n", "utf-8")
    with pytest.raises(InputError, match="the last row, number 8 with the header, looks like totals"):
        suggest_for_file(table, None, None)
    table.write_text("\n".join(["id,age,town,cost", *rows, f"{word},30,x,7"]) + "\n", "utf-8")
    assert suggest_for_file(table, None, None)  # a person of that name


def test_dates_of_one_table_are_in_one_calendar(tmp_path):
    rows = [
        f"{60 + n % 30}年{1 + n % 12}月{1 + n % 28}日,2025-{1 + n % 12:02}-{1 + n % 28:02},{n % 3}" for n in range(90)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["出生日期,申請日期,診斷", *rows]) + "\n", "utf-8")
    suggested, _ = suggest_for_file(tmp_path / "t.csv", None, None, protects=False)
    words = [one.hierarchy.words for one in suggested if one.hierarchy is not None and "dates" in one.hierarchy.words]
    assert [(one["calendar"], one["labels"]) for one in words] == [("roc", "民國113年")] * 2
    declared = parse_declaration(words[1], "a test").build({"2025-01-21": 1}, [], [], "a test")
    assert set(declared.to_level(1).values()) == {"民國114年1月"}


def test_a_person_without_a_number_is_told(tmp_path):
    rows = [f"A{100 + n // 2},{20 + n // 2},{n % 3}" for n in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["patient,age,ill", *rows, ",3,1"]) + "\n")
    told = " ".join(petworks("init", tmp_path / "t.csv").stdout.split())
    assert "In 1 record patient is empty: fill it in, or delete the record" in told


def test_names_of_people_are_no_header(tmp_path):
    for line in ("王小明;陳小美", "Smith;Jones", "Mary Smith;flu"):
        (tmp_path / "t.csv").write_text(f"{line}\nx;y\n", "utf-8")
        with pytest.raises(InputError, match="does not look like a header of 2 columns"):
            suggest_for_file(tmp_path / "t.csv", None, None)
    (tmp_path / "t.csv").write_text("高血壓;Mark;曾吸菸\n1;2;3\n", "utf-8")
    assert len(suggest_for_file(tmp_path / "t.csv", None, None)[0]) == 3


def keys_of_policies():
    """Every key that a policy may have, at any depth."""

    def keys(schema):
        if isinstance(schema, dict):
            yield from schema.get("properties", {})
        for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
            yield from keys(part)

    return set(keys(json.loads(schema_text("policy"))))


def commented_blocks(lines):
    """The numbers of the lines of each block that is commented out: from a key to the last line that is deeper."""
    known, number = keys_of_policies(), 0
    while number < len(lines):
        found = re.match(r"( *)# ( *)(?:- )?(\w+):(?: |$)", lines[number])
        if found is None or found[3] not in known:
            number += 1
            continue
        deeper = re.compile(rf"{found[1]}# {found[2]} +\S")
        end = number + 1
        while end < len(lines) and deeper.match(lines[end]):
            end += 1
        yield range(number, end)
        number = end


def uncommented(lines, numbers):
    return [re.sub(r"^( *)# ", r"\1", line) if number in numbers else line for number, line in enumerate(lines)]


DWELLINGS = {
    "age": [str(20 + place % 60) for place in range(300)],
    "sex": ["f", "m", "f"] * 100,
    "cost": [str(1000 + 7 * place) for place in range(300)],
    "latitude": [f"24.{1000 + 31 * place}" for place in range(300)],
    "longitude": [f"121.{1000 + 17 * place}" for place in range(300)],
}
TABLES = {
    "people": PEOPLE,
    "mixed": MIXED,
    "visits": {"patient_id": [f"P{n % 40:05d}" for n in range(100)], "age": [f"{20 + n % 7}" for n in range(100)]},
    "dwellings": DWELLINGS,
    "nothing known": {"email": ["a@b.example", "b@b.example"], "name": ["Ann", "Bob"]},
    "costs": {"cost": DWELLINGS["cost"]},
    "many": {f"city_{number}": ["a", "b", "a"] for number in range(31)},
}


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
@pytest.mark.parametrize("table", TABLES)
def test_what_is_commented_out_is_valid_where_the_marks_are_removed(tmp_path, table, lang):
    data = tmp_path / "t.parquet"
    parquet.write_table(pa.table(TABLES[table]), data)
    found, people = suggest_for_file(data, None, None)
    say = comment_translators(lang)["say"]
    lines = starter_policy(data, tmp_path / "p.yaml", found, people, say=say).splitlines()
    blocks = list(commented_blocks(lines))
    assert len(blocks) >= 10
    for number, block in enumerate([*blocks, [line for lines_of_block in blocks for line in lines_of_block]]):
        path = tmp_path / f"{number}.yaml"
        path.write_text("\n".join(uncommented(lines, block)), "utf-8")
        mistakes = Mistakes(read_yaml(path))
        check_against_schema(mistakes, "policy")
        mistakes.report()
        assert mistakes.file.content != read_yaml(path.with_name("0.yaml")).content or number == 0


def wide(folder, others):
    names = ["age", "sex", "county", "occupation", *(f"v{number}" for number in range(others))]
    rows = [[str(20 + row % 50), "mf"[row % 2], "abc"[row % 3], "xy"[row % 2]] for row in range(120)]
    rows = [[*row, *(str(index // 2 % (2 + n % 7)) for n in range(others))] for index, row in enumerate(rows)]
    (folder / "t.csv").write_text("\n".join(",".join(row) for row in [names, *rows]))
    done = petworks("init", "t.csv", cwd=folder)
    assert done.returncode == 0
    return done.stdout, (folder / "t_policy.yaml").read_text("utf-8")


@pytest.mark.parametrize("others", [5, 56])
def test_too_many_quasi_identifiers_are_ranked_and_nothing_is_decided(tmp_path, others):
    said, text = wide(tmp_path, others)
    assert f"{others + 4} columns are taken for quasi-identifiers" in said
    ranked = re.findall(r"^ (\w+) +(?:not clear: a guess|often|usually) ", said, flags=re.MULTILINE)
    most = max(range(others), key=lambda n: (n % 7, -n))
    assert ranked[0] == f"v{most}"
    if others == 5:
        assert ranked[-4:] == ["occupation", "age", "county", "sex"]
    assert len(read_policy(tmp_path / "t_policy.yaml").roles) == others + 4  # all still quasi-identifiers
    assert set(read_policy(tmp_path / "t_policy.yaml").roles.values()) == {"quasi_identifier"}
    assert text.count("; decide first\n") == others
    change = yaml.safe_load(said[said.index("\nroles:\n") : said.index("\nWritten")])
    assert change["roles"]["insensitive_attributes"] == ranked[:3] == list(change["role_reasons"])


def test_eight_quasi_identifiers_are_not_too_many(tmp_path):
    said, text = wide(tmp_path, 4)
    assert "are taken for" not in said
    assert "decide first" not in text


def test_an_address_can_become_a_place(tmp_path):
    """It is left out, and the policy says how its district can stay; that works when it is followed."""
    rows = [f"臺北市大安區和平路{n}號,{n % 2}" for n in range(1, 41)]
    (tmp_path / "t.csv").write_text("\n".join(["地址,sex", *rows]), "utf-8")
    assert petworks("init", "t.csv", cwd=tmp_path).returncode == 0
    text = (tmp_path / "t_policy.yaml").read_text("utf-8")
    hint = "{address: [district, county, region]}"
    assert f"with {hint} under hierarchies" in next(
        line for line in text.splitlines() if "- 地址" in line.replace('"', "")
    )
    policy = yaml.safe_load(text)
    policy["roles"]["identifiers"] = []
    policy["roles"]["quasi_identifiers"].append("地址")
    policy["hierarchies"]["地址"] = yaml.safe_load(hint)
    (tmp_path / "p_policy.yaml").write_text(yaml.safe_dump(policy, allow_unicode=True), "utf-8")
    done = petworks("anonymize", "p_policy.yaml", "-o", "r.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "臺北市大安區" in (tmp_path / "r.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("names", "weights", "found"),
    [
        (("weight", "household"), ["20.5", "81"], {"sampling_weight": "weight", "household": "household"}),
        (("抽樣權數", "戶號"), ["20.5", "81"], {"sampling_weight": "抽樣權數", "household": "戶號"}),
        (("FinalWgt", "x"), ["20.5", "81"], {"sampling_weight": "FinalWgt"}),
        (("weight", "x"), ["4020", "81"], {"sampling_weight": "weight"}),
        (("weight", "x"), ["61", "81"], {}),
        (("weight", "household"), ["heavy", "light"], {"household": "household"}),
    ],
)
def test_weights_and_households_are_proposed(tmp_path, names, weights, found):
    """A sampling weight has no role; the weight of a body stays a quasi-identifier."""
    rows = "".join(f"{20 + place % 40},{weights[place % 2]},{place // 3}\n" for place in range(120))
    table = tmp_path / "survey.csv"
    table.write_text(f"age,{','.join(names)}\n{rows}", "utf-8")
    suggested, people = suggest_for_file(table, None, None)
    content = yaml.safe_load(starter_policy(table, tmp_path / "policy.yaml", suggested, people))
    assert {key: content[key] for key in ("sampling_weight", "household") if key in content} == found
    quasi = content["roles"]["quasi_identifiers"]
    assert (names[0] in quasi) == ("sampling_weight" not in found)
    listed = [name for columns in content["roles"].values() for name in columns]
    assert (names[0] in listed) == ("sampling_weight" not in found)
