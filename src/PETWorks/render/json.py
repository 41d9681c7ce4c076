"""Results as JSON."""

import json
from collections.abc import Mapping
from typing import Any


def dumps(result: Mapping[str, Any]) -> str:
    """Four blanks of indent, text as it is."""
    return json.dumps(result, indent=4, ensure_ascii=False, allow_nan=False)
