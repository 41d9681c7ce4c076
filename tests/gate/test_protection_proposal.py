"""What `petworks init` proposes for exact values, and that an unedited policy then passes."""

import csv
import json
import random
from collections import Counter

import pytest
import yaml

from command import petworks
from PETWorks import check
from PETWorks.about.protection import protection_of
from PETWorks.counting.protected_source import changes_in, protect_source
from PETWorks.gate.suggest.protection_proposal import (
    allowed_unique,
    count_unique,
    propose_for_coordinates,
    propose_protection,
    steps_for,
)
from PETWorks.tables.opening import open_source


def cells_of(kind, records=400):
    made = random.Random(5)
    day = [f"2024-{made.randint(1, 12):02}-{made.randint(1, 28):02}" for _ in range(records)]
    return {
        "bill": [f"{made.lognormvariate(8, 1):.2f}" for _ in range(records)],
        "score": [f"{made.gauss(0, 1):.5f}" for _ in range(records)],
        "price": [f"NT${made.randint(1000, 90000):,}" for _ in range(records)],
        "day": day,
        "stamp": [f"{one} {made.randint(0, 23):02}:{made.randint(0, 59):02}" for one in day],
        "clock": [f"{made.randint(0, 23):02}:{made.randint(0, 59):02}" for _ in range(records)],
    }[kind]


def protected(words, cells):
    """The cells of a column after a protection."""
    table = protect_source(open_source({"x": cells}, "t"), {"x": words})
    return next(iter(table.read(("x",)))).column(0).to_pylist(), changes_in(table)["x"].variance_kept


@pytest.mark.parametrize("kind", ["bill", "score", "price", "day", "stamp", "clock"])
@pytest.mark.parametrize("records", [20, 400])
def test_the_one_that_keeps_most_and_leaves_room(kind, records):
    cells = cells_of(kind, records)
    found = propose_protection(Counter(cells))
    if (kind, records) == ("clock", 20):
        assert found is None, "twenty records in 24 hours"
        return
    assert found.before == count_unique(Counter(cells))
    after, kept = protected(found.words, cells)
    assert count_unique(Counter(after)) == found.after <= allowed_unique(records)
    rounded = propose_protection(Counter(cells), grouping=False)
    if found.words != rounded.words:
        assert found.words == {"groups_of": 11}
        assert kept > protected(rounded.words, cells)[1]
    elif "dates" not in found.words and records > 22:
        assert kept >= protected({"groups_of": 11}, cells)[1]
    if set(rounded.words) == {"round"}:
        finer = [step for step in steps_for(cells) if step < protection_of(kind, rounded.words).step]
        for step in finer:
            one = protection_of(kind, {"round": str(float(step))})
            assert count_unique(Counter(map(one.value, cells))) > allowed_unique(records)


def test_what_cannot_be_rounded_has_no_proposal():
    assert propose_protection(Counter(f"{'a long remark about somebody ' * 2}{row}" for row in range(100))) is None
    assert propose_protection(Counter([*map(str, range(100)), "unknown"])) is None


def test_places_are_rounded_together():
    made = random.Random(2)
    places = [[f"{low + made.random():.5f}" for _ in range(500)] for low in (24, 120)]
    found = propose_for_coordinates(*places)
    assert found.before == 500
    assert found.after <= allowed_unique(500)
    assert found.words == {"round": "0.1"}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_an_unedited_policy_passes(tmp_path, engine):
    made = random.Random(1)
    rows = ["age,sex,district,diagnosis,bill"]
    for bill in cells_of("bill"):
        who = f"{made.randint(20, 79)},{made.choice('FM')},{made.choice(['north', 'south', 'east'])}"
        rows.append(f"{who},{made.choice(['flu', 'asthma', 'fracture', 'migraine'])},{bill}")
    (tmp_path / "bills.csv").write_text("\n".join(rows) + "\n")
    assert petworks("init", "bills.csv", cwd=tmp_path).returncode == 0
    policy = yaml.safe_load((tmp_path / "bills_policy.yaml").read_text())
    assert set(policy["anonymize"]["protect"]) == {"bill"}
    assert petworks("check", "bills_policy.yaml", cwd=tmp_path).returncode == 1
    done = petworks("anonymize", "bills_policy.yaml", "-o", "out.csv", "--engine", engine, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    words = policy["anonymize"]["protect"]["bill"]
    assert words == {"groups_of": 11}
    released = sorted(line.rpartition(",")[2] for line in (tmp_path / "out.csv").read_text().splitlines()[1:])
    assert released == sorted(protected(words, cells_of("bill"))[0])
    assert "protect:" in (tmp_path / "out_policy.yaml").read_text()
    again = petworks("check", "out_policy.yaml", cwd=tmp_path)
    assert again.returncode == 0, again.stdout
    applied = petworks("apply", "bills.csv", "--plan", "out_plan.json", "-o", "again.csv", cwd=tmp_path)
    assert applied.returncode == 0, applied.stdout + applied.stderr
    repeated = sorted(line.rpartition(",")[2] for line in (tmp_path / "again.csv").read_text().splitlines()[1:])
    assert repeated == released


SPELLINGS = {
    "yuan": "{n} 元",
    "swiss": "{thousands}'{rest:03}.50",
    "blank": "{thousands}\u00a0{rest:03}",
    "code": "EUR{n}",
    "suffix": "{n}NTD",
    "words": "about {n}",
    "chinese": "{chinese}",
    "json": '{{"a":{n}}}',
    "duration": "{thousands}h {rest}m",
    "weekday": "Mon, {day} Mar {year}",
    "letters": "{letters}",
}


@pytest.mark.parametrize("kind", SPELLINGS)
def test_values_that_nobody_can_round_are_left_out(tmp_path, kind):
    """However amounts, dates and times are spelled, an unedited policy releases no column of unique ones."""
    made = random.Random(3)
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["age", "sex", "diagnosis", "bill"])
        for row in range(200):
            n = 12000 + 37 * min(row, 150)
            cell = SPELLINGS[kind].format(
                n=n,
                thousands=n // 1000,
                rest=n % 1000,
                chinese="".join("零一二三四五六七八九"[int(sign)] for sign in str(n)),
                day=1 + min(row, 150) % 28,
                year=1950 + min(row, 150) // 28,
                letters="".join("abcdefghij"[int(sign)] for sign in str(n)),
            )
            out.writerow([made.choice([20, 30, 40]), made.choice("FM"), made.choice(["flu", "hiv", "gout"]), cell])
    assert petworks("init", "t.csv", cwd=tmp_path).returncode == 0
    done = petworks("anonymize", "t_policy.yaml", "-o", "out.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out.csv").read_text("utf-8").splitlines()[0] == "age,sex,diagnosis"
    policy = yaml.safe_load((tmp_path / "t_policy.yaml").read_text("utf-8"))
    assert policy["roles"]["identifiers"] == ["bill"]


def test_long_texts_are_left_out_and_the_option_protects(tmp_path):
    rows = ["age,sex,diagnosis,bill"]
    rows += [
        f"{20 + row % 10},{'FM'[row % 2]},{'the patient told us about it at length'} {row},{row}" for row in range(80)
    ]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    assert petworks("init", "t.csv", cwd=tmp_path).returncode == 0
    assert "diagnosis" in yaml.safe_load((tmp_path / "t_policy.yaml").read_text())["roles"]["identifiers"]
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "hierarchy_sex.csv").write_text("F;*\nM;*\n")
    arguments = ["--qi", "sex", "--identifier", "age,diagnosis", "--sensitive", "bill", "--measure", "l-diversity:l=2"]
    arguments = ["anonymize", "t.csv", *arguments, "--hierarchies", "levels", "-o", "out.csv"]
    assert petworks(*arguments, cwd=tmp_path).returncode == 1
    done = petworks(*arguments, "--protect", "bill=round:20,top:60", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    cells = {line.partition(",")[2] for line in (tmp_path / "out.csv").read_text("utf-8").splitlines()[1:]}
    assert cells == {"0", "20", "40", "≥ 60"}
    for wrong in ("bill", "bill=round", "bill=rond:5", "nothing=round:5", "sex=round:5"):
        assert petworks(*arguments, "--protect", wrong, cwd=tmp_path).returncode == 2


def test_reports_say_what_a_protection_costs(tmp_path):
    rows = ["sex,bill", *(f"{'FM'[row % 2]},{row * row}" for row in range(100))]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.csv\nno_rule: {bill: a test}\n"
        "roles: {quasi_identifiers: [sex], sensitive_attributes: [bill]}\n"
        "hierarchies: {sex: {rare: {fewer_than: 5}}}\nrules: [{measure: k-anonymity, k: 2}]\n"
        "anonymize: {protect: {bill: {round: 1000}}}\n"
    )
    done = petworks("anonymize", "p.yaml", "-o", "out.csv", "--json", "r.json", cwd=tmp_path)
    (told,) = json.loads((tmp_path / "r.json").read_text())["anonymization"]["protected"]
    cells, after = [row * row for row in range(100)], [round(row * row / 1000) * 1000 for row in range(100)]
    mean = sum(cells) / 100
    error = sum((one - other) ** 2 for one, other in zip(cells, after, strict=True))
    kept = 1 - error / sum((one - mean) ** 2 for one in cells)
    assert (told["column"], told["how"]) == ("bill", {"round": "1000"})
    assert told["variance_kept"] == pytest.approx(kept)
    assert told["changed"] == sum(one != other for one, other in zip(cells, after, strict=True)) / 100
    assert "Coarser values in bill (round: 1000)" in " ".join(done.stdout.split())
    outside = check(tmp_path / "out_policy.yaml").to_json(edition="external")
    assert "variance" not in outside


def test_the_next_step_has_the_line_for_the_policy(tmp_path):
    rows = [
        "sex,bill,remark",
        *(f"{'FM'[row % 2]},{row},{'something that was said at length by'} {row}" for row in range(100)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    text = (
        "petworks_policy: 1\ndata: t.csv\nno_rule: {bill: a test, remark: a test}\n"
        "roles: {quasi_identifiers: [sex], sensitive_attributes: [bill, remark]}\n"
    )
    text += "hierarchies: {sex: {rare: {fewer_than: 5}}}\nrules: [{measure: k-anonymity, k: 2}]\n"
    (tmp_path / "p.yaml").write_text(text)
    steps = {one.step: one for one in check(tmp_path / "p.yaml").content.next_steps}
    assert steps["leave-out"].columns == ("remark",)
    assert steps["protect"].columns == ("bill",)
    line = steps["protect"].policy
    (tmp_path / "p.yaml").write_text(
        text.replace("[bill, remark]", "[bill], identifiers: [remark]").replace(", remark: a test", "")
        + f"anonymize: {{{line}}}\n"
    )
    assert "protect-declared" in {one.step for one in check(tmp_path / "p.yaml").content.next_steps}
    assert petworks("anonymize", "p.yaml", "-o", "out.csv", cwd=tmp_path).returncode == 0
