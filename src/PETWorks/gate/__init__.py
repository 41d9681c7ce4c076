"""From a policy to a verdict: rules, facts, advice, the external edition, comparisons, suggested roles."""
