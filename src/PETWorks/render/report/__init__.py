"""The contents of a report in words, whatever its format."""
