"""A policy for `data/adult.csv`, the day on which tests check policies, and the JSON schema of a check."""

import json
from datetime import UTC, datetime

from jsonschema import Draft202012Validator

from PETWorks.gate.document import schema_text

CHECK = Draft202012Validator(json.loads(schema_text("check")))
DAY = datetime(2026, 11, 16, tzinfo=UTC)
ADULT_POLICY = """\
petworks_policy: 1
data: adult.csv
no_rule: {workclass: a test}
role_reasons: {marital-status: x, education: x, native-country: x, occupation: x, salary-class: x}
roles:
  quasi_identifiers: [sex, age, race]
  sensitive_attributes: [workclass]
  insensitive_attributes: [marital-status, education, native-country, occupation, salary-class]
hierarchies:
  sex: {rare: {fewer_than: 20}}
  age: {width: [5, 10, 20]}
  race: {rare: {fewer_than: 20}}
rules:
  - measure: k-anonymity
    k: 5
"""
