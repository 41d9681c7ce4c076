"""Results as text, JSON, HTML and pictures: one file per format, one per language."""
