"""The best release that satisfies rules: the lattice of levels, the losses on them, the search, and its explanation."""
