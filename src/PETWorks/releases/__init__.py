"""Several releases about the same people: joined by a key, attacked together, next to each of them alone."""
