"""Everything that an error says can be said in every language, and no error can be forgotten."""

import ast
import errno
import pickle

import pytest

from command import petworks
from conftest import ROOT
from messages import texts, texts_in
from PETWorks import Release
from PETWorks.counting.engines.spark import _report
from PETWorks.errors import Counted, InputError, Joined, NotApplicable, PETWorksError, Phrase, literal, quoted, unknown
from PETWorks.render.language.messages import translated


def test_errors_are_given_templates_and_all_their_values():
    templates, wrong = texts()
    assert not wrong, "\n".join(wrong)
    assert len(templates) > 700  # the source was really read


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ('raise InputError(f"{name}: the file is empty")', "f-string"),
        ('raise InputError("the file is " + what)', "put together"),
        ('raise InputError("{file}: the file is empty")', None),  # braces have no meaning without values
        ('raise InputError("{file}: the file is empty", name=name)', "given ['name']"),
        ('raise InputError("{file}: empty", file=name, what="data")', None),
        ('mistakes.add(key, f"{name} twice")', "f-string"),
        ('mistakes.add(key, "{name} twice", name=name)', None),
        ('raise file.error(key, "{name} twice")', None),
        ('Phrase("{name} twice", other=name)', "given ['other']"),
        ('unknown(f"parameter of {name}", given, known)', "f-string"),
        ('Counted("1 row of {name}", "{n} rows of {name}", n=rows, name=name)', None),
        ('Counted("1 row of {name}", "{n} rows", n=rows, name=name)', "given ['n', 'name']"),
    ],
)
def test_a_text_that_cannot_be_translated_is_noticed(source, wrong):
    _, mistakes = texts_in(ast.parse(source), "module.py")
    assert [wrong in mistake for mistake in mistakes] == ([] if wrong is None else [True])


def test_a_phrase_is_english_and_can_be_pickled():
    inner = Joined(" or ", [Phrase("a list"), Phrase("a mapping")])
    phrase = Phrase("expected {expected}, got {given}", expected=inner, given=quoted(["x{y}", "z"]))
    assert phrase == "expected a list or a mapping, got 'x{y}', 'z'"
    copy = pickle.loads(pickle.dumps(phrase))
    assert (copy, copy.template, copy.values) == (phrase, phrase.template, phrase.values)
    assert translated(copy, "zh-TW") == "應為清單或鍵值對照，但寫的是「x{y}」、「z」"
    error = pickle.loads(pickle.dumps(NotApplicable(phrase, measure="k-map", where="policy.yaml")))
    assert translated(error.worded(), "zh-TW") == f"policy.yaml：k-map：{translated(phrase, 'zh-TW')}"
    assert str(error) == f"policy.yaml: k-map: {phrase}"


def test_a_number_of_things_has_its_form_and_can_be_pickled():
    for number, english in ((1, "40 records are of one person"), (1200, "40 records are of 1,200 people")):
        forms = ("{records:,} records are of one person", "{records:,} records are of {n:,} people")
        phrase = pickle.loads(pickle.dumps(Counted(*forms, n=number, records=40)))
        assert (phrase, translated(phrase, "zh-TW")) == (english, f"40 筆資料列屬於 {number:,} 人")


def test_what_is_filled_in_is_never_a_template():
    assert str(InputError("{file}: {problem}", file="{problem}", problem="{0}")) == "{problem}: {0}"
    assert str(InputError("braces {mean} nothing here")) == "braces {mean} nothing here"
    assert translated(literal("{never} known"), "zh-TW") == "{never} known"


def test_values_cannot_steer_a_terminal_in_any_language():
    error = InputError("no such file: {path!r}", path="a\nb\x1b[2J")
    assert str(error) == r"no such file: 'a\nb\x1b[2J'"
    assert translated(error.worded(), "zh-TW") == "沒有此檔案：「a b [2J」"


def test_names_that_are_not_known():
    error = unknown("measure", "k-anonimity", ["k-anonymity", "k-map"])
    assert translated(error.worded(), "zh-TW") == "沒有名為「k-anonimity」的評估指標；您要的是「k-anonymity」嗎？"
    many = unknown("column", "x", [f"column {number}" for number in range(50)]).message
    assert str(many).endswith("'column 39', and 10 more")
    assert translated(many, "zh-TW").endswith("「column 39」、其餘 10 項")


def test_the_command_prints_errors_in_the_language_of_the_user(tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("petworks_policy: 1\ndata: table.csv\nrulez: []\nrules:\n  - measure: k-anonymity\n    k: []\n")
    done = petworks("check", policy, "--lang", "zh-TW")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"petworks: policy.yaml 第 2 行，data：沒有此檔案或資料夾：「{tmp_path}/table.csv」",
        "petworks: policy.yaml 第 3 行，rulez：沒有名為「rulez」的鍵；您要的是「rules」嗎？",
        "petworks: policy.yaml 第 6 行，rules[1].k：應為文字或數字或鍵值對照（評估指標的參數），但寫的是清單",
    ]
    table = ROOT / "data/patient_anonymized.csv"
    done = petworks("evaluate", table, "--qi", "Age", "--measure", "delta-presence", "--lang", "zh-TW")
    assert done.stderr == "petworks: delta-presence：需要原始資料表（--original）\n"


def test_python_raises_english_errors():
    with pytest.raises(PETWorksError, match=r"^no such file: 'nowhere.csv'$"):
        Release("nowhere.csv")


@pytest.mark.parametrize(
    ("error", "english", "chinese"),
    [
        (InputError("{table}: the file is empty", table="t.csv"), "t.csv: the file is empty", "t.csv：檔案是空的"),
        (
            PermissionError(errno.EACCES, "Permission denied"),
            "an executor cannot write the release: Permission denied; all must see its folder",
            "執行節點無法寫出釋出資料：沒有權限；所有執行節點都必須能存取其資料夾",
        ),
    ],
)
def test_errors_of_executors_can_be_translated(error, english, chinese):
    def work():
        raise error

    told = pickle.loads(bytes.fromhex(_report(work).column(1)[0].as_py()))
    assert (str(told), translated(told, "zh-TW")) == (english, chinese)
