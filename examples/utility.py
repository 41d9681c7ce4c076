"""How useful is a census table still, measured in four ways?"""

import csv

from PETWorks import PETValidation, report

tables = ("data/adult.csv", "data/adult_anonymized.csv")


def share_of_men(table: str) -> float:
    with open(table, encoding="utf-8") as file:  # noqa: PTH123 - it receives the path as it was passed
        sexes = [row["sex"] for row in csv.DictReader(file, delimiter=";") if row["sex"] != "*"]
    return sexes.count("Male") / len(sexes)


for technique in ("AECS", "Ambiguity", "Non-Uniform Entropy"):
    report(PETValidation(*tables, technique, dataHierarchy="data/adult_hierarchy"), "json")
report(PETValidation(*tables, "UtilityBias", processingFunc=share_of_men, maxBias=0.05), "json")

# Prints:
# {
#     "AECS": 0.9901733663493697
# }
# {
#     "ambiguity": 0.6907809558846705
# }
# {
#     "Non-Uniform Entropy": 0.2513208720715254
# }
# {
#     "UtilityBias": false
# }
