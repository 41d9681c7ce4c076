"""Counting of equivalence classes and their values: in memory, out of core or in a cluster."""
