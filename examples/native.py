"""The same questions with the native interface: one release, several measures, arrays for research."""

from PETWorks import Release, evaluate
from PETWorks.measures import t_closeness
from PETWorks.measures.attacks.reidentification import re_identification_per_record

roles = {"quasi_identifiers": ["ZIPCode", "Age"], "sensitive_attributes": ["Disease", "Salary"]}
release = Release("data/patient_anonymized.csv", roles, "data/patient_hierarchy")

print(release)
print(t_closeness(release, t=0.2))
print(evaluate(release, {"t-closeness": {"t": 0.3}, "precision": {}}))
print(re_identification_per_record(release).max())

# Prints:
# <Release of 9 records: quasi-identifiers 'ZIPCode', 'Age'; sensitive 'Disease', 'Salary'>
# <t-closeness = 0.296296 (t=0.2): not satisfied>
# <Evaluation of 9 records>
#   <t-closeness = 0.296296 (t=0.3): satisfied>
#   <precision = 1>
# 0.3333333333333333
