"""How much detail is left in a census table after generalisation?"""

from PETWorks import PETValidation, report

result = PETValidation("data/adult.csv", "data/adult_anonymized.csv", "Precision", dataHierarchy="data/adult_hierarchy")
report(result, "json")
for column, found in result.details["columns"].items():
    print(f"{column}: {found['precision']:.3f}")

# Prints:
# {
#     "precision": 0.3534635416666667
# }
# sex: 0.693
# age: 0.173
# race: 0.000
# marital-status: 0.346
# education: 0.231
# native-country: 0.346
# occupation: 0.346
# salary-class: 0.693
