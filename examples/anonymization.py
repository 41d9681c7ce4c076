"""Which release of a census table loses least, for each of four privacy models?"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PETWorks import PETAnonymization, PETValidation, output, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

original = "data/adult.csv"  # roles and hierarchies are in data/adult.yaml
known = ("sex", "age", "race", "marital-status", "education", "native-country", "occupation", "salary-class")
roles = {**dict.fromkeys(known, QUASI_IDENTIFIER), "workclass": SENSITIVE_ATTRIBUTE}
about: dict[str, Any] = {"dataHierarchy": "data/adult_hierarchy", "attributeTypes": roles}

results = {
    "k-anonymity": PETAnonymization(original, "k-anonymity", maxSuppressionRate=0.6, k=6),
    "l-diversity": PETAnonymization(original, "l-diversity", maxSuppressionRate=0.6, l=3),
    "t-closeness": PETAnonymization(original, "t-closeness", maxSuppressionRate=0.6, t=0.2),
    "d-presence": PETAnonymization(
        original, "d-presence", maxSuppressionRate=0.6, dMin=0.0, dMax=0.7, subsetData="data/adult10.csv"
    ),
}
limits: dict[str, dict[str, Any]] = {
    "k-anonymity": {"k": 6},
    "l-diversity": {"l": 3},
    "t-closeness": {"tLimit": 0.2},
    "d-presence": {"dMin": 0.0, "dMax": 0.7},
}

with TemporaryDirectory() as folder:
    for technique, result in results.items():
        released = Path(folder, f"{technique}.csv")
        output(result, released)
        print(";".join(result.iloc[2]))
        report(PETValidation(original, released, technique, **about, **limits[technique]), "json")

# Prints:
# Female;*;Asian;partner;higher;*;City;*;<=50K
# {
#     "k": 6,
#     "fulfill k-anonymity": true
# }
# Female;*;Asian;partner;higher;*;City;office;<=50K
# {
#     "l": 3,
#     "fulfill l-diversity": true
# }
# Female;*;Asian;*;higher;America;City;*;<=50K
# {
#     "t": 0.2,
#     "fulfill t-closeness": true
# }
# Female;20-39;*;Remarried;university;America;City;office;<=50K
# {
#     "dMin": 0.0,
#     "dMax": 0.7,
#     "d-presence": true
# }
