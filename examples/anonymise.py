"""Make the release of a survey that loses least with one level per column, and say why it is not finer."""

import warnings

from PETWorks import Release, ReleaseWarning, anonymize, evaluate

known = ["sex", "age", "race", "marital-status", "education", "native-country", "occupation", "salary-class"]
roles = {"quasi_identifiers": known, "sensitive_attributes": ["workclass"]}
release = Release("data/adult.csv", roles, "data/adult_hierarchy")
rules = {"k-anonymity": {"k": 5}, "l-diversity": {"l": 2}}

warnings.simplefilter("ignore", ReleaseWarning)  # `result.notices` has what the warnings say
result = anonymize(release, rules, suppression=0.05, method="global")
print({column: level for column, level in result.levels.items() if level})
print(round(result.loss, 4), result.suppressed, result.optimal)
print(evaluate(result.release, rules))
print(*result.notices, sep="\n")

explanation = result.explain()
for reason in explanation.columns:
    for broken in reason.broken:
        print(f"{reason.column} {reason.level - 1}: {broken.rule} fails, {broken.records} records")
for other in explanation.next_best[:2]:
    print(round(other.loss, 4), {column: level for column, level in other.levels.items() if level})
for rule in explanation.rules:
    print(f"without {rule.rule}: {rule.loss_without:.4f}")

# Ages matter to the recipients: at most groups of ten years, and three times the weight.
result = anonymize(release, rules, suppression=0.05, method="global", levels={"age": (0, 2)}, weights={"age": 3})
print({column: level for column, level in result.levels.items() if level}, result.suppressed)

# Prints:
# {'age': 4, 'marital-status': 1, 'education': 2, 'native-country': 2, 'occupation': 2}
# 0.4242 39 True
# <Evaluation of 1161 records>
#   <k-anonymity = 5 (k=5): satisfied>
#   <l-diversity = 2 (l=2): satisfied>
# An outsider may know workclass, and no rule takes that into account: the verdict says nothing about someone who does.
# Nothing is left of age, native-country, occupation: every cell is *.
# age 3: k-anonymity (k=5) fails, 224 records
# age 3: l-diversity (l=2) fails, 76 records
# marital-status 0: k-anonymity (k=5) fails, 163 records
# marital-status 0: l-diversity (l=2) fails, 46 records
# education 1: k-anonymity (k=5) fails, 117 records
# education 1: l-diversity (l=2) fails, 36 records
# native-country 1: k-anonymity (k=5) fails, 182 records
# native-country 1: l-diversity (l=2) fails, 44 records
# occupation 1: k-anonymity (k=5) fails, 168 records
# occupation 1: l-diversity (l=2) fails, 55 records
# 0.4568 {'age': 4, 'race': 1, 'marital-status': 1, 'education': 2, 'native-country': 2, 'occupation': 1}
# 0.4585 {'age': 4, 'race': 1, 'marital-status': 1, 'education': 2, 'native-country': 1, 'occupation': 2}
# without k-anonymity (k=5): 0.3522
# without l-diversity (l=2): 0.4242
# {'age': 2, 'race': 1, 'marital-status': 1, 'education': 3, 'native-country': 2, 'occupation': 2} 17
