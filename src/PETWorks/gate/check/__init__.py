"""The check of a release by its policy."""
