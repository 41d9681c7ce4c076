"""Fuzzing: random and mutated inputs for every loader and for the command line (`make fuzz`)."""
