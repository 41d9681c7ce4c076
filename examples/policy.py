"""Check a release against a policy, and write the report for those who will receive the data."""

from pathlib import Path
from tempfile import TemporaryDirectory

from PETWorks import check

result = check("data/adult_policy.yaml")
print(result)
for rule in result.document["rules"]:
    print(rule["name"], rule["value"], rule["verdict"])

with TemporaryDirectory() as folder:
    page = Path(folder) / "report.html"
    page.write_text(result.to_html("zh-TW", edition="external"), "utf-8")
    print(page.stat().st_size < 300_000)

# Prints:
# <Check of adult_anonymized.csv: pass (11 rules: 11 pass)>
# pdpc-5 5 pass
# l-diversity 2 pass
# re-identification 0.055 pass
# precision 0.3534635416666667 pass
# no-hidden-identifiers [] pass
# every-column-has-a-role [] pass
# no-unique-values [] pass
# no-hidden-differences [] pass
# records-left True pass
# rules-fit-the-release 5 pass
# sensitive-columns-have-rules [] pass
# True
