"""Measures and attacks: pure functions of counts, one folder per family, one file per group of measures.

May import: tables, about, counting.
"""
