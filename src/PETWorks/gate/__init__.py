"""From a policy to a verdict: rules, facts, advice, what outsiders may see, comparisons, suggested roles.

May import: tables, about, counting, measures, releases, anonymizer.
"""
