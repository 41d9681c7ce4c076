"""Results as JSON."""

import json
from collections.abc import Mapping
from typing import Any


def dumps(result: Mapping[str, Any]) -> str:
    """JSON with an indent of four spaces, and text that is not escaped."""
    return json.dumps(result, indent=4, ensure_ascii=False, allow_nan=False)
