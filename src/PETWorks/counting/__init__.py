"""Rows become weighted cells, and cells become counts: in memory, out of core or in a cluster.

May import: tables, about.
"""
