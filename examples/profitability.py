"""Is publishing each record worth more than an attack on it would cost the publisher?"""

from PETWorks import PETValidation, report

for allowed in (True, False):
    result = PETValidation(
        None,
        "data/delta_anonymized.csv",
        "profitability",
        allowAttack=allowed,
        adversaryCost=4,
        adversaryGain=300,
        publisherLost=300,
        publisherBenefit=1200,
    )
    report(result, "json")

# Prints:
# {
#     "allow attack": true,
#     "adversary's cost": 4,
#     "adversary's gain": 300,
#     "publisher's loss": 300,
#     "publisher's benefit": 1200,
#     "profitability": true
# }
# {
#     "allow attack": false,
#     "adversary's cost": 4,
#     "adversary's gain": 300,
#     "publisher's loss": 300,
#     "publisher's benefit": 1200,
#     "profitability": false
# }
