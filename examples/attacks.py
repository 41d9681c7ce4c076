"""What does an adversary gain by knowing the postcode and age of someone in the table?"""

from PETWorks import PETValidation, report

report(PETValidation(None, "data/patient_anonymized.csv", "re-identification"), "json")
report(PETValidation(None, "data/patient_anonymized.csv", "attribute-inference"), "json")

# Prints:
# {
#     "prior": 0.1111111111111111,
#     "posterior": 0.3333333333333333
# }
# {
#     "Disease": {
#         "prior": 0.2222222222222222,
#         "posterior": 0.3333333333333333
#     }
# }
