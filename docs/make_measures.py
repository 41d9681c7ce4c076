"""Write docs/measures.md, the table of all measures, from the catalogue; `-` prints it instead."""

import sys
from pathlib import Path

from PETWorks.measures.catalogue import all_measures

HEAD = """# Measures

Each page has the definition, how to read the number, a worked example and pitfalls; on the site it begins with
parameters, details and [sources](measures/sources.yaml). Begin with [the ideas in plain words](plain-words.md).
Generated from the catalogue by `make docs`.

The column `better` shows which direction is good: *between* means that both ends of the range are bad, *mixed* that
there are two numbers, of which one should be high and the other low. You can write names with spaces, `-` or `_`, in
upper or lower case.

| to measure | write |
|---|---|
| in Python | `evaluate(Release("table.csv"), {"k-anonymity": {"k": 3}})`, or a function: `k_anonymity(release, k=3)` |
| on the command line | `petworks evaluate table.csv --measure k-anonymity:k=3` |
| in a policy | `- {measure: k-anonymity, k: 3}` under [`rules:`](policy.md) |

Without a limit there is a value but no verdict; all limits that you give must hold. Limits can be fractions: `2/3`.
What a result has besides its value is in `details`. The [published
interface](compatibility.md#the-published-interface) has names and parameters of its own.
"""
COMMON = """
## Common rules

They hold for every measure, unless its page says otherwise. [How it is counted](input.md#how-it-is-counted) has the
options.

* **Classes**: records that agree in every quasi-identifier form an equivalence class; n_E is its size, n the number
  of records. Columns that a measure does not need are ignored. The details of every measure of classes have
  `records_in_classes`, `classes`, `smallest_class`, `largest_class`, `suppressed_records` and `incomplete_records`.
* **Values are text**: `7` and `7.0` are two values, and so are `Flu` and `flu`. A check
  [folds](input.md#how-it-is-counted) the spelling of sensitive values.
* **Missing values** (empty, blank and null cells) are one value of their own: records with the same missing cells are
  look-alikes. In sdcMicro a missing value matches any other.
* **Suppressed records** (every quasi-identifier is `*`) form no class, except in `petworks check`. A single `*` beside
  other values is an ordinary value. Shares in the whole table (p) count suppressed records, too.
* **Nothing to judge**: if no record is in a class (`records_in_classes` is 0), there is no value, or it is 0, and any
  limit is met.
* **Privacy unit**: if a column identifies the person, several records of one person in a class count once, so that
  sizes are numbers of people. Shares of sensitive values are then shares of people: q is the share of the people in a
  class who have the value in at least one record there, so shares may add up to more than 1. The share p in the table
  is the average of q over all classes, weighted by their people ([why](decisions/0031-several-records-of-a-person.md)).
  Entropy, recursive l-diversity and t-closeness need shares that add up to 1: they count each pair of a person and a
  value in a class once.
* **Several sensitive attributes**: each is judged alone and the worst counts. With
  `several_sensitive="quasi-identifiers"`, the adversary knows the others.
* **Limits**: a tie meets the limit, except where the comparison is strict (recursive-l-diversity, delta-disclosure).
  Numbers that differ only by rounding (relative 2e-15) count as equal; `exact` in the details is the true fraction.
* **Population**: a table with the quasi-identifiers and one row per person, including the people of the release. Its
  values are generalised to the level of the release, which must be one level for each column. A released class that
  the population lacks, or has fewer people of, is an error: the release is not a sample of it. The privacy unit is
  applied to it if it has the column. Suppressed records that are a class may be anybody in the population.
* **Sampling weights** stand for a population that is not known: where no table of it is given, journalist-risk and
  marketer-risk take the sum of the weights of a class for its size in the population (at least its size in the
  release), and where neither table nor number nor share is given, population-uniqueness takes the sum of all weights.
  individual-risk always uses them, average-risk and k-map never.
* **Original**: its rows may be in any order, except for non-uniform entropy.
* **Utility**: `raw` is the loss, `min` and `max` its extremes; the value is 1 − (raw − min)/(max − min), so that 1 is
  an unchanged table. If min is not below max, it is 1 if raw is at most min, and 0 otherwise.
* **Measures of cells** (ambiguity, granularity, missings, non-uniform entropy, precision): missing values and `*` may
  stand for anything and are lost, suppressed records are not excluded, and the privacy unit is ignored. The columns
  are the quasi-identifiers. Each needs a hierarchy (except in missings); a value that is not in it is an error.
"""
FAMILIES = {
    "privacy": "Privacy models: is everyone well enough hidden?",
    "risk": "Risk: how likely is an adversary to find a person's record?",
    "attack": "Attacks: what does an adversary gain?",
    "disclosure": "Disclosure: what does a table that is not generalised tell about the people in its original?",
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
    named = f"[{entry.name}](measures/{entry.page}.md)"
    cells = [named, entry.better, ", ".join(entry.needs), parameters, entry.summary]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def main():
    text = HEAD
    for family, question in FAMILIES.items():
        rows = [row(entry) for entry in all_measures() if entry.family == family]
        text += TABLE.format(question=question) + "".join(rows)
    text += COMMON + PAGES
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(text)
    else:
        Path(__file__).with_name("measures.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
