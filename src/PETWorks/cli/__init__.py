"""The command `petworks`: what is typed, what is printed, exit codes.

May import: tables, about, counting, measures, releases, anonymizer, gate, render, studio.
"""
