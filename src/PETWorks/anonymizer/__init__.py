"""The best release that rules allow: the lattice of levels, what is lost on them, the search, and its explanation.

May import: tables, about, counting, measures, releases.
"""
