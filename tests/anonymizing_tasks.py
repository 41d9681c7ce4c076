"""Random small tables with random hierarchies, rules and objectives, and the call of `anonymize` for them."""

import unicodedata
from random import Random

from hypothesis import strategies as st

from brute_force import OBJECTIVES, Task
from conftest import SPELLINGS, WEIGHTS, spell
from frames import arrow
from PETWorks.anonymizer.objectives import WEIGHTED
from searches import anonymize

DISEASES = [("flu", "lung", "any"), ("cough", "lung", "any"), ("ulcer", "stomach", "any")]
AGGREGATES = (None, "geometric", "arithmetic", "sum", "maximum")
SIZES = st.integers(1, 4)
CHANCES = st.sampled_from([1.0, 0.5, 1 / 3, 0.34, 0.3, 0.25, 0.2])
SHARES = st.sampled_from([0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 0.9, 1.0])
GAINS = st.sampled_from([0.0, 0.2, 0.5, 1.0, 2.0])
COSTS = {
    "adversary_cost": st.sampled_from([0, 4, 100, 150]),
    "adversary_gain": st.sampled_from([0, 300, 1200]),
    "publisher_loss": st.sampled_from([0, 300, 2000]),
    "publisher_benefit": st.sampled_from([100, 300, 1200]),
}


def at_least_one(**parameters):
    """At least one of some thresholds."""

    def with_others(one):
        others = {name: values for name, values in parameters.items() if name != one}
        return st.fixed_dictionaries({one: parameters[one]}, optional=others)

    return st.sampled_from(sorted(parameters)).flatmap(with_others)


OF_SIZES = {
    "k-anonymity": st.fixed_dictionaries({"k": SIZES}),
    "profitability": st.fixed_dictionaries({}, optional=COSTS | {"allow_attack": st.booleans()}),
    "prosecutor-risk": at_least_one(highest=CHANCES, cell_size=SIZES),
    "average-risk": at_least_one(average=CHANCES, highest=CHANCES, cell_size=SIZES),
    "journalist-risk": at_least_one(highest=CHANCES, cell_size=SIZES),
    "marketer-risk": st.fixed_dictionaries({"average": CHANCES}),
    "sample-uniqueness": st.fixed_dictionaries({"share": SHARES}),
}
EXPOSED = st.sampled_from([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])
OF_SAMPLES = {
    "individual-risk": at_least_one(highest=EXPOSED, average=EXPOSED, expected=st.sampled_from([0.1, 0.5, 1.0, 3.0])),
    "k-anonymity": OF_SIZES["k-anonymity"],
}
OF_VALUES = {
    "alpha-k-anonymity": at_least_one(alpha=SHARES, k=SIZES),
    "l-diversity": st.fixed_dictionaries({"l": st.integers(1, 3)}),
    "entropy-l-diversity": st.fixed_dictionaries({"l": st.sampled_from([1, 1.5, 1.8, 2, 2.5])}),
    "recursive-l-diversity": st.fixed_dictionaries(
        {"c": st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0])}, optional={"l": st.integers(2, 3)}
    ),
    "t-closeness": st.fixed_dictionaries({"t": SHARES}, optional={"distance": st.sampled_from(["auto", "equal"])}),
    "basic-beta-likeness": st.fixed_dictionaries({"beta": GAINS}),
    "enhanced-beta-likeness": st.fixed_dictionaries({"beta": GAINS}),
    "delta-disclosure": st.fixed_dictionaries(
        {"delta": st.sampled_from([0.3, 0.6, 1.0, 1.5])}, optional={"base": st.sampled_from(["e", "2", "10"])}
    ),
}
DELTAS = st.lists(SHARES, min_size=2, max_size=2).map(sorted)
OF_OTHER_TABLES = {
    "k-map": st.fixed_dictionaries({"k": st.integers(1, 5)}),
    "journalist-risk": at_least_one(highest=CHANCES, cell_size=SIZES, average=CHANCES, at_risk=SHARES),
    "marketer-risk": st.fixed_dictionaries({"average": CHANCES}),
    "delta-presence": DELTAS.map(lambda both: {"delta_min": both[0], "delta_max": both[1]})
    | st.fixed_dictionaries({"delta_max": SHARES}),
    "population-uniqueness": st.fixed_dictionaries(
        {"share": SHARES}, optional={"model": st.sampled_from(["zayatz", "pitman"])}
    ),
}
OF_TABLES = {
    "prosecutor-risk": at_least_one(highest=CHANCES, average=CHANCES, at_risk=SHARES, threshold=SHARES).filter(
        lambda limits: set(limits) != {"threshold"}
    ),
    "journalist-risk": at_least_one(average=CHANCES, at_risk=SHARES),
    "re-identification": at_least_one(at_most=CHANCES, excess=SHARES),
    "attribute-inference": at_least_one(at_most=SHARES, excess=SHARES),
    "publisher-payout": st.fixed_dictionaries({"at_least": st.sampled_from([0, 1500, 4000])}, optional=COSTS),
    "missings": st.fixed_dictionaries({"at_most": SHARES}),
} | {
    name: st.fixed_dictionaries({"at_least": SHARES})
    for name in (
        "aecs",
        "ambiguity",
        "discernibility",
        "fidelity",
        "granularity",
        "marginals",
        "non-uniform-entropy",
        "precision",
    )
}
SUBSETS = st.fixed_dictionaries(
    {
        "limits": st.dictionaries(
            st.sampled_from(["highest-risk", "average-risk", "uniques", "inference"]), SHARES, min_size=1, max_size=2
        )
    },
    optional={"sizes": st.sampled_from(["1", "all"])},
)


@st.composite
def hierarchies(draw, plain=False, most_leaves=5):
    """Nested paths, leaf first; unless they are plain, a label may occur on several levels."""
    leaves = [f"v{number}" for number in range(draw(st.integers(1, most_leaves)))]
    groups, levels = [[leaf] for leaf in leaves], [leaves]
    for level in range(1, draw(st.integers(1, 3))):
        ends = draw(st.lists(st.booleans(), min_size=len(groups) - 1, max_size=len(groups) - 1))
        merged = [list(groups[0])]
        for group, apart in zip(groups[1:], ends, strict=True):
            if apart:
                merged.append(list(group))
            else:
                merged[-1] += group
        groups = merged
        labels = {}
        for number, group in enumerate(groups):
            labels_of_group = st.sampled_from([f"level {level}, {number}", group[0], leaves[0]])
            label = f"level {level}, {number}" if plain else draw(labels_of_group)
            label = f"level {level}, {number}" if label in labels.values() else label
            labels.update(dict.fromkeys(group, label))
        levels.append([labels[leaf] for leaf in leaves])
    top = draw(st.sampled_from(["*", "any"] if plain else ["*", "any", leaves[-1]]))
    return list(zip(*levels, [top] * len(leaves), strict=True))


@st.composite
def tables(draw, columns, paths, most_rows, stars=True, spelt=False):
    """Rows with values of the hierarchies, missing and suppressed cells, suppressed records, and sensitive values."""
    cells = {}
    for column in columns:
        leaves = st.sampled_from([path[0] for path in paths[column]])
        rare = st.sampled_from([None, None, "*"] if stars else [None])
        cells[column] = draw(st.sampled_from([leaves, leaves, leaves | rare]))
    other_columns = {
        "disease": st.sampled_from([path[0] for path in DISEASES]),
        "income": st.sampled_from(["1", "2", "10"]),
        "person": st.sampled_from(["ann", "bob", "cyd", "dan", "eve"]),
        "note": st.sampled_from(["x", "y", None]),
    }
    if spelt:
        for name in ("disease", "income"):
            other_columns[name] = st.builds(spell, other_columns[name] | st.none(), st.sampled_from(SPELLINGS))
    row = st.fixed_dictionaries(cells | other_columns)
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    number_suppressed = draw(st.sampled_from([0, 0, 1, 2])) if stars else 0
    return [
        row_drawn | dict.fromkeys(columns, "*")
        if place < number_suppressed and len(rows) > number_suppressed
        else row_drawn
        for place, row_drawn in enumerate(rows)
    ]


@st.composite
def tasks(draw, pool, most_columns=3, most_rows=30, plain=False, most_rules=3, background=False, treatments=True):
    """A task with rules from a pool."""
    columns = [f"q{number}" for number in range(draw(st.integers(1, most_columns)))]
    most_leaves = 4 if most_columns > 3 else 5
    paths = {column: draw(hierarchies(plain, most_leaves)) for column in columns}
    values = draw(st.sampled_from(["exact", "exact", "folded"])) if treatments else "exact"
    rows = draw(tables(columns, paths, most_rows, stars=not background, spelt=values == "folded"))
    names = draw(st.lists(st.sampled_from(sorted(pool)), min_size=1, max_size=most_rules, unique=True))
    weight = "weight" if "individual-risk" in pool else None
    if weight is not None:  # the same in all records of a person
        rows = [row | {weight: WEIGHTS[ord(row["person"][0]) % len(WEIGHTS)]} for row in rows]
    objective = draw(st.sampled_from(list(OBJECTIVES)))
    weights = st.dictionaries(st.sampled_from(columns), st.sampled_from([0, 0.5, 2, 1]))
    weighted = objective in WEIGHTED
    bounds = {}
    for column in columns:
        height = len(paths[column][0]) - 1
        if draw(st.integers(0, 3)) == 0:
            bounds[column] = tuple(sorted(draw(st.lists(st.integers(0, height), min_size=2, max_size=2))))
    extra = draw(tables(columns, paths, 6, stars=False)) if background else []
    sensitive = draw(st.sampled_from([["disease"], ["disease", "income"], ["income"]]))
    return Task(
        rows,
        columns,
        paths | draw(st.sampled_from([{}, {"disease": DISEASES}])),
        [(name, draw(pool[name])) for name in names],
        sensitive,
        limit=draw(st.sampled_from([0, 0, 0.1, 0.25, 1 / 3, 0.5, 1])),
        objective=objective,
        aggregate=draw(st.sampled_from(AGGREGATES)) if objective == "granularity" else None,
        weights=draw(weights) if weighted else {},
        bounds=bounds,
        original=rows + extra if background else None,
        population=rows + extra if background else None,
        suppressed=draw(st.sampled_from(["apart", "apart", "class"])) if treatments else "apart",
        suppressed_records=draw(st.sampled_from(["remove", "stars"])),
        missing=draw(st.sampled_from(["value", "value", "apart"])) if treatments else "value",
        several=draw(st.sampled_from(["alone", "alone", "quasi-identifiers"])) if treatments else "alone",
        unit=draw(st.sampled_from([None, None, "person"])) if treatments else None,
        values=values,
        weight=weight,
    )


def as_written(task, rows):
    """Rows as they are written: without blanks around cells, and without invisible characters in other columns."""

    def cell(name, text):
        signs = text or ""
        if name not in task.quasi_identifiers:
            signs = "".join(sign for sign in signs if unicodedata.category(sign) not in ("Cc", "Cf"))
        return signs.strip() or None

    return [{name: cell(name, text) for name, text in row.items()} for row in rows]


def with_removed(task, result, rows):
    """The release with the removed records, each with its other cells and `*` in every quasi-identifier."""
    stars = dict.fromkeys(task.quasi_identifiers, "*")
    remaining, removed = iter(result.table.to_pylist()), set(result.removed.tolist())
    return [row | stars if place in removed else next(remaining) for place, row in enumerate(rows)]


def anonymized(task, rules=None, **options):
    """The result of `anonymize` for a task."""
    roles = dict.fromkeys(task.quasi_identifiers, "quasi_identifier") | dict.fromkeys(
        task.sensitive, "sensitive_attribute"
    )
    return anonymize(
        arrow(task.rows),
        roles,
        task.hierarchies,
        task.rules if rules is None else rules,
        suppression=task.limit,
        objective=task.objective,
        aggregate=task.aggregate,
        weights=task.weights,
        levels=task.bounds,
        subsets=task.subsets,
        original=None if task.original is None else arrow(task.original),
        population=arrow(task.population) if isinstance(task.population, list) else task.population,
        suppressed=task.suppressed,
        suppressed_records=task.suppressed_records,
        missing=task.missing,
        several_sensitive=task.several,
        privacy_unit=task.unit,
        sampling_weight=task.weight,
        sensitive_values=task.values,
        keep=task.keep,
        may_lose=task.may_lose,
        **options,
    )


@st.composite
def keeping_tasks(draw, pool, most_columns=3, most_rows=40):
    """A task that keeps columns: all of them if that costs little, or some in any case. Values are skewed."""
    chance = Random(draw(st.integers(0, 9999)))
    columns = [f"q{number}" for number in range(draw(st.integers(2, most_columns)))]
    paths = {column: draw(hierarchies(plain=chance.random() < 0.5)) for column in columns}
    rows = []
    for _ in range(chance.randint(most_rows // 2, most_rows)):
        cells = {name: min(chance.choices([path[0] for path in paths[name]], k=2)) for name in columns}
        rows.append(cells | {"disease": chance.choice(DISEASES)[0], "person": chance.choice("abcdef")})
    if chance.random() < 0.2:
        rows[0] |= dict.fromkeys(columns, "*")
        rows[1][columns[0]] = None
    names = draw(st.lists(st.sampled_from(sorted(pool)), min_size=1, max_size=2, unique=True))
    objective = draw(st.sampled_from([*OBJECTIVES, "granularity", "granularity"]))
    others = columns[1:]
    keep = draw(st.sampled_from([[], [], [], columns[:1]]))
    return Task(
        rows,
        columns,
        paths,
        [(name, draw(pool[name])) for name in names],
        ["disease"],
        limit=draw(st.sampled_from([0, 0.05, 0.1, 0.25, 0.5, 1])),
        objective=objective,
        aggregate=draw(st.sampled_from(AGGREGATES)) if objective == "granularity" else None,
        suppressed_records=draw(st.sampled_from(["remove", "stars"])),
        keep=keep,
        may_lose=draw(st.sampled_from([[], [], [], others[-1:], "all"])),
    )
