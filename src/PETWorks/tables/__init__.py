"""Reading and writing: bytes, data frames and databases come in, files go out; only this folder handles formats."""
