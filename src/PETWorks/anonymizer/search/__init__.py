"""The search for the best levels: exact, in large lattices, and for several limits at once."""
