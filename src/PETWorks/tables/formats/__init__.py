"""File formats other than CSV, one module for each."""
