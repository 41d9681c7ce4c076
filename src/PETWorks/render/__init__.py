"""How results are shown: as text for people, as JSON for machines."""
