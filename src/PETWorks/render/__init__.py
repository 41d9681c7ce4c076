"""Results as text, JSON, HTML and pictures: one file per format, one per language.

May import: tables, about, counting, measures, releases, anonymizer, gate.
"""
