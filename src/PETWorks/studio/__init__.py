"""The page for stewards: a local web server on which a table becomes a release, a report and a policy."""
