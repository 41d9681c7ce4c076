"""Every measure implemented a second time, slowly and literally: fractions and loops over rows.

A table is a list of rows, a row a dict from column to text or None. A hierarchy is a list of paths, leaf first.
`TWINS` has one function per measure of the catalogue; it returns the expected `Result.value`.
"""

import functools
import itertools
import math
import unicodedata
from collections import Counter
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

UNDEFINED = "undefined"


@dataclass
class Case:
    """A release with everything that a measure may need."""

    released: list
    quasi_identifiers: list
    sensitive: list
    hierarchies: dict = field(default_factory=dict)
    original: list | None = None
    suppressed: str = "apart"
    distance: str = "auto"
    missing: str = "value"
    several: str = "alone"
    unit: str | None = None
    population: list | int | float | None = None
    values: str = "exact"
    weight: str | None = None
    household: str | None = None
    kind: str = "generalised"
    control: list | None = None
    compare_at: dict = field(default_factory=dict)


def fold_spelling(text):
    """A value without its spelling: Unicode NFKC and case folding, no format characters, single spaces.

    Texts for an unknown value become None; only the few that the tests use are listed. Numbers and days have one
    notation.
    """
    if text is None:
        return None
    visible = [
        character for character in unicodedata.normalize("NFKC", text) if unicodedata.category(character) != "Cf"
    ]
    folded = " ".join(unicodedata.normalize("NFKC", "".join(visible).casefold()).split())
    return None if folded in ("", "*", "(unknown)", "n/a", "???", "不詳") else fold_notation(folded)


def fold_notation(text):
    """A number as a plain decimal, a day in ISO format: those that the tests use."""
    digits = text.replace("−", "-")
    if "," in digits and all(len(group.partition(".")[0]) == 3 for group in digits.split(",")[1:]):
        digits = digits.replace(",", "")
    if is_number(digits):
        return f"{Decimal(digits):f}".rstrip("0").rstrip(".") if "." in digits else str(int(digits))
    parts = text.removesuffix(" 00:00:00").split("/" if "/" in text else "-")
    if len(parts) == 3 and all(part.isdigit() for part in parts) and len(parts[0]) > 2:
        year = int(parts[0]) + (1911 if len(parts[0]) == 3 else 0)
        return f"{year:04}-{int(parts[1]):02}-{int(parts[2]):02}"
    return text


def fold_sensitive_values(case):
    """The case with folded sensitive values, if its treatment folds them."""
    if case.values == "exact":
        return case
    tables = {
        name: [row | {column: fold_spelling(row[column]) for column in case.sensitive} for row in rows]
        for name, rows in (("released", case.released), ("original", case.original), ("control", case.control))
        if rows is not None
    }
    hierarchies = {
        column: [[fold_spelling(cell) or "*" for cell in path] for path in paths] if column in case.sensitive else paths
        for column, paths in case.hierarchies.items()
    }
    return replace(case, **tables, hierarchies=hierarchies)


def key(row, columns):
    return tuple(row[column] for column in columns)


def is_suppressed(row, case):
    return all(row[column] == "*" for column in case.quasi_identifiers)


def is_incomplete(row, case):
    return any(row[column] is None for column in case.quasi_identifiers)


def class_columns(case, sensitive=None, attacker=False):
    """The columns that make a class: the quasi-identifiers, and by some treatments other sensitive attributes."""
    other_columns = [column for column in case.sensitive if column != sensitive]
    known = sensitive is not None and case.several == "quasi-identifiers" and not attacker
    return [*case.quasi_identifiers, *(other_columns if known else [])]


def counted_rows(case, sensitive=None, attacker=False, rows=None):
    """The rows that count: one per person, class and sensitive value; with folded values, none with a missing value."""
    rows = case.released if rows is None else rows
    if sensitive is not None and case.values == "folded":
        rows = [row for row in rows if row[sensitive] is not None]
    if case.unit is None:
        return list(rows)
    columns = [*class_columns(case, sensitive, attacker), *([sensitive] if sensitive else []), case.unit]
    return list({key(row, columns): row for row in rows}.values())


def is_set_aside(row, case):
    return (case.suppressed == "apart" and is_suppressed(row, case)) or (
        case.missing == "apart" and is_incomplete(row, case)
    )


def classes(case, sensitive=None, attacker=False, rows=None):
    groups = {}
    for row in counted_rows(case, sensitive, attacker, rows):
        if attacker or not is_set_aside(row, case):
            groups.setdefault(key(row, class_columns(case, sensitive, attacker)), []).append(row)
    return list(groups.values())


def distribution(rows, column):
    counts = Counter(row[column] for row in rows)
    return {value: Fraction(count, len(rows)) for value, count in counts.items()}


def is_number(text):
    if text is None or any(sign in text for sign in "_nN"):
        return False
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii()


# --- t-closeness


def emd_numeric(p, q):
    values = sorted(q, key=lambda text: (Fraction(text), text))
    if len(values) == 1:
        return Fraction(0)
    total, carried = Fraction(0), Fraction(0)
    for value in values[:-1]:
        carried += p.get(value, 0) - q[value]
        total += abs(carried)
    return total / (len(values) - 1)


def emd_equal(p, q):
    return sum((abs(p.get(value, 0) - share) for value, share in q.items()), Fraction(0)) / 2


def emd_hierarchical(p, q, paths):
    """Bottom-up: at each inner node, the surplus of its children is matched with their shortage."""
    height = len(paths[0]) - 1
    # A node is its label with all labels above it. A value that is not a leaf is a child of its own of the node that
    # it names; a missing or suppressed value is one of the top.
    balance = {}
    for value, share in q.items():
        levels = [level for level in range(height + 1) if value in {path[level] for path in paths}]
        level = height if value in (None, "*") else levels[0]
        path_named = next((path for path in paths if path[level] == value), paths[0])
        node = (*([("own", value)] * level), *path_named[level:])
        balance[node] = balance.get(node, 0) + p.get(value, 0) - share
    cost = Fraction(0)
    for level in range(1, height + 1):
        parents = {}
        for node, extra in balance.items():
            parents.setdefault(node[1:], []).append(extra)
        balance = {}
        for parent, extras in parents.items():
            surplus = sum((extra for extra in extras if extra > 0), Fraction(0))
            shortage = -sum((extra for extra in extras if extra < 0), Fraction(0))
            cost += Fraction(level, height) * min(surplus, shortage)
            balance[parent] = surplus - shortage
    return cost


def full_paths(paths):
    distinct = tuple(dict.fromkeys(map(tuple, paths)))
    if len(distinct[0]) == 1 or len({path[-1] for path in distinct}) > 1:
        return tuple((*path, "*") for path in distinct)
    return distinct


@functools.cache
def lowest_level(value, paths):
    height = len(paths[0]) - 1
    if value in (None, "*"):
        return height
    return next(level for level in range(height + 1) if value in {path[level] for path in paths})


def t_of_attribute(case, column):
    overall = distribution(counted_rows(case, column), column)
    kind = case.distance
    if kind == "auto":
        numeric = all(is_number(value) for value in overall)
        kind = "numeric" if numeric else "hierarchical" if column in case.hierarchies else "equal"
    worst = Fraction(0)
    for group in classes(case, column):
        inside = distribution(group, column)
        if kind == "numeric":
            distance = emd_numeric(inside, overall)
        elif kind == "hierarchical":
            distance = emd_hierarchical(inside, overall, full_paths(case.hierarchies[column]))
        else:
            distance = emd_equal(inside, overall)
        worst = max(worst, distance)
    return worst


def t_closeness(case):
    return float(max(t_of_attribute(case, column) for column in case.sensitive))


# --- delta-presence


def generalised(rows, case):
    """Records of another table on the levels of the release, as the adversary knows them."""
    lifts = {}
    for column in case.quasi_identifiers:
        values = {record[column] for record in case.released if not is_suppressed(record, case)} - {None}
        if not values and case.suppressed == "class":  # only suppressed records show a level
            values = {record[column] for record in case.released} - {None}
        # Missing cells were generalised like the others, unless the release still has some.
        keeps_missing = any(record[column] is None for record in case.released)
        lifts[column] = functools.partial(lift, column=column, values=values, keeps_missing=keeps_missing, case=case)
    return [row | {column: lifts[column](row[column]) for column in case.quasi_identifiers} for row in rows]


def lift(value, column, values, keeps_missing, case):
    if value is None and keeps_missing:
        return None
    if column not in case.hierarchies:
        return "*" if values == {"*"} else value
    paths = full_paths(case.hierarchies[column])
    level = level_of_all(frozenset(values), paths)
    if level == 0:
        return value
    if level == len(paths[0]) - 1:
        return paths[0][-1]
    return {path[0]: path[level] for path in paths}.get(value)


@functools.cache
def level_of_all(values, paths):
    return next(level for level in range(len(paths[0])) if values <= {path[level] for path in paths})


def deltas(case):
    background = counted_rows(case, rows=generalised(case.original, case))
    if case.missing == "apart":
        background = [row for row in background if not is_incomplete(row, case)]
    released = Counter(key(row, case.quasi_identifiers) for row in counted_rows(case) if not is_set_aside(row, case))
    original = Counter(key(row, case.quasi_identifiers) for row in background)
    return [
        Fraction(released[key(row, case.quasi_identifiers)], original[key(row, case.quasi_identifiers)])
        for row in background
    ]


def delta_presence(case):
    if case.suppressed == "class" and len({is_suppressed(row, case) for row in case.released}) == 2:
        return UNDEFINED  # a suppressed record may be anybody
    shares = deltas(case)
    if not shares:
        return UNDEFINED
    return [float(min(shares)), float(max(shares))]


# --- profitability


def record_risks(case, cost, gain, loss):
    """For each record, the expected gain of the adversary and the risk of the publisher."""
    for group in classes(case):
        for _ in group:
            success = Fraction(1, len(group))
            expected = success * gain
            yield expected, Fraction(0) if expected < cost else success * loss


def profitability(case):
    return float(max((risk for _, risk in record_risks(case, 4, 300, 300)), default=0))


def is_profitable(case, allow, cost, gain, loss, benefit):
    risks = list(record_risks(case, cost, gain, loss))
    base = all(benefit > risk for _, risk in risks)
    return base and (allow or all(cost > expected for expected, _ in risks))


# --- precision


def precision(case):
    lost, cells = Fraction(0), 0
    for column in case.quasi_identifiers:
        paths = full_paths(case.hierarchies[column])
        for row in case.released:
            height = len(paths[0]) - 1
            lost += Fraction(lowest_level(row[column], paths), height)
            cells += 1
    return 1 - float(lost / cells)


# --- attacks


def re_identification_per_record(case):
    """For each record, one over the number of people in its class."""
    counts = Counter(key(row, case.quasi_identifiers) for row in counted_rows(case, attacker=True))
    return [Fraction(1, counts[key(row, case.quasi_identifiers)]) for row in case.released]


def re_identification(case):
    groups = classes(case, attacker=True)
    chances = [Fraction(1, len(group)) for group in groups for _ in group]
    return float(sum(chances) / len(chances))


def best_guess(group, column, case):
    """The share of the people in a class who have its most common value."""
    return Fraction(max(Counter(row[column] for row in group).values()), people_in([group], case))


def attribute_inference_per_record(case, column):
    groups = {
        key(group[0], case.quasi_identifiers): best_guess(group, column, case)
        for group in classes(case, column, attacker=True)
    }
    return [groups.get(key(row, case.quasi_identifiers), 0) for row in case.released]


def attribute_inference(case):
    chances = []
    for column in case.sensitive:
        groups = classes(case, column, attacker=True)
        guesses = [best_guess(group, column, case) for group in groups for _ in range(people_in([group], case))]
        chances.append(sum(guesses) / len(guesses) if guesses else 0)
    return float(max(chances))


# --- k-anonymity, (alpha,k)-anonymity, k-map


def k_anonymity(case):
    return min((len(group) for group in classes(case)), default=None)


def people_in(groups, case):
    """Number of distinct people per class, summed; one per record if there is no privacy unit."""
    return sum(len({row[case.unit] for row in group}) if case.unit else len(group) for group in groups)


def classes_set_aside(case, column):
    """The classes of records that are set aside."""
    groups = {}
    for row in counted_rows(case, column):
        if is_set_aside(row, case):
            groups.setdefault(key(row, class_columns(case, column)), []).append(row)
    return list(groups.values())


def class_shares(case, column):
    """For each class and each value in it: the share of its people with the value, and the share of all people."""
    everybody = people_in(classes(case, column) + classes_set_aside(case, column), case)
    overall = Counter(row[column] for row in counted_rows(case, column))
    for group in classes(case, column):
        for value, number in Counter(row[column] for row in group).items():
            yield Fraction(number, people_in([group], case)), Fraction(overall[value], everybody)


def alpha_k_anonymity(case):
    shares = [share for column in case.sensitive for share, _ in class_shares(case, column)]
    return [k_anonymity(case), float(max(shares, default=0))]


def population_sizes(case):
    """For each class of the release: its records, and the people of the population with the same values.

    A suppressed record may be anybody in the population. Without a population, sampling weights say how many they are.
    """
    if not isinstance(case.population, list):
        if case.weight is None:
            return [(len(group), len(group)) for group in classes(case)]
        if several_weights(case):
            return UNDEFINED
        return [(len(group), max(weight_of(group, case), len(group))) for group in classes(case)]
    known = Counter(
        key(row, case.quasi_identifiers) for row in counted_rows(case, rows=generalised(case.population, case))
    )
    everybody = people_in([case.population], case)
    sizes = [
        (len(group), everybody if is_suppressed(group[0], case) else known[key(group[0], case.quasi_identifiers)])
        for group in classes(case)
    ]
    return UNDEFINED if any(people < records for records, people in sizes) else sizes


def weight_of(group, case):
    """The sum of the sampling weights of some rows."""
    return sum(Fraction(row[case.weight]) for row in group)


def several_weights(case):
    """Whether a person has several sampling weights in one class."""
    if case.unit is None:
        return False
    kept = [row for row in case.released if not is_set_aside(row, case)]
    weights = {}
    for row in kept:
        weights.setdefault(key(row, [*case.quasi_identifiers, case.unit]), set()).add(row[case.weight])
    return any(len(found) > 1 for found in weights.values())


def expected_share(records, people):
    """The expectation of 1/N, where N is the number of trials until so many successes of chance records/people."""
    if people <= records:
        return 1 / records
    chance = float(records / people)
    number, likely, total = records, chance**records, 0.0
    while number < 2 * people or likely / number > 1e-17 * total:
        total += likely / number
        likely *= (1 - chance) * number / (number - records + 1)
        number += 1
    return total


def individual_risk(case):
    if case.weight is None or several_weights(case):
        return UNDEFINED
    return max((expected_share(len(group), weight_of(group, case)) for group in classes(case)), default=0)


def household_risks(case):
    """The chance that somebody of the household of each record is found; a record without a household lives alone."""
    groups = {}
    for place, group in enumerate(classes(case)):
        risk = expected_share(len(group), weight_of(group, case))
        for number, row in enumerate(group):
            own = ("alone", place, number) if row[case.household] is None else row[case.household]
            groups.setdefault(own, []).append(risk)
    return [1 - math.prod(1 - risk for risk in group) for group in groups.values() for _ in group]


def k_map(case):
    if not isinstance(case.population, list):
        return UNDEFINED
    sizes = population_sizes(case)
    return sizes if sizes == UNDEFINED else min((people for _, people in sizes), default=None)


# --- l-diversity


def l_diversity(case):
    numbers = [len({row[column] for row in group}) for column in case.sensitive for group in classes(case, column)]
    return min(numbers, default=None)


def entropy_l_diversity(case):
    entropies = [
        -sum(float(share) * math.log(share) for share in distribution(group, column).values())
        for column in case.sensitive
        for group in classes(case, column)
    ]
    return min(map(math.exp, entropies), default=None)


def recursive_l_diversity(case, l=2):  # noqa: E741
    worst = []
    for column in case.sensitive:
        for group in classes(case, column):
            ranked = sorted(Counter(row[column] for row in group).values(), reverse=True)
            if len(ranked) < l:
                return None
            worst.append(Fraction(ranked[0], sum(ranked[l - 1 :])))
    return float(max(worst)) if worst else None


# --- likeness


def gains(case):
    return [((q - p) / p, p) for column in case.sensitive for q, p in class_shares(case, column) if q > p]


def basic_beta_likeness(case):
    return float(max((gain for gain, _ in gains(case)), default=0))


def enhanced_beta_likeness(case):
    if any(gain > -math.log(p) * (1 + 1e-15) for gain, p in gains(case)):
        return None
    return basic_beta_likeness(case)


def delta_disclosure(case):
    ratios = [q / p for column in case.sensitive for q, p in class_shares(case, column)]
    return max((abs(math.log(ratio)) for ratio in ratios), default=0)


# --- risk


def prosecutor_risk(case):
    return float(max((Fraction(1, len(group)) for group in classes(case)), default=0))


def journalist_risk(case):
    sizes = population_sizes(case)
    return sizes if sizes == UNDEFINED else float(max((Fraction(1, people) for _, people in sizes), default=0))


def journalist_average(case):
    sizes = population_sizes(case)
    return max(Fraction(len(sizes), sum(people for _, people in sizes)), Fraction(marketer_risk(case)))


def marketer_risk(case):
    sizes = population_sizes(case)
    if sizes == UNDEFINED or not sizes:
        return sizes or 0
    chances = [Fraction(1, people) for records, people in sizes for _ in range(records)]
    return float(sum(chances) / len(chances))


def average_risk(case):
    chances = [Fraction(1, len(group)) for group in classes(case) for _ in group]
    return float(sum(chances) / len(chances)) if chances else 0


def sample_uniqueness(case):
    sizes = [len(group) for group in classes(case) for _ in group]
    return sizes.count(1) / len(sizes) if sizes else 0


def population_uniqueness(case):
    people = people_in([case.released], case)
    population = people_in([case.population], case) if isinstance(case.population, list) else case.population
    if population is None and case.weight is not None:
        rows = {row[case.unit] if case.unit else place: row for place, row in enumerate(case.released)}
        if any(row[case.weight] != rows[row[case.unit]][case.weight] for row in case.released if case.unit):
            return UNDEFINED
        population = max(round(weight_of(rows.values(), case)), people)
    if population is None:
        return UNDEFINED
    if isinstance(population, float):
        population = round(people / population)
    sizes = [len(group) for group in classes(case)]
    population = round(
        population * len(counted_rows(case)) / people
    )  # scaled, if the release counts a person several times
    return pitman(sizes, population) if sum(sizes) <= population / 10 else zayatz(sizes, population)


def zayatz(sizes, population):
    """u1 P / f / N, with the probabilities as binomial coefficients."""
    records, unique = sum(sizes), sizes.count(1)
    if not unique:
        return 0

    def chance_of_one(size):
        return Fraction(size * math.comb(population - size, records - 1), math.comb(population, records))

    chance = unique * chance_of_one(1) / sum(chance_of_one(size) for size in sizes)
    return float(chance * unique / records)


def pitman(sizes, population):
    """The maximum-likelihood estimate: both derivatives are zero, or alpha is 0; found by bisection."""
    records, number = sum(sizes), len(sizes)
    if number == records:
        return 1 if records else 0
    if number == 1:
        return 0

    def by_theta(excess, alpha):
        gain = sum(1 / (excess + (i - 1) * alpha) for i in range(1, number))
        return gain - sum(1 / (excess - alpha + i) for i in range(1, records))

    def by_alpha(alpha):
        excess = best_excess(alpha)
        grown = sum(i / (excess + (i - 1) * alpha) for i in range(1, number))
        return grown - sum(1 / (j - alpha) for size in sizes for j in range(1, size))

    def bisect(falling, low, high):
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (middle, high) if falling(middle) > 0 else (low, middle)
        return (low + high) / 2

    def best_excess(alpha):
        """The best theta + alpha for this alpha."""
        return math.exp(bisect(lambda log: by_theta(math.exp(log), alpha), -40, 40))

    alpha = bisect(by_alpha, 0, 1 - 1e-12) if by_alpha(0) > 0 else 0
    theta = best_excess(alpha) - alpha
    return math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * population**alpha / population


# --- utility


def normal(raw, least, most):
    if most <= least:
        return 1.0 if raw <= least else 0.0
    return float(min(max(1 - (raw - least) / (most - least), 0), 1))


@functools.cache
def leaves_of(value, paths):
    """Number of leaves below a value, on the highest level where it occurs."""
    if value in (None, "*"):
        return len(paths)
    level = max(level for level in range(len(paths[0])) if value in {path[level] for path in paths})
    return sum(path[level] == value for path in paths)


def granularity(case):
    raw, least = [], []
    for column in case.quasi_identifiers:
        paths = full_paths(case.hierarchies[column])
        cells = [Fraction(leaves_of(row[column], paths), len(paths)) for row in case.released]
        raw.append(sum(cells) / len(cells))
        least.append(Fraction(1, len(paths)))
    return normal(sum(raw) / len(raw), sum(least) / len(least), 1)


def ambiguity(case):
    paths = {column: full_paths(case.hierarchies[column]) for column in case.quasi_identifiers}
    raw = sum(math.prod(leaves_of(row[column], paths[column]) for column in paths) for row in case.released)
    records = len(case.released)
    return normal(Fraction(raw), records, records * math.prod(map(len, paths.values())))


def aecs(case):
    released, original = classes(case), classes(case, rows=case.original)
    records = len(counted_rows(case, rows=case.original))
    if not released or not original or len(counted_rows(case)) > records:
        return UNDEFINED
    means = [Fraction(sum(map(len, groups)), len(groups)) for groups in (released, original)]
    return normal(*means, records)


def discernibility(case):
    """Suppressed records, and those missing from the release, cost as much as the whole table."""
    records = len(counted_rows(case, rows=case.original))
    if len(counted_rows(case)) > records:
        return UNDEFINED
    penalties = []
    for rows in (case.released, case.original):
        groups = classes(case, rows=rows)
        outside = records - sum(map(len, groups))
        penalties.append(sum(len(group) for group in groups for _ in group) + records * outside)
    return normal(Fraction(penalties[0]), penalties[1], records**2)


def non_uniform_entropy(case):
    if len(case.released) != len(case.original):
        return UNDEFINED
    raw, most = [], []
    for column in case.quasi_identifiers:
        paths = full_paths(case.hierarchies[column])
        height = len(paths[0]) - 1

        by_leaf = {path[0]: path for path in paths}

        def at(row, level, column=column, by_leaf=by_leaf, height=height):
            if level == height:
                return "top"
            return by_leaf[row[column]][level] if row[column] in by_leaf else ("own", row[column])

        levels = [lowest_level(row[column], paths) for row in case.released]
        before = 0
        for level in sorted(set(levels) - {0}):
            lifted = [row for row, row_level in zip(case.original, levels, strict=True) if row_level >= level]
            now, earlier = Counter(at(row, level) for row in lifted), Counter(at(row, before) for row in lifted)
            raw += [math.log2(now[at(row, level)] / earlier[at(row, before)]) for row in lifted]
            before = level
        same = Counter(row[column] for row in case.original)
        most += [-math.log2(same[row[column]] / len(case.original)) for row in case.original]
    return normal(math.fsum(raw), 0, math.fsum(most))


def missings(case):
    cells = [(column, row[column]) for row in case.released for column in case.quasi_identifiers]
    tops = {column: full_paths(paths)[0][-1] for column, paths in case.hierarchies.items()}
    return sum(cell in (None, "*", tops.get(column)) for column, cell in cells) / len(cells)


def utility_bias(case):
    return float(abs(len(case.released) - len(case.original)))  # the tests use the number of records as the function


def fidelity(case):
    case = on_compared_levels(case)
    columns = [*case.quasi_identifiers, *case.sensitive]
    distances = []
    for column in columns:
        p, q = distribution(case.original, column), distribution(case.released, column)
        distances.append(sum(abs(p.get(value, 0) - q.get(value, 0)) for value in {*p, *q}) / 2)
    return float(1 - sum(distances) / len(distances))


def marginal_distance(case, width):
    """The mean total variation between original and release over all sets of so many columns."""
    case = on_compared_levels(case)
    distances = []
    for columns in itertools.combinations([*case.quasi_identifiers, *case.sensitive], width):
        before, after = (Counter(key(row, columns) for row in rows) for rows in (case.original, case.released))
        shares = [
            Fraction(before[values], len(case.original)) - Fraction(after[values], len(case.released))
            for values in {*before, *after}
        ]
        distances.append(sum(map(abs, shares)) / 2)
    return sum(distances) / len(distances) if distances else None


def marginals(case):
    distance = marginal_distance(case, 2)
    return UNDEFINED if distance is None else float(1 - distance)


def jensen_shannon(case, column):
    p, q = distribution(case.original, column), distribution(case.released, column)
    total = 0
    for value in {*p, *q}:
        before, after = p.get(value, 0), q.get(value, 0)
        for share in (before, after):
            total += share * math.log2(2 * share / (before + after)) / 2 if share else 0
    return math.sqrt(max(total, 0))


def cramers_v(rows, first_column, second_column):
    rows = [row for row in rows if row[first_column] not in (None, "*") and row[second_column] not in (None, "*")]
    firsts, seconds = Counter(row[first_column] for row in rows), Counter(row[second_column] for row in rows)
    narrower = min(len(firsts), len(seconds)) - 1
    if narrower <= 0:
        return 0
    together = Counter((row[first_column], row[second_column]) for row in rows)
    chi_squared = Fraction(0)
    for first, second in itertools.product(firsts, seconds):
        expected = Fraction(firsts[first] * seconds[second], len(rows))
        chi_squared += (together[first, second] - expected) ** 2 / expected
    return math.sqrt(chi_squared / len(rows) / narrower)


def publisher_payout(case):
    payouts = []
    known = all(column in case.hierarchies for column in case.quasi_identifiers)
    hierarchies = {column: full_paths(case.hierarchies[column]) for column in case.quasi_identifiers if known}
    all_leaves = math.prod(map(len, hierarchies.values()))
    for group in classes(case):
        for row in group:
            share = 1
            for column, paths in hierarchies.items():
                share *= Fraction(leaves_of(row[column], paths), len(paths))
            success = Fraction(1, len(group))
            loss = 1 + math.log(share) / math.log(all_leaves) if known else 0
            payouts.append(1200 * (1 - loss) - (300 * success > 4) * 300 * success)
    return math.fsum(payouts)


# --- tables that are not generalised


def on_compared_levels(case):
    """The case with original, release and control people on the levels on which columns are compared."""

    def lifted(row):
        cells = dict(row)
        for column, level in case.compare_at.items():
            paths = {path[0]: path for path in full_paths(case.hierarchies[column])}
            cells[column] = paths[row[column]][level] if row[column] in paths else row[column]
        return cells

    tables = {name: getattr(case, name) for name in ("original", "released", "control")}
    return replace(case, **{name: rows and [lifted(row) for row in rows] for name, rows in tables.items()})


def most_frequent(rows, target):
    counts = Counter(row[target] for row in rows)
    return [value for value, count in counts.items() if count == max(counts.values())]


def is_right(name, case, known, target, person):
    """How often an adversary is right about one person, whose columns `known` she looks up in the release."""
    same = [row for row in case.released if key(row, known) == key(person, known)]
    same_before = [row for row in case.original if key(row, known) == key(person, known)]
    if name == "found":
        return Fraction(bool(same))
    if name == "replicated-uniques":
        return Fraction(len(same_before) == 1 and len(same) == 1)
    value = person[target]
    if name == "certain":
        return Fraction(bool(same) and {row[target] for row in same} == {value})
    if name == "certain-in-both":
        return is_right("certain", case, known, target, person) * ({row[target] for row in same_before} == {value})
    if name == "proportional":
        return Fraction(sum(row[target] == value for row in same), len(same)) if same else Fraction(0)
    guesses = most_frequent(same or case.released, target)  # best-guess; without columns, the prior
    return Fraction(value in guesses, len(guesses))


def share_right(name, case, target=None, known=None, people=None):
    """The mean of `is_right` over the people of the original, or over other people."""
    case = on_compared_levels(case)
    known, people = case.quasi_identifiers if known is None else known, people or "original"
    if name == "copies":
        name, known = "found", [*known, *case.sensitive]
    if name == "prior":
        name, known = "best-guess", []
    rows = getattr(case, people)
    return sum((is_right(name, case, known, target, row) for row in rows), Fraction(0)) / len(rows)


def lookup_twin(name, by_target):
    def twin(case):
        if case.kind == "generalised":
            return UNDEFINED
        return float(max(share_right(name, case, target) for target in (case.sensitive if by_target else [None])))

    return twin


LOOKUPS = dict.fromkeys(("found", "replicated-uniques", "copies"), False)
LOOKUPS |= dict.fromkeys(("certain", "certain-in-both", "proportional", "best-guess"), True)


_TWINS = {
    "aecs": aecs,
    "alpha-k-anonymity": alpha_k_anonymity,
    "ambiguity": ambiguity,
    "average-risk": average_risk,
    "basic-beta-likeness": basic_beta_likeness,
    "delta-disclosure": delta_disclosure,
    "discernibility": discernibility,
    "enhanced-beta-likeness": enhanced_beta_likeness,
    "entropy-l-diversity": entropy_l_diversity,
    "fidelity": fidelity,
    "granularity": granularity,
    "individual-risk": individual_risk,
    "journalist-risk": journalist_risk,
    "k-anonymity": k_anonymity,
    "k-map": k_map,
    "l-diversity": l_diversity,
    "marginals": marginals,
    "marketer-risk": marketer_risk,
    "missings": missings,
    "non-uniform-entropy": non_uniform_entropy,
    "population-uniqueness": population_uniqueness,
    "prosecutor-risk": prosecutor_risk,
    "publisher-payout": publisher_payout,
    "recursive-l-diversity": recursive_l_diversity,
    "sample-uniqueness": sample_uniqueness,
    "utility-bias": utility_bias,
    "attribute-inference": attribute_inference,
    "delta-presence": delta_presence,
    "precision": precision,
    "profitability": profitability,
    "re-identification": re_identification,
    "t-closeness": t_closeness,
    **{name: lookup_twin(name, by_target) for name, by_target in LOOKUPS.items()},
}

TWINS = {name: (lambda case, twin=twin: twin(fold_sensitive_values(case))) for name, twin in _TWINS.items()}
