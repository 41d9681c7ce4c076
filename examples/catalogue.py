"""Evaluate every measure of a release at once; estimate the risk if only the size of the population is known."""

from PETWorks import Release, evaluate

release = Release("data/adult_anonymized.csv", original="data/adult.csv", population=0.01)
found = evaluate(release)
for result in found:
    print(result.measure, result.summary_cells()[1])
print("not applicable:", ", ".join(found.not_applicable))

limits = {"prosecutor-risk": {"highest": 0.09, "cell_size": 11}, "population-uniqueness": {"share": 0.001}}
for result in evaluate(release, limits):
    print(result.measure, "holds" if result.satisfied else "does not hold")
for name, limit in evaluate(release, limits)["prosecutor-risk"].details["limits"].items():
    print(f"{name}: compared as {limit['compared_as']}, classes of {limit['smallest_class_wanted']} are required")

# Prints:
# alpha-k-anonymity [5, 0.857143]
# basic-beta-likeness 4.21739
# delta-disclosure 1.652
# delta-presence [0, 1]
# enhanced-beta-likeness none
# entropy-l-diversity 1.50699
# k-anonymity 5
# l-diversity 2
# profitability 60
# recursive-l-diversity 6
# t-closeness 0.45125
# average-risk 0.078219
# journalist-risk 0.2
# marketer-risk 0.078219
# population-uniqueness 0.000136128
# prosecutor-risk 0.2
# sample-uniqueness 0
# attribute-inference 0.455
# re-identification 0.055
# aecs 0.990173
# ambiguity 0.690781
# discernibility 0.679268
# fidelity 0.265
# granularity 0.451157
# marginals 0.0577083
# missings 0.394062
# non-uniform-entropy 0.251321
# precision 0.353464
# publisher-payout 396408
# not applicable: k-map, individual-risk, utility-bias
# prosecutor-risk does not hold
# population-uniqueness holds
# highest: compared as probability, classes of 12 are required
# cell_size: compared as cell size, classes of 11 are required
