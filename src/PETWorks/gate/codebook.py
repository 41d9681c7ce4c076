"""The codebook of a release, for those who receive it: columns, labels and how to load the file.

It is made from the released file alone, and from the declared hierarchies, which say what labels stand for.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from PETWorks.about.hierarchies.dates import read_date, read_period, spelling_of
from PETWorks.about.hierarchies.intervals import number_range
from PETWorks.about.hierarchies.scheme import as_text
from PETWorks.about.protection import GROUPS, OF_NUMBERS, bare, signs_of_amounts
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.counting.counts import Marginal
from PETWorks.counting.release import Release
from PETWorks.errors import printable
from PETWorks.measures.utility.models import positions
from PETWorks.tables.arrays import strings
from PETWorks.tables.cells import SUPPRESSED, is_number
from PETWorks.tables.normalised_cells import are_formulas
from PETWorks.tables.writing import FEATHER_SUFFIXES, PARQUET_SUFFIXES

HEADER = ("column", "label", "low", "high", "high_included", "middle")
# By which a later run recognises the files as its own.
MARKDOWN_MARK = b"<!-- petworks codebook -->"
CSV_MARK = ",".join(HEADER).encode("utf-8-sig")
MAX_LABELS = 1_000  # of a quasi-identifier, listed in the CSV file
MAX_VALUES = 100  # of another column
MAX_SHOWN = 40  # of a column in the Markdown file
_NUMBER = re.compile(r"\d+", re.ASCII)
_CODE = re.compile(r"[+-]?0\d.*")  # a number with leading zeros is a code
_NAMES_IN_R = {"utf-8": "UTF-8-BOM", "utf-8-sig": "UTF-8-BOM", "iso8859-1": "latin1", "utf-16-le": "UTF-16LE"}
_NAMES_IN_R |= {"utf-16-be": "UTF-16BE", "utf-32-le": "UTF-32LE", "utf-32-be": "UTF-32BE"}
Say = Callable[[str], str]
Words = Mapping[str, Any]


@dataclass(frozen=True)
class Label:
    """A value that occurs in a column; its ends are texts, empty if it has none."""

    text: str
    low: str = ""
    high: str = ""
    includes_high: bool = True
    middle: str = ""


@dataclass(frozen=True)
class CodebookColumn:
    """A column of the release.

    numbers   whether its values are numbers, and perhaps `*`
    signs     what to take off them: a currency, separators of thousands
    stars     the number of records with `*`
    low, high the smallest and the largest number
    labels    the values that are listed; not for numbers
    distinct  how many there are
    protected how it was protected; without a declaration, it was not
    ranges    whether its labels have middles, which can take their place
    days      if all values are single days, the form in which they are written, for `strptime`
    """

    name: str
    numbers: bool
    low: str
    high: str
    labels: tuple[Label, ...]
    distinct: int
    has_missing: bool
    stars: int
    shown: str | None = None
    signs: tuple[str, ...] = ()
    protected: Words | None = None
    ranges: bool = False
    days: str | None = None

    @property
    def has_periods(self) -> bool:
        """Whether its labels are periods."""
        return any(map(_is_period, self.labels))


@dataclass(frozen=True)
class Codebook:
    """The columns of a release and how its file is read, for its recipients.

    least   for columns that show means: the number of records that each is made of, at least
    """

    release: str
    separator: str | None
    encoding: str | None
    in_parts: bool
    columns: tuple[CodebookColumn, ...]
    least: int | None = None

    @classmethod
    def of(
        cls,
        release: Release,
        path: Path,
        declared: Mapping[str, Words],
        shown: Mapping[str, str] | None = None,
        protected: Mapping[str, Words] | None = None,
    ) -> "Codebook":
        """The codebook of a release that has been written.

        release    the released table, opened again
        path       its final name
        declared   the hierarchies that were declared in words, by column
        shown      the statistic that columns show instead of labels: `mean` or `median`
        protected  the protections that were declared, by column
        """
        shown = {column: statistic for column, statistic in (shown or {}).items() if statistic in ("mean", "median")}
        loaded = release.compared_columns
        others = [name for name in release.columns if name not in loaded]
        tables = dict.fromkeys(loaded, release.as_read)
        if others:
            tables |= dict.fromkeys(others, release.load(others))
        columns = []
        for name in release.columns:
            known = release.roles.get(name) == QUASI_IDENTIFIER
            most = MAX_LABELS if known else MAX_VALUES
            words, how = declared.get(name), (protected or {}).get(name)
            columns.append(_describe(name, tables[name].marginal(name), words, most, shown.get(name), how))
        least = release.class_sizes().smallest if shown else None
        in_parts = release.engine.name == "spark"
        return cls(path.name, release.separator, release.encoding, in_parts, tuple(columns), least)

    def to_csv(self) -> bytes:
        """All listed labels, as a CSV file that spreadsheets open."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(HEADER)
        rows = [
            (
                *(column.name, label.text, label.low, label.high),
                *("" if not label.high else "yes" if label.includes_high else "no", label.middle),
            )
            for column in self.columns
            for label in column.labels
        ]
        names, labels = (_safe([row[index] for row in rows]) for index in (0, 1))
        writer.writerows((name, label, *row[2:]) for name, label, row in zip(names, labels, rows, strict=True))
        return text.getvalue().encode("utf-8-sig", "replace")

    def to_markdown(self, csv_name: str, say: Say = str) -> bytes:
        """The codebook for readers; `csv_name` is the file with all labels."""
        lines = [MARKDOWN_MARK.decode(), f"# {say('Codebook of')} {_escape(self.release)}", ""]
        lines += [f"## {say('How to load it')}", "", *_loading_lines(self, csv_name, say), ""]
        lines += [f"## {say('Columns')}", ""]
        has_stars = any(column.stars for column in self.columns)
        lines += [
            f"| {say('column')} | {say('values')} |"
            + (f" {say('records with {star}').format(star='`*`')} |" * has_stars)
        ]
        lines += ["|---|---|" + "---|" * has_stars]
        lines += [
            f"| {_escape(column.name)} | {self._values(column, say)} |" + f" {column.stars:,} |" * has_stars
            for column in self.columns
        ]
        lines += ["", *(f"* {line}" for line in self._notes(csv_name, say)), ""]
        for column in self.columns:
            lines += _label_table(column, say)
        return "\n".join(lines).encode("utf-8", "replace")

    def _values(self, column: CodebookColumn, say: Say) -> str:
        """The values of a column in a few words, and how far they may be from the true ones."""
        how, text = column.protected or {}, self._values_alone(column, say)
        if "round" in how:
            step = Fraction(str(how["round"]))
            about = say("rounded to {step}: at most {half} from the true value")
            return f"{text}; {about.format(step=as_text(step), half=as_text(step / 2))}"
        if GROUPS in how:
            return f"{text}; {say('each the mean of at least {k:,} records').format(k=int(str(how[GROUPS])))}"
        return text

    def _values_alone(self, column: CodebookColumn, say: Say) -> str:
        if column.shown is not None and column.distinct and not column.labels:
            template = (
                say("mean of at least {k:,} records")
                if column.shown == "mean"
                else say("median of at least {k:,} records")
            )
            return template.format(k=self.least or 1)
        if column.numbers and column.low == column.high:
            return say("a single number: {low}").format(low=column.low)
        if column.numbers:
            return say("numbers from {low} to {high}").format(low=column.low, high=column.high)
        if not column.distinct:
            return say("only {star}").format(star=r"\*") if column.stars else say("empty")
        if not column.labels and column.days is not None:
            return say("days, {n:,} different ones").format(n=column.distinct)
        if not column.labels:
            return say("texts, {n:,} different ones").format(n=column.distinct)
        return say("labels, listed below: {n:,}").format(n=column.distinct)

    def _notes(self, csv_name: str, say: Say) -> Iterator[str]:
        yield say("{star}: the value is withheld; it may be any value of the column.").format(star=r"`*`")
        if any(column.stars and column.labels for column in self.columns):
            yield say(
                "To calculate, keep {star} in a column of labels as a category of its own: the records without it are "
                "no random sample."
            ).format(star=r"`*`")
        if any(column.shown for column in self.columns):
            yield say("Records that look the same share a mean or median; their own values spread more than that.")
        if any(column.has_missing for column in self.columns):
            yield say("An empty cell: the value was missing.")
        if any(label.high and label.low != label.high for column in self.columns for label in column.labels):
            yield say("A label with two ends stands for all values from the first to the second.")
        if any(bool(label.low) != bool(label.high) for column in self.columns for label in column.labels):
            yield say("A label with one end stands for all values from there on, or up to there.")
        if any(label.high and not label.includes_high for column in self.columns for label in column.labels):
            yield say("Where the second end is not included, it is marked with “below”.")
        yield say("{file} has the labels with their ends and middles, for programs.").format(file=_escape(csv_name))
        texts = [text for column in self.columns for text in (column.name, *_texts(column))]
        if are_formulas(strings(texts)).true_count:
            yield say("There, names and labels that a spreadsheet would take for a formula begin with an apostrophe.")


def _texts(column: CodebookColumn) -> Iterator[str]:
    return (label.text for label in column.labels)


def _describe(
    name: str, marginal: Marginal, words: Words | None, most: int, shown: str | None, protected: Words | None = None
) -> CodebookColumn:
    """A column with these distinct values, and the records with each."""
    if words is None and protected is not None:
        words, most = protected, MAX_LABELS
    values = marginal.values
    records = dict(zip(values, marginal.counts.tolist(), strict=True))
    values = [value for value in values if records[value]]
    known = [value for value in values if value is not None and value != SUPPRESSED]
    are_codes = words is not None and not {"width", "cuts", "quantiles", "top", "bottom", *OF_NUMBERS, GROUPS} & set(
        words
    )
    signs = signs_of_amounts(known)
    plain = [bare(value, signs) for value in known]
    numbers = bool(known) and all(map(is_number, plain)) and not are_codes and not any(map(_CODE.fullmatch, plain))
    ordered = sorted(plain, key=float) if numbers else []
    labels: list[Label] = []
    are_days = bool(known) and all(_is_day(value, words) for value in known)
    listed = known
    if protected is not None and set(protected) & set(OF_NUMBERS) and len(known) > most:
        listed = [value for value in known if not is_number(value)]  # the coded ends
    if not numbers and len(listed) <= most and not (shown and are_days):
        labels = sorted(_with_middles([_label(value, words, signs) for value in listed], signs), key=_sort_key)
        labels += [Label(SUPPRESSED)] if SUPPRESSED in values and known else []
    are_ranges = bool(labels) and _have_middles(labels, words)
    return CodebookColumn(
        name,
        numbers,
        ordered[0] if ordered else "",
        ordered[-1] if ordered else "",
        tuple(labels),
        len(known),
        None in values,
        records.get(SUPPRESSED, 0),
        shown,
        signs if numbers else (),
        protected,
        are_ranges,
        _form_of_days(known, words) if are_days and not are_ranges else None,
    )


def _have_middles(labels: Sequence[Label], words: Words | None) -> bool:
    """Whether the middles of labels can take their place: all have one, except `*` and a name for rare values."""
    has_middle = [bool(label.middle) for label in labels if label.text != SUPPRESSED]
    return any(has_middle) if words is not None and "rare" in words else bool(has_middle) and all(has_middle)


def _is_day(text: str, words: Words | None) -> bool:
    """Whether a text is a single day, which a median is."""
    found = read_date(text, roc=True, day_first=spelling_of(words or {})["day_first"])
    return found is not None and found[1] == "day"


def _form_of_days(texts: Sequence[str], words: Words | None) -> str | None:
    """The form of days, for `strptime`; None if they are written in several, or in the calendar of Taiwan."""
    day_first = spelling_of(words or {})["day_first"]
    forms = {_NUMBER.sub("#", text) for text in texts}
    if len(forms) != 1 or not all(len(text) <= 10 for text in texts):
        return None
    (form,) = forms
    separators = form.replace("#", "")
    if form.count("#") != 3 or len(set(separators)) != 1 or len(separators) != 2:
        return None
    sign = separators[0]
    if all(re.match(r"\d{4}\D", text, re.ASCII) for text in texts):
        return sign.join(("%Y", "%m", "%d"))
    if day_first is None and sign != ".":
        return None
    return sign.join(("%d", "%m", "%Y") if day_first is not False else ("%m", "%d", "%Y"))


def _label(text: str, words: Words | None, signs: Sequence[str] = ()) -> Label:
    """A label with its ends: of a period if dates were declared, otherwise of numbers, if it has any."""
    found = _ends(bare(text, signs), words)
    return replace(found, text=text)


def _ends(text: str, words: Words | None) -> Label:
    if words is not None and "dates" in words:
        period = read_period(text, **spelling_of(words))
        if period is None:
            return Label(text)
        first, last = period
        return Label(text, first.isoformat(), last.isoformat(), middle=(first + (last - first) / 2).isoformat())
    if words is not None and "round" in words and is_number(text):
        number, half = Fraction(text), Fraction(str(words["round"])) / 2
        return Label(text, as_text(number - half), as_text(number + half), middle=as_text(number))
    has_no_ends = words is not None and (
        ("rare" in words and not is_number(text)) or {"prefix", "mask", "icd10"} & set(words)
    )
    numbers = None if has_no_ends else number_range(text)
    if numbers is None or _CODE.fullmatch(text):
        return Label(text)
    low, high = ("" if end is None else as_text(end) for end in (numbers.low, numbers.high))
    middle = numbers.middle
    exact = "" if middle is None else as_text(middle)
    return Label(text, low, high, numbers.includes_high, exact)


def _with_middles(labels: Sequence[Label], signs: Sequence[str]) -> Iterator[Label]:
    """The labels; those of numbers with an open end get the middle that models take for them."""
    ranges = [label for label in labels if not _is_period(label) and (label.low or label.high)]
    middles = dict(zip(ranges, positions([bare(label.text, signs) for label in ranges]).tolist(), strict=True))
    for label in labels:
        if label in middles and not label.middle and not math.isnan(middles[label]):
            yield replace(label, middle=as_text(Fraction(str(middles[label]))))
        else:
            yield label


def _is_period(label: Label) -> bool:
    """Whether the ends of a label are days."""
    return label.low.count("-") == 2 and not is_number(label.low)


def _sort_key(label: Label) -> tuple[bool, float, float, str]:
    """The sort key: numbers and ranges by their ends, before other labels, which are sorted as texts."""
    if not label.low and not label.high:
        return True, 0.0, 0.0, label.text
    if _is_period(label):
        return False, 0.0, 0.0, f"{label.low} {label.high}"
    low = float(label.low) if label.low else -float("inf")
    return False, low, float(label.high) if label.high else float("inf"), label.text


def _label_table(column: CodebookColumn, say: Say) -> list[str]:
    if not column.labels:
        return []
    lines = [f"### {_escape(column.name)}", ""]
    with_ends = any(label.low or label.high for label in column.labels)
    if with_ends:
        lines += [f"| {say('label')} | {say('from')} | {say('to')} |", "|---|---|---|"]
    else:
        lines += [f"| {say('label')} |", "|---|"]
    for label in column.labels[:MAX_SHOWN]:
        high = label.high if label.includes_high else say("below {high}").format(high=label.high)
        cells = (_escape(label.text), label.low, high) if with_ends else (_escape(label.text),)
        lines.append(f"| {' | '.join(cells)} |")
    if len(column.labels) > MAX_SHOWN:
        lines += ["", say("and {n:,} more").format(n=len(column.labels) - MAX_SHOWN)]
    return [*lines, ""]


def _loading_lines(codebook: Codebook, csv_name: str, say: Say) -> Iterator[str]:
    """Lines for pandas and R: with the right separator, encoding and types, and middles in the place of ranges."""
    numbers = [column.name for column in codebook.columns if column.numbers]
    suffix = Path(codebook.release).suffix.lower()
    file = _quoted(codebook.release)
    if codebook.in_parts or suffix in (*PARQUET_SUFFIXES, *FEATHER_SUFFIXES):
        kind = "feather" if suffix in FEATHER_SUFFIXES else "parquet"
        python = [f"release = pd.read_{kind}({file})"]
        table = f"Scanner$create(open_dataset({file}))$ToTable()" if codebook.in_parts else f"read_{kind}({file})"
        r = ["library(arrow)", f"release <- as.data.frame({table})"]
    elif suffix == ".xlsx":
        python = [f'release = pd.read_excel({file}, dtype="str", keep_default_na=False, na_values=[""])']
        r = ["library(readxl)", f'release <- as.data.frame(read_excel({file}, col_types = "text", na = ""))']
    else:
        separator, encoding = _quoted(codebook.separator or ","), codebook.encoding or "utf-8"
        in_r = _NAMES_IN_R.get(encoding, encoding.upper())
        python = [
            f"release = pd.read_csv({file}, sep={separator}, encoding={_quoted(encoding)}, "
            'dtype="str", keep_default_na=False, na_values=[""])'
        ]
        r = [
            f"release <- read.csv({file}, sep = {separator}, fileEncoding = {_quoted(in_r)}, "
            'colClasses = "character", na.strings = "", check.names = FALSE)'
        ]
    if numbers:
        listed = ", ".join(map(_quoted, numbers))
        for sign in dict.fromkeys(sign for column in codebook.columns for sign in column.signs):
            written = ", ".join(_quoted(column.name) for column in codebook.columns if sign in column.signs)
            off = _quoted(sign)
            python += [f"for column in [{written}]:", f'    release[column] = release[column].str.replace({off}, "")']
            r += [f'for (column in c({written})) release[[column]] <- gsub({off}, "", release[[column]], fixed = TRUE)']
        python += [f"numbers = [{listed}]", 'release[numbers] = release[numbers].apply(pd.to_numeric, errors="coerce")']
        r += [
            f"numbers <- c({listed})",
            "release[numbers] <- lapply(release[numbers], function(x) suppressWarnings(as.numeric(as.character(x))))",
        ]
    ranges = [column for column in codebook.columns if column.ranges]
    for_ranges = _calculation_lines(ranges, csv_name) if ranges else ([], [])
    for column in codebook.columns:
        if column.days is not None:
            name, form = _quoted(column.name), _quoted(column.days)
            python.append(f'release[{name}] = pd.to_datetime(release[{name}], format={form}, errors="coerce")')
            r.append(f"release[[{name}]] <- as.Date(release[[{name}]], format = {form})")
    yield from _snippets(["import pandas as pd", *python, *for_ranges[0]], [*r, *for_ranges[1]])
    if any((column.numbers or column.ranges or column.days) and column.stars for column in codebook.columns):
        yield from ("", say("In columns of numbers, {star} is then a missing value.").format(star="`*`"))
    if ranges:
        yield ""
        yield say(
            "The middle of each range takes its place: leave out the lines from “codebook” on to keep the labels. A "
            "label with an open end counts as if it were as wide as the widest one beside it, or reached as far as "
            "the labels beyond it."
        )


def _calculation_lines(columns: Sequence[CodebookColumn], csv_name: str) -> tuple[list[str], list[str]]:
    """Lines for pandas and R that replace the labels of columns by the middles of their ranges."""
    file = _quoted(csv_name)
    python = [
        f'codebook = pd.read_csv({file}, dtype="str", keep_default_na=False)',
        'codebook = codebook.apply(lambda cells: cells.str.removeprefix("\'"))',
    ]
    r = [
        f'codebook <- read.csv({file}, fileEncoding = "UTF-8-BOM", colClasses = "character")',
        'codebook[] <- lapply(codebook, function(cells) sub("^\'", "", cells))',
    ]
    for periods, in_python, in_r in (
        (False, "to_numeric", "suppressWarnings(as.numeric(cells))"),
        (True, "to_datetime", 'as.Date(cells, format = "%Y-%m-%d")'),
    ):
        names = ", ".join(_quoted(column.name) for column in columns if column.has_periods == periods)
        if names:
            python += [
                f"for column in [{names}]:",
                '    labels = codebook[(codebook["column"] == column) & (codebook["middle"] != "")]',
                '    cells = release[column].replace(dict(zip(labels["label"], labels["middle"])))',
                f'    release[column] = pd.{in_python}(cells, errors="coerce")',
            ]
            r += [
                f"for (column in c({names})) {{",
                '  labels <- codebook[codebook[["column"]] == column & codebook[["middle"]] != "", ]',
                '  place <- match(release[[column]], labels[["label"]])',
                '  cells <- ifelse(is.na(place), release[[column]], labels[["middle"]][place])',
                f"  release[[column]] <- {in_r}",
                "}",
            ]
    return python, r


def _snippets(python: Sequence[str], r: Sequence[str]) -> Iterator[str]:
    yield from ("```python", *python, "```", "", "```r", *r, "```")


def _quoted(text: str) -> str:
    """A text as a literal that Python and R both read, on one line."""
    return "".join(
        sign if sign.isprintable() else f"\\u{ord(sign):04x}" if ord(sign) < 1 << 16 else f"\\U{ord(sign):08x}"
        for sign in json.dumps(text, ensure_ascii=False)
    )


def _escape(text: str) -> str:
    """A text for a cell of a Markdown table: nothing in it is markup, neither of Markdown nor of HTML."""
    escaped = re.sub(r"([\\`*_{}\[\]#|~$!^@:]|(?<=www)\.)", r"\\\1", printable(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _safe(texts: Sequence[str]) -> list[str]:
    """The texts, with an apostrophe before those that a spreadsheet would take for a formula."""
    formulas = are_formulas(strings(texts)).to_pylist()
    return [f"'{text}" if is_formula else text for text, is_formula in zip(texts, formulas, strict=True)]
