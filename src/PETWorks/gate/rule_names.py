"""Names of rules that are about no single measure."""

SUBSETS = "every-subset"
TOGETHER = "all-releases"  # about this release together with earlier ones
NO_IDENTIFIERS = "no-direct-identifiers"  # a rule of every policy that names some, or leaves that to another file
NO_HIDDEN = "no-hidden-identifiers"
ALL_ROLES = "every-column-has-a-role"
APPROVER = "approver-named"  # a rule of policies with a regime that asks for an approver
NO_UNIQUE = "no-unique-values"
NO_DIFFERENCES = "no-hidden-differences"
RECORDS_LEFT = "records-left"  # not every record is suppressed
RULES_FIT = "rules-fit-the-release"
OF_EVERY_POLICY = (NO_HIDDEN, ALL_ROLES, NO_UNIQUE, NO_DIFFERENCES, RECORDS_LEFT, RULES_FIT)
PEOPLE_COUNTED = "people-are-counted"  # two rules of policies with a privacy unit
NO_LINKS = "no-linked-records"  # the second one also of policies with a key of other releases
OF_PEOPLE = (PEOPLE_COUNTED, NO_LINKS)
VALUES_PROTECTED = "sensitive-columns-have-rules"  # of policies that name sensitive columns, or leave that to a file
IMPLICIT = (NO_IDENTIFIERS, *OF_EVERY_POLICY, APPROVER, *OF_PEOPLE, VALUES_PROTECTED)
