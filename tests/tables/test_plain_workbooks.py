"""Workbooks pass only with what plain exports have; texts and marks in any other place count, and never show."""

import re
import shutil
import subprocess
import zipfile

import openpyxl
import pytest
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table

from PETWorks.tables.further_content import further_content
from PETWorks.tables.opening import open_source

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
TEXTS = ("age", "sex", "diagnosis", "F", "flu", "M", "gout")
RECORDS = ((30, 3, 4), (40, 5, 6), (50, 3, 6), (60, 5, 4))


def relations(**targets):
    made = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/relationships/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{made}</Relationships>'


def sheet():
    """A sheet as Excel writes it."""
    rows = '<row r="1" spans="1:3" x14ac:dyDescent="0.3">{}</row>'.format(
        "".join(f'<c r="{letter}1" t="s"><v>{place}</v></c>' for place, letter in enumerate("ABC"))
    )
    for number, (age, sex, of) in enumerate(RECORDS, 2):
        rows += (
            f'<row r="{number}" spans="1:3" x14ac:dyDescent="0.3"><c r="A{number}" s="1"><v>{age}</v></c>'
            f'<c r="B{number}" t="s"><v>{sex}</v></c><c r="C{number}" t="s"><v>{of}</v></c></row>'
        )
    return (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<worksheet xmlns="{MAIN}" '
        f'xmlns:r="{OFFICE}/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'mc:Ignorable="x14ac xr xr2 xr3" xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" '
        'xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision" '
        'xr:uid="{00000000-0001-0000-0000-000000000000}"><sheetPr codeName="工作表1"/><dimension '
        'ref="A1:C5"/><sheetViews>'
        '<sheetView tabSelected="1" zoomScale="85" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" '
        'activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="C12" '
        'sqref="C12"/></sheetView>'
        '</sheetViews><sheetFormatPr defaultRowHeight="16.2" x14ac:dyDescent="0.3"/><cols><col min="1" max="1" '
        f'width="10.77734375" customWidth="1"/></cols><sheetData>{rows}</sheetData><autoFilter ref="A1:C5" '
        'xr:uid="{00000000-0009-0000-0000-000000000000}"/><phoneticPr fontId="1" type="noConversion"/><pageMargins '
        'left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>'
        '<pageSetup paperSize="9" orientation="portrait"/></worksheet>'
    )


def excel_parts():
    """The parts of a workbook as Excel writes them."""
    strings = "".join(f'<si><t>{text}</t><phoneticPr fontId="1" type="noConversion"/></si>' for text in TEXTS)
    overrides = {"/xl/workbook.xml": "sheet.main", "/xl/worksheets/sheet1.xml": "worksheet", "/xl/styles.xml": "styles"}
    types = "".join(f'<Override PartName="{part}" ContentType="{KIND}.{of}+xml"/>' for part, of in overrides.items())
    return {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{types}</Types>',
        "_rels/.rels": relations(officeDocument="xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": relations(
            worksheet="worksheets/sheet1.xml", sharedStrings="sharedStrings.xml", styles="styles.xml"
        ),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}/relationships"><fileVersion appName="xl" '
        'lastEdited="7" lowestEdited="7" rupBuild="29231"/><workbookPr filterPrivacy="1" codeName="ThisWorkbook" '
        'defaultThemeVersion="166925"/><bookViews><workbookView xWindow="-108" yWindow="-108" windowWidth="23256" '
        'windowHeight="12456"/></bookViews><sheets><sheet name="工作表1" sheetId="1" '
        'r:id="rId1"/></sheets><definedNames>'
        '<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">工作表1!$A$1:$C$5</definedName>'
        '</definedNames><calcPr calcId="191029"/><extLst><ext uri="{140A7094-0E35-4892-8432-C4D2E57EDEB5}" '
        'xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"><x15:workbookPr '
        'chartTrackingRefBase="1"/></ext></extLst></workbook>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><numFmts count="1"><numFmt numFmtId="176" '
        'formatCode=\'[$-404]e"年"m"月"d"日"\'/></numFmts><fonts count="1"><font><sz val="12"/><color theme="1"/>'
        '<name val="新細明體"/><family val="1"/><charset val="136"/><scheme '
        'val="minor"/></font></fonts><fills count="1">'
        '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/></border>'
        '</borders><cellXfs count="2"><xf numFmtId="0" fontId="0"><alignment '
        'vertical="center"/></xf><xf numFmtId="176" '
        'fontId="0" applyNumberFormat="1"><alignment vertical="center"/></xf></cellXfs>'
        '<cellStyles count="1"><cellStyle name="一般" '
        'xfId="0" builtinId="0"/>'
        '</cellStyles><dxfs count="0"/><tableStyles count="0" defaultTableStyle="TableStyleMedium2" '
        'defaultPivotStyle="PivotStyleLight16"/><extLst><ext uri="{EB79DEF2-80B8-43e5-95BD-54CBDDF9020C}" '
        'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:slicerStyles '
        'defaultSlicerStyle="SlicerStyleLight1"/></ext></extLst></styleSheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}" count="11" uniqueCount="7">{strings}</sst>',
        "xl/worksheets/sheet1.xml": sheet(),
        "docProps/app.xml": f'<Properties xmlns="{OFFICE}/extended-properties" xmlns:vt="{OFFICE}/docPropsVTypes">'
        '<Application>Microsoft Excel</Application><DocSecurity>0</DocSecurity><HeadingPairs><vt:vector size="2" '
        'baseType="variant"><vt:variant><vt:lpstr>工作表</vt:lpstr></vt:variant><vt:variant><vt:i4>1</vt:i4></vt:variant>'
        "</vt:vector></HeadingPairs><TitlesOfParts><vt:vector size='1' baseType='lpstr'><vt:lpstr>工作表1</vt:lpstr>"
        "</vt:vector></TitlesOfParts><Company></Company><AppVersion>16.0300</AppVersion></Properties>",
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:creator/><cp:lastModifiedBy/><dcterms:created '
        'xsi:type="dcterms:W3CDTF">2015-06-05T18:19:34Z</dcterms:created></cp:coreProperties>',
    }


def found(folder, parts):
    path = folder / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return dict(further_content(open_source(str(path), "t")))


def test_a_workbook_as_excel_writes_it_has_no_more(tmp_path):
    assert found(tmp_path, excel_parts()) == {}


NOTE = "row 5 is Ann Lee"
SHEET, BOOK, STRINGS = "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/sharedStrings.xml"


@pytest.mark.parametrize(
    ("part", "old", "new", "expected"),
    [
        (
            SHEET,
            "</autoFilter>|<phoneticPr",
            f"<scenarios><scenario name='{NOTE}'/></scenarios><phoneticPr",
            "elements",
        ),
        (SHEET, "</worksheet>", f"<!-- {NOTE} --></worksheet>", "comments"),
        (SHEET, "</worksheet>", f"<?note {NOTE}?></worksheet>", "elements"),
        (SHEET, "</worksheet>", f"<extLst><ext uri='x'><n>{NOTE}</n></ext></extLst></worksheet>", "elements"),
        (SHEET, "</worksheet>", f"{NOTE}</worksheet>", "elements"),
        (SHEET, '<c r="C5" t="s"><v>', f'<c r="C5" t="s"><f>IF(1,"{NOTE}","")</f><v>', "formulas"),
        (SHEET, '<row r="3"', '<row r="3" ht="16.3" customHeight="1"', "row heights"),
        (SHEET, '<row r="3"', '<row r="3" hidden="1"', "hidden rows"),
        (SHEET, '<c r="B4" t', '<c r="B4" s="1" t', "number formats"),
        (SHEET, '<c r="A4" s="1"', '<c r="A4"', "number formats"),
        (SHEET, '<c r="A4" s="1"', '<c r="A4" s="1" vm="4"', "elements"),
        (SHEET, "<sheetPr codeName=", "<sheetPr tag='row 5 is ann lee' codeName=", "elements"),
        (SHEET, "<sheetPr codeName=", f"<sheetPr tag='{NOTE}' codeName=", "elements"),
        (
            SHEET,
            "<pageSetup",
            f"<headerFooter><oddHeader>&amp;C{NOTE}</oddHeader></headerFooter><pageSetup",
            "elements",
        ),
        (SHEET, "<cols>", f"<cols><col min='5' max='5' bestFit='{NOTE}'/>", "elements"),
        (BOOK, "<bookViews>", f'<absPath url="C:\\Users\\{NOTE}"/><bookViews>', "properties"),
        (BOOK, "<definedNames>", f"<definedNames><definedName name='n'>\"{NOTE}\"</definedName>", "names"),
        (BOOK, "工作表1!$A$1:$C$5", f'"{NOTE}"', "names"),
        (STRINGS, "</sst>", f"<si><t>{NOTE}</t></si></sst>", "values that no record has"),
        (STRINGS, "<t>gout</t>", f"<t>gout</t><rPh sb='0' eb='1'><t>{NOTE}</t></rPh>", "elements"),
        (STRINGS, "<t>gout</t>", "<r><rPr><b/></rPr><t>gout</t></r>", "formats"),
        ("docProps/core.xml", "<dc:creator/>", "<dc:creator>Ann Lee</dc:creator>", "author"),
        ("docProps/core.xml", "<dc:creator/>", f"<dc:creator/><dc:description>{NOTE}</dc:description>", "properties"),
        ("docProps/app.xml", "<Company></Company>", "<Manager>Ann Lee</Manager>", "properties"),
        ("docProps/app.xml", "<vt:lpstr>工作表1</vt:lpstr>", f"<vt:lpstr>{NOTE}</vt:lpstr>", "properties"),
        ("xl/styles.xml", "formatCode='", f'formatCode=\'"{NOTE}"', "elements"),
        (
            "xl/styles.xml",
            '<cellStyle name="一般"',
            f'<cellStyle name="{NOTE}" xfId="0"/><cellStyle name="一般"',
            "formats",
        ),
        ("[Content_Types].xml", "</Types>", f'<Override PartName="/{NOTE}" ContentType="x"/></Types>', "elements"),
        (
            "xl/_rels/workbook.xml.rels",
            "</Relationships>",
            f'<Relationship Id="rId9" Type="{OFFICE}/x" Target="http://x/{NOTE}" '
            f'TargetMode="External"/></Relationships>',
            "links",
        ),
    ],
)
def test_whatever_else_is_in_a_part_counts(tmp_path, part, old, new, expected):
    parts = excel_parts()
    changed = re.sub("|".join(re.escape(one) for one in old.split("|")), lambda _: new, parts[part], count=1)
    assert changed != parts[part]
    counted = found(tmp_path, {**parts, part: changed})
    assert [kind for kind in counted if kind.endswith(expected) or kind.startswith(expected)], counted
    assert len(counted) == 1


def book(folder, change=lambda _: None):
    workbook = openpyxl.Workbook()
    for row in (("age", "sex"), *((20 + number, "FM"[number % 2]) for number in range(30))):
        workbook.active.append(row)
    change(workbook.active)
    workbook.save(folder / "t.xlsx")
    return dict(further_content(open_source(str(folder / "t.xlsx"), "t")))


def test_marks_and_texts_that_openpyxl_writes_count(tmp_path):
    def fill(sheet):
        sheet["A5"].fill = PatternFill("solid", fgColor="FFFF00")

    def sizes(sheet):
        for row in range(2, 32):
            sheet.cell(row, 1).font = Font(size=5 + row / 10)

    def prompt(sheet):
        rule = DataValidation("list", formula1='"Ann Lee,Bob"', prompt=NOTE, showInputMessage=True)
        sheet.add_data_validation(rule)
        rule.add("A5")

    assert book(tmp_path, fill) == {"fills": 1}
    assert book(tmp_path, sizes) == {"fonts": 28}  # one in every other row is like most
    assert book(tmp_path, prompt) == {"further elements": 1}
    assert book(tmp_path, lambda sheet: setattr(sheet["A5"], "value", "=1+1")) != {}


def test_formats_of_whole_columns_and_of_the_header_say_nothing(tmp_path):
    def change(sheet):
        sheet["A1"].font = Font(bold=True)
        sheet.freeze_panes = "A2"
        sheet.column_dimensions["A"].width = 20
        for row in range(2, 32):
            sheet.cell(row, 1).number_format = "0.00"

    assert book(tmp_path, change) == {}
    assert book(tmp_path, lambda sheet: sheet.add_table(Table(displayName="Table1", ref="A1:B31"))) == {}


def striped(sheet):
    for row in range(2, 32, 2):
        sheet.row_dimensions[row].height = 20
        for column in (1, 2):
            sheet.cell(row, column).fill = PatternFill("solid", fgColor="DDDDDD")


def test_stripes_tell_no_more_than_the_place_of_a_record(tmp_path):
    def with_a_mark(sheet):
        striped(sheet)
        sheet["A7"].fill = PatternFill("solid", fgColor="DDDDDD")

    def from_another_order(sheet):
        striped(sheet)
        sheet.delete_rows(9)  # openpyxl moves the cells up, and not the heights

    assert book(tmp_path, striped) == {}
    assert book(tmp_path, with_a_mark) == {"fills": 1}
    assert book(tmp_path, from_another_order)["fills"] > 5


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda sheet: setattr(sheet.row_dimensions[5], "height", 33), {"row heights": 1}),
        (lambda sheet: setattr(sheet.row_dimensions[5], "hidden", True), {"hidden rows": 1}),
        (lambda sheet: setattr(sheet["B5"], "font", Font(bold=True)), {"fonts": 1}),
        (lambda sheet: setattr(sheet["B5"], "border", Border(left=Side("thin"))), {"borders": 1}),
        (lambda sheet: setattr(sheet["A5"], "number_format", "0.00"), {"number formats": 1}),
        (lambda sheet: setattr(sheet["A5"], "alignment", Alignment(horizontal="right")), {"alignments": 1}),
        (lambda sheet: setattr(sheet.parent.properties, "lastModifiedBy", "Ann Lee"), {"author": 1}),
        (lambda sheet: setattr(sheet.parent.properties, "title", "of Ann Lee"), {"document properties": 1}),
    ],
)
def test_what_differs_is_named(tmp_path, change, expected):
    assert book(tmp_path, change) == expected


LIBRE_OFFICE = {  # what it writes besides
    "docProps/custom.xml": f'<Properties xmlns="{OFFICE}/custom-properties"></Properties>',
    "docProps/app.xml": f'<Properties xmlns="{OFFICE}/extended-properties"><Template></Template>'
    "<TotalTime>0</TotalTime>"
    "<Application>LibreOffice/7.4.7.2$Linux_X86_64 LibreOffice_project/40$Build-2</Application></Properties>",
}
LIBRE_EXTENSION = (
    '<extLst><ext xmlns:loext="http://schemas.libreoffice.org/" uri="{7626C862-2A13-11E5-B345-FEFF819CDC9F}">'
    '<loext:extCalcPr stringRefSyntax="ExcelA1"/></ext></extLst></workbook>'
)


def test_a_workbook_as_libre_office_writes_it_has_no_more(tmp_path):
    parts = excel_parts() | LIBRE_OFFICE
    parts[BOOK] = re.sub("<extLst>.*</workbook>", LIBRE_EXTENSION, parts[BOOK])
    parts["docProps/core.xml"] = parts["docProps/core.xml"].replace("<dc:creator/>", "<cp:revision>0</cp:revision>")
    assert found(tmp_path, parts) == {}
    custom = "<property name='owner'><lpwstr>Ann Lee</lpwstr></property></Properties>"
    parts["docProps/custom.xml"] = parts["docProps/custom.xml"].replace("</Properties>", custom)
    assert found(tmp_path, parts) != {}


@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
def test_workbooks_that_libre_office_saves(tmp_path):
    for change, expected in (
        (striped, {}),
        (lambda sheet: setattr(sheet["B5"], "font", Font(bold=True)), {"fonts": 1}),
    ):
        book(tmp_path, change)
        saved = tmp_path / "saved"
        home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
        command = ["soffice", home, "--headless", "--convert-to", "xlsx", "--outdir", str(saved), "t.xlsx"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
        assert further_content(open_source(str(saved / "t.xlsx"), "t")) == expected


A3 = '<c r="A3" s="1"><v>40</v></c>'
ROW, CELL = '<row r="3" spans="1:3" x14ac:dyDescent="0.3">', '<c r="B4" t="s"><v>3</v></c>'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CELL, f'<c r="B4" t="inlineStr"><is><t>{NOTE}</t></is></c>{CELL}'),  # a cell that stands twice
        (CELL, CELL * 2),
        (CELL, f'{CELL}<c r="B5" t="s"><v>3</v></c>'),  # a cell of another row
        (f"{ROW}{A3}", f'<row r="3" spans="1:3" x14ac:dyDescent="0.3">{A3}</row>{ROW}{A3}'),  # a row that stands twice
        (ROW, f"{ROW}<v>{NOTE}</v>"),
        (ROW, f"{NOTE}{ROW}"),
        (ROW, f"<v>{NOTE}</v>{ROW}"),
        (ROW, f"<c><v>{NOTE}</v></c>{ROW}"),
        (ROW, f"<![CDATA[{NOTE}]]>{ROW}"),
        (ROW, f"{ROW}<is><t>{NOTE}</t></is>"),
        (CELL, f'<c r="B4" t="s">{NOTE}<v>3</v></c>'),
        (CELL, f'<c r="B4" t="s"><v>3</v><v>{NOTE}</v></c>'),
        (CELL, f'<c r="B4" t="s"><v>3</v><is><t>{NOTE}</t></is></c>'),
        (CELL, '<c r="B4" t="s"><v><![CDATA[3]]></v></c>'),
        (CELL, '<c r="B4" t="s"><v>03</v></c>'),  # the same text, spelled otherwise
        (CELL, '<c r="B4" t="s"><v> 3</v></c>'),
        (CELL, '<c r="B4" t="s"><v>&#51;</v></c>'),
        (CELL, '<c r="B4" t="inlineStr"><is><t>F</t></is></c>'),
        (CELL, '<c r="B4" t="str"><v>F</v></c>'),
        (CELL, "<c r='B4' t=\"s\"><v>3</v></c>"),
        (CELL, '<c  r="B4" t="s"><v>3</v></c>'),
        (CELL, '<c t="s" r="B4"><v>3</v></c>'),
        (CELL, '<c r="B4" t="s" ><v>3</v></c>'),
        (CELL, '<c r="B4" s="0" t="s"><v>3</v></c>'),
        (CELL, '<c r="B4" t="s"><v>3</v></c >'),
        (CELL, '<c r="B4" t="s"><v >3</v></c>'),
        (CELL, ' <c r="B4" t="s"><v>3</v></c>'),
        (CELL, '<c r="b4" t="s"><v>3</v></c>'),
        (CELL, '<c r="B04" t="s"><v>3</v></c>'),
        ('spans="1:3" x14ac:dyDescent="0.3"><c r="A3"', 'spans="1:4711" x14ac:dyDescent="0.3"><c r="A3"'),
        ('spans="1:3" x14ac:dyDescent="0.3"><c r="A3"', 'x14ac:dyDescent="0.3"><c r="A3"'),
        (ROW, ROW.replace(">", ' hidden="0">')),
        (ROW, ROW.replace(">", " >")),
        (ROW, " " + ROW),
        (ROW, ROW.replace('"3"', "'3'")),
        (ROW, ROW.replace('"3"', '"03"')),
        ('</c></row><row r="4"', '</c> </row><row r="4"'),
        ('</c></row><row r="4"', '</c><c r="D3"/></row><row r="4"'),
        ("</sheetData>", '<row r="4711"/></sheetData>'),
        ("</sheetData>", '<row r="6"/><row r="7" ht="9"/><row r="8"/></sheetData>'),
        ("</sheetData>", "</sheetData><sheetData/>"),
        ("<pageMargins", f"{NOTE}<pageMargins"),
        ("<pageMargins", f"<v>{NOTE}</v><pageMargins"),
        ("<pageMargins", '<pageMargins left="4711"/><pageMargins'),
        ("<cols>", "<cols>" + '<col min="9" max="9" width="4711"/>' * 30),
    ],
)
def test_rows_have_the_judged_values_and_nothing_else(tmp_path, old, new):
    parts = excel_parts()
    assert parts[SHEET].count(old) == 1
    assert found(tmp_path, {**parts, SHEET: parts[SHEET].replace(old, new)}) != {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<t>gout</t>", f"{NOTE}<t>gout</t>"),
        ("<t>gout</t>", f"<t>gout</t><t>{NOTE}</t>"),
        ("<t>gout</t>", "<t><![CDATA[gout]]></t>"),
        ("</sst>", f"<t>{NOTE}</t></sst>"),
        ('<t>gout</t><phoneticPr fontId="1"', '<t>gout</t><phoneticPr fontId="4711"'),
    ],
)
def test_shared_texts_are_texts_and_nothing_else(tmp_path, old, new):
    parts = excel_parts()
    assert found(tmp_path, {**parts, STRINGS: parts[STRINGS].replace(old, new)}) != {}


def test_one_shared_text_for_each_record_is_a_mark(tmp_path):
    parts = excel_parts()
    parts[STRINGS] = parts[STRINGS].replace("</sst>", "<si><t>F</t></si></sst>")
    parts[SHEET] = parts[SHEET].replace(CELL, CELL.replace("3", "7"))
    assert found(tmp_path, parts) == {"cells that keep the same value in another way": 1}


@pytest.mark.parametrize("spelled", ["30.0", "3E1", "30.00000000000001"])
def test_numbers_are_spelled_in_one_way(tmp_path, spelled):
    parts = excel_parts()
    twice = parts[SHEET].replace("<v>40</v>", "<v>30</v>")
    assert found(tmp_path, {**parts, SHEET: twice}) == {}
    other = parts[SHEET].replace("<v>40</v>", f"<v>{spelled}</v>")
    assert found(tmp_path, {**parts, SHEET: other}) == {"cells that keep the same value in another way": 1}


def test_a_number_has_no_more_digits_than_programs_write(tmp_path):
    parts = excel_parts()
    parts[SHEET] = parts[SHEET].replace("<v>40</v>", "<v>40.0000000000000000912345678</v>")
    assert found(tmp_path, parts) == {"further elements": 1}


def test_a_number_and_the_same_text_tell_records_apart(tmp_path):
    def change(sheet):
        sheet["A5"], sheet["A6"] = 20, "20"

    assert book(tmp_path, change) == {"cells that keep the same value in another way": 1}


def many_rows(cell, tag, end="</row>"):
    """The rows of a table whose last column is empty in the rows from 17 to 40."""
    rows = ""
    for row in range(1, 71):
        texts = {"A": 0, "B": 1, "C": 2} if row == 1 else {"B": 3 + 2 * (row % 2), "C": 4 + 2 * (row % 3 == 0)}
        if 17 <= row <= 40:
            del texts["C"]
        number = {} if row == 1 else {"A": 30 + row % 5}
        cells = "".join(cell(row, letter, "n", value) for letter, value in number.items())
        rows += tag(row) + cells + "".join(cell(row, letter, "s", value) for letter, value in texts.items()) + end
    return rows


def excel_cell(row, letter, kind, value):
    return f'<c r="{letter}{row}"' + (' t="s"' if kind == "s" else "") + f"><v>{value}</v></c>"


def libre_cell(row, letter, kind, value):
    return f'<c r="{letter}{row}" s="{int(row == 1)}" t="{kind}"><v>{value}</v></c>'


LIBRE_ROW = 'customFormat="false" ht="12.8" hidden="false" customHeight="false" outlineLevel="0" collapsed="false"'


@pytest.mark.parametrize(
    ("cell", "tag", "end"),
    [
        (excel_cell, lambda row: f'<row r="{row}" spans="1:{2 if 17 <= row <= 32 else 3}">', "</row>"),  # by blocks
        (excel_cell, lambda row: f'<row r="{row}" spans="1:{2 if 17 <= row <= 40 else 3}">', "</row>"),  # of its cells
        (excel_cell, lambda row: f'<row spans="1:3" r="{row}">', "</row>"),
        (libre_cell, lambda row: f'<row r="{row}" {LIBRE_ROW}>', "</row>"),
        (lambda *own: "\n  " + excel_cell(*own), lambda row: f'\n <row r="{row}">', "\n </row>"),
        (lambda *own: excel_cell(*own).replace('"', "'"), lambda row: f"<row r='{row}'>", "</row>"),
        (lambda *own: re.sub(r' r="\w+"', "", excel_cell(*own)), lambda _: "<row>", "</row>"),
        (lambda *own: re.sub(r'( r="\w+")( t="s")?', r"\2\1", excel_cell(*own)), lambda n: f'<row r="{n}">', "</row>"),
    ],
)
def test_rows_as_programs_write_them(tmp_path, cell, tag, end):
    parts = excel_parts()
    rows = many_rows(cell, tag, end)
    parts[SHEET] = re.sub("(<sheetData>).*(</sheetData>)", lambda match: match[1] + rows + match[2], parts[SHEET])
    assert found(tmp_path, parts) == {}
    prefixed = re.sub("<(/?)(?=[a-z])", r"<\1x:", parts[SHEET].partition("?>")[2]).replace("xmlns=", "xmlns:x=")
    assert found(tmp_path, {**parts, SHEET: prefixed}) == {}
    if " spans" in rows:
        changed = parts[SHEET].replace('r="50" spans="1:3"', 'r="50" spans="1:2"')
        changed = changed.replace('spans="1:3" r="50"', 'spans="1:2" r="50"')
        assert found(tmp_path, {**parts, SHEET: changed}) == {"formats of single cells or rows": 1}


def test_rows_are_examined_in_blocks_of_any_size(tmp_path, monkeypatch):
    for size in (1, 7, 100, 1000):
        monkeypatch.setattr("PETWorks.tables.formats.plain_workbooks.BLOCK", size)
        assert found(tmp_path, excel_parts()) == {}
        parts = excel_parts()
        parts[SHEET] = parts[SHEET].replace(ROW, f"<!-- > -->{ROW}")
        assert found(tmp_path, parts) == {"comments": 1}


def test_a_row_without_an_end_takes_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.formats.plain_workbooks.LONGEST_ROW", 300)
    monkeypatch.setattr("PETWorks.tables.formats.plain_workbooks.BLOCK", 100)
    parts = excel_parts()
    parts[SHEET] = parts[SHEET].replace("<v>50</v>", "<v>50</v>" + " " * 999)
    assert found(tmp_path, parts) == {"further elements": 1}
