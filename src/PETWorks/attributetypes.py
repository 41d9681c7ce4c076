"""The four roles a column can have."""

IDENTIFIER = "identifier"
QUASI_IDENTIFIER = "quasi_identifier"
SENSITIVE_ATTRIBUTE = "sensitive_attribute"
INSENSITIVE_ATTRIBUTE = "insensitive_attribute"

__all__ = ["IDENTIFIER", "INSENSITIVE_ATTRIBUTE", "QUASI_IDENTIFIER", "SENSITIVE_ATTRIBUTE"]
