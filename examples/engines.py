"""Count one table in memory, out of core, and as a DuckDB relation that stays in DuckDB: the numbers are the same."""

import duckdb

from PETWorks import Release, evaluate

roles = {"ZIPCode": "quasi_identifier", "Age": "quasi_identifier", "Disease": "sensitive_attribute"}
people = duckdb.sql("SELECT ZIPCode, Age, Disease FROM read_csv('data/patient_anonymized.csv', all_varchar = true)")

for data, engine in (
    ("data/patient_anonymized.csv", "memory"),
    ("data/patient_anonymized.csv", "duckdb"),
    (people, "auto"),
):
    release = Release(data, roles, hierarchies={}, engine=engine)
    found = evaluate(release, ["k-anonymity", "t-closeness", "attribute-inference"])
    print(release.engine.name, *(result.value for result in found))
    release.engine.close()

# Prints:
# memory 3 0.5555555555555556 0.3333333333333333
# duckdb 3 0.5555555555555556 0.3333333333333333
# duckdb 3 0.5555555555555556 0.3333333333333333
