"""Is everyone hidden among at least three people, with at least three different diseases?"""

from PETWorks import PETValidation, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

roles = {"ZIPCode": QUASI_IDENTIFIER, "Age": QUASI_IDENTIFIER, "Disease": SENSITIVE_ATTRIBUTE}
patients = "data/patient_anonymized.csv"

report(PETValidation(None, patients, "k-anonymity", attributeTypes=roles, k=3), "json")
report(PETValidation(None, patients, "l-diversity", attributeTypes=roles, l=4), "json")
report(PETValidation(None, patients, "ReidentificationRisk", attributeTypes=roles), "json")

# Prints:
# {
#     "k": 3,
#     "fulfill k-anonymity": true
# }
# {
#     "l": 4,
#     "fulfill l-diversity": false
# }
# {
#     "Re-identification Risk": 0.3333333333333333
# }
