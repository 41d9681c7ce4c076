"""How much can the diseases in a group differ from those of all patients?"""

from PETWorks import PETValidation, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

roles = {"ZIPCode": QUASI_IDENTIFIER, "Age": QUASI_IDENTIFIER, "Disease": SENSITIVE_ATTRIBUTE}

result = PETValidation(
    None,
    "data/patient_anonymized.csv",
    "t-closeness",
    dataHierarchy="data/patient_hierarchy",
    attributeTypes=roles,
    tLimit=0.376,
)
report(result, "json")
report(result.details["attributes"], "json")

# Prints:
# {
#     "t": 0.376,
#     "fulfill t-closeness": true
# }
# {
#     "Disease": {
#         "t": 0.2962962962962963,
#         "exact": "8/27",
#         "distance": "hierarchical",
#         "worst_class_size": 3,
#         "classes_beyond_t": 0,
#         "records_beyond_t": 0
#     }
# }
