"""Sheets of workbooks: cells as people see them, and a clear error for whatever is no plain table."""

import datetime as dt
import re
import zipfile

import openpyxl
import pytest
import xlwt

from PETWorks import Release
from PETWorks.errors import InputError
from PETWorks.tables.formats import packed, workbooks
from PETWorks.tables.opening import files_at_path, open_source, open_table
from PETWorks.tables.writing import whole_table
from table_files import ods_cell, ods_file


def book(path, rows, change=None, name="t.xlsx"):
    """A workbook with these rows, some of it changed."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "People"
    for row in rows:
        sheet.append(row)
    if change:
        change(workbook, sheet)
    workbook.save(path / name)
    return path / name


def cells(path):
    return whole_table(open_source(path, "t")).to_pydict()


def rewritten(path, old, new, part="xl/worksheets/sheet1.xml"):
    """The workbook with other bytes in one of its parts."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[part]
    parts[part] = parts[part].replace(old, new)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_cells_are_what_people_see(tmp_path):
    moment = dt.datetime(2024, 5, 1, 13, 30)
    rows = [
        ["number", "text", "day", "moment", "time", "length", "yes", 2020, "share"],
        [5.0, "007", dt.date(2024, 5, 1), moment, dt.time(3, 4), dt.timedelta(hours=30), True, 1, 0.125],
        [0.1 + 0.2, " 1.0 ", dt.date(1900, 3, 1), dt.datetime(2024, 5, 1), None, None, False, -1, 1e-7],
        [2**53, "=x", None, None, None, None, None, 0.0, 123456.789],
    ]

    def change(_, sheet):
        sheet["B4"].data_type = "s"
        sheet["I2"].number_format = "0%"

    assert cells(book(tmp_path, rows, change)) == {
        "number": ["5", "0.3", "9007199254740992"],
        "text": ["007", " 1.0 ", "=x"],
        "day": ["2024-05-01", "1900-03-01", ""],
        "moment": ["2024-05-01 13:30:00", "2024-05-01 00:00:00", ""],
        "time": ["03:04:00", "", ""],
        "length": ["30:00:00", "", ""],
        "yes": ["true", "false", ""],
        "2020": ["1", "-1", "0"],
        "share": ["0.125", "1e-07", "123456.789"],
    }


def test_a_number_and_its_text_are_one_value_but_true_is_none(tmp_path):
    assert cells(book(tmp_path, [["a"], [1], ["1"], [True], [1.0], ["true"]])) == {"a": ["1", "1", "true", "1", "true"]}


def test_milliseconds(tmp_path):
    moments = [[dt.datetime(2024, 5, 1, 23, 59, 59, 999_000)], [dt.datetime(2024, 5, 2)]]
    assert cells(book(tmp_path, [["a"], *moments])) == {"a": ["2024-05-01 23:59:59.999", "2024-05-02 00:00:00.000"]}


def test_the_table_may_begin_anywhere_and_empty_rows_at_the_end_do_not_count(tmp_path):
    def change(_, sheet):
        sheet["B3"], sheet["C3"], sheet["B4"], sheet["C5"] = "a", "b", 1, 2
        sheet["B7"], sheet["C9"] = " ", ""

    assert cells(book(tmp_path, [], change)) == {"a": ["1", ""], "b": ["", "2"]}


def test_of_one_column_an_empty_row_is_a_missing_cell(tmp_path):
    assert cells(book(tmp_path, [["a"], [1], [None], [2]])) == {"a": ["1", "", "2"]}


def several(workbook, _):
    for name in ("a#b", "hidden", "empty"):
        workbook.create_sheet(name)
    workbook["a#b"].append(["x"])
    workbook["a#b"].append([1])
    workbook["hidden"].append(["y"])
    workbook["hidden"].append([2])
    workbook["hidden"].sheet_state = "hidden"


def test_sheets_are_named_behind_a_sign(tmp_path):
    path = book(tmp_path, [["zip"], ["047"]], several)
    with pytest.raises(InputError) as caught:
        open_table(path)
    message = "t.xlsx: the workbook has several sheets; name one of them:\n't.xlsx#People'\n't.xlsx#a#b'"
    assert str(caught.value) == message
    assert cells(f"{path}#a#b") == {"x": ["1"]}
    assert cells(f"{path}#hidden") == {"y": ["2"]}
    assert open_table(f"{path}#People").name == "t.xlsx#People"
    assert files_at_path(tmp_path / "t.xlsx#a#b") == [path]
    with pytest.raises(InputError, match="no sheet is called 'people'; did you mean 'People'"):
        open_table(f"{path}#people")
    with pytest.raises(InputError, match=r"t\.xlsx#empty: the sheet is empty"):
        open_table(f"{path}#empty")


def test_sheets_that_are_hidden_or_empty_need_not_be_told_apart(tmp_path):
    def change(workbook, sheet):
        several(workbook, sheet)
        del workbook["a#b"]

    path = book(tmp_path, [["zip"], ["047"]], change)
    assert cells(path) == {"zip": ["047"]}
    (tmp_path / "t.yaml").write_text("roles: {quasi_identifiers: [zip]}\n")
    assert Release(path).quasi_identifiers == ("zip",)


def test_a_workbook_without_a_visible_table(tmp_path):
    with pytest.raises(InputError, match="the sheet is empty"):
        open_table(book(tmp_path, []))


ROWS = [["a", "b"], ["SECRET", 1], ["x", 2]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["SECRET title"], *ROWS], "t.xlsx: column B has no name in row 1; the first row must have the names of all"),
        ([["a", None, "b"], ["SECRET", None, 1]], "t.xlsx: column B is empty, but there are cells to the right of it"),
        ([*ROWS, [], ["SECRET"]], "t.xlsx, row 4: the row is empty, but there are cells below it"),
        ([["a", "b"], [None, None], *ROWS[1:]], "t.xlsx, row 2: the row is empty"),
        ([["a", "b"]], "t.xlsx: the table has columns but no records"),
        ([["a", " a"], [1, 2]], "t.xlsx: duplicate column names 'a'"),
        ([["a"], [2.0**53 + 2]], "t.xlsx: column 'a' has whole numbers beyond 9,007,199,254,740,992"),
        ([["a"], [1], ["=1+1"]], "t.xlsx: column 'a' has formulas without their values"),
        ([["a"], [1], ["#N/A"]], "t.xlsx: column 'a' has cells that are an error, such as #N/A"),
    ],
)
def test_sheets_that_are_rejected(tmp_path, rows, message):
    with pytest.raises(InputError) as caught:
        cells(book(tmp_path, rows))
    assert str(caught.value).startswith(message)
    assert "SECRET" not in str(caught.value)


def test_cells_that_cannot_be_used_matter_only_if_their_column_is_used(tmp_path):
    path = book(tmp_path, [["id", "zip", "x"], [2.0**60, "047", "#REF!"], [1, "048", 1]])
    assert Release(path, {"zip": "quasi_identifier"}).records == 2
    for column in ("id", "x"):
        with pytest.raises(InputError, match=f"column '{column}' has"):
            Release(path, {column: "quasi_identifier"}).view  # noqa: B018


def test_a_formula_that_is_an_empty_text_is_a_missing_cell(tmp_path):
    path = book(tmp_path, [["a", "b"], ["=1+1", 1]])
    rewritten(path, b"<v></v>" if b"<v></v>" in path.read_bytes() else b"<f>1+1</f><v", b"<f>1+1</f><v")
    rewritten(path, b'<c r="A2"', b'<c r="A2" t="str"')
    assert cells(path) == {"a": [""], "b": ["1"]}


def test_merged_cells_are_rejected(tmp_path):
    path = book(tmp_path, [["a", "b"], [1, 2], [None, 3]], lambda _, sheet: sheet.merge_cells("A2:A3"))
    with pytest.raises(InputError, match=r"the sheet has merged cells \(A2:A3\); if they are a title above the table"):
        open_table(path)


def test_a_cell_far_away_does_not_end_the_process(tmp_path):
    def change(_, sheet):
        sheet["XFD1048576"] = "SECRET"

    path = book(tmp_path, ROWS, change)
    message = "t.xlsx#People: the cells reach to row 1,048,576 and column XFD, but most of them are empty"
    with pytest.raises(InputError, match=message):
        open_table(path)
    for old, new in ((b' r="XFD1048576"', b" r = 'XFD1048576'"), (b" r = 'XFD", b"\nr='xfd")):
        with pytest.raises(InputError, match=message):
            open_table(rewritten(path, old, new))


def with_rows(tmp_path, rows):
    """A workbook whose sheet has these rows, in XML."""
    path = book(tmp_path, ROWS)
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    (old,) = re.findall(rb"<sheetData>.*</sheetData>", sheet, re.DOTALL)
    rewritten(path, old, f"<sheetData>{rows}</sheetData>".encode())
    return path


NAMES = '<c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c>'
ONE = "<c><v>1</v></c>"
HERE, EMPTY = '<c r="A1"><v>1</v></c>', '<c r="B1"/>'


@pytest.mark.parametrize(
    "rows",
    [
        f"<row>{NAMES}</row><row>{ONE}{ONE}</row><row>{ONE}{ONE}</row>",
        f'<row r="4">{NAMES}</row><row>{ONE}{ONE}</row><row r="6"><c r="A6"><v>1</v></c>{ONE}</row><row/>',
        f'<row>{NAMES}</row><!-- <row r="9"><c r="XFD9"/> --><row s=">">{ONE}{ONE}</row><row>{ONE}{ONE}</row>',
    ],
)
def test_rows_and_cells_need_not_say_where_they_are(tmp_path, rows):
    assert cells(with_rows(tmp_path, rows)) == {"a": ["1", "1"], "b": ["1", "1"]}


@pytest.mark.parametrize("kind", ["error", "formula"])
def test_cells_without_a_place_that_cannot_be_used(tmp_path, kind):
    bad = {"error": '<c t="e"><v>#N/A</v></c>', "formula": "<c><f>1+1</f><v></v></c>"}[kind]
    source = open_table(with_rows(tmp_path, f"<row>{NAMES}</row><row>{ONE}{bad}</row>"))
    assert next(source.read(("a",)))["a"].to_pylist() == ["1"]
    with pytest.raises(InputError, match="column 'b' has"):
        list(source.read(("b",)))


@pytest.mark.parametrize(
    "rows",
    [
        f'<row r="1">{ONE}</row><row r="1048576">{ONE * 16384}</row>',
        f"<row>{ONE}</row>{'<row/>' * 1_000_000}<row>{ONE * 16384}</row>",
        f'<row r="1">{ONE}</row><row x="a>b" r="&#49;048576">{ONE * 16384}</row>',
        f'<row r="1">{ONE}</row><row r="1048576"><c x=" r=\'A1\'" r="XFD1048576"><v>1</v></c></row>',
        f'<row r="4294967295">{ONE}</row>',
        '<row><c r="A1"><v>1</v></c></row><row><c r="AAAAAA000000000000009"><v>1</v></c></row>',
        # Neither empty cells nor one cell again and again make up for the empty rectangle.
        f'<row>{HERE}{EMPTY * 900_000}</row><row><c r="Q1000000"><v>1</v></c></row>',
        f'<row>{HERE * 900_000}</row><row><c r="Q1000000"><v>1</v></c></row>',
    ],
    ids=["cells", "rows", "entities", "quotes", "far", "letters", "empty cells", "one cell"],
)
def test_cells_without_a_place_do_not_end_the_process(tmp_path, rows):
    with pytest.raises(InputError, match="the cells reach to row"):
        open_table(with_rows(tmp_path, rows))


def test_places_that_are_none_are_damage(tmp_path):
    for rows in ('<row><c r="1A"><v>1</v></c></row>', '<row r="x"><c><v>1</v></c></row>'):
        with pytest.raises(InputError, match="the workbook cannot be read"):
            open_table(with_rows(tmp_path, rows))


def test_a_sheet_that_claims_to_be_large_is_read(tmp_path):
    path = book(tmp_path, ROWS)
    rewritten(path, b'<dimension ref="A1:B3"', b'<dimension ref="A1:XFD1048576"')
    assert cells(path)["b"] == ["1", "2"]


def test_workbooks_that_grow_out_of_proportion_are_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "USUAL_SIZE", 1 << 10)
    monkeypatch.setattr(workbooks, "LARGEST_RATIO", 2)
    monkeypatch.setattr(packed, "LARGEST_RATIO", 2)
    with pytest.raises(InputError, match="times as large when it is unpacked"):
        open_table(book(tmp_path, [["a"], *([1] for _ in range(1000))]))


def test_a_text_without_end_is_not_searched_for_one(tmp_path, monkeypatch):
    """Each block would be added to all before it; a cell has at most 32,767 characters."""
    monkeypatch.setattr(workbooks, "BLOCK", 1 << 10)
    monkeypatch.setattr(workbooks, "LONGEST_CELL", 1 << 12)
    path = book(tmp_path, [["a"], [5]])
    rewritten(path, b"<v>5</v>", b"<v>" + b"5" * 10_000 + b"</v>")
    with pytest.raises(InputError, match="the workbook cannot be read"):
        open_table(path)


def test_external_links_are_not_followed(tmp_path):
    path = book(tmp_path, [["a"], [5]])
    rewritten(path, b"<v>5</v>", b"<f>'file:///etc/[passwd]x'!A1</f><v>5</v>")
    assert cells(path) == {"a": ["5"]}


def test_damaged_workbooks_are_rejected(tmp_path):
    path = book(tmp_path, ROWS)
    content = path.read_bytes()
    sheet = content.index(b"xl/worksheets/sheet1.xml") + 60
    for damaged in (content[:-40], content[:200], content[:sheet] + b"x" * 20 + content[sheet + 20 :]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"^t\.xlsx: "):
            open_table(path)
    rewritten(book(tmp_path, ROWS), b"</sheetData>", b"</sheetDat>")
    with pytest.raises(InputError, match="the workbook cannot be read; it may be damaged"):
        open_table(path)
    (tmp_path / "t.xls").write_bytes(b"\xd0\xcf\x11\xe0" + b"SECRET" * 1000)
    with pytest.raises(InputError, match="the workbook cannot be read; it may be damaged"):
        open_table(tmp_path / "t.xls")


def test_old_workbooks(tmp_path):
    workbook = xlwt.Workbook()
    for name in ("One", "Two"):
        sheet = workbook.add_sheet(name)
        sheet.write(0, 0, "a")
        sheet.write(1, 0, dt.datetime(2024, 5, 1, 3, 4, 5), xlwt.easyxf(num_format_str="YYYY-MM-DD hh:mm:ss"))
    workbook.save(str(tmp_path / "t.xls"))
    with pytest.raises(InputError, match=r"several sheets; name one of them:\n't\.xls#One'\n't\.xls#Two'"):
        open_table(tmp_path / "t.xls")
    assert cells(f"{tmp_path / 't.xls'}#Two") == {"a": ["2024-05-01 03:04:05"]}


@pytest.mark.parametrize("rows", [3, 3000])
def test_errors_in_old_workbooks(tmp_path, rows):
    workbook = xlwt.Workbook()
    workbook.add_sheet("Zero").write(0, 0, "x")
    sheet = workbook.add_sheet("One")
    for place, name in enumerate(("a", "b", "c")):
        sheet.write(0, place + 1, name)
    for row in range(1, rows):
        for place in range(3):
            sheet.write(row, place + 1, row == place)  # TRUE and FALSE are kept like errors
    sheet.row(rows).set_cell_error(2, 0x2A)
    sheet.write(rows, 3, 1)
    workbook.save(str(tmp_path / "t.xls"))
    source = open_table(f"{tmp_path / 't.xls'}#One")
    assert next(source.read(("a", "c")))["c"].to_pylist()[-1] == "1"
    with pytest.raises(InputError, match="column 'b' has cells that are an error"):
        list(source.read(("b",)))


def test_an_old_workbook_cannot_end_the_process(tmp_path):
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("One")
    sheet.write(0, 0, "a")
    sheet.write(1, 0, "SECRET")
    workbook.save(str(tmp_path / "t.xls"))
    content = (tmp_path / "t.xls").read_bytes()
    cell = b"\xfd\x00\x0a\x00\x01\x00\x00\x00"  # a text in row 1, column 0
    assert content.count(cell) == 1
    (tmp_path / "t.xls").write_bytes(content.replace(cell, cell[:4] + b"\xff" * 4))
    with pytest.raises(InputError, match=r"t\.xls: the cells reach to row 65,536 and column CRXP, but most of them"):
        open_table(tmp_path / "t.xls")
    claim = b"\x00\x02\x0e\x00" + b"\x00" * 4 + b"\x02\x00\x00\x00"
    assert content.count(claim) == 1
    (tmp_path / "t.xls").write_bytes(content.replace(claim, claim[:4] + b"\xff" * 8))
    with pytest.raises(InputError, match="the cells reach to row 4,294,967,295 and"):
        open_table(tmp_path / "t.xls")


def test_an_old_workbook_is_examined_where_it_is_read(tmp_path):
    """The reader ignores from which length on streams have sectors of their own according to the file."""
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("One")
    for place, text in enumerate(("a", "b")):
        sheet.write(0, place, text)
    sheet.row(1).set_cell_error(0, 0x2A)
    sheet.write(1, 1, "x")
    workbook.save(str(tmp_path / "t.xls"))
    content = bytearray((tmp_path / "t.xls").read_bytes())
    assert content[56:60] == (4096).to_bytes(4, "little")
    content[56:60] = b"\xff" * 4
    (tmp_path / "t.xls").write_bytes(content)
    with pytest.raises(InputError, match="column 'a' has cells that are an error"):
        list(open_table(tmp_path / "t.xls").read(("a",)))


def line(*cells, more=""):
    return f"<table:table-row{more}>{''.join(map(ods_cell, cells))}</table:table-row>"


def test_cells_that_are_repeated(tmp_path):
    repeated = ods_cell("x", ' table:number-columns-repeated="2"')
    lines = [line("a", "b"), f'<table:table-row table:number-rows-repeated="3">{repeated}</table:table-row>']
    ods_file(tmp_path / "t.ods", lines)
    assert cells(tmp_path / "t.ods") == {"a": ["x"] * 3, "b": ["x"] * 3}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [line("a"), line("SECRET", more=' table:number-rows-repeated="900000000"')],
            "the cells reach to row 900,000,001",
        ),
        ([line("a"), line(more=' table:number-rows-repeated="900000000"'), line("SECRET")], "the cells reach to row"),
        ([line("a", "b"), line("SECRET", 1).replace("/>", "/><table:covered-table-cell/>")], "has merged cells"),
        ([line("a"), line("#N/A").replace("office:v", 'calcext:value-type="error" office:v')], "that are an error"),
        ([line("a"), line("SECRET")[:-3]], "the workbook cannot be read"),
    ],
)
def test_open_documents_that_are_rejected(tmp_path, lines, message):
    ods_file(tmp_path / "t.ods", lines)
    with pytest.raises(InputError) as caught:
        cells(tmp_path / "t.ods")
    assert message in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_without_the_package_the_error_names_the_extra(tmp_path, monkeypatch):
    path = book(tmp_path, ROWS)
    monkeypatch.setattr("PETWorks.tables.formats.workbooks.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'petworks\[files\]'"):
        open_table(path)


def test_the_content_says_which_kind_of_workbook_it_is(tmp_path):
    """Exports are often called .xls whatever they are."""
    path = book(tmp_path, [["zip"], ["047"]])
    new = path.rename(tmp_path / "export.xls")
    assert cells(new) == {"zip": ["047"]}
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("One")
    sheet.write(0, 0, "a")
    sheet.write(1, 0, "b")
    workbook.save(str(tmp_path / "t.xls"))
    assert cells((tmp_path / "t.xls").rename(tmp_path / "old.xlsx")) == {"a": ["b"]}
