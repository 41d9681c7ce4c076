"""Can someone who knows everyone in the original tell who is in the release?"""

from PETWorks import PETValidation, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

roles = {
    "zip": QUASI_IDENTIFIER,
    "age": QUASI_IDENTIFIER,
    "nationality": QUASI_IDENTIFIER,
    "salary-class": SENSITIVE_ATTRIBUTE,
}

result = PETValidation(
    "data/delta.csv",
    "data/delta_anonymized.csv",
    "d-presence",
    dataHierarchy="data/delta_hierarchy",
    attributeTypes=roles,
    dMin=1 / 2,
    dMax=2 / 3,
)
report(result, "json")

# Prints:
# {
#     "dMin": 0.5,
#     "dMax": 0.6666666666666666,
#     "d-presence": true
# }
