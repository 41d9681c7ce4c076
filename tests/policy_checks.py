"""The day on which tests check policies, and the JSON schema of a check."""

import json
from datetime import UTC, datetime

from jsonschema import Draft202012Validator

from PETWorks.gate.document import schema_text

CHECK = Draft202012Validator(json.loads(schema_text("check")))
DAY = datetime(2026, 11, 16, tzinfo=UTC)
