"""Files other than CSV, one module for each kind."""
