import shutil

import pytest

from conftest import ROOT
from studio_client import entered


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / "data/adult.csv", tmp_path)
    return tmp_path


def test_a_table_is_opened_with_a_new_policy_that_stays_beside_it(folder):
    with entered(folder) as page:
        assert "adult.csv" in page.get("/").text
        answer = page.post("/open", data={"table": "adult.csv"}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/columns?policy=adult_policy.yaml")
        written = (folder / "adult_policy.yaml").read_text("utf-8")
        assert "quasi_identifiers" in written
        page.post("/open", data={"table": "adult.csv"}, follow_redirects=False)
        assert (folder / "adult_policy.yaml").read_text("utf-8") == written, "a policy that is there is kept"
        assert "k = 1" in page.get("/bar?policy=adult_policy.yaml").text
