"""The description of a table: roles, sidecar file, hierarchies (given or declared), levels, population, treatment."""
