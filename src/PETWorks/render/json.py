"""Results as JSON."""

import json
from collections.abc import Mapping
from typing import Any


def dumps(result: Mapping[str, Any]) -> str:
    """JSON with an indent of four spaces, and text that is not escaped."""
    return json.dumps(result, indent=4, ensure_ascii=False, allow_nan=False)


def canonical(document: Mapping[str, Any]) -> str:
    """A document in canonical form: sorted keys, an indent of two spaces, each number in its shortest form.

    Half of a surrogate pair, which UTF-8 does not have, becomes a question mark.
    """
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "replace").decode("utf-8")
