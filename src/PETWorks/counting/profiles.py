"""Profiles of columns: the number of values, of unique and of exact ones, and a sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.about.personal_details import DetailSearch
from PETWorks.counting.codes import Column, CountedDomain
from PETWorks.counting.counts import Integers
from PETWorks.tables.arrays import arrow_integers, numpy_integers
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.normalised_cells import are_formulas

if TYPE_CHECKING:
    import pyarrow as pa


LONG_TEXT = 30  # characters; a longer text is hardly ever a category

_NUMERALS = "零一二兩两三四五六七八九十百千萬万億亿廿卅壹貳贰參叁肆伍陸陆柒捌玖拾佰仟"
_SEVERAL = f"[{_NUMERALS}][^{_NUMERALS}]*[{_NUMERALS}]"
_NO_WORD = rf"\A[^\p{{L}}]*[{_NUMERALS}][^\p{{L}}]*\z"
EXACT_PATTERN = rf"\p{{N}}|{_SEVERAL}|{_NO_WORD}"

# Texts that are an amount, a date, a time or a place as a whole: not a code that was given to a record.
_NUMBER = r"[+\-−－]?(?:\p{Nd}[\p{Nd},.，．]*|[.．]\p{Nd}+)(?:[eE][+\-]?\p{Nd}+)?"
_AMOUNT = (
    r"[<>=≤≥~＜＞]{0,2} ?(?:(?:NT|US|HK)?[$€£¥＄￥] ?|[A-Z]{3} )?" + _NUMBER + r"(?:[%％‰元€kKM]| [A-Za-zµ°/]{1,8})?"
)
_RANGE = rf"[\[(]?{_NUMBER} ?(?:[,;~～至到–-]|to) ?{_NUMBER}[\])]?"
_CLOCK = r"\p{Nd}{1,2}(?::\p{Nd}{2}){1,2}(?:\.\p{Nd}+)?(?: ?[AaPp]\.?[Mm]\.?)?"
_TIME = rf"(?:(?:上午|下午|凌晨|晚上) ?)?(?:{_CLOCK}|\p{{Nd}}{{1,2}} ?[時点點](?: ?\p{{Nd}}{{1,2}} ?分)?)"
_AFTER_DATE = r"(?:[ T].{0,30})?"
_DATE = (
    r"(?:(?:中華)?民國 ?)?\p{Nd}{1,4} ?[-/.年] ?\p{Nd}{1,2}(?: ?[-/.月] ?(?:\p{Nd}{1,4} ?日?)?)?" + _AFTER_DATE,
    r"\p{Nd}{1,2}[ -][A-Za-z]{3,9}\.?[ ,-]{1,2}\p{Nd}{2,4}" + _AFTER_DATE,
    r"[A-Za-z]{3,9}\.? \p{Nd}{1,2},? \p{Nd}{4}" + _AFTER_DATE,
    r"\p{Nd}{4}-?[WQ]\p{Nd}{1,2}",
)
_MINUTES = r"(?: ?\p{Nd}{1,2}[\x27′])?(?: ?\p{Nd}{1,2}(?:\.\p{Nd}+)?[\x22″])?"
_DEGREES = r"[+\-−]?\p{Nd}{1,3}(?:[.．]\p{Nd}+)?(?:°" + _MINUTES + ")? ?[NSEWnsew]?"
_POINT = rf"(?:POINT ?)?[(\[]?{_DEGREES} ?[,;/ ] ?{_DEGREES}[)\]]?"

_PATTERN = "|".join(f"(?:{form})" for form in (_AMOUNT, _RANGE, _TIME, *_DATE, _POINT, _DEGREES))
_WHOLE = rf"\A(?:{_PATTERN})\z"


def are_exact(texts: "pa.Array") -> "pa.Array":
    """Whether each text has digits, or is long."""
    from pyarrow import compute as pc

    # Of ASCII, only digits match the whole pattern, which takes long to compile.
    pattern = "[0-9]" if pc.all(pc.string_is_ascii(texts)).as_py() else EXACT_PATTERN
    return pc.or_(pc.match_substring_regex(texts, pattern), _are_long(texts))


def are_quantities(texts: "pa.Array") -> "pa.Array":
    """Whether each text is only a number, a date, a time or coordinates in a usual spelling, or long."""
    from pyarrow import compute as pc

    return pc.or_(pc.match_substring_regex(texts, _WHOLE), _are_long(texts))


def _are_long(texts: "pa.Array") -> "pa.Array":
    from pyarrow import compute as pc

    longest = arrow_integers(np.array([LONG_TEXT]))[0]  # PyArrow would import pandas for a Python number
    return pc.greater(pc.utf8_length(texts), longest)


SAMPLE_SIZE = 2_000  # distinct values in a sample
MAX_SAMPLED_LENGTH = 400  # characters of a value in a sample; personal details are searched in all of them
VALUES_PER_BATCH = 100_000  # values searched for personal details at once


@dataclass(frozen=True)
class Profile:
    """Counts of a column's values, a sample of the distinct ones, and the personal details in all of them.

    Missing cells and `*` do not count as values. Where a column names the person of each record, records of one person
    with the same value count once, except for formulas: a value is unique if only one person has it.
    """

    records: int
    present: int  # records with a value
    distinct: int
    unique: int  # records whose value no other record has
    sample: Sequence[str]
    exact: int  # unique records whose value has digits, or is a long text
    details: Mapping[str, int] = field(default_factory=dict)  # personal details of each kind in all texts
    formulas: int = 0  # records whose value a spreadsheet would treat as a formula


def profile_of(column: Column | CountedDomain, records: int, name: str = "", people: Column | None = None) -> Profile:
    """The profile of a column that has been counted; it counts people if `people` is given."""
    # A marginal would keep every distinct value as a Python string, up to 3 million in a column.
    in_records = column.counts.copy()
    shared, owners = (
        (in_records, None) if people is None or isinstance(column, CountedDomain) else people_per_value(column, people)
    )
    counts = shared.copy()
    no_values = [code for code in (column.code(None), column.code(SUPPRESSED)) if code is not None]
    counts[no_values] = in_records[no_values] = 0
    codes = np.flatnonzero(counts)
    # The sample covers the whole column, because the first values may be the oldest, or all of one kind.
    chosen = codes[np.linspace(0, len(codes) - 1, min(len(codes), SAMPLE_SIZE)).astype(np.int64)]
    sample = [text[:MAX_SAMPLED_LENGTH] for text in column.labels.take(arrow_integers(chosen)).to_pylist()]
    unique = np.flatnonzero(counts == 1)
    exact = are_exact(column.labels.take(arrow_integers(unique))).true_count
    search, formulas = DetailSearch(name), 0
    for first in range(0, len(codes), VALUES_PER_BATCH):
        batch = codes[first : first + VALUES_PER_BATCH]
        texts = column.labels.take(arrow_integers(batch))
        search.add(texts, counts[batch], None if owners is None else owners[batch])
        formulas += int(numpy_integers(arrow_integers(in_records[batch]).filter(are_formulas(texts))).sum())
    total = records if owners is None else int(shared.sum())
    return Profile(total, int(counts.sum()), len(codes), len(unique), sample, exact, search.details(), formulas)


def people_per_value(column: Column, people: Column) -> tuple[Integers, Integers]:
    """The number of people who have each value of a column, and the person if it is only one, else -1."""
    codes, persons, _ = value_person_pairs(column, people)
    shared = np.bincount(codes, minlength=len(column.labels))
    owners = np.full(len(column.labels), -1, np.int64)
    owners[codes] = persons
    owners[shared != 1] = -1
    return shared, owners


def value_person_pairs(column: Column, people: Column) -> tuple[Integers, Integers, Integers]:
    """The pairs of value and person that rows have, as codes, and how many rows have each."""
    number = max(len(people.labels), 1)
    pairs, counts = np.unique(column.codes.astype(np.int64) * number + people.codes, return_counts=True)
    return *np.divmod(pairs, number), counts


def profiles_of(
    columns: Mapping[str, Column] | Mapping[str, CountedDomain], names: Sequence[str], people: Column | None = None
) -> dict[str, Profile]:
    """The profiles of some of the columns of a table."""
    return {name: profile_of(columns[name], int(columns[name].counts.sum()), name, people) for name in names}
