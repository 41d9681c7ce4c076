"""Local recoding: each record on its own levels."""
