"""Charts: their data, their coordinates, and the libraries that draw them."""
