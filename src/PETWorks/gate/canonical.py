"""Documents in canonical form, and their digest."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from PETWorks.gate.document import CheckDocument

# The moment, and what is random.
NOT_CONTENT = ("generated", "as_of_given", "salt", "commitments", "content_sha256")


def canonical(document: Mapping[str, Any]) -> str:
    """A document in canonical form: sorted keys, an indent of two spaces, each number in its shortest form.

    Half of a surrogate pair, which UTF-8 does not have, becomes a question mark.
    """
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "replace").decode("utf-8")


def content_digest(document: CheckDocument) -> str:
    """SHA-256 of what a check says."""
    content = {name: value for name, value in document.to_dict().items() if name not in NOT_CONTENT}
    return hashlib.sha256(canonical(content).encode()).hexdigest()
