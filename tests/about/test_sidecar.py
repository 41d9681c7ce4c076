"""The roles file beside a table, and hierarchy folders."""

import pytest

from PETWorks import Hierarchy, Release
from PETWorks.about.hierarchies.hierarchy import read_hierarchies
from PETWorks.errors import HierarchyError, InputError, PETWorksError


@pytest.fixture
def table(tmp_path):
    """A table whose roles file a test writes."""

    def make(yaml):
        (tmp_path / "t.csv").write_text("zip;age;disease\n1;2;flu\n")
        (tmp_path / "t.yaml").write_text(yaml)
        return tmp_path / "t.csv"

    return make


GOOD = """
DATASET:
  ATTRIBUTE_TYPE:
    QUASI_IDENTIFIER: [zip, age]
    SENSITIVE_ATTRIBUTE: [disease]
    INSENSITIVE_ATTRIBUTE:
"""


def test_roles_come_from_the_file_unless_given(table):
    assert Release(table(GOOD)).quasi_identifiers == ("zip", "age")
    given = Release(table(GOOD), {"age": "quasi_identifier"})
    assert (given.quasi_identifiers, given.sensitive_attributes) == (("age",), ())


def test_names_are_taken_as_they_stand(tmp_path):
    (tmp_path / "t.csv").write_text("010;8;no;2020-13-45\n1;2;3;4\n")
    (tmp_path / "t.yaml").write_text("DATASET:\n  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFIER: [010, no, 2020-13-45]\n")
    assert Release(tmp_path / "t.csv").quasi_identifiers == ("010", "no", "2020-13-45")


def test_a_file_that_is_not_needed_is_not_read(table):
    assert Release(table("[broken"), {"zip": "quasi_identifier"}, {"zip": [("1", "*")]}).quasi_identifiers == ("zip",)


def test_a_file_that_ends_in_yml_counts_too(table, tmp_path):
    path = table(GOOD)
    (tmp_path / "t.yaml").rename(tmp_path / "t.yml")
    assert Release(path).quasi_identifiers == ("zip", "age")


def test_hierarchies_come_from_the_file_unless_given(table, tmp_path):
    for folder, leaf in (("h", "1"), ("other", "5")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t_hierarchy_zip.csv").write_text(f"{leaf};*\n")
    path = table(GOOD + "  HIERARCHY: h\n")
    assert Release(path).hierarchies["zip"].leaves == ["1"]
    assert Release(path, hierarchies=tmp_path / "other").hierarchies["zip"].leaves == ["5"]


NEW = """
roles:
  identifiers: [name]
  quasi_identifiers: [zip, age]
  sensitive_attributes: [disease]
hierarchies: h
privacy_unit: person
treatment: {missing: apart}
"""


@pytest.fixture
def visits(tmp_path):
    """A table with several records of one person, and a folder of hierarchies."""
    (tmp_path / "h").mkdir()
    (tmp_path / "h/hierarchy_zip.csv").write_text("1;*\n")
    (tmp_path / "t.csv").write_text("person;zip;age;disease\np;1;2;flu\np;1;2;cold\nq;1;;flu\n")
    return tmp_path / "t.csv"


@pytest.mark.parametrize("head", ["", "petworks_policy: 1\ndata: t.csv\nrules: [{measure: k-anonymity, k: 2}]\n"])
def test_the_keys_of_a_policy_describe_the_table_too(visits, head):
    visits.with_name("t.yaml").write_text(head + NEW)
    release = Release(visits)
    assert (release.quasi_identifiers, release.sensitive_attributes) == (("zip", "age"), ("disease",))
    assert (release.privacy_unit, release.identifiers, list(release.hierarchies)) == ("person", ("name",), ["zip"])
    assert release.treatment == {
        "missing": "apart",
        "suppressed": "apart",
        "several_sensitive": "alone",
        "sensitive_values": "exact",
        "privacy_unit": "person",
    }
    assert release.people == 2
    given = Release(visits, {"zip": "quasi_identifier"}, missing="value", suppressed="class")
    assert (given.quasi_identifiers, given.treatment["missing"], given.treatment["suppressed"]) == (
        ("zip",),
        "value",
        "class",
    )


@pytest.mark.parametrize("data", ["other.csv", "gone.csv", "[t.csv]", '"a\\0b"', "x" * 5000])
def test_a_policy_about_another_table_says_nothing_about_this_one(visits, data):
    visits.with_name("other.csv").write_text(visits.read_text())
    visits.with_name("t.yaml").write_text(f"petworks_policy: 1\ndata: {data}\n{NEW}")
    assert Release(visits).roles == {}


def test_a_policy_called_like_its_table_may_have_hierarchies_elsewhere(visits):
    text = "petworks_policy: 1\ndata: t.csv\nroles: {quasi_identifiers: [zip]}\nhierarchies: ../elsewhere\n"
    visits.with_name("t.yaml").write_text(text)
    assert Release(visits, hierarchies={"zip": [("1", "*")]}).quasi_identifiers == ("zip",)
    with pytest.raises(InputError, match="'hierarchies' is outside the file's own folder"):
        Release(visits)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("roles: [zip]\n", r"t.yaml, line 1, roles: expected a mapping with the keys 'identifiers'"),
        ("roles:\n  quasi_identifier: [zip]\n", r"t.yaml, line 2, roles.quasi_identifier: .*did you mean 'quasi_id"),
        ("roles:\n  quasi_identifiers: zip\n", r"t.yaml, line 2, roles.quasi_identifiers: expected a list of column"),
        (
            "roles: {identifiers: [zip], quasi_identifiers: [zip]}\n",
            r"quasi_identifiers\[1\]: the column 'zip' has two",
        ),
        ("roles: {}\nrules: []\n", r"t.yaml, line 2, rules: no key is called 'rules'; did you mean 'roles'"),
        ("treatment: {missing: drop}\n", r"t.yaml, line 1, treatment.missing: expected one of 'value', 'apart'"),
        ("treatment: {missin: drop}\n", r"t.yaml, line 1, treatment.missin: .*did you mean 'missing'"),
        ("treatment: x\n", r"t.yaml, line 1, treatment: expected a mapping"),
        ("privacy_unit: [person]\n", r"t.yaml, line 1, privacy_unit: expected the name of a column"),
        ("privacy_unit: persona\n", r"the privacy unit 'persona' is not in the data"),
        ("hierarchies: [h]\n", r"expected the name of a folder under 'hierarchies'"),
        ("hierarchies: /etc\n", r"'hierarchies' is outside the file's own folder"),
    ],
)
def test_new_roles_files_that_are_not_right(visits, text, message):
    visits.with_name("t.yaml").write_text(text)
    with pytest.raises(PETWorksError, match=message):
        Release(visits)


BOMB = "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nDATASET: [*b,*b,*b]\n"


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("", r"t.yaml: expected a mapping under 'DATASET'"),
        ("- 1\n- 2\n", r"t.yaml: expected a mapping under 'DATASET'"),
        ("DATASET: 5\n", r"t.yaml: expected a mapping under 'DATASET'"),
        ("DATASET:\n  ATTRIBUTE_TYPE: [zip]\n", r"expected a mapping under 'ATTRIBUTE_TYPE'"),
        (
            "DATASET:\n  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFIER: zip\n",
            r"expected a list of column names under 'QUASI_IDENTIFIER'",
        ),
        ("DATASET:\n  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFIER: [[zip]]\n", r"a list of column names"),
        ("DATASET:\n  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFER: [zip]\n", r"did you mean 'QUASI_IDENTIFIER'"),
        ("DATASET:\n  ATTRIBUTE_TYPE: {}\n  HIERARCHIES: h\n", r"did you mean 'HIERARCHY'"),
        (
            "DATASET:\n  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFIER: [zip]\n    SENSITIVE_ATTRIBUTE: [zip]\n",
            r"column 'zip' has two roles",
        ),
        ("DATASET: !!python/object/apply:os.system ['true']\n", r"t.yaml, line 1: a tag is not allowed"),
        ("DATASET: !secret 5\n", r"t.yaml, line 1: a tag is not allowed"),
        (BOMB, r"t.yaml, line 2: an alias is not allowed"),
        ("DATASET: [\n", r"t.yaml, line 1: not plain YAML: look at the indentation"),
        (GOOD + "    QUASI_IDENTIFIER: [disease]\n", r"t.yaml, line 7: the key .QUASI_IDENTIFIER. is a duplicate"),
        ("DATASET: {}\nDATASET: {}\n", r"t.yaml, line 2: the key .DATASET. is a duplicate"),
        ("? [a]\n: b\n", r"t.yaml, line 1: a key is not a name"),
        (GOOD + "  HIERARCHY: [h]\n", r"expected the name of a folder under 'HIERARCHY'"),
        (GOOD + f"  HIERARCHY: {'x' * 300}\n", r"(the name of a folder|hierarchy folder)"),
        ("DATASET: " + "[" * 100_000, r"t.yaml"),
        ("x" * (2 << 20), r"t.yaml: the file is larger than 1 MiB"),
        (GOOD + "  HIERARCHY: ../elsewhere\n", r"'HIERARCHY' is outside the file's own folder"),
        (GOOD + "  HIERARCHY: /etc\n", r"'HIERARCHY' is outside the file's own folder"),
        (GOOD + '  HIERARCHY: "a\\0b"\n', r"expected the name of a folder under 'HIERARCHY'"),
        (GOOD + "  HIERARCHY: nowhere\n", r"the hierarchy folder .* does not exist"),
        (GOOD.replace("zip", "zpi"), r"roles name columns that are not in the data: 'zpi'"),
    ],
)
def test_roles_files_that_are_not_right(table, yaml, message):
    with pytest.raises((InputError, ValueError), match=message):
        Release(table(yaml))


def test_a_roles_file_that_is_no_text(table, tmp_path):
    path = table(GOOD)
    for content, told in (
        (b"\xff\xfe\x00", "its text is not in UTF-8, but in UTF-16; save it as UTF-8"),
        ("標題: 表\n".encode("big5"), "its text is not in UTF-8, but perhaps in Big5; save it as UTF-8"),
        (b"\xff\xff\xff", "its text is not in UTF-8; save it as UTF-8"),
        (b"a: \x00", "not a YAML file in UTF-8"),
    ):
        (tmp_path / "t.yaml").write_bytes(content)
        with pytest.raises(InputError, match=f"t.yaml: {told}"):
            Release(path)


# --- hierarchies


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"x_hierarchy_zip.csv: the file is empty"),
        ("\n\n", r"x_hierarchy_zip.csv: the file is empty"),
        ("1;a;*\n2;*\n", r"x_hierarchy_zip.csv, line 2: 2 levels, but the lines above have 3"),
        (
            "SECRET;a;*\n2;a;*\nSECRET;b;*\n",
            r"x_hierarchy_zip.csv, line 3: the leaf of line 1 again, with a different parent",
        ),
        ("1;;*\n", r"x_hierarchy_zip.csv, line 1: level 1 is empty"),
        ("1;\0;*\n", r"x_hierarchy_zip.csv, line 1: contains a NUL byte"),
        ('1;a;*\n2;a;"*\n3;b;*\n', r"x_hierarchy_zip.csv: a cell is longer than 128 KiB, or a quote is not closed"),
        ("1;a\n;\n", r"x_hierarchy_zip.csv, line 2: level 0 is empty"),
        ('"1\n2";a\n3\n', r"x_hierarchy_zip.csv, line 3: 1 levels, but the lines above have 2"),
        ("1" + ";a" * 1000, r"x_hierarchy_zip.csv, line 1: 1001 levels; at most 1000 are allowed"),
        ("1;" + "x" * 200_000, r"x_hierarchy_zip.csv: a cell is longer than 128 KiB"),
    ],
)
def test_hierarchies_that_are_not_right(tmp_path, text, message):
    (tmp_path / "x_hierarchy_zip.csv").write_text(text)
    with pytest.raises(HierarchyError, match=message) as error:
        read_hierarchies(tmp_path, ["zip"])
    assert "SECRET" not in str(error.value)


def test_a_hierarchy_that_is_no_file(tmp_path):
    (tmp_path / "x_hierarchy_zip.csv").symlink_to("/dev/zero")
    with pytest.raises(HierarchyError, match="not a regular file"):
        read_hierarchies(tmp_path, ["zip"])


def test_undecodable_hierarchy(tmp_path):
    (tmp_path / "x_hierarchy_zip.csv").write_bytes(b"1;*\n\xff\xff;*\n")
    with pytest.raises(InputError, match=r"x_hierarchy_zip.csv, line 2: the bytes are neither"):
        read_hierarchies(tmp_path, ["zip"])


def test_folders(tmp_path):
    with pytest.raises(HierarchyError, match=r"the hierarchy folder .* does not exist"):
        read_hierarchies(tmp_path / "nowhere", ["zip"])
    (tmp_path / "x_hierarchy_age.csv").write_text("1;*\n")
    with pytest.raises(HierarchyError, match=r"has no file '...hierarchy_<column>.csv' for any column"):
        read_hierarchies(tmp_path, ["zip"])
    (tmp_path / "y_hierarchy_age.csv").write_text("1;*\n")
    with pytest.raises(
        HierarchyError, match=r"several hierarchies for column 'age': 'x_hierarchy_age.csv', 'y_hierarchy"
    ):
        read_hierarchies(tmp_path, ["age"])


def test_duplicates_that_agree_padded_cells_and_an_added_top(tmp_path):
    (tmp_path / "x_hierarchy_zip.csv").write_bytes("1 ; a\n2; b\n1;a\n三;a\n".encode("cp950"))
    found = read_hierarchies(tmp_path, ["zip"])["zip"]
    assert found.levels == [["1", "2", "三"], ["a", "b", "a"], ["*", "*", "*"]]
    assert found.height == 2


def test_one_column_gets_a_top_too():
    assert Hierarchy([["only"]]).levels == [["only"], ["*"]]


def test_nodes_follow_the_whole_path():
    """Two inner nodes of one name under different parents are two nodes."""
    tree = Hierarchy([("a", "other", "X", "*"), ("b", "other", "Y", "*"), ("c", "other", "X", "*")]).tree
    assert tree[1][0] == tree[1][2] != tree[1][1]
    assert tree[3].tolist() == [0, 0, 0]


def test_hierarchies_given_by_column():
    with pytest.raises(HierarchyError, match="hierarchies for columns that are not in the data: 'zpi'"):
        Release({"zip": ["1"]}, {}, {"zpi": [("1", "*")]})
    with pytest.raises(HierarchyError, match=r"hierarchy of 'zip': row 1 is not a list of strings, leaf first"):
        Release({"zip": ["1"]}, {}, {"zip": ["1", "*"]})
    with pytest.raises(HierarchyError, match=r"hierarchy of 'zip': no kind of hierarchy is called '1'; known: 'width'"):
        Release({"zip": ["1"]}, {}, {"zip": {"1": "*"}})
    by_file = Release({"age": ["35"]}, {}, {"age": "data/delta_hierarchy/delta_hierarchy_age.csv"})
    assert by_file.hierarchies["age"].height == 1
    with pytest.raises(HierarchyError, match="a folder or as a dict by column, got list"):
        Release({"zip": ["1"]}, {}, [("1", "*")])
