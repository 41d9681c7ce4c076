"""A function of the user's own as a rule: it sees whole tables."""

import pyarrow as pa

from searches import anonymize

TABLE = pa.table({"age": [str(20 + n % 30) for n in range(200)], "pay": [n % 7 for n in range(200)]})
HIERARCHIES = {"age": {"width": [5, 10]}}


def twenties(table):
    assert table.column_names == ["age", "pay"]
    assert table.num_rows == 200
    return sum(value.startswith(("2", "[2")) for value in table["age"].to_pylist())


def test_a_limit_for_a_function_bounds_the_levels():
    rules = {"k-anonymity": {"k": 10}}
    free = anonymize(TABLE, {"age": "quasi_identifier"}, HIERARCHIES, rules, levels={"age": (2, 3)})
    bound = anonymize(
        TABLE,
        {"age": "quasi_identifier"},
        HIERARCHIES,
        {**rules, "utility-bias": {"function": twenties, "max_bias": 0}},
        suppression=0.5,
    )
    assert free.levels == {"age": 2}
    assert twenties(bound.table) == twenties(TABLE)
    top = {"levels": {"age": 3}, "suppressed": "apart", "suppressed_records": "stars"}  # as nothing is left
    assert twenties(anonymize(TABLE, {"age": "quasi_identifier"}, HIERARCHIES, rules, **top).table) == 0
