"""The policy file: reading it and checking it."""
