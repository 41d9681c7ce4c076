"""The command line as a data engineer meets it: exit codes, files written whole or not at all, no cell in a message."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from command import petworks
from PETWorks.measures.catalogue import all_measures
from processes import PATIENCE, wait_until_open

PATIENT = "data/patient_anonymized.csv"
DELTA = ("data/delta_anonymized.csv", "--original", "data/delta.csv")


def test_the_installed_command():
    script = Path(sys.executable).with_name("petworks")
    for command in ([script], [sys.executable, "-m", "PETWorks"]):
        done = subprocess.run([*command, "evaluate", PATIENT, "--measure", "t-closeness:t=0.29"], capture_output=True)
        assert (done.returncode, done.stderr) == (1, b"")
        assert b"t-closeness" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((PATIENT,), 0),
        ((PATIENT, "--measure", "t-closeness:t=0.376"), 0),
        ((PATIENT, "--measure", "t-closeness:t=8/27"), 0),
        ((PATIENT, "--measure", "t-closeness:t=0.29"), 1),
        ((PATIENT, "--measure", "t-closeness"), 0),
        ((PATIENT, "--qi", "ZIPCode,Age", "--sensitive", "Salary", "--measure", "T Closeness:t=1/6"), 0),
        ((*DELTA, "--measure", "d-presence:delta_min=1/2,delta_max=2/3"), 0),
        ((*DELTA, "--measure", "delta-presence:delta_min=0.51,delta_max=2/3"), 1),
        ((*DELTA, "--measure", "profitability:allow_attack=false"), 1),
        ((*DELTA, "--measure", "profitability:allow_attack=false", "--measure", "precision"), 1),
        ((*DELTA, "--measure", "profitability:adversary_cost=400,allow_attack=false"), 0),
        ((PATIENT, "--measure", "k-anonymity:k=3", "--measure", "l-diversity:l=3"), 0),
        ((PATIENT, "--measure", "k-anonymity:k=4"), 1),
        ((PATIENT, "--measure", "prosecutor-risk:cell_size=3,highest=1/3"), 0),
        ((PATIENT, "--measure", "prosecutor-risk:highest=0.33"), 1),
        ((PATIENT, "--privacy-unit", "Salary", "--measure", "k-anonymity:k=3"), 0),
        ((PATIENT, "--population", "1/100", "--measure", "population-uniqueness:share=0.1"), 0),
        ((DELTA[0], "--population", "data/delta.csv", "--measure", "k-map:k=3"), 0),
        ((DELTA[0], "--population", "data/delta.csv", "--measure", "k-map:k=4"), 1),
        ((*DELTA, "--measure", "precision:at_least=0.33", "--measure", "re-identification:at_most=0.4"), 0),
    ],
)
def test_exit_codes(arguments, code):
    done = petworks("evaluate", *arguments)
    assert (done.returncode, done.stderr) == (code, "")
    assert ("does not hold" in done.stdout) == (code == 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--population", "0"), "expected the population as a table, a number of people"),
        (("--population", "1.5"), "expected the population as a table, a number of people"),
        (("--population", "8"), "a population of 8 is smaller than the release, 9 records"),
        (("--population", "nan"), "no such file: 'nan'"),
        (("--population", "1e400"), "--population expects a file, a number of people or a share of them, got '1e400'"),
        (("--population", "1e999999999"), "no such file"),
        (("--population", "1e-320"), "would mean a larger population than there are people"),
        (("--population", " "), "--population expects a file"),
        (("--population", "x" * 5000), "the system rejects|too long|no such file"),
        (("--privacy-unit", ""), "the privacy unit '' is not in the data"),
        (("--qi", "", "--sensitive", ""), "an option names no column"),
        (("--measure", "publisher-payout:publisher_loss=1e308"), "0 <= publisher_loss <= 1e+100"),
        (
            ("--measure", 'alpha-k-anonymity:"value=x'),
            "--measure alpha-k-anonymity: parameters are separated by commas",
        ),
        (("--measure", "alpha-k-anonymity:value="), "needs value to be a text, got an empty one"),
        (("--population", "1/0"), "1/0"),
        (("--population", "/"), "not a regular file|directory"),
        (("--privacy-unit", "Name"), "the privacy unit 'Name' is not in the data"),
        (("--missing", "drop"), "'drop' is not one of 'value', 'apart'"),
        (("--measure", "k-map"), "k-map: needs a population table (--population)"),
        (("--measure", "utility-bias"), "utility-bias: needs the original table"),
        (("--measure", "recursive-l-diversity:l=2.5"), "needs l to be a whole number, got l='2.5'"),
    ],
)
def test_mistakes_about_the_wider_catalogue(options, message):
    done = petworks("evaluate", PATIENT, *options)
    assert done.returncode == 2
    assert done.stdout == ""
    assert any(part in done.stderr for part in message.split("|")), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "measure",
    [
        "delta-disclosure:delta=710",
        "delta-disclosure:delta=1e308",
        "recursive-l-diversity:c=1.79e308",
        "basic-beta-likeness:beta=1e308",
        "profitability:adversary_gain=1e99,adversary_cost=1e-99",
        "publisher-payout:publisher_loss=1e100,publisher_benefit=1e100,adversary_gain=1e100",
        'alpha-k-anonymity:alpha=1,"value=flu"',
        "k-anonymity:k=1",
    ],
)
def test_extreme_parameters_hold_without_a_warning(measure):
    done = petworks("evaluate", PATIENT, "--measure", measure, "--format", "json")
    assert done.stderr == ""
    found = json.loads(done.stdout, parse_constant=lambda constant: pytest.fail(constant))["results"][0]
    beyond = [
        number
        for row in found["details"].get("attributes", {}).values()
        for key, number in row.items()
        if "beyond" in key
    ]
    assert set(beyond) <= {0} or found["satisfied"] is False


def test_nobody_to_judge_is_told(tmp_path):
    (tmp_path / "t.csv").write_text("zip;s\n*;x\n*;y\n", "utf-8")
    done = petworks("evaluate", tmp_path / "t.csv", "--qi", "zip", "--measure", "k-anonymity:k=5")
    assert done.returncode == 0
    assert "No record is in a class" in done.stdout


def test_a_value_with_a_comma(tmp_path):
    (tmp_path / "t.csv").write_text('zip;s\n1;"a,b"\n1;c\n', "utf-8")
    options = ("--qi", "zip", "--sensitive", "s", "--measure", 'alpha-k-anonymity:alpha=0.5,"value=a,b"')
    assert petworks("evaluate", tmp_path / "t.csv", *options).returncode == 0


def test_one_strange_value_leaves_the_other_measures(tmp_path):
    """In the overview a hierarchy that does not fit is a reason; asked for by name it is an error."""
    (tmp_path / "t.csv").write_text("zip;age\n1;2\n3;4\n", "utf-8")
    (tmp_path / "h").mkdir()
    (tmp_path / "h/hierarchy_zip.csv").write_text("1;*\n2;*\n", "utf-8")
    options = (tmp_path / "t.csv", "--qi", "zip", "--hierarchies", tmp_path / "h")
    found = json.loads(petworks("evaluate", *options, "--format", "json").stdout)
    assert "1 of 2 released values are not on any level" in found["not_applicable"]["precision"]
    assert "k-anonymity" in [result["measure"] for result in found["results"]]
    assert petworks("evaluate", *options, "--measure", "precision").returncode == 2


def test_a_headless_original_is_not_quoted(tmp_path):
    (tmp_path / "t.csv").write_text("zip;name\n4711;A\n", "utf-8")
    (tmp_path / "o.csv").write_text("4711;Smith\n4712;Jones\n", "utf-8")
    done = petworks("evaluate", tmp_path / "t.csv", "--qi", "zip", "--original", tmp_path / "o.csv")
    assert done.returncode == 2
    assert "the first line looks like data" in done.stderr
    assert "Smith" not in done.stderr


def test_the_overview_has_families_and_no_details():
    done = petworks("evaluate", *DELTA, "--privacy-unit", "salary-class", "--qi", "zip,age,nationality")
    families = ["privacy", "risk", "attack", "utility"]
    assert [line.strip() for line in done.stdout.splitlines() if line.strip() in families] == families
    assert "privacy unit: salary-class" in " ".join(done.stdout.split())
    assert "class sizes are people" in done.stdout
    assert "More of each: --measure NAME, or --format json." in done.stdout
    assert "records below" not in done.stdout


def test_without_measures_all_that_apply():
    found = json.loads(petworks("evaluate", *DELTA, "--format", "json").stdout)
    without = {
        "k-map": "needs a population table (--population)",
        "population-uniqueness": "needs the population or its size (--population)",
        "non-uniform-entropy": "compares row by row: the release has 5 records, the original 9",
        "individual-risk": "needs sampling weights (--sampling-weight)",
        "utility-bias": "needs a function of yours (in Python: function=...)",
    }
    assert found["not_applicable"] == without
    names = [entry.name for entry in all_measures() if entry.applies_to("generalised")]
    assert [result["measure"] for result in found["results"]] == [name for name in names if name not in without]
    assert found["satisfied"] is None
    assert all(result["satisfied"] is None for result in found["results"])
    alone = json.loads(petworks("evaluate", DELTA[0], "--format", "json").stdout)
    needing = (
        "delta-presence",
        "aecs",
        "discernibility",
        "fidelity",
        "marginals",
        "non-uniform-entropy",
        "utility-bias",
    )
    assert alone["not_applicable"] == without | dict.fromkeys(needing, "needs the original table (--original)")


def test_a_measure_can_be_asked_for_twice():
    asked = ("--measure", "t-closeness:t=0.2", "--measure", "t-closeness:t=0.3")
    found = json.loads(petworks("evaluate", PATIENT, *asked, "--format", "json").stdout)
    assert [result["satisfied"] for result in found["results"]] == [False, True]


def test_output_goes_to_a_file(tmp_path):
    out = tmp_path / "result.json"
    done = petworks("evaluate", PATIENT, "--measure", "t-closeness:t=0.2", "-o", out)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"petworks: wrote {out}\n")
    assert json.loads(out.read_text("utf-8"))["results"][0]["details"]["attributes"]["Disease"]["exact"] == "8/27"
    assert list(tmp_path.iterdir()) == [out]


def test_attack():
    done = petworks("attack", PATIENT, "--qi", "ZIPCode,Age", "--sensitive", "Disease,Salary", "--format", "json")
    found = json.loads(done.stdout)["results"]
    assert found[0]["details"]["posterior"] == 1 / 3
    assert found[1]["details"]["attributes"]["Disease"]["prior"] == 2 / 9
    table = petworks("attack", PATIENT, "--qi", "Age").stdout
    assert "re-identification" in table
    assert "attribute-inference" not in table


@pytest.mark.parametrize(("suffix", "read"), [("csv", pyarrow.csv.read_csv), ("parquet", pyarrow.parquet.read_table)])
def test_risk_per_record(tmp_path, suffix, read):
    (tmp_path / "t.csv").write_text("q;=s()\n2;a\n1;a\n2;b\n")
    out = tmp_path / f"risks.{suffix}"
    done = petworks("attack", tmp_path / "t.csv", "--qi", "q", "--sensitive", "=s()", "--per-record", out)
    assert done.returncode == 0
    assert read(out).to_pydict() == {
        "record": [1, 2, 3],
        "class_size": [2, 1, 2],
        "re-identification": [0.5, 1.0, 0.5],
        "attribute-inference of =s()": [0.5, 1.0, 0.5],
    }


def test_measures():
    found = json.loads(petworks("measures", "--format", "json").stdout)["measures"]
    assert {entry["name"] for entry in found} >= {"t-closeness", "delta-presence", "precision"}
    assert "delta_min=number" in petworks("measures").stdout


@pytest.mark.parametrize("command", ["evaluate", "attack", "measures"])
def test_help_has_examples(command):
    done = petworks(command, "--help")
    assert done.returncode == 0
    assert f"petworks {command}" in done.stdout
    assert "Example" in done.stdout


def test_column_names_with_a_comma(tmp_path):
    (tmp_path / "t.csv").write_text('"a,b";c;d\n1;2;3\n')
    done = petworks("attack", tmp_path / "t.csv", "--qi", '"a,b",c', "--qi", "d", "--format", "json")
    assert json.loads(done.stdout)["table"]["quasi_identifiers"] == ["a,b", "c", "d"]


def test_separator_and_encoding(tmp_path):
    (tmp_path / "t.csv").write_bytes("a:b\n1:é\n2:é\n".encode("latin-1"))
    options = ("--qi", "b", "--separator", ":", "--encoding", "latin-1", "--format", "json")
    assert json.loads(petworks("attack", tmp_path / "t.csv", *options).stdout)["table"]["encoding"] == "iso8859-1"
    pyarrow.parquet.write_table(pyarrow.table({"b": ["x"]}), tmp_path / "t.parquet")
    assert petworks("attack", tmp_path / "t.parquet", *options).returncode == 0


# --- what is not right: a clear error, exit 2, nothing written

FILES = {
    "good.csv": b"zip;age;disease\n1;20;flu\n2;30;SECRET\n",
    "original.csv": b"zip;age;disease\n1;20;flu\n2;30;SECRET\n",
    "other.csv": b"zip;years;disease\n1;20;SECRET\n",
    "empty.csv": b"",
    "header.csv": b"zip;age;disease\n",
    "ragged.csv": b"zip;age;disease\n1;20;SECRET\n1;SECRET\n",
    "twice.csv": b"zip;age;age\n1;20;SECRET\n",
    "bytes.csv": b"zip;age;disease\n1;20;SECRET\xff\xfe\n",
    "nul.csv": b"zip;age;disease\n1;20;SECRET\0\n",
    "bomb.csv": b"zip;age;disease\n1;20;SECRET\n",
    "bomb.yaml": b"a: &a [x]\nb: [*a]\n",
    "tag.csv": b"zip;age;disease\n1;20;SECRET\n",
    "tag.yaml": b"DATASET: !!python/name:os.system\n",
    "shape.csv": b"zip;age;disease\n1;20;SECRET\n",
    "shape.yaml": b"[1, 2]\n",
    "h/hierarchy_zip.csv": b"1;*\n3;*\n",
    "h_ragged/hierarchy_zip.csv": b"1;a;*\n2;*\n",
    "h_two/hierarchy_zip.csv": b"1;a;*\n1;b;*\n",
    "h_empty/hierarchy_zip.csv": b"",
    "h_comma/hierarchy_zip.csv": b"1,a,*\n2,b,*\n",
    "h_other/hierarchy_name.csv": b"1;*\n",
}
QI = ("--qi", "zip,age")


@pytest.fixture
def broken(tmp_path):
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    with (tmp_path / "line.csv").open("wb") as file:
        file.write(b"zip;age;disease\n")
        file.truncate(1 << 30)  # sparse, and full of NUL
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.csv", *QI), "no such file: 'missing.csv'"),
        (("empty.csv", *QI), "empty.csv: the file is empty"),
        (("header.csv", *QI), "header.csv: the file has a header but no records"),
        (("ragged.csv", *QI), "ragged.csv, line 3: 2 cells, but the header has 3"),
        (("twice.csv", *QI), "twice.csv: duplicate column names 'age'"),
        (("bytes.csv", *QI), "bytes.csv, line 2: the bytes are neither UTF-8 nor Big5 (CP950); name its encoding, in"),
        (("nul.csv", *QI), "nul.csv, line 2: contains a NUL byte"),
        (("line.csv", *QI), "line.csv, line 2: contains a NUL byte"),
        (("bomb.csv",), "bomb.yaml, line 2: an alias is not allowed"),
        (("tag.csv",), "tag.yaml, line 1: a tag is not allowed"),
        (("shape.csv",), "shape.yaml: expected a mapping under 'DATASET'"),
        (("good.csv", "--qi", "zpi"), "roles name columns that are not in the data: 'zpi'"),
        (("good.csv", "--qi", "zip", "--sensitive", "zip"), "column 'zip' has two roles"),
        (("good.csv",), "no column has the role 'quasi_identifier'"),
        (("good.csv", "--sensitive", "disease"), "no column has the role 'quasi_identifier'"),
        (("good.csv", *QI, "--measure", "t-closeness"), "t-closeness: needs a sensitive attribute"),
        (("good.csv", *QI, "--measure", "delta-presence"), "delta-presence: needs the original table"),
        (("good.csv", *QI, "--original", "other.csv"), "original and release have different columns"),
        (("good.csv", *QI, "--hierarchies", "h_other"), "the hierarchy folder 'h_other' has no file"),
        (("good.csv", *QI, "--hierarchies", "h", "--measure", "precision"), "there is none for 'age'"),
        (("good.csv", *QI, "--hierarchies", "h_ragged"), "hierarchy_zip.csv, line 2: 2 levels, but"),
        (("good.csv", *QI, "--hierarchies", "h_two"), "hierarchy_zip.csv, line 2: the leaf of line 1"),
        (("good.csv", *QI, "--hierarchies", "h_empty"), "hierarchy_zip.csv: the file is empty"),
        (("good.csv", *QI, "--hierarchies", "h_comma"), "separated by ','; expected ';'"),
        (
            ("good.csv", "--qi", "zip", "--hierarchies", "h", "--measure", "precision"),
            "column 'zip': 1 of 2 released values are not on any level",
        ),
        (("good.csv", *QI, "--sensitive", "disease", "--measure", "t-closeness:t=-1"), "needs 0 <= t, got t='-1'"),
        (
            ("good.csv", *QI, "--sensitive", "disease", "--measure", "t-closeness:t=nan"),
            "needs a number, 0 <= t, got t='nan'",
        ),
        (("good.csv", *QI, "--measure", "delta-presence:delta_min=1,delta_max=0"), "needs delta_min <= delta_max"),
        (("good.csv", *QI, "--measure", "t-closness"), "did you mean 't-closeness'?"),
        (("good.csv", *QI, "--measure", "t-closeness:limit=1"), "no parameter of t-closeness is called 'limit'"),
        (("good.csv", *QI, "--measure", "t-closeness:t"), "expected parameter=value, got 't'"),
        (("good.csv", *QI, "--measure", "t-closeness:t=1,t=2"), "'t' is given twice"),
        (("good.csv", *QI, "--original", "missing.csv"), "no such file: 'missing.csv'"),
    ],
)
def test_bad_input(broken, arguments, message):
    before = sorted(broken.rglob("*"))
    done = petworks("evaluate", *arguments, "--format", "json", "-o", "out.json", cwd=broken)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "SECRET" not in done.stderr
    assert sorted(broken.rglob("*")) == before


@pytest.mark.slow
def test_a_gigabyte_in_one_line(tmp_path):
    path = tmp_path / "line.csv"
    with path.open("wb") as file:
        file.write(b"zip;age\n")
        for _ in range(1024):
            file.write(b"x" * (1 << 20))
    limited = f"ulimit -v 4000000; exec {Path(sys.executable).with_name('petworks')} evaluate {path} --qi zip"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "petworks: line.csv, line 2: the line is longer than 4 MiB\n"


@pytest.mark.parametrize("option", [("--subsets", "all", "-o"), ("--per-record",)], ids=["output", "per record"])
@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("nowhere/out.csv", "the folder 'nowhere' does not exist"),
        ("h/hierarchy_zip.csv", "it is an input of this run, or is named like one"),
        ("/dev/null", "it is a folder or a device"),
        ("h", "it is a folder or a device"),
        ("good.csv", "it is an input of this run"),
        ("/proc/out.csv", "cannot write '/proc/out.csv"),
    ],
)
def test_outputs_that_cannot_be_written(broken, option, out, message):
    before = {path: path.read_bytes() for path in broken.rglob("*.csv") if path.name != "line.csv"}
    done = petworks("attack", "good.csv", "--qi", "zip", *option, out, cwd=broken)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert before == {path: path.read_bytes() for path in broken.rglob("*.csv") if path.name != "line.csv"}


def test_per_record_wants_a_known_format(broken):
    done = petworks("attack", "good.csv", "--qi", "zip", "--per-record", "out.xls", cwd=broken)
    assert done.returncode == 2
    assert "--per-record writes .csv or .parquet" in done.stderr


def test_two_outputs_are_two_files_and_written_together(broken):
    out = ("--per-record", "out.csv", "-o")
    done = petworks("attack", "good.csv", "--qi", "zip", *out, "out.csv", cwd=broken)
    assert (done.returncode, "name the same file" in done.stderr) == (2, True)
    (broken / "link.json").symlink_to("real.json")
    assert petworks("attack", "good.csv", "--qi", "zip", *out, "link.json", cwd=broken).returncode == 0
    assert (broken / "link.json").is_symlink()
    assert json.loads((broken / "real.json").read_text("utf-8"))["results"]


def test_a_terminal_of_another_encoding(broken):
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    done = petworks("evaluate", "good.csv", *QI, cwd=broken, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_nowhere_to_write(broken):
    command = [str(Path(sys.executable).with_name("petworks")), "evaluate", "good.csv", *QI]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=broken)
    assert done.returncode == 2
    assert done.stderr == "petworks: cannot write the result: No space left on device\n"


@pytest.mark.slow
def test_ctrl_c_is_not_a_verdict(tmp_path):
    """A large table, interrupted while it is read: exit code 130 and nothing left behind."""
    table = tmp_path / "t.csv"
    # Larger than the files that are read into memory at once, so that it is open while it is read.
    table.write_text("a;b\n" + "".join(f'{number};"{"x" * 30}\n"\n' for number in range(4_000_000)))
    command = [str(Path(sys.executable).with_name("petworks")), "evaluate", "t.csv", "--qi", "a", "-o", "out.json"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_until_open(running, table)
    running.send_signal(signal.SIGINT)
    _, message = running.communicate(timeout=PATIENCE)
    assert (running.returncode, message) == (130, "petworks: interrupted\n")
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.parametrize("where", ["callback", "parse_args"])
def test_an_error_of_the_program_shows_no_data_and_is_no_verdict(where):
    """Wherever it happens; functions that are registered for the exit still run."""
    code = (
        "import atexit; from PETWorks.cli.main import main; atexit.register(print, 'the end')\n"
        f"def fail(*_): raise KeyError('SECRET')\nmain.{where} = fail; main(['presets'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "the end\n")
    assert "SECRET" not in done.stderr.replace(code, "")
    assert "petworks: KeyError: an error in the program itself" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("raised", ["RuntimeError('Query interrupted')", "SystemExit(1)"])
def test_a_signal_decides_the_exit_code_whatever_it_turns_into(number, raised):
    code = (
        "import os, time; from PETWorks.cli.main import main\n"
        "def query():\n"
        f"    try: os.kill(os.getpid(), {int(number)}); time.sleep(5)\n"
        f"    except BaseException: raise {raised} from None\n"
        "main.callback = query; main(['presets'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "")


def test_usage_errors_exit_with_2():
    assert petworks("evaluate").returncode == 2
    assert petworks("evaluate", PATIENT, "--format", "xml").returncode == 2
    assert petworks("nothing").returncode == 2


def test_progress_only_on_a_terminal():
    """Standard error is a terminal: there is a spinner; piped it is silent (as every test above has seen)."""
    reader, writer = pty.openpty()
    command = [str(Path(sys.executable).with_name("petworks")), "evaluate", PATIENT, "--measure", "t-closeness"]
    environment = os.environ | {"TERM": "xterm"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, check=False, env=environment)
    os.close(writer)
    assert "evaluating patient_anonymized.csv" in os.read(reader, 65536).decode()
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout


def test_hostile_names_are_shown_as_text(tmp_path):
    """Markup of the terminal library and control characters in a column name stay what they are."""
    (tmp_path / "t.csv").write_text("[bold]q[/bold];\x1b[31ms;<b>\n1;2;3\n")
    done = petworks("evaluate", tmp_path / "t.csv", "--qi", "[bold]q[/bold],<b>", "--sensitive", "\x1b[31ms")
    assert done.returncode == 0
    assert "[bold]q[/bold], <b>" in done.stdout
    assert "\x1b" not in done.stdout
