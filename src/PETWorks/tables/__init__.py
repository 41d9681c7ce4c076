"""Reading and writing: bytes, data frames and databases come in, files go out; only this folder knows formats.

May import: nothing else.
"""
