"""The documents that the program writes: their types, JSON and schemas."""
