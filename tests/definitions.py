"""Every measure again, slowly and literally: fractions and loops over rows, straight from the definitions.

A table is a list of rows, a row a dict from column to text or None. A hierarchy is a list of paths, leaf first.
`TWINS` has one function per measure of the catalogue; it returns what `Result.value` must be.
"""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class Case:
    """A release with all that any measure may need."""

    released: list
    quasi_identifiers: list
    sensitive: list
    hierarchies: dict = field(default_factory=dict)
    original: list | None = None
    suppressed: str = "apart"
    distance: str = "auto"


def key(row, columns):
    return tuple(row[column] for column in columns)


def is_suppressed(row, case):
    return all(row[column] == "*" for column in case.quasi_identifiers)


def classes(case, suppressed=None):
    groups = {}
    for row in case.released:
        if (suppressed or case.suppressed) == "class" or not is_suppressed(row, case):
            groups.setdefault(key(row, case.quasi_identifiers), []).append(row)
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
    """Bottom-up: at each inner node, what its children have too much meets what they have too little."""
    height = len(paths[0]) - 1
    # A node is its label with all labels above it. A value that is no leaf hangs on its own from the node that it
    # names, a missing or suppressed one from the top.
    left = {}
    for value, share in q.items():
        levels = [level for level in range(height + 1) if value in {path[level] for path in paths}]
        level = height if value in (None, "*") else levels[0]
        named = next((path for path in paths if path[level] == value), paths[0])
        node = (*([("own", value)] * level), *named[level:])
        left[node] = left.get(node, 0) + p.get(value, 0) - share
    cost = Fraction(0)
    for level in range(1, height + 1):
        parents = {}
        for node, extra in left.items():
            parents.setdefault(node[1:], []).append(extra)
        left = {}
        for parent, extras in parents.items():
            surplus = sum((extra for extra in extras if extra > 0), Fraction(0))
            shortage = -sum((extra for extra in extras if extra < 0), Fraction(0))
            cost += Fraction(level, height) * min(surplus, shortage)
            left[parent] = surplus - shortage
    return cost


def full_paths(paths):
    distinct = list(dict.fromkeys(map(tuple, paths)))
    if len(distinct[0]) == 1 or len({path[-1] for path in distinct}) > 1:
        return [(*path, "*") for path in distinct]
    return distinct


def t_of_attribute(case, column):
    overall = distribution(case.released, column)
    kind = case.distance
    if kind == "auto":
        numeric = all(is_number(value) for value in overall)
        kind = "numeric" if numeric else "hierarchical" if column in case.hierarchies else "equal"
    worst = Fraction(0)
    for group in classes(case):
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


def generalise(row, case):
    """A record of the original as the adversary knows it."""
    seen = [other for other in case.released if case.suppressed == "class" or not is_suppressed(other, case)]
    known = {}
    for column in case.quasi_identifiers:
        values = {other[column] for other in seen} - {None}
        # Missing cells were lifted with the rest, unless the release still has some.
        stays_missing = row[column] is None and any(other[column] is None for other in case.released)
        if column not in case.hierarchies:
            lifted = "*" if values == {"*"} else row[column]
        else:
            paths = full_paths(case.hierarchies[column])
            level = next(level for level in range(len(paths[0])) if values <= {path[level] for path in paths})
            if level == 0:
                lifted = row[column]
            elif level == len(paths[0]) - 1:
                lifted = paths[0][-1]
            else:
                lifted = {path[0]: path[level] for path in paths}.get(row[column])
        known[column] = None if stays_missing else lifted
    return known


def deltas(case):
    background = [generalise(row, case) for row in case.original]
    counted = [row for row in case.released if case.suppressed == "class" or not is_suppressed(row, case)]
    there = Counter(key(row, case.quasi_identifiers) for row in counted)
    known = Counter(key(row, case.quasi_identifiers) for row in background)
    return [
        Fraction(there[key(row, case.quasi_identifiers)], known[key(row, case.quasi_identifiers)]) for row in background
    ]


def delta_presence(case):
    found = deltas(case)
    return [float(min(found)), float(max(found))]


# --- profitability


def record_risks(case, cost, gain, loss):
    """Expected gain of the adversary and risk of the publisher, record by record."""
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
    for row in case.released:
        for column in case.quasi_identifiers:
            paths = full_paths(case.hierarchies[column])
            height = len(paths[0]) - 1
            value = row[column]
            level = height
            if value is not None and value != "*":
                level = next(level for level in range(height + 1) if value in {path[level] for path in paths})
            lost += Fraction(level, height)
            cells += 1
    return 1 - float(lost / cells)


# --- attacks


def re_identification_per_record(case):
    counts = Counter(key(row, case.quasi_identifiers) for row in case.released)
    return [Fraction(1, counts[key(row, case.quasi_identifiers)]) for row in case.released]


def re_identification(case):
    chances = re_identification_per_record(case)
    return float(sum(chances) / len(chances))


def attribute_inference_per_record(case, column):
    chances = []
    for row in case.released:
        peers = [
            other for other in case.released if key(other, case.quasi_identifiers) == key(row, case.quasi_identifiers)
        ]
        commonest = max(Counter(peer[column] for peer in peers).values())
        chances.append(Fraction(commonest, len(peers)))
    return chances


def attribute_inference(case):
    found = [attribute_inference_per_record(case, column) for column in case.sensitive]
    return float(max(sum(chances) / len(chances) for chances in found))


TWINS = {
    "attribute-inference": attribute_inference,
    "delta-presence": delta_presence,
    "precision": precision,
    "profitability": profitability,
    "re-identification": re_identification,
    "t-closeness": t_closeness,
}
