"""The files that the page reads and writes."""
