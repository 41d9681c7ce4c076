"""Time PETWorks on a census table: ours.py evaluate|counts|models|catalogue|report|subsets TABLE. Prints JSON.

evaluate   reading, class sizes, t-closeness, profitability and both attacks, in one go
counts     the measures alone, on a release that has been read, a new one for each round
models     the models of pyCANON's report alone, on a release that has been read, a new one for each round
catalogue  TABLE [ORIGINAL HIERARCHIES]: reading, and every measure that applies
report     a check by the policy that `petworks init` suggests, and its page and JSON in both editions
subsets    both attacks with every subset of the quasi-identifiers, on a release that has been read; and one
           single-threaded pack-and-sort of all of them
"""

import json
import resource
import sys
from pathlib import Path
from time import perf_counter

SENSITIVE = "income_band"
MODELS = ["k-anonymity", "alpha-k-anonymity", "l-diversity", "entropy-l-diversity", "recursive-l-diversity"]
MODELS += ["basic-beta-likeness", "enhanced-beta-likeness", "delta-disclosure", "t-closeness"]


def main():
    wanted, path, *other_arguments = sys.argv[1:]
    from PETWorks import Release, evaluate
    from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
    from PETWorks.tables.opening import open_source

    names = open_source(path, "table").names
    roles = {name: SENSITIVE_ATTRIBUTE if name == SENSITIVE else QUASI_IDENTIFIER for name in names}
    attacks = ["re-identification", "attribute-inference"]
    if wanted == "evaluate":
        start = perf_counter()
        release = Release(path, roles)
        read = perf_counter() - start
        found = evaluate(release, ["t-closeness", "profitability", *attacks])
        seconds = perf_counter() - start
        classes = release.class_sizes()
        result = {
            "seconds": seconds,
            "read seconds": read,
            "classes": classes.number,
            "values": {name: found[name].value for name in ("t-closeness", "profitability", *attacks)},
        }
    elif wanted == "catalogue":
        original, hierarchies = other_arguments or (None, None)
        start = perf_counter()
        release = Release(path, roles, hierarchies, original, population=0.1)
        read = perf_counter() - start
        found = evaluate(release)
        result = {"seconds": perf_counter() - start, "read seconds": read, "measures": len(found)}
        result["not applicable"] = sorted(found.not_applicable)
    elif wanted == "report":
        result = report(Path(path))
    elif wanted == "models":
        result = times(lambda: Release(path, roles), MODELS, evaluate)
        result["without t"] = times(lambda: Release(path, roles), MODELS[:-1], evaluate)["seconds"]
    elif wanted == "subsets":
        result = subsets(Release(path, roles))
    else:
        result = {"t": times(lambda: Release(path, roles), ["t-closeness"], evaluate)}
        result["attacks"] = times(lambda: Release(path, roles), attacks, evaluate)
    result["peak bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    result["pandas imported"] = "pandas" in sys.modules
    print(json.dumps(result))


def report(path):
    """The policy is written beside the table."""
    from PETWorks import check
    from PETWorks.gate.suggest.starter import starter_policy, suggest_for_file

    start = perf_counter()
    found, unit = suggest_for_file(path, None, None)
    policy = path.with_suffix(".policy.yaml")
    policy.write_text(starter_policy(path, policy, found, unit), "utf-8")
    suggested = perf_counter()
    judged = check(policy)
    checked = perf_counter()
    pages = [judged.to_html(edition=edition) for edition in ("internal", "external")]
    texts = [judged.to_json(edition) for edition in ("internal", "external")]
    return {
        "init seconds": suggested - start,
        "check seconds": checked - suggested,
        "render seconds": perf_counter() - checked,
        "page bytes": max(len(page.encode()) for page in pages),
        "json bytes": max(len(text.encode()) for text in texts),
    }


def times(make, measures, evaluate):
    """The best of several rounds, each on a release that was not counted before."""
    best, values = float("inf"), {}
    for _ in range(7):
        release = make()
        start = perf_counter()
        found = evaluate(release, measures)
        best = min(best, perf_counter() - start)
        values = {result.measure: result.value for result in found.results}
    return {"seconds": best, "values": values}


def subsets(release):
    """The best of several rounds; functions are compiled before."""
    import numpy as np

    from PETWorks import Release
    from PETWorks.measures.attacks.subsets import every_subset

    for rows in (1, 70_000):  # narrow and wide keys
        small = {f"q{n}": np.random.default_rng(n).integers(0, rows, rows).astype(str) for n in range(3)}
        every_subset(Release(small, dict.fromkeys(small, "quasi_identifier")))
    columns = [release.table.columns[name] for name in release.quasi_identifiers]
    counting, sorting = [], []
    for _ in range(5):
        start = perf_counter()
        keys = np.zeros(release.records, np.uint64)
        for column in columns:
            keys <<= np.uint64(column.bits)
            keys |= column.codes
        keys.sort()
        sorting.append(perf_counter() - start)
        start = perf_counter()
        found = every_subset(release)
        counting.append(perf_counter() - start)
    values = {",".join(sorted(row["attributes"])): row for row in found.to_dicts()}
    keep = ("re_identification_posterior", f"attribute_inference_posterior of {SENSITIVE}")
    return {
        "seconds": min(counting),
        "sort seconds": min(sorting),
        "values": {name: [row[key] for key in keep] for name, row in values.items()},
    }


if __name__ == "__main__":
    main()
