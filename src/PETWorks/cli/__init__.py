"""The command `petworks`: its options, output and exit codes.

May import: tables, about, counting, measures, releases, anonymizer, gate, render, studio.
"""
