"""The formats of a check, one module for each."""
