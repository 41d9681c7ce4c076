"""Time the search for the best levels, and compare it with the physical limit and with ANJANA, in one run, as ratios.

    .venv/bin/python benchmarks/anonymising.py
    .venv/bin/python benchmarks/anonymising.py --only census --rows 1e7
    .venv/bin/python benchmarks/anonymising.py --only anjana --peers .venv-peers/bin/python

Seconds are processor time: a search runs on one core, and other work on the machine matters less.
The adult table and the optimal solutions are in $PETWORKS_REFERENCE_DATA, by default ../shared/data/petworks, and
optima.json beside that folder; the census tables come from the generator that benchmarks/run.py takes.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest import mock

import numpy as np
from lattice import COLUMNS, REFERENCE
from run import GENERATOR, run, show
from wide_tables import wide_table

HERE = Path(__file__).parent
PARTS = ("adult", "local", "wide", "genetic", "values", "frontier", "optima", "anjana", "census")
ROUNDS = 5
EXAMPLE = ("age", "education", "marital-status", "occupation", "sex", "native-country")  # the example of ANJANA
K, SUPPRESSION = 10, 0.5
CENSUS_HIERARCHIES = {
    "age": {"width": [5, 10, 20, 40]},
    "education": {"order": [f"education {code:02}" for code in range(16)], "sizes": [2, 4, 8]},
    "marital": {
        "groups": {
            "alone": [f"marital {code:02}" for code in (0, 2, 4, 6)],
            "not alone": ["marital 01", "marital 03", "marital 05"],
        }
    },
    "country": {
        "groups": {f"region {part}": [f"country {code:02}" for code in range(part, 41, 6)] for part in range(6)}
    },
    "occupation": {"prefix": [12]},
    "race": {"rare": {"fewer_than": 100_000}},
    "sex": {"prefix": [3]},
    "workclass": {
        "groups": {
            "employed": ["workclass 00", "workclass 01"],
            "other": [f"workclass {code:02}" for code in range(2, 7)],
        }
    },
}


def adult():
    """Time the search on the adult table, warm, and sorting the distinct rows once per node for comparison."""
    from PETWorks import Release
    from PETWorks.anonymizer.anonymization import anonymize_release
    from PETWorks.anonymizer.rules import check_rules

    print("adult, 30,162 rows, nine quasi-identifiers, k = 5, suppression 0.04")
    totals, searches, sorts, reads = [], [], [], []
    for _ in range(ROUNDS):
        began = time.process_time()
        (REFERENCE / "adult.csv").read_text("utf-8").splitlines()
        reads.append(time.process_time() - began)
        began = time.process_time()
        roles = dict.fromkeys(COLUMNS, "quasi_identifier")
        release = Release(REFERENCE / "adult.csv", roles, REFERENCE / "adult_hierarchy", engine="memory")
        rows = release.view.table.distinct()
        middle = time.process_time()
        result = anonymize_release(release, check_rules({"k-anonymity": {"k": 5}}), suppression=0.04, may_lose="all")
        end = time.process_time()
        totals.append(end - began)
        searches.append(end - middle)
        keys = np.random.default_rng(1).integers(0, 1 << 63, len(rows.weights), np.uint64)
        began = time.process_time()
        for _ in range(result.checked):
            keys.copy().sort()
        sorts.append(time.process_time() - began)
    show("reading the file and search, warm, best", min(totals), "<= 0.5", "s")
    show("search alone, best", min(searches), unit="s")
    show("nodes looked at", result.checked, unit=f"of {result.nodes:,}")
    show("search / sorting the distinct rows once for each of these nodes", min(searches) / min(sorts))
    show("reading and search / Python reads the lines of the file", min(totals) / min(reads))


def local():
    """Compare local recoding with the search for the best levels, on the adult table with any suppression."""
    from PETWorks import Release
    from PETWorks.anonymizer.anonymization import anonymize_release, recode_locally
    from PETWorks.anonymizer.rules import check_rules

    print("adult, nine quasi-identifiers, any suppression: the search for the best levels, and local recoding after it")
    for k in (5, 10, 25, 50):
        searches, sweeps = [], []
        for _ in range(ROUNDS):
            roles = dict.fromkeys(COLUMNS, "quasi_identifier")
            release = Release(REFERENCE / "adult.csv", roles, REFERENCE / "adult_hierarchy", engine="memory")
            release.view.table.distinct()
            began = time.process_time()
            best = anonymize_release(release, check_rules({"k-anonymity": {"k": k}}), suppression=1, may_lose="all")
            middle = time.process_time()
            result = recode_locally(best)
            searches.append(middle - began)
            sweeps.append(time.process_time() - middle)
        show(f"k = {k}, best levels for all, best", min(searches), unit=f"s   loss {best.loss:.4f}")
        unit = f"s   loss {result.loss:.4f}, {result.suppressed} records suppressed"
        show(f"k = {k}, local recoding, best", min(sweeps), unit=unit)
        show(f"k = {k}, local recoding / search for the best levels", min(sweeps) / min(searches), "<= 1")


def wide():
    """Time the tree, the first sweep over its nodes, and further rounds on wide tables; k = 5, suppression 0.05."""
    from PETWorks import Release

    for rows, columns in ((75_000, 16), (30_000, 24)):
        table, hierarchies = wide_table(rows, columns)
        release = Release(table, dict.fromkeys(table.column_names, "quasi_identifier"), hierarchies)
        local_rounds(f"{columns} columns, {rows:,} rows", release, {"k-anonymity": {"k": 5}}, 0.05)
    show("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, "<= 1", "GB")


def values():
    """The same for rules about sensitive values, on the adult table, with any suppression."""
    from PETWorks import Release

    for rule in ({"l-diversity": {"l": 2}}, {"t-closeness": {"t": 0.3}}):
        roles = dict.fromkeys(COLUMNS, "quasi_identifier") | {"occupation": "sensitive_attribute"}
        release = Release(REFERENCE / "adult.csv", roles, REFERENCE / "adult_hierarchy", engine="memory")
        local_rounds(f"adult, occupation: {rule}", release, rule, 1)


def local_rounds(name, release, rules, suppression):
    """Time each release that local recoding finds."""
    from PETWorks.anonymizer.judge import Judge
    from PETWorks.anonymizer.local import tree
    from PETWorks.anonymizer.local.rounds import local_releases
    from PETWorks.anonymizer.local.sweep import Sweep, smallest_size
    from PETWorks.anonymizer.problem import SearchSettings, make_problem
    from PETWorks.anonymizer.rules import check_rules

    problem = make_problem(release, check_rules(rules), SearchSettings(suppression=suppression))
    print(f"{name}, {problem.lattice.nodes:,} nodes, {len(problem.cube.base.rows.weights):,} distinct rows")
    search = problem.search()
    began, started = time.process_time(), time.monotonic()
    search.run(stop=lambda: time.monotonic() - started > 5)
    show("best levels for all, after 5 s at most", time.process_time() - began, unit=f"s   loss {search.best.loss:.4f}")
    classes = problem.cube.at(search.best.node)
    fallback = Sweep.on_one_node(classes, search.judge(classes).suppressed)
    judge = Judge(problem.cube, problem.rules, problem.cube.records, problem.objective)
    least = smallest_size(judge)
    with mock.patch.object(tree, "FEWEST_BITS", 1e9):  # as if every division took as many bits
        plain = next(local_releases(problem, judge, least, problem.max_suppressed, fallback, lambda _visited: None))
    plain_loss = plain.loss(problem.objective)
    show("a tree that takes the largest gain", plain_loss, unit="   loss")
    began, losses, step = time.process_time(), [], "tree"
    for swept in local_releases(problem, judge, least, problem.max_suppressed, fallback, lambda _visited: None):
        seconds = time.process_time() - began
        losses.append(swept.loss(problem.objective))
        unit = f"s   loss {losses[-1]:.4f}, {len(swept.nodes):,} nodes, {swept.suppressed} records suppressed"
        show(f"{step}, until then", seconds, unit=unit)
        step = f"round {len(losses)}"
    show("all of them", time.process_time() - began, "<= 20", "s")
    show("loss / loss of the tree", min(losses) / losses[0])
    show("loss / loss of a tree that takes the largest gain", min(losses) / plain_loss, "<= 0.9")


def frontier():
    """Compare a frontier with separate searches for its points, on the adult table."""
    from PETWorks import Release
    from PETWorks.anonymizer.anonymization import anonymize_release
    from PETWorks.anonymizer.frontier import find_frontier
    from PETWorks.anonymizer.rules import check_rules

    def timed(work, rounds=3):
        times = []
        for _ in range(rounds):
            roles = dict.fromkeys(COLUMNS, "quasi_identifier")
            release = Release(REFERENCE / "adult.csv", roles, REFERENCE / "adult_hierarchy", engine="memory")
            release.view.table.distinct()
            began = time.process_time()
            result = work(release)
            times.append(time.process_time() - began)
        return min(times), result

    sizes, limits = (2, 3, 5, 10, 11, 20, 50), (0, 0.01, 0.02, 0.05, 0.1)
    print("adult, nine quasi-identifiers: frontiers, and separate searches for each of their points")
    separate = {
        (k, limit): timed(
            lambda release, k=k, limit=limit: anonymize_release(
                release, check_rules({"k-anonymity": {"k": k}}), suppression=limit
            )
        )
        for k in sizes
        for limit in limits
    }
    for name, vary, points in (
        ("7 class sizes, 5 %", {"k-anonymity": {"k": sizes}}, [(k, 0.05) for k in sizes]),
        ("5 limits, k = 5", {"suppression": limits}, [(5, limit) for limit in limits]),
        ("35 points", {"k-anonymity": {"k": sizes}, "suppression": limits}, list(separate)),
    ):
        seconds, frontier_found = timed(
            lambda release, vary=vary: find_frontier(
                release, check_rules({"k-anonymity": {"k": 5}}), vary, suppression=0.05
            )
        )
        for point in frontier_found.points:
            assert abs(separate[point.threshold or 5, point.suppression][1].loss - point.loss) < 1e-12
        times = [separate[point][0] for point in points]
        show(f"{name}: the frontier, best of 3", seconds, unit=f"s   {frontier_found.checked} nodes")
        show(f"{name}: frontier / slowest separate search", seconds / max(times), "<= 2")
        show(f"{name}: frontier / all separate searches", seconds / sum(times))


def search(release, rules, **settings):
    """The best levels alone, without notices about the release."""
    from PETWorks.anonymizer.anonymization import anonymize_release
    from PETWorks.anonymizer.rules import check_rules

    return anonymize_release(release, check_rules(rules), **settings)


def optima():
    """Find every optimal solution that an independent tool found: the time, and the number of nodes checked."""
    from PETWorks import Release

    print("the optimal solutions of the reference, reading included")
    for case in json.loads((REFERENCE.parent / "optima.json").read_text("utf-8"))["cases"]:
        roles = dict.fromkeys(case["quasi_identifiers"], "quasi_identifier")
        if "sensitive" in case:
            roles[case["sensitive"]] = "sensitive_attribute"
        rules = {
            name: {"average": limits["at_most"]} if name == "average-risk" else limits
            for name, limits in case["rules"].items()
        }
        began = time.process_time()
        original = REFERENCE / case["background"] if "background" in case else None
        found = search(
            Release(REFERENCE / case["data"], roles, REFERENCE / "adult_hierarchy", original),
            rules,
            suppression=case["suppression"],
            suppressed_records="stars",  # as the reference does
            may_lose="all",
            objective=case["objective"],
            aggregate=case.get("aggregate"),
        )
        seconds = time.process_time() - began
        agree = abs(found.loss - case["loss"]) <= 1e-9 * abs(case["loss"])
        unit = f"s   {found.checked:,} of {found.nodes:,} nodes" + ("" if agree else "   DISAGREES")
        show(case["id"], seconds, unit=unit)


def anjana(python, folder):
    """ANJANA's own example of k-anonymity: the same columns, hierarchies, k and limit."""
    from PETWorks import Release

    print(f"ANJANA's example: adult, six quasi-identifiers, k = {K}, suppression {SUPPRESSION}; loading excluded there")
    anjana_result = run(
        python, HERE / "anjana_peer.py", REFERENCE, folder / "theirs.csv", K, 100 * SUPPRESSION, *EXAMPLE
    )
    roles = dict.fromkeys(EXAMPLE, "quasi_identifier")
    seconds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        release = Release(REFERENCE / "adult.csv", roles, REFERENCE / "adult_hierarchy")
        best = search(release, {"k-anonymity": {"k": K}}, suppression=SUPPRESSION)
        seconds.append(time.process_time() - began)
    with (folder / "theirs.csv").open(encoding="utf-8", newline="") as file:
        released = list(csv.DictReader(file))
    records = best.table.num_rows
    our_loss = loss({name: best.table[name].to_pylist() for name in EXAMPLE}, records)
    their_loss = loss({name: [row[name] for row in released] for name in EXAMPLE}, records)
    show("ANJANA, k_anonymity alone, best", anjana_result["seconds"], unit="s")
    show("PETWorks, reading included, best", min(seconds), unit="s")
    show("ANJANA / PETWorks", anjana_result["seconds"] / min(seconds))
    show("granularity loss, ANJANA", their_loss, unit=f"   ({records - len(released):,} records suppressed)")
    show("granularity loss, PETWorks", our_loss, unit=f"   ({best.suppressed:,} records suppressed)")
    print(f"  loss that the search reports {'agrees' if abs(our_loss - best.loss) < 1e-9 else 'DISAGREES'}")


def loss(columns, records):
    """Granularity loss, geometric mean, computed from the cells; missing records count as lost."""
    product = 1.0
    for name, cells in columns.items():
        path = REFERENCE / "adult_hierarchy" / f"adult_hierarchy_{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, delimiter=";"))
        levels = [Counter(labels) for labels in zip(*rows, strict=True)]
        level = next(counts for counts in levels if all(cell in counts or cell == "*" for cell in set(cells)))
        total = sum(1.0 if cell == "*" else level[cell] / len(rows) for cell in cells) + records - len(cells)
        product *= 1 + (total - records / len(rows)) / (records - records / len(rows))
    return product ** (1 / len(columns)) - 1


def census(folder, numbers):
    """Census tables with declared hierarchies: time, memory and nodes."""
    print("census table, eight quasi-identifiers, declared hierarchies, k = 11, suppression 0.05, Parquet")
    for rows in numbers:
        path = folder / "census.parquet"
        subprocess.run([sys.executable, GENERATOR, str(rows), str(path)], check=True)
        found = run(sys.executable, __file__, "--one", path)
        show(f"{rows:,} rows, read, {found['distinct']:,} distinct rows", found["read seconds"], unit="s")
        show(f"{rows:,} rows, search", found["seconds"], unit=f"s   {found['checked']:,} of {found['nodes']:,} nodes")
        floor = found["sort seconds"] * found["checked"]
        show("  search / sorting the distinct rows once for each of these nodes", found["seconds"] / floor)
        show("  peak memory", found["peak bytes"] / 1e9, unit="GB")
        print(f"  loss {found['loss']:.4f}, {found['suppressed']:,} records suppressed")
        show("  local recoding after it", found["local seconds"], unit=f"s   loss {found['local loss']:.4f}")
        path.unlink()


def one_census(path):
    """Run one search in a separate process; prints JSON."""
    from PETWorks import Release
    from PETWorks.anonymizer.anonymization import anonymize_release, recode_locally
    from PETWorks.anonymizer.rules import check_rules

    began = time.process_time()
    roles = dict.fromkeys(CENSUS_HIERARCHIES, "quasi_identifier")
    release = Release(path, roles, CENSUS_HIERARCHIES, engine="memory")
    distinct = len(release.view.table.distinct().weights)
    middle = time.process_time()
    best = anonymize_release(release, check_rules({"k-anonymity": {"k": 11}}), suppression=0.05)
    end = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    before = time.process_time()
    recoded = recode_locally(best)
    local_seconds = time.process_time() - before
    keys = np.random.default_rng(1).integers(0, 1 << 63, distinct, np.uint64)
    before = time.process_time()
    keys.sort()
    numbers = {"read seconds": middle - began, "seconds": end - middle, "sort seconds": time.process_time() - before}
    numbers |= {"local seconds": local_seconds, "local loss": recoded.loss}
    numbers |= {"distinct": distinct, "checked": best.checked, "nodes": best.nodes, "peak bytes": peak}
    print(json.dumps({**numbers, "loss": best.loss, "suppressed": best.suppressed}))


NEIGHBOURS = {2: (), 5: (2,), 8: (2, 4), 12: (3, 6), 20: (2, 4), 40: (2, 4, 8)}  # in a group, for each level
WIDE = {
    "16 columns": ([2] * 4 + [5] * 4 + [8] * 2 + [12] * 2 + [20] * 3 + [40], 75_000, 1.0),
    "24 columns": ([2] * 6 + [5] * 4 + [8] * 4 + [12] * 4 + [20] * 3 + [40] * 3, 30_000, 1.0),
    "12 columns": ([20] * 6 + [12] * 4 + [8] * 2, 40_000, 0.5),
    "20 columns": ([5] * 8 + [12] * 8 + [2] * 4, 20_000, 1.0),
    "14 columns": ([40] * 3 + [20] * 3 + [8] * 4 + [2] * 4, 60_000, 1.5),
}


def wide_search(seconds, only=None):
    """Compare the search of large lattices, in limited time, with a plain genetic one that looks at as many nodes."""
    print(f"generated tables, k = 5, any suppression, any column may be lost, {seconds:g} s")
    for seed, (name, (sizes, rows, skew)) in enumerate(WIDE.items(), 1):
        if only not in (None, name):
            continue
        found = wide_problem(sizes, rows, skew, seed).search()
        began = time.process_time()
        found.run(stop=lambda began=began: time.process_time() - began >= seconds)
        taken = time.process_time() - began
        began = time.process_time()
        plain, looked_at = genetic(wide_problem(sizes, rows, skew, seed), found.checked, 2 * seconds)
        unit = f"s   loss {found.best.loss:.5f}, bound {found.bound:.4f}, {found.checked:,} nodes looked at"
        show(f"{name}, {found.lattice.nodes:.2g} nodes", taken, unit=unit)
        unit = f"s   loss {plain:.5f}, {looked_at:,} nodes looked at"
        show("  plain genetic search", time.process_time() - began, unit=unit)
        show("  loss / loss of the genetic search", found.best.loss / plain, "<= 1")


def wide_problem(sizes, rows, skew, seed):
    """The problem of a table of mildly correlated, skewed columns."""
    import pyarrow as pa

    from PETWorks import Release
    from PETWorks.anonymizer.problem import SearchSettings, make_problem
    from PETWorks.anonymizer.rules import check_rules

    random = np.random.default_rng(seed)
    hidden, columns, hierarchies = random.integers(0, 4, rows), {}, {}
    for place, size in enumerate(sizes):
        shares = 1 / np.arange(1, size + 1) ** (skew + 0.3 * (place % 3))
        step = size // 4 if place % 2 else 0
        cumulative = np.cumsum(np.stack([np.roll(shares / shares.sum(), step * value) for value in range(4)]), axis=1)
        codes = (random.random(rows)[:, np.newaxis] > cumulative[hidden]).sum(1).clip(0, size - 1)
        columns[f"q{place:02}"] = np.array([f"v{code:02}" for code in range(size)])[codes]
        hierarchies[f"q{place:02}"] = [
            [f"v{code:02}", *(f"{number} from {code // number * number}" for number in NEIGHBOURS[size]), "*"]
            for code in range(size)
        ]
    release = Release(pa.table(columns), dict.fromkeys(columns, "quasi_identifier"), hierarchies, engine="memory")
    rules = check_rules({"k-anonymity": {"k": 5}})
    return make_problem(release, rules, SearchSettings(suppression=1, may_lose="all"))


def genetic(problem, most, seconds, size=100):
    """The least loss that a plain genetic search finds by looking at so many nodes: elite, tournaments, mutation.

    It may end before, after some processor time: when all of its nodes are alike, it hardly finds others.
    """
    began = time.process_time()
    judge, random = problem.search().judge, np.random.default_rng(0)
    low, high, losses = problem.lattice.low, problem.lattice.high, {}

    def loss(node):
        if node not in losses:
            found = judge.outcome(node, bounds=False).loss
            losses[node] = np.inf if found is None else found
        return losses[node]

    levels = list(zip(low, high, strict=True))
    nodes = [high, *(tuple(int(random.integers(a, b + 1)) for a, b in levels) for _ in range(size - 1))]
    while len(losses) < most and time.process_time() - began < seconds:
        ranked = sorted(nodes, key=loss)
        nodes = ranked[: size // 5]
        while len(nodes) < size:
            parents = [ranked[int(random.integers(0, size, 3).min())] for _ in range(2)]
            child = [int(random.choice(pair)) for pair in zip(*parents, strict=True)]
            for index, (a, b) in enumerate(levels):
                if random.random() < 1 / len(levels):
                    child[index] = min(max(child[index] + int(random.choice([-1, 1])), a), b)
            nodes.append(tuple(child))
    return min(losses.values()), len(losses)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--peers", help="an interpreter that has ANJANA installed")
    parser.add_argument(
        "--rows", type=lambda text: int(float(text)), help="of the census table, instead of three sizes"
    )
    parser.add_argument("--seconds", type=float, default=30, help="of the searches of wide tables")
    parser.add_argument("--table", choices=WIDE, help="the only wide table to search")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        one_census(arguments.one)
        return
    wanted = [arguments.only] if arguments.only else PARTS
    with tempfile.TemporaryDirectory() as name:
        if "adult" in wanted:
            adult()
        if "local" in wanted:
            local()
        if "wide" in wanted:
            wide()
        if "values" in wanted:
            values()
        if "frontier" in wanted:
            frontier()
        if "optima" in wanted:
            optima()
        if "anjana" in wanted and arguments.peers:
            anjana(arguments.peers, Path(name))
        if "genetic" in wanted:
            wide_search(arguments.seconds, arguments.table)
        if "census" in wanted:
            census(Path(name), [arguments.rows] if arguments.rows else [300_000, 1_000_000, 3_000_000])


if __name__ == "__main__":
    main()
