"""The external edition of a check."""
