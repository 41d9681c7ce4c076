"""CSV files: reading and writing."""
