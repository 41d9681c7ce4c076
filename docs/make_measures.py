"""Write docs/measures.md, the table of all measures, from the catalogue; `-` prints it instead."""

import sys
from pathlib import Path

from PETWorks.measures.catalogue import all_measures

HEAD = """# Measures

Generated from the catalogue by `make docs`. The column `better` shows which direction is good: *between* means that
both ends of the range are bad, *mixed* that there are two numbers, of which one should be high and the other low. You
can write names with spaces, `-` or `_`, in upper or lower case.

| measure | family | better | needs | parameters | what it measures |
|---|---|---|---|---|---|
"""


def row(entry):
    parameters = ", ".join(f"`{name}`" for name in entry.parameters)
    named = f"[{entry.name}](measures/{entry.name}.md)"
    also = f" (also {', '.join(entry.aliases)})" if entry.aliases else ""
    cells = [named + also, entry.family, entry.better, ", ".join(entry.needs), parameters, entry.summary]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def main():
    text = HEAD + "".join(map(row, all_measures()))
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(text)
    else:
        Path(__file__).with_name("measures.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
