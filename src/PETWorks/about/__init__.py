"""What is said about a table: roles, sidecar file, hierarchies, levels, population, treatment.

May import: tables.
"""
