"""The pages, one module for each step."""
