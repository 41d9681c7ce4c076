"""Results as JSON."""

import json
from collections.abc import Mapping
from typing import Any


def dumps(result: Mapping[str, Any]) -> str:
    """Four blanks of indent, text as it is."""
    return json.dumps(result, indent=4, ensure_ascii=False, allow_nan=False)


def canonical(document: Mapping[str, Any]) -> str:
    """The one text of a document: keys sorted, two blanks of indent, numbers as short as they can be told apart.

    Half of a surrogate pair, which UTF-8 does not have, becomes a question mark.
    """
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "replace").decode("utf-8")
