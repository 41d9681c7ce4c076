"""The anonymiser implemented a second time, slowly and literally: every node, every row, classes in dicts, fractions.

Only limits on the whole table that are measures themselves (utility, attacks, linked risks, subsets) are computed by
`evaluate`, for a release that is built row by row.
"""

import itertools
import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import definitions
from definitions import Case, counted_rows, fold_sensitive_values, full_paths, key
from frames import release_of
from PETWorks import evaluate
from PETWorks.errors import NotApplicable
from PETWorks.measures.attacks.subsets import every_subset

CLASS_ONLY = {
    "k-anonymity",
    "alpha-k-anonymity",
    "l-diversity",
    "entropy-l-diversity",
    "recursive-l-diversity",
    "t-closeness",
    "basic-beta-likeness",
    "enhanced-beta-likeness",
    "delta-disclosure",
    "delta-presence",
    "k-map",
    "profitability",
    "individual-risk",
}
COMPARING = {"t-closeness", "basic-beta-likeness", "enhanced-beta-likeness", "delta-disclosure"}
UTILITY = {"publisher-payout", "missings", "precision", "granularity", "ambiguity", "aecs", "discernibility"}
UTILITY |= {"non-uniform-entropy", "fidelity", "marginals"}
OF_CLASSES = CLASS_ONLY | {"prosecutor-risk", "journalist-risk", "average-risk"}
AMOUNTS = {"adversary_cost": 4, "adversary_gain": 300, "publisher_loss": 300, "publisher_benefit": 1200}


@dataclass
class Task:
    """The arguments of `anonymize`: a table, rules, a limit and an objective."""

    rows: list
    quasi_identifiers: list
    hierarchies: dict
    rules: list
    sensitive: list = field(default_factory=list)
    limit: float = 0.0
    objective: str = "granularity"
    aggregate: str | None = None
    weights: dict = field(default_factory=dict)
    bounds: dict = field(default_factory=dict)
    subsets: dict | None = None
    original: list | None = None
    population: list | int | None = None
    suppressed: str = "apart"
    suppressed_records: str = "stars"
    missing: str = "value"
    several: str = "alone"
    unit: str | None = None
    values: str = "exact"
    keep: list = field(default_factory=list)
    may_lose: list | str = "all"
    weight: str | None = None


@dataclass
class Solution:
    """A node that satisfies the rules.

    tied    whether the choice between classes to suppress was arbitrary
    exact   the loss as a number that can be compared without rounding
    lost    the columns that are lost
    """

    node: tuple
    suppressed: frozenset
    exact: Fraction | float
    loss: float
    tied: bool
    lost: frozenset = frozenset()

    @property
    def rank(self):
        return self.exact, len(self.suppressed), sum(self.node), self.node


def paths_of(task):
    return {column: full_paths(task.hierarchies[column]) for column in task.quasi_identifiers}


def nodes(task):
    """All nodes: one level for each quasi-identifier, within the bounds."""
    levels = []
    for column, paths in paths_of(task).items():
        low, high = task.bounds.get(column, (0, len(paths[0]) - 1))
        levels.append(range(low, high + 1))
    return itertools.product(*levels)


def lift(value, level, paths):
    """A value on a level. Missing values stay missing below the top; suppressed values stay suppressed."""
    if level == 0 or value == "*":
        return value
    if level == len(paths[0]) - 1:
        return paths[0][-1]
    return None if value is None else next(path[level] for path in paths if path[0] == value)


def generalised(rows, node, task):
    levels = [
        (column, level, paths_of(task)[column]) for column, level in zip(task.quasi_identifiers, node, strict=True)
    ]
    return [row | {column: lift(row[column], level, paths) for column, level, paths in levels} for row in rows]


def is_aside(row, task):
    return all(row[column] == "*" for column in task.quasi_identifiers)


class At:
    """A node: the rows on its levels, and their classes."""

    def __init__(self, task, node):
        self.task, self.node = task, node
        self.aside = {place for place, row in enumerate(task.rows) if is_aside(row, task)}
        self.rows = fold_sensitive_values(self.case_of(generalised(task.rows, node, task))).released
        self.members = {}
        for place, row in enumerate(self.rows):
            if place not in self.aside:
                self.members.setdefault(key(row, task.quasi_identifiers), []).append(place)
        self.case = fold_sensitive_values(self.case_of(self.rows))

    def case_of(self, released, suppressed="apart"):
        task = self.task
        suppressed = suppressed if task.suppressed_records == "remove" else task.suppressed
        return Case(
            released,
            task.quasi_identifiers,
            task.sensitive,
            task.hierarchies,
            task.rows if task.original is None else task.original,
            suppressed,
            missing=task.missing,
            several=task.several,
            unit=task.unit,
            population=task.population,
            values=task.values,
            weight=task.weight,
        )

    def groups(self, sensitive=None):
        """The classes that are checked, as (quasi-identifiers, rows that count)."""
        columns = definitions.class_columns(self.case, sensitive)
        groups = {}
        rows = [row for place, row in enumerate(self.rows) if place not in self.aside]
        for row in counted_rows(self.case, sensitive, rows=rows):
            if not (self.task.missing == "apart" and definitions.is_incomplete(row, self.case)):
                groups.setdefault(key(row, columns), []).append(row)
        return [(columns_of[: len(self.task.quasi_identifiers)], rows) for columns_of, rows in groups.items()]

    def people(self, columns_of):
        """The size of a class: its records, or its people if there is a privacy unit."""
        members = self.members[columns_of]
        return len({self.rows[place][self.task.unit] for place in members}) if self.task.unit else len(members)

    def in_background(self, rows):
        """Number of records per combination of quasi-identifiers in another table, on the levels of the node."""
        generalised_rows = generalised(rows, self.node, self.task)
        if self.task.missing == "apart":
            generalised_rows = [row for row in generalised_rows if not definitions.is_incomplete(row, self.case)]
        return Counter(key(row, self.task.quasi_identifiers) for row in counted_rows(self.case, rows=generalised_rows))

    def released(self, suppressed):
        stars = dict.fromkeys(self.task.quasi_identifiers, "*")
        return [row | stars if place in suppressed else row for place, row in enumerate(self.rows)]

    def detail(self, columns_of):
        """The information left in a class: the sum over columns of (1 - share)/(1 - 1/N)."""
        total = Fraction(0)
        for value, level, paths in zip(columns_of, self.node, paths_of(self.task).values(), strict=True):
            if len(paths) > 1:
                total += (1 - share(value, level, paths)) / (1 - Fraction(1, len(paths)))
        return total


def share(value, level, paths):
    """The share of all leaves that a value stands for, on the level of the node."""
    if value is None or value == "*":
        return Fraction(1)
    return Fraction(sum(path[level] == value for path in paths), len(paths))


# --- rules of single classes


def above(value, limit):
    """Whether a value is larger, by more than rounding."""
    return float(value) > float(limit) + 1e-12 * max(abs(float(value)), abs(float(limit)))


def failing(at, name, thresholds):
    """The quasi-identifiers of the classes that fail a rule; None if the whole node fails."""
    task = at.task
    if name in ("prosecutor-risk", "average-risk") or (
        name == "journalist-risk" and not isinstance(task.population, list)
    ):
        return {known for known, rows in at.groups() if exposed(len(rows), thresholds)}
    if name == "journalist-risk":
        people = at.in_background(task.population)
        return {known for known, _ in at.groups() if exposed(people[known], thresholds)}
    if name == "k-anonymity":
        return {known for known, rows in at.groups() if above(thresholds["k"], len(rows))}
    if name == "k-map":
        people = at.in_background(task.population)
        return {known for known, _ in at.groups() if above(thresholds["k"], people[known])}
    if name == "individual-risk":
        highest = thresholds.get("highest", 1)
        return {known for known, rows in at.groups() if above(individual_risk(at, rows), highest)}
    if name == "profitability":
        return {known for known, rows in at.groups() if not profitable(len(rows), thresholds)}
    if name == "delta-presence":
        return presence_disclosed(at, thresholds)
    too_small = {known for known, rows in at.groups() if above(thresholds.get("k", 0), len(rows))}
    if name == "alpha-k-anonymity" and "alpha" not in thresholds:
        return too_small
    by_class = {known for column in task.sensitive for known in OF_VALUES[name](at, column, thresholds)}
    return by_class | (too_small if name == "alpha-k-anonymity" else set())


def individual_risk(at, rows):
    return definitions.expected_share(len(rows), definitions.weight_of(rows, at.case))


def exposed(size, thresholds):
    highest, cell_size = thresholds.get("highest"), thresholds.get("cell_size")
    return (highest is not None and above(Fraction(1, size), highest)) or (
        cell_size is not None and above(cell_size, size)
    )


def profitable(size, thresholds):
    amounts = AMOUNTS | thresholds
    expected = Fraction(amounts["adversary_gain"]) / size
    attacked = expected >= amounts["adversary_cost"]
    risk = Fraction(amounts["publisher_loss"]) / size if attacked else 0
    return amounts["publisher_benefit"] > risk and (thresholds.get("allow_attack", True) or not attacked)


def presence_disclosed(at, thresholds):
    original = at.task.rows if at.task.original is None else at.task.original
    known = at.in_background(original)
    least, most = thresholds.get("delta_min", 0), thresholds.get("delta_max", 1)
    here = {columns_of: len(rows) for columns_of, rows in at.groups()}
    if least > 0 and any(columns_of not in here for columns_of in known):
        return None
    deltas = {columns_of: Fraction(number, max(known[columns_of], 1)) for columns_of, number in here.items()}
    return {columns_of for columns_of, delta in deltas.items() if above(least, delta) or above(delta, most)}


def too_few_values(at, column, thresholds):
    return [known for known, rows in at.groups(column) if len({row[column] for row in rows}) < thresholds["l"]]


def too_little_entropy(at, column, thresholds):
    for known, rows in at.groups(column):
        shares = definitions.distribution(rows, column).values()
        if above(
            thresholds["l"], math.exp(-math.fsum(float(probability) * math.log(probability) for probability in shares))
        ):
            yield known


def too_common_first(at, column, thresholds):
    for known, rows in at.groups(column):
        ranked = sorted(Counter(row[column] for row in rows).values(), reverse=True)
        if not above(thresholds["c"] * sum(ranked[thresholds.get("l", 2) - 1 :]), ranked[0]):
            yield known


def too_far(at, column, thresholds):
    overall = definitions.distribution(counted_rows(at.case, column), column)
    numeric = all(definitions.is_number(value) for value in overall)
    kind = thresholds.get("distance", "auto")
    if kind == "auto":
        kind = "numeric" if numeric else "hierarchical" if column in at.task.hierarchies else "equal"
    for known, rows in at.groups(column):
        inside = definitions.distribution(rows, column)
        if kind == "hierarchical":
            distance = definitions.emd_hierarchical(inside, overall, full_paths(at.case.hierarchies[column]))
        else:
            distance = {"numeric": definitions.emd_numeric, "equal": definitions.emd_equal}[kind](inside, overall)
        if above(distance, thresholds["t"]):
            yield known


def shares(at, column):
    """For each class and value: the share in the class and the share in the table."""
    everything = counted_rows(at.case, column)
    groups = {}
    for row in everything:
        groups.setdefault(key(row, definitions.class_columns(at.case, column)), []).append(row)
    everybody = definitions.people_in(groups.values(), at.case)
    overall = Counter(row[column] for row in everything)
    for known, rows in at.groups(column):
        for value, number in Counter(row[column] for row in rows).items():
            inside = Fraction(number, definitions.people_in([rows], at.case))
            yield known, value, inside, Fraction(overall[value], everybody)


def above_alpha(at, column, thresholds):
    wanted = thresholds.get("value")
    return [
        known for known, value, q, _ in shares(at, column) if wanted in (None, value) and above(q, thresholds["alpha"])
    ]


def gaining(at, column, thresholds):
    return [known for known, _, q, p in shares(at, column) if q > p and above((q - p) / p, thresholds["beta"])]


def gaining_beyond(at, column, thresholds):
    limits = [(known, q, p, min(thresholds["beta"], -math.log(p))) for known, _, q, p in shares(at, column)]
    return [known for known, q, p, limit in limits if q > p and above((q - p) / p, limit)]


def disclosing(at, column, thresholds):
    unit = math.log({"e": math.e, "2": 2, "10": 10}[thresholds.get("base", "e")])
    logs = [(known, abs(math.log(q / p)) / unit) for known, _, q, p in shares(at, column)]
    return [known for known, distance in logs if not above(thresholds["delta"], distance)]


OF_VALUES = {
    "l-diversity": too_few_values,
    "entropy-l-diversity": too_little_entropy,
    "recursive-l-diversity": too_common_first,
    "t-closeness": too_far,
    "alpha-k-anonymity": above_alpha,
    "basic-beta-likeness": gaining,
    "enhanced-beta-likeness": gaining_beyond,
    "delta-disclosure": disclosing,
}


# --- rules of the whole table


def is_of_table(name, thresholds):
    if name in CLASS_ONLY - {"individual-risk"}:
        return False
    return name not in OF_CLASSES or not {"average", "at_risk", "expected"}.isdisjoint(thresholds)


def by_size(task, name, thresholds):
    """A test for a rule that needs only the sizes of classes; None if it needs more."""
    if name == "sample-uniqueness":
        return lambda sizes: not above(Fraction(sizes.count(1), max(sum(sizes), 1)), thresholds["share"])
    if name == "average-risk" or (name == "marketer-risk" and not isinstance(task.population, list)):
        return lambda sizes: not above(Fraction(len(sizes), max(sum(sizes), 1)), thresholds["average"])
    return None


def holds(at, suppressed, rules, subsets):
    """Whether the release satisfies some rules; a rule that cannot be measured does not hold."""
    release = stars = release_of(at.case_of(at.released(suppressed)))
    if at.task.suppressed_records == "remove":
        rows = [row for place, row in enumerate(at.rows) if place not in suppressed | at.aside]
        if not rows:
            return False
        release = release_of(at.case_of(rows, "class"))
    try:
        releases = [(stars if name in UTILITY else release, {name: thresholds}) for name, thresholds in rules]
        if not all(evaluate(measured, rule).satisfied for measured, rule in releases):
            return False
        if subsets is None:
            return True
        counts = every_subset(release, subsets.get("sizes", "all"))
    except NotApplicable:
        return False
    return all(row["satisfied"] for row in counts.limits(subsets["limits"]))


def allowed(task):
    """Number of records that may be suppressed; a share that was rounded down counts as the exact share."""
    return math.floor(Fraction(str(task.limit)) * len(task.rows) * (1 + Fraction(1, 2**49)))


def satisfying(at, rules, subsets):
    """The records to suppress, and whether there was a choice; None if the rules cannot be satisfied.

    If suppressed records are removed, or are a class, some records must remain; and the remaining table must satisfy
    the rules that compare with its own distribution.
    """
    found = records_to_suppress(at, rules, subsets)
    task = at.task
    if found is None or found[0] is None or (task.suppressed_records == "stars" and task.suppressed == "apart"):
        return found
    remaining = [row for place, row in enumerate(at.rows) if place not in found[0] | at.aside]
    if all(is_aside(row, task) for row in remaining):
        return None
    comparing = [rule for rule in rules if rule[0] in COMPARING and task.suppressed_records == "remove"]
    return found if holds(at, found[0], comparing, None) else None


def records_to_suppress(at, rules, subsets):
    """The records to suppress, and whether there was a choice, whatever remains."""
    task = at.task
    most = allowed(task)
    sets = [failing(at, name, thresholds) for name, thresholds in rules if name in OF_CLASSES]
    if None in sets:
        return None
    bad = set().union(*sets)
    suppressed = {place for columns_of in bad for place in at.members[columns_of]}
    if len(suppressed) > most:
        return None
    as_class = task.suppressed == "class" and task.suppressed_records == "stars"
    whole = as_class or (task.unit is not None and any(name in OF_VALUES for name, _ in rules))
    of_table = [(name, thresholds) for name, thresholds in rules if whole or is_of_table(name, thresholds)]
    if not of_table and subsets is None:
        return suppressed, False
    sized = [] if whole else [test for name, thresholds in of_table if (test := by_size(task, name, thresholds))]
    other_rules = [
        (name, thresholds) for name, thresholds in of_table if whole or by_size(task, name, thresholds) is None
    ]
    remaining = [known for known, _ in at.groups() if known not in bad]
    remaining.sort(key=lambda known: (at.people(known), -at.detail(known)))
    ranks = [(at.people(known), at.detail(known)) for known in remaining]
    tied = False
    for number in range(len(remaining) + 1):
        if number:
            suppressed = suppressed | set(at.members[remaining[number - 1]])
        cut = 0 < number < len(remaining) and ranks[number - 1] == ranks[number]
        by_records = not (
            other_rules or subsets or task.unit
        )  # then either of two classes of the same size may be suppressed
        tied = cut or (tied and not by_records)
        if len(suppressed) > most:
            return None if not tied or by_records else (None, True)
        sizes = [size for size, _ in ranks[number:]]
        if all(test(sizes) for test in sized) and (
            not (other_rules or subsets) or holds(at, suppressed, other_rules, subsets)
        ):
            return suppressed, tied
    return None


# --- objectives


def loss_of(at, suppressed):
    """A number to compare losses by, a fraction where possible; and the loss."""
    task = at.task
    out = suppressed | at.aside
    weights = [Fraction(task.weights.get(column, 1)) for column in task.quasi_identifiers]
    exact = OBJECTIVES[task.objective](at, out, weights)
    if task.objective == "granularity" and task.aggregate in (None, "geometric"):
        return exact, float(exact) ** (1 / len(weights)) - 1
    if task.aggregate == "maximum":
        return exact, float(exact[0])
    if task.objective in ("non-uniform-entropy", "publisher-payout"):
        return round(exact, 8), exact
    return exact, float(exact)


def columns_at(at):
    return zip(at.task.quasi_identifiers, at.node, paths_of(at.task).values(), strict=True)


def granularity(at, out, weights):
    records, losses = len(at.rows), []
    for column, level, paths in columns_at(at):
        total = sum(1 if place in out else share(row[column], level, paths) for place, row in enumerate(at.rows))
        least = Fraction(records, len(paths))
        losses.append((total - least) / (records - least) if len(paths) > 1 else Fraction(0))
    weighted = [weight * loss for weight, loss in zip(weights, losses, strict=True)]
    aggregate = at.task.aggregate or "geometric"
    if aggregate == "geometric":
        return math.prod(1 + loss for loss in weighted)
    if aggregate == "maximum":  # of equal ones the smaller sum comes first
        return max(weighted), sum(weighted)
    return {"sum": sum, "arithmetic": lambda all_of: sum(all_of) / len(all_of)}[aggregate](weighted)


def precision(at, out, weights):
    total = Fraction(0)
    for weight, (_, level, paths) in zip(weights, columns_at(at), strict=True):
        for place in range(len(at.rows)):
            total += weight * (1 if place in out else Fraction(level, len(paths[0]) - 1))
    return total / len(at.rows) / len(weights)


def missings(at, out, weights):
    total = Fraction(0)
    for weight, (column, level, paths) in zip(weights, columns_at(at), strict=True):
        for place, row in enumerate(at.rows):
            is_top = row[column] == paths[0][-1] and share(row[column], level, paths) == 1
            total += weight * (place in out or row[column] in (None, "*") or is_top)
    return total / len(at.rows) / len(weights)


def entropy(at, out, weights):
    total = 0.0
    for weight, (column, _, _) in zip(weights, columns_at(at), strict=True):
        before = Counter(row[column] for place, row in enumerate(at.task.rows) if place not in at.aside)
        after = Counter(row[column] for place, row in enumerate(at.rows) if place not in at.aside)
        bits = [
            -math.log2(before[at.task.rows[place][column]] / after[row[column]])
            for place, row in enumerate(at.rows)
            if place not in at.aside
        ]
        gone = Counter(at.rows[place][column] for place in out - at.aside)
        bits += [-number * math.log2(number / gone.total()) for number in gone.values()]
        total += float(weight) * math.fsum(bits)
    return total


def kept_classes(at, out):
    return [members for members in at.members.values() if members[0] not in out]


def discernibility(at, out, _weights):
    return Fraction(sum(len(members) ** 2 for members in kept_classes(at, out)) + len(out) * len(at.rows))


def aecs(at, out, _weights):
    return Fraction(len(at.rows), len(kept_classes(at, out)) + bool(out))


def ambiguity(at, out, _weights):
    total = 0
    for place, row in enumerate(at.rows):
        total += math.prod(
            len(paths) * (1 if place in out else share(row[column], level, paths))
            for column, level, paths in columns_at(at)
        )
    return Fraction(total)


def payout_lost(at, out, _weights):
    """The loss of payout: the benefit of complete information, less the remaining benefit, plus losses by attacks."""
    amounts = dict(AMOUNTS)
    for name, thresholds in reversed(at.task.rules):
        if name in ("profitability", "publisher-payout"):
            amounts = AMOUNTS | {amount: thresholds[amount] for amount in AMOUNTS if amount in thresholds}
    all_leaves = math.prod(len(paths) for _, _, paths in columns_at(at))
    earned = []
    for known, members in at.members.items():
        if members[0] in out:
            continue
        information = 1.0
        if all_leaves > 1:
            stands_for = math.prod(
                share(value, level, paths) for value, (_, level, paths) in zip(known, columns_at(at), strict=True)
            )
            information = -math.log(stands_for) / math.log(all_leaves)
        attacked = Fraction(amounts["adversary_gain"]) / at.people(known) > amounts["adversary_cost"]
        earned += [amounts["publisher_benefit"] * information] * len(members) + [-amounts["publisher_loss"] * attacked]
    return amounts["publisher_benefit"] * len(at.rows) - math.fsum(earned)


OBJECTIVES = {
    "granularity": granularity,
    "precision": precision,
    "missings": missings,
    "non-uniform-entropy": entropy,
    "discernibility": discernibility,
    "aecs": aecs,
    "ambiguity": ambiguity,
    "publisher-payout": payout_lost,
}


# --- columns that are lost


def is_lost(cells, paths):
    """Whether at most one value below the top is left, or more than 90 % of the cells have the top label."""
    values = {cell for cell in cells if cell not in (None, "*", paths[0][-1])}
    on_top = sum(cell in (paths[0][-1], "*") for cell in cells)
    return len(values) <= 1 or Fraction(on_top, len(cells)) > Fraction(9, 10)


def varies(column, at):
    """Whether a column has several values in the table."""
    cells = {row[column] for place, row in enumerate(at.task.rows) if place not in at.aside}
    return len(cells - {None, "*"}) > 1


def lost(at, suppressed):
    """The columns that are lost at a node, of those with several values in the table."""
    kept = [row for place, row in enumerate(at.rows) if place not in suppressed | at.aside]
    return frozenset(
        column
        for column, paths in paths_of(at.task).items()
        if varies(column, at) and is_lost([row[column] for row in kept], paths)
    )


MOST_COST = 1.25
ONE_IN = 20


def keeping(task, found):
    """The solutions in the order in which they are chosen, if columns are kept; the first one is the choice.

    Those that keep the demanded columns come to within a quarter of the least loss and a twentieth of the records;
    among these, the fewest lost columns decide.
    """
    allowed = [one for one in found if not one.lost & set(task.keep)]
    wanted = set() if task.may_lose == "all" else set(task.quasi_identifiers) - set(task.may_lose)
    if not allowed or not wanted:
        return allowed
    best = allowed[0]
    most = best.loss * MOST_COST + 1e-9
    near = [one for one in allowed if one.loss <= most and ONE_IN * costs(best, one) <= len(task.rows)]
    fewest = min(len(one.lost & wanted) for one in near)
    return [one for one in allowed if len(one.lost & wanted) <= fewest and ONE_IN * costs(best, one) <= len(task.rows)]


def costs(best, other):
    """The number of records suppressed in addition."""
    return len(other.suppressed) - len(best.suppressed)


def solve(task, rules=None, subsets="those of the task"):
    """Every node that satisfies the rules, the best one first; and whether a choice was arbitrary on any node."""
    rules = task.rules if rules is None else rules
    subsets = task.subsets if subsets == "those of the task" else subsets
    solutions, open_choice = [], False
    for node in nodes(task):
        at = At(task, node)
        suppression = satisfying(at, rules, subsets)
        if suppression is None:
            continue
        suppressed, tied = suppression
        open_choice = open_choice or tied
        if suppressed is not None:
            solutions.append(
                Solution(node, frozenset(suppressed), *loss_of(at, suppressed), tied, lost(at, suppressed))
            )
    return sorted(solutions, key=lambda solution: solution.rank), open_choice
