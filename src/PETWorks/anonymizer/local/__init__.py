"""Local recoding: each record on levels of its own."""
