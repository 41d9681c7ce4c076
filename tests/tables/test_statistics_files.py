"""Files of SPSS, Stata and SAS: labels instead of codes, and every kind of missing value apart."""

import datetime as dt

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from PETWorks import Release
from PETWorks.errors import InputError
from PETWorks.tables.formats import packed, statistics_files
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.writing import whole_table

FRAME = pd.DataFrame({"sex": [1.0, 2.0, np.nan, 98.0, 99.0], "age": [35.0, 36.5, 0.1, 5.0, np.nan]})


def cells(path):
    return whole_table(open_source(path, "t")).to_pydict()


def test_labels_and_missing_values_of_spss(tmp_path):
    labels = {"sex": {1: "male", 2: "female", 99: "refused"}}
    for name, more in (("t.sav", {}), ("t.zsav", {"compress": True}), ("r.sav", {"row_compress": True})):
        path = tmp_path / name
        pyreadstat.write_sav(FRAME, path, variable_value_labels=labels, missing_ranges={"sex": [98, 99]}, **more)
        assert cells(path) == {"sex": ["male", "female", "", "98", "refused"], "age": ["35", "36.5", "0.1", "5", ""]}


def test_missing_ranges_of_spss(tmp_path):
    ranges = {"sex": [{"lo": 90, "hi": 99}], "age": [5.0]}
    pyreadstat.write_sav(FRAME, tmp_path / "t.sav", missing_ranges=ranges)
    assert cells(tmp_path / "t.sav") == {"sex": ["1", "2", "", "98", "99"], "age": ["35", "36.5", "0.1", "5", ""]}


def test_labels_and_missing_values_of_stata(tmp_path):
    frame = pd.DataFrame({"sex": [1, 2, np.nan, "a", "b"], "n": [1, 2, 3, 4, "z"]}, dtype=object)
    pyreadstat.write_dta(
        frame,
        tmp_path / "t.dta",
        variable_value_labels={"sex": {1: "male", "a": "refused"}},
        missing_user_values={"sex": ["a", "b"], "n": ["z"]},
    )
    assert cells(tmp_path / "t.dta") == {"sex": ["male", "2", "", "refused", ".b"], "n": ["1", "2", "3", "4", ".z"]}


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14, 15])
def test_versions_of_stata(tmp_path, version):
    pyreadstat.write_dta(FRAME, tmp_path / "t.dta", version=version)
    assert cells(tmp_path / "t.dta")["sex"] == ["1", "2", "", "98", "99"]


def test_numbers_of_32_bits_have_the_digits_that_people_see(tmp_path):
    pd.DataFrame({"x": np.array([0.1, 1.5, 16777216.0], np.float32)}).to_stata(tmp_path / "t.dta", write_index=False)
    assert cells(tmp_path / "t.dta")["x"] == ["0.1", "1.5", "16777216"]


@pytest.mark.parametrize("version", [5, 8])
def test_transport_files_of_sas(tmp_path, version):
    frame = FRAME.assign(name=["007", "", "x", "y", "z"])
    pyreadstat.write_xport(frame, tmp_path / "t.xpt", file_format_version=version)
    table = cells(tmp_path / "t.xpt")
    assert table["name"] == ["007", "", "x", "y", "z"]
    assert table["age"] == ["35", "36.5", "0.1", "5", ""]


def test_portable_files_of_spss(tmp_path):
    pyreadstat.write_por(FRAME, tmp_path / "t.por")
    assert cells(tmp_path / "t.por") == {"SEX": ["1", "2", "", "98", "99"], "AGE": ["35", "36.5", "0.1", "5", ""]}


def test_dates_and_moments(tmp_path):
    moment = dt.datetime(2024, 5, 1, 3, 4, 5, 123_000)
    frame = pd.DataFrame({"day": [dt.date(1850, 1, 1), None], "at": [moment, moment], "s": ["王", "x y"]}, dtype=object)
    pyreadstat.write_sav(frame, tmp_path / "t.sav")
    assert cells(tmp_path / "t.sav") == {
        "day": ["1850-01-01", ""],
        "at": ["2024-05-01 03:04:05.123"] * 2,
        "s": ["王", "x y"],
    }


def test_values_with_the_same_label_stay_apart(tmp_path):
    labels = {"sex": {1: "yes", 2: "no", 98: "missing", 99: "missing"}}
    pyreadstat.write_sav(FRAME, tmp_path / "t.sav", variable_value_labels=labels)
    assert cells(tmp_path / "t.sav")["sex"] == ["yes", "no", "", "missing [98]", "missing [99]"]
    assert Release(tmp_path / "t.sav", {"sex": "quasi_identifier"}).marginal("sex").counts.tolist() == [1] * 5


def test_a_label_that_is_another_value_is_rejected(tmp_path):
    pyreadstat.write_sav(FRAME, tmp_path / "t.sav", variable_value_labels={"sex": {1: "2"}})
    with pytest.raises(InputError, match="column 'sex' has a value label that is also a value without a label"):
        cells(tmp_path / "t.sav")
    assert Release(tmp_path / "t.sav", {"age": "quasi_identifier"}).records == 5


def test_labels_of_texts(tmp_path):
    frame = pd.DataFrame({"code": ["m", "f", "", "x"]})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_value_labels={"code": {"m": "male", "f": "female"}})
    assert cells(tmp_path / "t.sav")["code"] == ["male", "female", "", "x"]


def test_numbers_that_lose_digits_are_rejected(tmp_path):
    pyreadstat.write_sav(pd.DataFrame({"id": [2.0**53 + 2, 1.0]}), tmp_path / "t.sav")
    with pytest.raises(InputError, match="column 'id' has whole numbers beyond"):
        cells(tmp_path / "t.sav")


def test_the_roles_file_beside_a_table(tmp_path):
    pyreadstat.write_sav(FRAME, tmp_path / "t.sav")
    (tmp_path / "t.yaml").write_text("roles: {quasi_identifiers: [sex]}\n")
    assert Release(tmp_path / "t.sav").quasi_identifiers == ("sex",)


@pytest.mark.parametrize("kind", ["sav", "zsav", "dta", "xpt"])
def test_damaged_files_are_rejected(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    frame = pd.DataFrame({"name": ["SECRET"] * 500})
    {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}.get(
        kind, lambda frame, path: pyreadstat.write_sav(frame, path, compress=True)
    )(frame, path)
    content = path.read_bytes()
    for size in (50, 200, len(content) // 2 + 3):
        path.write_bytes(content[:size])
        with pytest.raises(InputError) as caught:
            cells(path)
        assert "SECRET" not in str(caught.value)


def test_files_that_grow_out_of_proportion_are_rejected(tmp_path, monkeypatch):
    for module in (statistics_files, packed):
        monkeypatch.setattr(module, "LARGEST_RATIO", 2)
    monkeypatch.setattr(statistics_files, "USUAL_SIZE", 1 << 10)
    pyreadstat.write_sav(pd.DataFrame({"x": [1.0] * 50_000}), tmp_path / "t.zsav", compress=True)
    with pytest.raises(InputError, match="times as large when it is unpacked"):
        open_table(tmp_path / "t.zsav")


def test_without_the_package_the_error_names_the_extra(tmp_path, monkeypatch):
    pyreadstat.write_sav(FRAME, tmp_path / "t.sav")
    monkeypatch.setattr("PETWorks.tables.formats.statistics_files.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'petworks\[files\]'"):
        open_table(tmp_path / "t.sav")
