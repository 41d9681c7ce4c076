"""From a policy to a verdict: rules, facts, advice, the external edition, comparisons, suggested roles.

May import: tables, about, counting, measures, releases, anonymizer.
"""
