"""Write docs/measures.md, the table of all measures, from the catalogue; `-` prints it instead."""

import sys
from pathlib import Path

from PETWorks.measures.catalogue import all_measures

HEAD = """# Measures

Each page has the definition, how to read the number, a worked example, pitfalls and sources. Begin with [the ideas in
plain words](plain-words.md). Generated from the catalogue by `make docs`.

The column `better` shows which direction is good: *between* means that both ends of the range are bad, *mixed* that
there are two numbers, of which one should be high and the other low. You can write names with spaces, `-` or `_`, in
upper or lower case.
"""
FAMILIES = {
    "privacy": "Privacy models: is everyone well enough hidden?",
    "risk": "Risk: how likely is an adversary to find a person's record?",
    "attack": "Attacks: what does an adversary gain?",
    "utility": "Utility: how useful is the table still?",
}
TABLE = """
## {question}

| measure | better | needs | parameters | what it measures |
|---|---|---|---|---|
"""
PAGES = """
```{toctree}
:hidden:
:glob:

measures/*
```
"""


def row(entry):
    parameters = ", ".join(f"`{name}`" for name in entry.parameters)
    named = f"[{entry.name}](measures/{entry.name}.md)"
    also = f" (also {', '.join(entry.aliases)})" if entry.aliases else ""
    cells = [named + also, entry.better, ", ".join(entry.needs), parameters, entry.summary]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def main():
    text = HEAD
    for family, question in FAMILIES.items():
        rows = [row(entry) for entry in all_measures() if entry.family == family]
        text += TABLE.format(question=question) + "".join(rows)
    text += PAGES
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(text)
    else:
        Path(__file__).with_name("measures.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
