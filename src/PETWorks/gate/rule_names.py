"""Names of rules that are about no single measure."""

SUBSETS = "every-subset"
TOGETHER = "all-releases"  # about this release together with earlier ones
NO_IDENTIFIERS = "no-direct-identifiers"  # a rule of every policy that names some, or leaves that to another file
NO_HIDDEN = "no-hidden-identifiers"  # two rules of every policy
ALL_ROLES = "every-column-has-a-role"
APPROVER = "approver-named"  # a rule of policies with a regime that asks for an approver
IMPLICIT = (NO_IDENTIFIERS, NO_HIDDEN, ALL_ROLES, APPROVER)
