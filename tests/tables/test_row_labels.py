"""Row labels of pandas: no column of a frame, and a column of a file, with which they go out."""

import pandas as pd
import pytest

from PETWorks import Release, check

POLICY = (
    "petworks_policy: 1\ndata: {file}\nroles: {{quasi_identifiers: [sex], insensitive_attributes: [ward]}}\n"
    "role_reasons: {{ward: a test}}\nrules: [{{measure: k-anonymity, k: 5}}]\n"
)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_row_labels_of_a_file_are_judged(tmp_path, suffix):
    table = pd.DataFrame(
        {"sex": ["f", "m"] * 30, "ward": ["a", "b", "c"] * 20}, index=[f"Person {number} Smith" for number in range(60)]
    )
    file = tmp_path / f"table.{suffix}"
    if suffix == "parquet":
        table.to_parquet(file)
    else:
        from pyarrow import Table, feather

        feather.write_feather(Table.from_pandas(table), file)
    (tmp_path / "policy.yaml").write_text(POLICY.format(file=file.name))
    result = check(tmp_path / "policy.yaml")
    rules = {rule.name: rule.verdict for rule in result.content.rules}
    assert rules["every-column-has-a-role"] == rules["no-hidden-identifiers"] == "fail"
    assert Release(table, {"sex": "quasi_identifier"}).columns == ("sex", "ward")
