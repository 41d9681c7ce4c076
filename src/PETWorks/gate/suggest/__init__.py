"""Suggestions for a new policy."""
