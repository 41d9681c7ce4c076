import random
import re
import shutil
from html import unescape

import pytest

from command import petworks
from conftest import ROOT
from PETWorks.gate.policy.policy import parse_policy, read_policy
from PETWorks.gate.policy.role_choices import RoleChoices
from PETWorks.render.language.language import message_text
from PETWorks.studio.pages.columns import MAX_ROWS, policy_with_choices
from PETWorks.studio.server.open_case import read_facts
from PETWorks.tables.yaml_files import read_yaml
from studio_client import entered

LARGEST_PAGE = 150_000
ROLES = ("identifier", "quasi_identifier", "sensitive_attribute", "insensitive_attribute")


def people(rows=60):
    """Names, numbers, sexes, ages, cities and diagnoses; everybody has two records."""
    chance = random.Random(1)
    names = ["王小明", "陳怡君", "林志豪", "張雅婷", "李淑芬", "黃建宏", "吳佳穎", "蔡宗翰", "劉美玲", "許家豪"]
    lines = ["姓名,病人編號,sex,age,city,diagnosis"]
    lines += [
        f"{names[row // 2 % 10][:1]}{names[(row // 6) % 10][1:]},P{row // 2:03},{chance.choice('fm')},"
        f"{chance.randrange(20, 80)},{chance.choice(['Taipei', 'Tainan', ''])},{chance.choice(['flu', 'cold'])}"
        for row in range(rows)
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(people(), "utf-8")
    assert petworks("init", tmp_path / "people.csv").returncode == 0
    return tmp_path


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["159.4", "163.12", "98.7", "171.1"], "number"),
        (["98.3.1", "101.12.24"], "date"),
        (["113/05", "098/12"], "date"),
    ],
)
def test_a_measured_number_is_no_date_of_the_republic(tmp_path, cells, kind):
    (tmp_path / "t.csv").write_text("x;y\n" + "".join(f"{cell};{place}\n" for place, cell in enumerate(cells)), "utf-8")
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.csv\nroles: {quasi_identifiers: [x, y]}\npresets: [pdpc-3]\n"
    )
    assert read_facts(read_policy(tmp_path / "p.yaml")).kind("x") == f"studio.columns.{kind}"


AT = "/columns?policy=people_policy.yaml"
NAME, NUMBER, SEX, AGE, CITY, DIAGNOSIS = range(6)


def seen(page, address=AT):
    return re.search(r'name="seen" value="(\w+)"', page.get(address).text)[1]


def policy_text(folder):
    return (folder / "people_policy.yaml").read_text("utf-8")


def saved(page, folder, **fields):
    fields = {key.replace("_", "-", 1) if key[-1].isdigit() else key: value for key, value in fields.items()}
    answer = page.post(AT, data={"seen": seen(page), "do": "save", **fields}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return read_policy(folder / "people_policy.yaml")


def test_each_column_has_a_line_with_what_is_known_about_it(folder):
    with entered(folder) as page:
        text = page.get(AT).text
        rows = re.findall(r"<tr>\n<td><input type=\"checkbox\".*?</tr>", text, re.DOTALL)
        assert len(rows) == 6
        city = rows[CITY]
        assert ">2<" in city
        assert "% missing" in city
        assert 'value="quasi_identifier" selected' in city
        assert "the name points to a place" in city
        assert "levels" in city
        assert "petworks check people_policy.yaml" in text
        assert "No role contradicts" in text
        page.cookies.set("petworks-language", "zh-TW")
        text = page.get(AT).text
        assert "依欄位名稱判斷為地點" in text
        assert "the name points to" not in text


def test_columns_with_several_spellings_or_unread_dates_are_named(tmp_path):
    lines = [
        f"{sex},{row % 9 + 1}/{row % 12 + 1}/2024,{row}" for row, sex in enumerate(["F", "Female", "M", "Male"] * 9)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["sex,birth date,cost", *lines]) + "\n", "utf-8")
    assert petworks("init", tmp_path / "people.csv").returncode == 0
    with entered(tmp_path) as page:
        sex, birth, _ = re.findall(r"<tr>\n<td><input type=\"checkbox\".*?</tr>", page.get(AT).text, re.DOTALL)
        texts = [message_text("en", f"studio.columns.{what}") for what in ("spellings", "unread-dates")]
        assert [[text in row for text in texts] for row in (sex, birth)] == [[True, False], [False, True]]
        row = {"role-0": "identifier", "role-1": "identifier", "reason-0": "", "reason-1": ""}
        page.post(AT, data={"seen": seen(page), "do": "save", **row})
        assert not any(text in page.get(AT).text for text in texts), "they are not released"


def test_of_many_quasi_identifiers_those_that_outsiders_may_not_know_are_named(tmp_path):
    names = ["sex", "age", "city", *(f"score{number}" for number in range(6))]
    rows = "".join(",".join(str((row + at) % 7) for at in range(9)) + "\n" for row in range(60))
    (tmp_path / "people.csv").write_text(",".join(names) + "\n" + rows, "utf-8")
    roles = f"roles: {{quasi_identifiers: [{', '.join(names)}]}}\npresets: [pdpc-3]\n"
    (tmp_path / "people_policy.yaml").write_text("petworks_policy: 1\ndata: people.csv\n" + roles, "utf-8")
    with entered(tmp_path) as page:
        text = unescape(page.get(AT).text)
        asked = text.partition("9 columns are quasi-identifiers")[2].partition("</p>")[0]
        assert "know score0, score1" in asked
        assert "sex" not in asked
        page.post(AT, data={"seen": seen(page), "do": "save", "role-8": "identifier"})
        assert "columns are quasi-identifiers" not in page.get(AT).text


def test_no_cell_is_on_the_page(folder):
    with entered(folder) as page:
        text = page.get(AT).text
        assert not any(cell in text for cell in ("Taipei", "flu", "P001", "王"))


def test_a_role_is_changed_as_a_person_would_change_it(folder):
    before = policy_text(folder)
    with entered(folder) as page:
        policy = saved(page, folder, role_2="sensitive_attribute", reason_2="clerks know it")
    assert policy.roles["sex"] == "sensitive_attribute"
    assert policy.accountability.role_reasons == {"sex": "clerks know it"}
    lines, old = policy_text(folder).splitlines(), before.splitlines()
    (line,) = (line for line in old if line.strip().startswith("- sex"))
    assert lines.index(line) > lines.index("  sensitive_attributes:  # what nobody may learn of a person")
    assert sorted(set(lines) - set(old)) == ['  sex: "clerks know it"', "role_reasons:  # why columns have their role"]
    assert [one for one in old if one not in lines] == [one for one in old if one.startswith("# role_reasons")]
    assert not petworks("check", folder / "people_policy.yaml").stderr.count("Traceback")


def test_a_name_that_is_marked_insensitive_is_shown_at_once_and_first(folder):
    with entered(folder) as page:
        before = policy_text(folder)
        answer = page.post("/columns/look?policy=people_policy.yaml", data={f"role-{NAME}": "insensitive_attribute"})
        assert "contradicts its role" in answer.text
        assert "identifies people" in answer.text
        assert "1 change is not saved yet" in answer.text
        assert policy_text(folder) == before, "looking writes nothing"
        saved(page, folder, role_0="insensitive_attribute")
        text = page.get(AT).text
        assert 0 < text.index("contradicts its role") < text.index("<table")
        assert f'href="#c{NAME}"' in text


def test_several_roles_are_set_with_one_save_and_undone_together(folder):
    with entered(folder) as page:
        before = policy_text(folder)
        fields = {"seen": seen(page), "do": "bulk", "bulk": "none", "pick": [str(SEX), str(CITY)]}
        page.post(AT, data={**fields, f"role-{DIAGNOSIS}": "quasi_identifier"})
        policy = read_policy(folder / "people_policy.yaml")
        assert policy.roles["diagnosis"] == "quasi_identifier"
        assert not {"sex", "city"} & set(policy.roles)
        page.post("/undo?policy=people_policy.yaml", data={"back": "/columns"})
        assert policy_text(folder) == before


def test_suggestions_are_taken_one_by_one_or_all(folder):
    with entered(folder) as page:
        first = read_policy(folder / "people_policy.yaml").roles
        saved(page, folder, role_0="insensitive_attribute", role_2="none", role_3="sensitive_attribute")
        assert "Take all 3 suggestions" in page.get(AT).text
        page.post(AT, data={"seen": seen(page), "take": str(SEX)})
        roles = read_policy(folder / "people_policy.yaml").roles
        assert (roles["sex"], roles["姓名"]) == ("quasi_identifier", "insensitive_attribute")
        page.post(AT, data={"seen": seen(page), "take": "all"})
        assert read_policy(folder / "people_policy.yaml").roles == first
        assert "Take" not in page.get(AT).text


def test_a_column_without_a_role_has_a_reason_that_goes_with_it(folder):
    with entered(folder) as page:
        policy = saved(page, folder, role_4="none", reason_4="not: needed # really")
        assert policy.no_role == {"city": "not: needed # really"}
        policy = saved(page, folder, role_4="quasi_identifier", reason_4="not: needed # really")
        assert (policy.no_role, policy.accountability.role_reasons) == ({}, {}), "the reason was for having no role"
        assert policy.roles["city"] == "quasi_identifier"


def test_a_reason_in_two_languages_changes_in_one(folder):
    path = folder / "people_policy.yaml"
    reason = 'role_reasons:\n  sex: {en: known, zh-TW: "已知"}\n'
    path.write_text(policy_text(folder).replace("# role_reasons: {column: reason}", f"{reason}# x"), "utf-8")
    with entered(folder) as page:
        policy = saved(page, folder, reason_2="widely known")
        assert policy.accountability.role_reasons == {"sex": {"en": "widely known", "zh-TW": "已知"}}


def test_the_person_is_chosen_and_attacks_by_records_become_a_comment(folder):
    path = folder / "people_policy.yaml"
    text = re.sub(r"^privacy_unit.*$", "# privacy_unit: x", policy_text(folder), flags=re.MULTILINE)
    path.write_text(re.sub(r"^# subsets.*$", "subsets:\n  sizes: all", text, flags=re.MULTILINE), "utf-8")
    with entered(folder) as page:
        assert "病人編號 looks like it" in page.get(AT).text
        policy = saved(page, folder, unit=str(NUMBER))
        assert policy.privacy_unit == "病人編號"
        assert policy.subset_sizes is None
        assert "# subsets:\n#   sizes: all" in policy_text(folder)
        assert policy.release().people == 30
        assert saved(page, folder, unit="").privacy_unit is None


def codes_of_people():
    """Codes under a name that says nothing; sex and city of a code stay the same."""
    chance = random.Random(2)
    people = [(f"R{number:03}", chance.choice("fm"), chance.choice(["Taipei", "Tainan"])) for number in range(30)]
    rows = [f"{code},{sex},{city},{chance.choice(['flu', 'cold'])}" for code, sex, city in people for _ in range(12)]
    return "\n".join(["x7,sex,city,diagnosis", *rows]) + "\n"


def test_a_column_that_looks_like_the_person_needs_a_reason_if_it_is_not(folder):
    (folder / "people.csv").write_text(codes_of_people(), "utf-8")
    path = folder / "people_policy.yaml"
    path.unlink()
    assert petworks("init", folder / "people.csv").returncode == 0
    assert read_policy(path).privacy_unit == "x7"
    path.write_text(re.sub(r"^privacy_unit.*$", "", policy_text(folder), flags=re.MULTILINE), "utf-8")
    made = ["anonymize", path, "-o", folder / "out.csv"]
    assert "column 'x7' names people" in petworks(*made).stderr
    with entered(folder) as page:
        shown = page.get(AT).text
        assert "Columns that repeat but name nobody the table is about" in shown
        assert re.search(r'<select name="other-column".*?<option value="0" selected>', shown, re.DOTALL)
        fields = {"seen": seen(page), "other-column": "0", "other-reason": "numbers of beds"}
        answer = page.post("/columns/look?policy=people_policy.yaml", data=fields)
        assert "1 change is not saved yet" in answer.text
        page.post(AT, data={**fields, "do": "save"})
        assert read_policy(path).no_privacy_unit == {"x7": "numbers of beds"}
        text = page.get(AT).text
        assert 'name="not-people-0" value="numbers of beds"' in text
        assert "x7 looks like it" not in text
        assert petworks(*made).returncode == 0
        page.post(AT, data={"seen": seen(page), "do": "save", "not-people-0": ""})
        assert read_policy(path).no_privacy_unit == {}
        page.cookies.set("petworks-language", "zh-TW")
        assert "值會重複，但並非代表個人的欄位" in page.get(AT).text


def test_sizes_of_subsets_stay_those_that_are_quick(folder):
    columns = [f"q{number}" for number in range(12)]
    rows = [",".join(str((row + number) % 3) for number in range(12)) for row in range(60)]
    (folder / "wide.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
    petworks("init", folder / "wide.csv")
    path = folder / "wide_policy.yaml"
    assert read_policy(path).subset_sizes == "1-3"
    with entered(folder) as page:
        page.post(
            "/columns?policy=wide_policy.yaml", data={f"role-{place}": "insensitive_attribute" for place in (0, 1)}
        )
    assert read_policy(path).subset_sizes == "all"


def test_an_edit_of_a_page_that_is_out_of_date_is_refused(folder):
    with entered(folder) as page:
        old = seen(page)
        saved(page, folder, role_2="sensitive_attribute")
        now = policy_text(folder)
        answer = page.post(AT, data={"seen": old, "role-3": "sensitive_attribute"})
        assert (answer.status_code, policy_text(folder)) == (400, now)


@pytest.mark.parametrize(
    "fields", [{"role-99": "identifier"}, {"role-x": "identifier"}, {"role-0": "boss"}, {"unit": "-1"}]
)
def test_fields_that_no_page_has(folder, fields):
    with entered(folder) as page:
        before = policy_text(folder)
        assert page.post(AT, data={"seen": seen(page), **fields}).status_code == 400
        assert policy_text(folder) == before


def test_roles_of_the_yaml_file_beside_the_table_move_to_the_policy(tmp_path):
    for name in ("adult_anonymized.csv", "adult_anonymized.yaml"):
        shutil.copy(ROOT / "data" / name, tmp_path)
    shutil.copytree(ROOT / "data/adult_hierarchy", tmp_path / "adult_hierarchy", dirs_exist_ok=True)
    (tmp_path / "p.yaml").write_text("petworks_policy: 1\ndata: adult_anonymized.csv\npresets: [pdpc-5]\n")
    with entered(tmp_path) as page:
        text = page.get("/columns?policy=p.yaml").text
        assert text.count('value="quasi_identifier" selected') > 1
        before = read_policy(tmp_path / "p.yaml")
        assert before.roles is None
        page.post("/columns?policy=p.yaml", data={"role-0": "insensitive_attribute"})
    roles = read_policy(tmp_path / "p.yaml").roles
    assert sorted(roles.values()).count("quasi_identifier") >= 1
    assert "insensitive_attribute" in roles.values()


def test_hierarchies_and_values_without_a_place(folder):
    path = folder / "people_policy.yaml"
    path.write_text(
        re.sub(r"^  city: .*$", "  city: {groups: {north: [Taipei]}}", policy_text(folder), flags=re.MULTILINE)
    )
    with entered(folder) as page:
        text = page.get(AT).text
        assert "1 value without a place" in text
        assert f"/levels/column?policy=people_policy.yaml&amp;column={CITY}" in text
        assert "intervals of equal width" in text
        assert "Tainan" not in text


def test_more_columns_than_are_shown_stay_below_the_largest_page(tmp_path):
    names = [f"資料表欄位名稱相當長的第{number:03}個欄位" for number in range(MAX_ROWS + 30)]
    rows = [",".join(f"{(row + number) % 7}" for number in range(len(names))) for row in range(30)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]) + "\n", "utf-8")
    petworks("init", tmp_path / "wide.csv")
    with entered(tmp_path) as page:
        page.cookies.set("petworks-language", "zh-TW")
        at = "/columns?policy=wide_policy.yaml"
        first = page.get(at)
        assert len(first.content) < LARGEST_PAGE
        assert first.text.count('name="role-') == MAX_ROWS
        second = page.get(f"{at}&page=2").text
        assert f'name="role-{MAX_ROWS}"' in second
        assert 'name="role-0"' not in second
        page.post(at, data={f"role-{MAX_ROWS}": "sensitive_attribute"})
        assert read_policy(tmp_path / "wide_policy.yaml").roles[names[MAX_ROWS]] == "sensitive_attribute"
        found = page.get(f"{at}&find=第{MAX_ROWS + 27:03}").text
        assert re.findall(r'name="role-(\d+)"', found) == [str(MAX_ROWS + 27)]
        only = page.get(f"{at}&show=sensitive_attribute").text
        assert re.findall(r'name="role-(\d+)"', only) == [str(MAX_ROWS)]


HOSTILE = (
    "<script>alert(1)</script>",
    "\u202eevil",
    'a"onclick="x',
    "tab\\tname",
    "{{ 7*7 }}",
    "a: b # c",
    "- x",
    "null",
)


def test_hostile_names_of_columns_are_shown_and_saved_as_they_are(tmp_path):
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in HOSTILE)
    rows = "\n".join(",".join(str(row % (place + 2)) for place in range(len(HOSTILE))) for row in range(40))
    (tmp_path / "t.csv").write_text(f"{quoted}\n{rows}\n", "utf-8")
    petworks("init", tmp_path / "t.csv")
    with entered(tmp_path) as page:
        at = "/columns?policy=t_policy.yaml"
        text = page.get(at).text
        assert "<script>alert" not in text
        assert "\u202e" not in text
        assert "49" not in re.findall(r'id="c4">(.*?)<', text)[0]
        for place, name in enumerate(HOSTILE):
            fields = {f"role-{place}": "sensitive_attribute", f"reason-{place}": "because: # of <b>\u202e"}
            answer = page.post(at, data=fields, follow_redirects=False)
            assert answer.status_code == 303, (name, answer.text)
            policy = read_policy(tmp_path / "t_policy.yaml")
            assert policy.roles[name.strip()] == "sensitive_attribute"
            assert policy.accountability.role_reasons[name.strip()].startswith("because: # of <b>")
        shown = unescape(page.get(at).text)
        assert "because: # of <b>" in shown


def test_a_quasi_identifier_is_no_longer_protected(tmp_path):
    from PETWorks.attributetypes import QUASI_IDENTIFIER
    from PETWorks.gate.policy.policy import read_policy
    from PETWorks.gate.policy.role_choices import RoleChoices
    from PETWorks.studio.pages.columns import policy_with_choices

    (tmp_path / "t.csv").write_text("sex,cost,fee\nf,1,2\nm,3,4\n")
    path = tmp_path / "p.yaml"
    path.write_text(
        "petworks_policy: 1\ndata: t.csv\nno_rule: {cost: a test, fee: a test}\n"
        "roles: {quasi_identifiers: [sex], sensitive_attributes: [cost, fee]}\n"
        "rules: [{measure: k-anonymity, k: 1}]\n"
        "anonymize: {suppression: 0.1, protect: {cost: {round: 5}, fee: {top: 3}}}\n"
    )
    path.write_text(
        policy_with_choices(read_policy(path), path.read_text(), RoleChoices({"cost": QUASI_IDENTIFIER}), "en")
    )
    assert read_policy(path).anonymize == {"suppression": "0.1", "protect": {"fee": {"top": "3"}}}


def test_a_sample_is_described_on_the_page(tmp_path):
    rows = "".join(f"{20 + place % 9},{place % 2},{place % 3 + 1.5},{place // 3}\n" for place in range(60))
    (tmp_path / "survey.csv").write_text(f"age,sex,factor,home\n{rows}", "utf-8")
    roles = "roles: {quasi_identifiers: [age, sex, factor], identifiers: [home]}"
    (tmp_path / "survey.yaml").write_text(f"petworks_policy: 1\ndata: survey.csv\n{roles}\n", "utf-8")
    policy = read_policy_of(tmp_path)
    text = policy_with_choices(
        policy, (tmp_path / "survey.yaml").read_text("utf-8"), sample_choices("factor", "home"), "en"
    )
    (tmp_path / "survey.yaml").write_text(text, "utf-8")
    changed = read_policy_of(tmp_path)
    assert changed.sample.words == {"sampling_weight": "factor", "household": "home"}
    assert changed.roles == {"age": "quasi_identifier", "sex": "quasi_identifier", "home": "identifier"}
    assert changed.release().sample == changed.sample
    text = policy_with_choices(changed, text, sample_choices("", ""), "en")
    assert "sampling_weight" not in text
    assert "household" not in text


def sample_choices(weight, household):
    return RoleChoices(sample={"sampling_weight": weight, "household": household})


def read_policy_of(folder):
    return parse_policy(read_yaml(folder / "survey.yaml"), folder / "survey.yaml", needs_rule=False)
