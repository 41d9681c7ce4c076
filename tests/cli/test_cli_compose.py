"""The command `compose`."""

import json

import pytest

from command import petworks

SCHOOLS = ("compose", "data/school_2022.csv", "data/school_2023.csv", "--key", "pupil")


def test_a_table_for_people():
    done = petworks(*SCHOOLS)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "2 releases; the targets are the 10 people of school_2023.csv" in lines
    assert "re-identification 0.1 0.5 0.6 0.2 0.3" in lines
    assert "school_2022.csv 0.4 0.1 0.8 0.7 0.25" in lines  # the curve
    assert "school_2022.csv 0.2 0.5 0.1" in lines  # adds 2/10, 5/10 without it
    assert "all of them 8 0.375 1 0.375" in lines
    assert "m-invariance" in lines
    assert "Limits" not in lines


def test_json_for_machines(tmp_path):
    done = petworks(*SCHOOLS, "--worth", "grade:A=10,B=6,C=6,D=6,E=8", "-o", tmp_path / "both.json")
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "both.json").read_text("utf-8"))
    assert written["focal"] == "school_2023.csv"
    assert written["linked"]["attribute_inference"]["grade"]["gain"] == {"prior": 2.0, "posterior": 5.6}
    assert written["unlinked"]["grade"]["people_disclosed"] == 3
    assert written["satisfied"] is None
    printed = petworks(*SCHOOLS, "--format", "json")
    assert json.loads(printed.stdout)["m_invariance"]["grade"]["m"] is None


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (["re-identification=6/10"], 0),
        (["re-identification=0.5"], 1),
        (["disclosed=3/8", "one-value:disability=0.3"], 0),
        (["disclosed=3/8", "m-invariance=2"], 1),
    ],
)
def test_exit_codes(limits, code):
    done = petworks(*SCHOOLS, *(word for limit in limits for word in ("--limit", limit)))
    assert done.returncode == code, done.stderr
    assert ("does not hold" in done.stdout) == (code == 1)


def test_roles_by_options(tmp_path):
    """Each release uses the columns that it has, and a role that is asked for replaces what the file beside it says."""
    by_option = petworks(*SCHOOLS, "--qi", "school,age,gender", "--sensitive", "grade", "--format", "json")
    found = json.loads(by_option.stdout)
    assert [one["quasi_identifiers"] for one in found["releases"]] == [["school", "gender"], ["age", "gender"]]
    assert list(found["linked"]["attribute_inference"]) == ["grade"]
    assert found["linked"]["re_identification"]["posterior"] == 0.6


def test_the_focal_release_by_path_or_name():
    for focal in ("data/school_2022.csv", "school_2022.csv"):
        found = json.loads(petworks(*SCHOOLS, "--focal", focal, "--format", "json").stdout)
        assert (found["focal"], found["people"]) == ("school_2022.csv", 9)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--focal", "school_2021.csv"], "no release is called 'school_2021.csv'; did you mean 'school_202"),
        (["--worth", "grade"], "--worth expects COLUMN:VALUE=NUMBER,VALUE=NUMBER, each column and each value once"),
        (["--worth", 'grade:"A'], "--worth: values are separated by commas"),
        (["--worth", "grade:Q=1"], "worth of 'grade': 1 of 1 values do not occur in any release"),
        (["--limit", "gain=1"], "the limit 'gain' needs a worth of sensitive values (--worth)"),
        (["--limit", "alone"], "--limit expects NAME=VALUE"),
        (["--subset-limit", "uniques=0"], "--subset-limit needs --subsets"),
        (["--subsets", "7"], "expected sizes of subsets as 'all', '2', '1-3' or '1,3', within 1-4; got '7'"),
        (["--subsets", "1", "--subset-limit", "alone=1"], "no limit is called 'alone'; known: 'highest-risk'"),
        (["--qi", "postcode"], "no release has the column 'postcode'"),
    ],
)
def test_bad_input(options, text):
    done = petworks(*SCHOOLS, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"petworks: {text}")


def test_no_cell_is_printed(tmp_path):
    header, rows = "id;zip;ill\n", [f"person{n};zip{n // 2};illness{n % 3}" for n in range(6)]
    (tmp_path / "a.csv").write_text(header + "\n".join(rows))
    (tmp_path / "b.csv").write_text(header + "\n".join(row.replace("illness2", "other") for row in rows[:5]))
    (tmp_path / "twice.csv").write_text(header + "\n".join([*rows, rows[0]]))
    roles = ("--key", "id", "--qi", "zip", "--sensitive", "ill")
    done = [petworks("compose", "b.csv", "a.csv", *roles, "--format", form, cwd=tmp_path) for form in ("table", "json")]
    done.append(petworks("compose", "a.csv", "twice.csv", *roles, cwd=tmp_path))
    assert [one.returncode for one in done] == [0, 0, 2]
    assert "33.3 % of the values of 'ill' in 'b.csv' do not occur in 'a.csv'" in done[0].stderr
    assert "1 of 6 people have more than one record" in done[2].stderr
    for one in done:
        assert not [cell for cell in ("person0", "zip1", "illness") if cell in one.stdout + one.stderr]


def test_help_has_examples():
    done = petworks("compose", "--help")
    assert "petworks compose data/school_2022.csv data/school_2023.csv --key pupil" in done.stdout


def test_subsets_of_all_columns():
    done = petworks(*SCHOOLS, "--subsets", "1-2", "--subset-limit", "uniques=0", "--format", "json")
    answers = json.loads(done.stdout)["subsets"]
    assert (done.returncode, answers["number"], len(answers["rows"])) == (1, 10, 10)
    assert answers["minimal_risky"][0]["attributes"] == ["school_2023.csv: age"]
    done = petworks(*SCHOOLS, "--subsets", "all", "--subset-limit", "uniques=0.3")
    assert done.returncode == 0
    assert "What drives the risk: re-identification" in done.stdout


def test_engines_say_the_same():
    one, other = (petworks(*SCHOOLS, "--engine", engine, "--format", "json") for engine in ("memory", "duckdb"))
    assert one.stdout == other.stdout
    assert json.loads(one.stdout)["people"] == 10


def test_one_release_is_not_enough():
    done = petworks("compose", "data/school_2022.csv", "--key", "pupil")
    assert (done.returncode, done.stdout) == (2, "")
    assert "name at least two releases, the oldest first" in done.stderr
