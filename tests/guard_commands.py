"""The commands whose results `guard.py` records: ordinary ones, and typical mistakes.

REFERENCE stands for the folder of the reference tables, ENGINE for each engine. Commands of a part run in their
order, in one folder with copies of `data` and of `docs/gallery`.
"""

POLICIES = ["data/adult_policy.yaml", "data/school_policy.yaml", "gallery/survey/policy.yaml"]
POLICIES += [f"gallery/{case}/{name}_policy.yaml" for case in ("wards", "cohort") for name in ("first", "second")]
ADULT = "data/adult_anonymized.csv --original data/adult.csv"
RAW = "data/adult_original_policy.yaml"
WARDS = "gallery/wards/stays_first.csv --qi birth_year,postcode,sex --sensitive diagnosis"
SCHOOLS = "data/school_2022.csv data/school_2023.csv --key pupil"
COHORT = (
    "gallery/cohort/cohort_2023.csv gallery/cohort/cohort_2024.csv gallery/cohort/cohort_2025_first.csv --key person"
)
HELP = "anonymize apply attack check compose demo diff evaluate hierarchy init lint measures presets regimes register"
HELP = [*HELP.split(), "register add", "register list", "schema", "studio", "verify"]
RULES = "entropy-l-diversity:l=2.5 recursive-l-diversity:c=3,l=2 t-closeness:t=0.4 alpha-k-anonymity:k=3,alpha=0.8"
RULES += " basic-beta-likeness:beta=3 enhanced-beta-likeness:beta=3 delta-disclosure:delta=3 l-diversity:l=2"
RULES += " prosecutor-risk:cell_size=5 average-risk:average=0.1 k-anonymity:k=7"
SOME = "--qi sex,age,race,education --sensitive workclass --hierarchies data/adult_hierarchy"
BAD_FILES = {
    "no_yaml.yaml": "petworks_policy: 1\ndata: [data/adult.csv\n",
    "keys.yaml": "petworks_policy: 1\ndatta: data/adult.csv\nrules:\n  - {measure: k-anonimity, k: 5}\n",
    "thresholds.yaml": "petworks_policy: 1\ndata: data/adult.csv\nroles: {quasi_identifiers: [age, agee]}\nrules:\n"
    "  - {measure: k-anonymity, k: -5}\n  - {measure: t-closeness, t: 2}\n  - {measure: l-diversity}\n",
    "version.yaml": "petworks_policy: 99\ndata: data/adult.csv\n",
    "waivers.yaml": "petworks_policy: 1\ndata: data/adult.csv\nroles: {quasi_identifiers: [age], sensitive_attributes: "
    "[age]}\npresets: [none-such]\nwaivers:\n  - {rule: x, owner: me, reason: why, expires: tomorrow}\n",
    "no_table.yaml": "petworks_policy: 1\ndata: absent.csv\nroles: {quasi_identifiers: [age]}\n"
    "rules:\n  - {measure: k-anonymity, k: 5}\n",
    "outside.yaml": "petworks_policy: 1\ndata: ../../etc/passwd\nroles: {quasi_identifiers: [age]}\n",
    "empty.yaml": "",
    "ragged.csv": "a,b\n1,2\n3\n",
    "empty.csv": "",
    "header.csv": "a,b\n",
    "twice.csv": "a,a\n1,2\n",
    "odd.json": '{"petworks": 1}',
}


def each(form, **values):
    """The lines that a form gives for each value of its only name."""
    ((name, texts),) = values.items()
    return "\n".join(form.replace("{" + name + "}", text) for text in texts)


def check_lines():
    for policy in POLICIES:
        name = "_".join(policy.split("/")[1:]).removesuffix(".yaml")
        yield f"check {policy}"
        yield f"check {policy} --edition external"
        yield f"check {policy} --edition both --html {name}.html --json {name}.json"
        yield f"check {policy} --junit {name}.xml --markdown {name}.md"
        yield f"check {policy} --edition external --junit {name}.external.xml --markdown {name}.external.md"


# In both languages.
SPOKEN = {
    "help": "--help\n--version\n-h\n" + each("{name} --help", name=HELP),
    "lists": "measures\npresets\nregimes\nlint " + " ".join(POLICIES),
    "evaluate": f"""
evaluate data/patient_anonymized.csv
evaluate {ADULT}
evaluate {WARDS} --measure t-closeness:t=0.2 --measure k-anonymity:k=5 --population 23400
evaluate --policy gallery/survey/policy.yaml --measure l-diversity
evaluate data/delta_anonymized.csv --original data/delta.csv --measure delta-presence:delta_min=1/2,delta_max=2/3
""",
    "attack": f"""
attack data/patient_anonymized.csv
attack {WARDS} --per-record risks.csv
attack {WARDS} --subsets all --limit uniques=0.01 --limit highest-risk=1/5
attack {WARDS} --subsets all -o subsets.csv --per-record few.csv --below 11
attack --policy gallery/survey/policy.yaml --subsets 1-2
attack {WARDS} --worth diagnosis:fracture=10,asthma=2
""",
    "check": "\n".join(check_lines()),
    "evidence": """
check data/adult_policy.yaml --evidence evidence --json first.json --reasons reasons.csv --below 11
check gallery/wards/first_policy.yaml --reasons wards.csv --json wards_first.json
check gallery/wards/second_policy.yaml --json wards_second.json --previous wards_first.json
check gallery/wards/second_policy.yaml --edition external --json wards_second.external.json
check gallery/wards/first_policy.yaml --data gallery/wards/stays_second.csv --as-of 2028-01-01
diff wards_first.json wards_second.json
diff wards_second.json wards_first.json
verify first.json --data data/adult_anonymized.csv --policy data/adult_policy.yaml
verify wards_second.external.json --internal wards_second.json --data gallery/wards/stays_second.csv
verify wards_second.json --data gallery/wards/stays_first.csv
register add first.json --register releases --recipients "the university"
register add wards_second.json --register releases --date 2026-11-10
register add gallery/cohort/first_policy.yaml --register releases --key person
register list --register releases
check gallery/wards/first_policy.yaml --register releases
""",
    "anonymize": f"""
anonymize {RAW} -o released.csv --seed 7 --html released.html --markdown released.md --junit released.xml
anonymize {RAW} -o explained.csv --keep-order --explain --reasons reasons.csv --json explained.json
anonymize {RAW} -o local.csv --seed 7 --local --suppressed-records stars
anonymize {RAW} --frontier --vary k-anonymity:k=3,5,11 --vary suppression=0,0.05
anonymize {RAW} -o other.csv --threshold k-anonymity:k=11 --level age=1-2 --weight sex=2 --seed 7
anonymize {RAW} -o classes.csv --objective discernibility --seed 7
anonymize {WARDS} --measure k-anonymity:k=3 -o wards.csv
anonymize data/delta.csv --qi zip,age,nationality --hierarchies data/delta_hierarchy --measure k-anonymity:k=2 \
    --insensitive salary-class -o delta.csv --seed 7
apply {RAW} --levels age=2,education=1 --suppress -o applied.csv --seed 7
apply data/adult.csv --plan released_plan.json -o again.csv --seed 7
apply data/adult10.csv --plan released_plan.json -o ten.csv --keep-order
apply data/adult_anonymized.csv --plan released_plan.json -o strict.csv --strict
check released_policy.yaml
""",
    "compose": f"""
compose {SCHOOLS}
compose {SCHOOLS} --limit re-identification=1/5 --limit disclosed=0.01 --subsets 1-2 --subset-limit uniques=0.01
compose {COHORT} --worth diagnosis:asthma=10
""",
    "start": """
init data/adult.csv
init data/adult.csv -o adult_policy.yaml
init gallery/survey/survey.csv -o survey_policy.yaml --release controlled
init gallery/cohort/cohort_2023.csv --release internal -o cohort_policy.yaml
hierarchy data/adult.csv --column age
hierarchy data/adult.csv --column age --width 5,10,20 --top 90 -o hierarchy_age.csv
hierarchy data/adult.csv --column education --rare 20
hierarchy data/adult.csv --column race --group Few=Black,Asian
hierarchy data/adult.csv --column sex --group Any=Female,Male
hierarchy gallery/wards/stays_first.csv --column postcode --prefix 2,1
demo demo
init demo/hospital.csv -o demo/again.yaml
check demo/again.yaml --edition both --html raw.html
check demo/hospital_released_policy.yaml --edition both --html released.html
""",
    "errors": """
evaluate absent.csv
evaluate data/adult.csv --qi age,agee
evaluate gallery/wards/stays_first.csv
evaluate data/adult.csv --qi age --sensitive age
evaluate data/adult.csv --qi age --measure k-anonimity
evaluate data/adult.csv --qi age --measure k-anonymity:k=none
evaluate data/adult.csv --qi age --measure k-anonymity:l=3
evaluate data/adult.csv --qi age --measure t-closeness:t=0.2
evaluate data/adult.csv --qi age --engine quick
evaluate data/adult.csv --qi age --memory-limit lots
evaluate data/adult.csv --qi age --encoding utf-99
evaluate data/adult.csv --qi age --population some
evaluate data/adult.csv --qi age --original absent.csv
evaluate data
evaluate ragged.csv --qi a
evaluate empty.csv --qi a
evaluate header.csv --qi a
evaluate twice.csv --qi a
evaluate my table.csv
evaluate --qi
evaluate data/adult.csv --qii age
evaluat data/adult.csv
--lang xx evaluate data/adult.csv
attack data/patient_anonymized.csv --subsets 9
attack data/patient_anonymized.csv --subsets all --limit unique=1
attack data/patient_anonymized.csv --limit uniques=2
attack data/patient_anonymized.csv --worth none
attack data/patient_anonymized.csv --per-record risks.doc
check data/adult.csv
check absent.yaml
check data/adult_policy.yaml --data absent.csv
check data/adult_policy.yaml --as-of yesterday
check data/adult_policy.yaml --salt xyz
check data/adult_policy.yaml --html absent/report.html
check data/adult_policy.yaml --edition both
check data/adult_policy.yaml --evidence data
check data/adult_policy.yaml --previous odd.json
check data/adult_policy.yaml --below 3
anonymize data/adult_original_policy.yaml
anonymize data/adult_original_policy.yaml -o released.doc
anonymize data/adult_original_policy.yaml -o released.csv --suppression 2
anonymize data/adult_original_policy.yaml -o released.csv --level agee=1
anonymize data/adult_original_policy.yaml -o released.csv --level age=99
anonymize data/adult_original_policy.yaml -o released.csv --objective beauty
anonymize data/adult_original_policy.yaml -o released.csv --seed x
anonymize data/adult_original_policy.yaml -o released.csv --seed 7 --keep-order
anonymize data/adult_original_policy.yaml -o released.csv --threshold k-anonymity:k=0
anonymize data/adult_original_policy.yaml --frontier --vary speed=1
anonymize data/adult_original_policy.yaml -o released.csv --resume
anonymize data/adult.csv --qi age -o released.csv
apply data/adult_original_policy.yaml -o released.csv
apply data/adult_original_policy.yaml -o released.csv --levels age=99
apply data/adult.csv -o released.csv --plan odd.json
compose data/school_2022.csv --key pupil
compose data/school_2022.csv data/school_2023.csv
compose data/school_2022.csv data/school_2023.csv --key name
compose data/school_2022.csv data/school_2023.csv --key pupil --limit hope=1
diff odd.json odd.json
diff absent.json odd.json
verify odd.json
verify absent.json
register add odd.json
register list --register absent
register drop
hierarchy data/adult.csv --column agee
hierarchy data/adult.csv --column sex --width 5
hierarchy data/adult.csv --column age --width 5,7
hierarchy data/adult.csv --column age --dates fortnight
init absent.csv
init data/school_2022.csv -o data/school_policy.yaml
init empty.csv
lint absent.yaml
schema table
studio absent
demo data
""" + each("lint {file}\ncheck {file}", file=[name for name in BAD_FILES if name.endswith(".yaml")]),
}  # fmt: skip

# What programs read, with each engine.
COUNTED = {
    "json": f"""
evaluate data/patient_anonymized.csv --format json --engine ENGINE
evaluate {ADULT} --format json --engine ENGINE
evaluate {ADULT} --format json --engine ENGINE --suppressed class --missing apart --sensitive-values folded
evaluate {WARDS} --format json --engine ENGINE --population 0.01
evaluate data/delta_anonymized.csv --original data/delta.csv --population data/delta.csv --format json --engine ENGINE
evaluate gallery/cohort/cohort_2023.csv --privacy-unit person --format json --engine ENGINE
evaluate data/school_2023.csv --several-sensitive quasi-identifiers --format json --engine ENGINE
attack {WARDS} --format json --engine ENGINE --subsets all --worth diagnosis:asthma=3 -o attack.json
attack {ADULT.split()[0]} --format json --engine ENGINE --subsets 1-3 --per-record risks.parquet
attack {ADULT.split()[0]} --engine ENGINE --subsets all -o subsets.csv
compose {SCHOOLS} --format json --engine ENGINE --subsets all
compose {COHORT} --format json --engine ENGINE --limit m-invariance=2
anonymize {RAW} -o released.csv --keep-order --engine ENGINE --explain --json released.json
anonymize {RAW} -o stars.parquet --keep-order --engine ENGINE --suppressed-records stars --format json
anonymize {RAW} -o arithmetic.csv --keep-order --engine ENGINE --aggregate arithmetic --suppression 0.2 --format json
anonymize {RAW} --frontier --engine ENGINE --format json
apply data/adult.csv --plan released_plan.json -o applied.csv --keep-order --engine ENGINE --format json
apply {RAW} --levels age=1,sex=1 -o levels.feather --keep-order --engine ENGINE --format json
hierarchy data/adult.csv --column age --quantiles 8,4,2 --engine ENGINE --format json -o hierarchy_age.csv
hierarchy data/adult.csv --column occupation --engine ENGINE --format json
""" + each(
    "check {policy} --json - --engine ENGINE\ncheck {policy} --json - --engine ENGINE --edition external",
    policy=POLICIES,
),
    "rules": "\n".join(
        f"evaluate data/adult.csv {SOME} --measure {rule} --format json --engine ENGINE\n"
        f"anonymize data/adult.csv {SOME} --insensitive marital-status,native-country,occupation,salary-class "
        f"--measure {rule} -o {rule.partition(':')[0]}.csv --keep-order --suppression 0.1 --format json --engine ENGINE"
        for rule in RULES.split()
    ),
    "reference": """
evaluate REFERENCE/adult_anonymized.csv --original REFERENCE/adult.csv --format json --engine ENGINE
evaluate REFERENCE/patient_anonymized.csv --format json --engine ENGINE
evaluate REFERENCE/delta_anonymized.csv --original REFERENCE/delta.csv --format json --engine ENGINE
evaluate REFERENCE/inpatient_anonymized.csv --format json --engine ENGINE
evaluate REFERENCE/disease.csv --qi ZIPCode,Age --sensitive Salary,Disease --hierarchies REFERENCE/disease_hierarchy \
    --format json --engine ENGINE
evaluate REFERENCE/presence_anonymized.csv --original REFERENCE/presence.csv --qi zip,age,nationality \
    --sensitive sen --hierarchies REFERENCE/presence_hierarchy --format json --engine ENGINE
evaluate REFERENCE/KAnonymization.csv --original REFERENCE/adult.csv --qi sex,age,race,education \
    --sensitive workclass --hierarchies REFERENCE/adult_hierarchy --format json --engine ENGINE
attack REFERENCE/adult_anonymized.csv --format json --engine ENGINE --subsets 1-2
anonymize REFERENCE/adult_subset.csv --qi sex,age,race,education --sensitive workclass --insensitive \
    marital-status,native-country,occupation,salary-class --hierarchies REFERENCE/adult_hierarchy \
    --measure k-anonymity:k=5 --measure l-diversity:l=2 -o released.csv --keep-order --engine ENGINE --format json
init REFERENCE/adult.csv -o policy.yaml
""",
}  # fmt: skip

# What does not depend on the engine.
ONCE = {
    "schemas": each("schema {name}", name=["policy", "check", "plan", "register"]),
    "catalogues": each("{name} --format json", name=["measures", "presets", "regimes"]),
    "listed": """
check gallery/wards/first_policy.yaml --json first.json
check gallery/wards/second_policy.yaml --json second.json
diff first.json second.json --format json
verify second.json --data gallery/wards/stays_second.csv --format json
register add second.json --register releases
register list --register releases --format json
""",
}
