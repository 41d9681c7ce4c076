"""Generated wide tables, on which local recoding is timed: columns depend on hidden traits, and values are skewed."""

import numpy as np
import pyarrow as pa

TRAITS, NOISE = 4, 0.7
HEIGHTS = {
    16: (1, 2, 2, 3, 1, 4, 2, 3, 2, 1, 4, 3, 2, 2, 3, 1),
    24: (1, 2, 3, 3, 4, 2, 3, 4, 2, 1, 4, 3, 5, 2, 3, 1, 4, 3, 2, 3, 2, 4, 2, 3),
}
FANS = (2, 3, 2, 4, 2, 3)  # how many groups of a column a level merges into one


def wide_table(rows, columns, seed=1):
    """A table with 16 or 24 columns, and the hierarchy of each."""
    random = np.random.default_rng(seed)
    traits = random.normal(size=(rows, TRAITS))
    table, hierarchies = {}, {}
    for number, height in enumerate(HEIGHTS[columns]):
        fan = FANS[number % len(FANS)]
        leaves = 2 * fan ** (height - 1) if height > 1 else 2 + number % 4
        signal = traits @ random.normal(size=TRAITS) + NOISE * random.normal(size=rows)
        shares = random.permutation(random.dirichlet(np.ones(leaves)))
        codes = np.searchsorted(np.quantile(signal, np.cumsum(shares)[:-1]), signal)
        name = f"c{number:02}"
        table[name] = np.array([f"v{code:03}" for code in range(leaves)])[codes]
        hierarchies[name] = [
            [f"v{code:03}", *(f"level {level}, {code // fan**level}" for level in range(1, height)), "*"]
            for code in range(leaves)
        ]
    return pa.table(table), hierarchies
