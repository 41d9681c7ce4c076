"""Personal details inside texts: phone numbers, addresses, identity and card numbers, names."""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.column_names import A_NAME, names_a_place, roles_by_name, words_of
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.tables.arrays import arrow_integers, numpy_integers, strings
from PETWorks.tables.headers import (
    FAMILY_NAMES,
    GIVEN_NAMES,
    SURNAMES,
    SURNAMES_OF_TWO,
    is_chinese_name,
    is_english_name,
)

DIGITS = "0123456789"
_TAIWANESE_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
_SINGAPOREAN_LETTERS = {
    "S": "JZIHGFEDCBA",
    "T": "JZIHGFEDCBA",
    "F": "XWUTRQPNMLK",
    "G": "XWUTRQPNMLK",
    "M": "XWUTRQPNJLK",
}
# The first digits of payment cards, and how many digits they have.
_CARDS = (
    (("4",), (13, 16, 19)),
    (tuple(map(str, (*range(51, 56), *range(2221, 2721)))), (16,)),
    (("34", "37"), (15,)),
    (("6011", "65", *map(str, range(644, 650))), (16,)),
    (("36", "38", *map(str, range(300, 306))), (14,)),
    (tuple(map(str, range(3528, 3590))), (16,)),
    (("62",), (16, 17, 18, 19)),
)


@dataclass(frozen=True)
class Shape:
    """Numbers that look alike.

    pattern   a regular expression that both Python and Arrow understand: without anything that looks around it
    modules   those of python-stdnum that know the check digit; one of them must agree
    own       the test where python-stdnum has none; None for numbers without a check digit, or the like
    cue       words that must stand before the number
    signs     whether a sign between the digits is part of the number, and what differs in signs is of another shape
    """

    pattern: str
    modules: Sequence[str] = ()
    own: Callable[[str], bool] | None = None
    cue: str = ""
    signs: bool = False

    @property
    def has_check_digit(self) -> bool:
        """Whether validity says more than the shape."""
        return bool(self.modules) or self.own is not None

    def is_valid(self, number: str) -> bool:
        """Whether the check digit of a number without blanks is right."""
        if self.own is not None:
            return self.own(number)
        return any(_is_valid(module, number) for module in self.modules)

    @cached_property
    def with_cue(self) -> str:
        """The pattern behind its cue."""
        return f"{self.cue}{self.pattern}"


@cache
def _validator(module: str) -> Callable[[str], bool]:
    validate: Callable[[str], bool] = import_module(f"stdnum.{module}").is_valid
    return validate


def _is_valid(module: str, number: str) -> bool:
    try:
        return _validator(module)(number)
    except KeyError:  # of a Chinese number from a place that is no county
        return False


def is_taiwanese(number: str) -> bool:
    """Whether the last digit of a Taiwanese identity number, or one of a residence permit, old or new, is right."""
    letter, kind, digits = number[0].upper(), number[1].upper(), number[2:]
    tens, ones = divmod(10 + _TAIWANESE_LETTERS.index(letter), 10)
    first = "ABCD".index(kind) if kind in "ABCD" else int(kind)
    return (tens + 9 * ones + 8 * first + sum((7 - n) * int(digits[n]) for n in range(7)) + int(digits[7])) % 10 == 0


def is_from_hong_kong(number: str) -> bool:
    """Whether the check digit of a Hong Kong identity card, which stands in brackets, is right."""
    bare = number.replace("(", "").replace(")", "").rjust(9)
    values = [36 if sign == " " else int(sign, 36) for sign in bare[:-1]]
    check = 10 if bare[-1] == "A" else int(bare[-1])
    return (sum((9 - place) * value for place, value in enumerate(values)) + check) % 11 == 0


def is_singaporean(number: str) -> bool:
    """Whether the last letter of a Singaporean NRIC or FIN is right."""
    weighted = sum(weight * int(digit) for weight, digit in zip((2, 7, 6, 5, 4, 3, 2), number[1:8], strict=True))
    offset = {"T": 4, "G": 4, "M": 3}.get(number[0], 0)
    return _SINGAPOREAN_LETTERS[number[0]][(weighted + offset) % 11] == number[8]


def has_luhn_digit(number: str) -> bool:
    """Whether the last digit of a payment card is right."""
    digits = [DIGITS.index(digit) for digit in reversed(number)]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0


def is_card_shaped(number: str) -> bool:
    """Whether digits have the beginning and the length of a payment card."""
    return any(len(number) in sizes and number.startswith(beginnings) for beginnings, sizes in _CARDS)


# Numbers that ordinary ones resemble are taken only behind a cue, or if they are written in their own groups.
NATIONAL_IDS = (
    Shape(r"[A-Za-z][ -]?[1289A-Da-d](?:[ -]?[0-9]){8}", own=is_taiwanese),
    Shape(r"[A-Z]{1,2}[0-9]{6}\([0-9A]\)", own=is_from_hong_kong),
    Shape(r"[STFGM][0-9]{7}[A-Z]", own=is_singaporean),
    Shape(r"[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9Xx]", ("cn.ric",)),
    Shape(r"[0-9]{6}-[1-8][0-9]{6}", ("kr.rrn",)),
    Shape(r"[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}", ("jp.in_", "in_.aadhaar")),
    Shape(r"[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}"),  # United States
    Shape(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] [0-9]{2} [0-9]{2} [0-9]{2} [A-D]"),  # United Kingdom
    Shape(r"[0-9]{3}[ -][0-9]{3}[ -][0-9]{3}", ("ca.sin",)),
    Shape(r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}", ("gb.nhs",), cue=r"NHS(?: ?(?:[Nn]o|[Nn]umber))?[ .:#]{0,3}"),
    Shape(r"[0-9]{9}", ("nl.bsn",), cue=r"(?:BSN|[Bb]urgerservicenummer)[ .:#]{0,3}"),
    Shape(r"(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-Z]", ("es.dni", "es.nie")),
    Shape(r"[0-9]{7}[A-W][A-IW]?", ("ie.pps",)),
    Shape(r"[12] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}", ("fr.nir",)),
    Shape(
        r"[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}", ("de.idnr", "pl.pesel", "no.fodselsnummer", "tr.tckimlik", "gr.amka")
    ),
    Shape(r"[0-9]{13}", ("za.idnr", "ro.cnp")),
    Shape(r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]", ("it.codicefiscale",)),
    Shape(r"[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[A-Z0-9][0-9]", ("mx.curp",)),
    Shape(r"(?:19|20)?[0-9]{6}[-+][0-9]{4}", ("se.personnummer", "is_.kennitala")),
    Shape(r"[0-9]{6}[-+A][0-9]{3}[0-9A-Y]", ("fi.hetu",), signs=True),
    Shape(r"[0-9]{6}/[0-9]{4}", ("cz.rc",)),
    Shape(r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}\.[0-9]{2}", ("be.nn",)),
    Shape(r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}", ("ch.ssn",)),
    Shape(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", ("br.cpf",)),
    Shape(r"[0-9]-[0-9]{4}-[0-9]{5}-[0-9]{2}-[0-9]", ("th.pin",)),
)
CARD = Shape(r"[2-6][0-9]{3}[ -]?(?:[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{1,7}|[0-9]{6}[ -]?[0-9]{4,5})", own=has_luhn_digit)
IBAN = Shape(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?", ("iban",))


SHARED = 11  # records that have a text, from which on it counts no more
SAMPLE = 2_000  # of numbers of one shape, whose check digits are tried first
MAX_NUMBERS = 1_000_000  # of one shape in a column

EMAIL, NATIONAL_ID, PAYMENT_CARD, PHONE = (
    "e-mail addresses",
    "national identity numbers",
    "payment card numbers",
    "phone numbers",
)
ACCOUNT, RECORD, PLATE, STREET, NAME = (
    "bank account numbers",
    "record numbers",
    "vehicle plates",
    "street addresses",
    "names of people",
)
KINDS = (EMAIL, PHONE, NATIONAL_ID, PAYMENT_CARD, ACCOUNT, RECORD, PLATE, STREET, NAME)

# What may not stand beside a number: it would be part of a longer one, of a code or of an amount.
_LEFT = r"(?<![A-Za-z0-9_+])(?<![A-Za-z0-9][-/])(?<![0-9][.,])"
_RIGHT = r"(?![A-Za-z0-9_]|[-./,][0-9])"
_BEFORE_GROUPS = r"(?<![0-9]{2} )"  # what is written in groups of digits must not be the end of a longer number
_LEFT_OF_PHONE = r"(?<![A-Za-z0-9_+])(?<![A-Za-z0-9]-)(?<![0-9][.,])"
_RIGHT_OF_PHONE = r"(?![A-Za-z0-9_]|[-.:][0-9])"
_DATE = re.compile(r"(?<![0-9])(?:(?:19|20)\d\d[-/. ]\d\d?[-/. ]\d\d?|\d\d?[-/. ]\d\d?[-/. ](?:19|20)\d\d)(?![0-9])")
_NOT_IN_KEYS = re.compile(r"[\s()\[\]./+-]")
_HAN = "\u4e00-\u9fff"
_CHINESE_NAME = rf"(?:{SURNAMES_OF_TWO}|[{SURNAMES}])[{_HAN}]"
_WORD = r"[A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]{1,24}"
_WORDS = rf"(?:[A-Z]\. ?){{0,2}}{_WORD}(?: {_WORD}){{0,3}}"


class Match(NamedTuple):
    """A personal detail in a cell: by which detector, its text without signs, and how many records have the cell.

    owner   whose cell it is, if it is of one person; -1 otherwise
    """

    detector: int
    text: str
    records: int
    owner: int = -1


@dataclass(frozen=True)
class Detector:
    """The patterns that find one kind of detail.

    candidates   a regular expression of Arrow that every cell with such a detail matches
    expression   a regular expression that finds the details; its group `it` is the detail
    key          the text to count, or None if the match is none after all; it sees the match and the column's name
    shape        of numbers with a check digit
    near         what a detail has in any case, where Python finds it much faster than `expression`; and how many
                 characters before and behind it are looked at
    """

    kind: str
    candidates: str
    expression: str
    key: Callable[[re.Match[str], str], str | None]
    shape: Shape | None = None
    near: tuple[str, int, int] | None = None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled at first use: all of them take a tenth of a second."""
        return re.compile(self.expression)

    def find(self, text: str, column: str) -> set[str]:
        """The different details of a text."""
        return {key for match in self._matches(text) if (key := self.key(match, column)) is not None}

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        if self.near is None:
            yield from self.pattern.finditer(text)
        else:
            sign, before, behind = self.near
            for place in re.finditer(sign, text):
                yield from self.pattern.finditer(text, max(0, place.start() - before), place.end() + behind)


def _bare(match: re.Match[str], _column: str = "") -> str:
    return _NOT_IN_KEYS.sub("", match["it"]).upper()


def _digits(text: str) -> str:
    return "".join(sign for sign in text if "0" <= sign <= "9")


def _numbers(kind: str, shape: Shape) -> Detector:
    def key(match: re.Match[str], _column: str) -> str | None:
        number = match["it"].upper()
        if shape.has_check_digit and not shape.signs:
            number = re.sub(r"[ .+/-]", "", number)
        if shape is IBAN:
            return _account(number)
        if shape is CARD and not is_card_shaped(number):
            return None
        return number if shape.has_check_digit or _is_assigned(number) else None

    left = r"(?<![A-Za-z])" if shape.cue else _LEFT
    right = _RIGHT
    if kind == NATIONAL_ID and not shape.cue:
        left, right = left + _BEFORE_GROUPS, right + "(?! [0-9]{2})"
    if kind == PHONE:
        left, right = _LEFT_OF_PHONE, _RIGHT_OF_PHONE
    expression = f"{left}{shape.cue}(?P<it>{shape.pattern}){right}"
    candidates = shape.with_cue if shape.cue else f"(?:^|[^A-Za-z0-9_+]){shape.pattern}(?:$|[^A-Za-z0-9_])"
    return Detector(kind, candidates, expression, key, shape if shape.has_check_digit else None)


def _is_assigned(number: str) -> bool:
    """Whether an American number can be one; others without check digit have letters."""
    return not number[0].isdigit() or not (number.startswith(("000", "666")) or "-00-" in number or "-0000" in number)


@cache
def _account_size(country: str) -> int | None:
    """The length of an IBAN of a country; None if the country has none."""
    from stdnum import numdb

    known = numdb.get("iban").info(country)[0][1].get("bban", "")
    return 4 + sum(map(int, re.findall(r"(\d+)!", known))) if known else None


def _account(number: str) -> str | None:
    """The IBAN at the beginning of letters and digits: every country has its length."""
    size = _account_size(number[:2])
    return number[:size] if size is not None and len(number) >= size else None


_TAIWANESE_MOBILE = r"\(?(?:(?:\+|00)?886[ -]?\(?0?\)?|0)[ ]?9(?:[ ()./-]?[0-9]){8}"
_PHONES = (
    r"(?:\+[1-9][0-9]{0,2}|00[1-9][0-9]{0,2} )(?:[ .-]?\(?[0-9]{1,4}\)?){2,5}",
    r"\(0[0-9]{1,4}\)[ -]?[0-9]{3,4}[ -]?[0-9]{3,4}",
    r"0[1-9][0-9]{0,3}[ /-][0-9]{3,4}(?:[ -]?[0-9]{3,4}){1,2}",
    r"0[1-9](?:[ .-][0-9]{2}){4}",  # France
    r"(?:1[ .-])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[.-])[0-9]{3}[.-][0-9]{4}",  # North America
    r"1[3-9][0-9] [0-9]{4} [0-9]{4}",  # a mobile of mainland China
)


def _is_dashed_phone(number: str) -> bool:
    """Whether digits with dashes can be a phone number: with a zero first, of North America or of mainland China."""
    digits = _digits(number)
    if _DATE.search(number):
        return False
    return (number[0] == "0" != number[1] and 9 <= len(digits) <= 11) or bool(_OTHER_DASHED.fullmatch(number))


_OTHER_DASHED = re.compile(
    r"[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}|1[3-9][0-9]-[0-9]{4}-[0-9]{4}|886-?9[0-9]{2}-?[0-9]{3}-?[0-9]{3}"
)
# Codes may have the form of a phone number: they are phone numbers if most of this form can be.
_DASHED_PHONE = Shape(r"[0-9]{2,5}-[0-9]{3,4}(?:-?[0-9]{3,4}){1,2}", own=_is_dashed_phone, signs=True)
_BARE_MOBILE = Shape(r"0[0-9]{9}", own=lambda number: number[1] == "9")
_PHONE_CUE = (
    r"(?i:phone|telephone|\btel\.?|mobile|cell ?phone|\bfax|whatsapp|電話|手機|电话|手机|行動|傳真|传真)"
    r"(?i: ?(?:no|number|號碼|号码|號|号|是|為|:|：))?[ .:：#]{0,4}"
)


def _phone(match: re.Match[str], _column: str) -> str | None:
    text = match["it"]
    if re.fullmatch("[0-9-]+", text):
        return None  # there are detectors for these, which look at the other numbers of the column, too
    digits = _digits(text)
    least = 10 if text[:1] == "+" and text[1:].isdigit() else 9 if text[0] in "0(" else 8
    most = 15 if text[0] == "+" or digits.startswith("00") else 13 if digits.startswith("886") else 11
    return digits if least <= len(digits) <= most and not _DATE.search(text) else None


def _phone_after_cue(match: re.Match[str], _column: str) -> str | None:
    digits = _digits(match["it"])
    return digits if len(set(digits)) > 1 and not _DATE.search(match["it"]) else None


_PLATE_SHAPE = r"[A-Z]{2,3}-[0-9]{3,4}|[0-9]{3,4}-[A-Z]{2,3}|[A-Z][0-9]-[0-9]{3,4}|[0-9]{3,4}-[A-Z][0-9]"
_VEHICLE = re.compile(r"車|车|(?i:plate|vehicle|motorcycle|scooter|\bcar\b|\btaxi\b)")
_PLATE_CUE = (
    r"(?i:(?:licen[cs]e|number|registration) plates?|plate (?:no|number)|車牌|車號|车牌|车号|牌照)"
    r"(?i: ?(?:no|number|號碼|号码|是|為))?[ .:：#]{0,3}"
)
_NEAR = 30  # characters before a plate in which a word such as 'car' must be


def _plate(match: re.Match[str], column: str) -> str | None:
    before = match.string[max(0, match.start() - _NEAR) : match.end() + _NEAR // 2]
    return _bare(match) if _VEHICLE.search(before) or _VEHICLE.search(column) else None


def _plate_after_cue(match: re.Match[str], _column: str) -> str | None:
    text = _bare(match)
    return text if any(sign.isdigit() for sign in text) else None


_RECORD_CUE = (
    r"(?:\bMRN|"
    r"\b(?i:(?:medical|hospital|patient|chart|case|admission)(?: record| chart)? ?(?:no[.:#]|number|num[.:]|id\b|#))"
    r"|病[歷历](?:號碼|号码|號|号|編號|编号)|住院[號号]碼?|就[診诊][號号]碼?)[ .:：#]{0,4}"
)
_NUMERALS = "0-9０-９一二三四五六七八九十百"
_HOUSE = rf" ?[{_NUMERALS}]{{1,5}}(?:[-之][{_NUMERALS}]{{1,3}})? ?[號号]"
_CHINESE_STREET = (
    rf"(?:路|街|大道)(?: ?[{_NUMERALS}]{{1,4}} ?段)?(?: ?[{_NUMERALS}]{{1,4}} ?巷)?"
    rf"(?: ?[{_NUMERALS}]{{1,4}} ?弄)?{_HOUSE}"
    rf"|[村里][{_NUMERALS}]{{1,3}}鄰[{_HAN}]{{0,6}}{_HOUSE}"
)
_STREETS = "Street|Road|Avenue|Lane|Drive|Boulevard|Crescent|Terrace"
_SHORT_STREETS = "St|Rd|Ave|Ln|Dr|Blvd|Ct|Court|Pl|Place|Way|Close|Square"
_ENGLISH_STREET = (
    r"[0-9]{1,5}[A-Za-z]?,? (?:(?:[NSEW]|North|South|East|West)\.? )?"
    r"(?:[A-Z][A-Za-z'’-]{1,20}|[0-9]{1,3}(?:st|nd|rd|th))(?: [A-Z][A-Za-z'’-]{1,20}){0,2} "
)
_TAIWANESE_STREET = (
    r"No\.? ?[0-9]{1,5}(?:-[0-9]{1,3})?,? (?:(?:Aly|Alley|Ln|Lane|Sec|Section)\.? ?[0-9]{1,4},? ){0,3}"
    r"[A-Z][A-Za-z.'’ -]{1,40}(?:Rd|Road|St|Street|Blvd|Boulevard|Ave|Avenue)"
)
_NO_STREET = re.compile(
    r"(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|"
    r"september|october|november|december|mon|tue|wed|thu|fri|sat|sun|am|pm|mg|ml|kg|cm|mm|ward|room|bed)\b"
)


def _chinese_street(match: re.Match[str], _column: str) -> str | None:
    """The address from the end of the street's name on."""
    start = match.start()
    before = match.string[max(0, start - 2) : start]
    return f"{before}{match['it']}".replace(" ", "") if "\u4e00" <= before[-1:] <= "\u9fff" else None


def _street(match: re.Match[str], _column: str) -> str | None:
    return None if _NO_STREET.search(match["it"]) else _bare(match).replace(",", "")


@cache
def _split_names(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Capitalised words that follow a title or "name:" and are no names.
_NO_NAMES = """
    visit visits visited office appointment appt note notes order orders ordered clinic hospital who the on at in said
    says will has had is was were are to and or for of by from with team pepper martens no not please recommended
    recommends advised advises advice aware notified informed called calls call name names signature today tomorrow
    yesterday monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december only when if but after before did does do can could should would sent saw sees
    seen told wants asked also this that these those she he they we it his her their our your my patient patients
    doctor nurse manager practitioner station care staff unknown none na tbd confidential withheld redacted anonymous
    x xx xxx word excel powerpoint windows access teams outlook"""
_ORGANISATIONS = """
    clinic hospital school university college company inc ltd llc gmbh corp street road avenue department ward unit
    center centre foundation society bank hotel church street park city county island river lake tablet tablets capsule
    capsules mg ml test study trial project group team service services system report form file table product"""
# Words that begin with a surname and are no names, as they stand before a title: 任何醫師, 許多同學, 高中老師.
_WORDS_LIKE_NAMES = re.compile(
    "^(?:任何|任課|任教|任職|許多|許可|高中|高職|高年|高級|高階|高一|高二|高三|高雄|高齡|白天|白班|白色|方便|方法|方案|程度|程式"
    "|關心|關於|關懷|溫和|溫柔|簡單|紀錄|紀念|馬上|馬偕|康復|石化|江湖|沈默|游泳|夏令|夏天|夏季|唐氏|何時|何位|何種|王牌|張開|周圍"
    "|周邊|黃昏|黃色|藍色|凌晨|祝福|祝賀|符合|陶藝|尤其|施打|施行|施測|施作|柳營|沙鹿|岳父|岳母|曾經|曾任|曾有|曾由|曾與|羅東|杜絕"
    "|黎明|龍潭|湯藥|顏面|顏色|甘願|喬遷|安排|余下|江西|江蘇|石門|林口|林園|田徑|田中|葉問|莊重|謝謝|感謝|洪水|蔡英|高興|高度|高風"
    "|郭外|程序|金融|溫暖|呂宋|馬來|魏碑|宋代|唐代|明代|梁柱|石膏|白血|鮑魚|紀律|丁等|甘蔗|董事|連同|常見|由於|鄭重|鄧小|馬祖|馬公|楊梅|梅山|關山|關西|田尾|卓蘭|白河)"
)
# Words that end with a surname: 主任醫師, 感謝老師, 相關醫師.
_WORDS_BEFORE_TITLES = """
    感謝 道謝 答謝 多謝 致謝 謝謝 未曾 不曾 提高 較高 升高 偏高 過高 主任 責任 擔任 新任 現任 歷任 專任
    兼任 級任 前任 信任 聘任 卸任 對方 院方 校方 警方 雙方 男方 女方 我方 他方 各方 官方 資方 處方 地方
    前方 後方 坦白 明白 空白 蛋白 蒼白 如何 為何 任何 也許 允許 期許 或許 課程 療程 過程 工程 流程 行程
    病程 四周 上周 下周 本周 每周 其余 肺葉 結石 寶石 化石 岩石 農田 羅馬 樹林 森林 士林 園林 員林 雲林
    高溫 體溫 低溫 恆溫 室溫 氣溫 健康 永康 電池 世紀 年紀 經紀 開關 機關 相關 有關 無關 海關 照顧 回顧
    兼顧 設施 措施 實施 上游 下游 恐龍 隊伍 慶祝 祝賀 布丁 園丁 楊梅 欺凌 瞳孔 毛孔 面孔 鼻孔 穿孔 配戴
    穿戴 愛戴 莊嚴 威嚴 荒唐 粗魯 師傅 橋梁 鼻梁 子孫 祖孫 外孫"""
_NOT_IN_NAMES = frozenset(
    "的了是在與和或及被請由向對為於從給跟讓等位名個些每各該本此其他她它們你我您這那哪誰有無沒不很太更最也都就才還又再但因若如果"
    "時日月年週天早晚班科院室部所組區縣市鄉鎮路街校系級期次度率值量數碼號病症藥劑術診療檢查報告說表示問答來去到前後上下中內外護"
    "理治主任醫師生老教授先小姐女士太同學媽爸父母親屬友，。、；：？！"
)


def _english_name(text: str, *, listed: bool) -> str | None:
    """A name of capitalised words without those at its end that are no names; None if nothing remains."""
    words = re.sub(r"[A-Z]\. ?", "", text).replace(",", "").split(" ")
    kept: list[str] = []
    for word in words:
        if word.lower().removesuffix("'s").removesuffix("’s") in _split_names(_NO_NAMES):
            break
        kept.append(word.lower())
    if not kept or (listed and not set(kept) & (_split_names(GIVEN_NAMES) | _split_names(FAMILY_NAMES))):
        return None
    return " ".join(kept)


def _titled_name(match: re.Match[str], _column: str) -> str | None:
    return _english_name(match["it"], listed=match["title"] is not None)


def _name_after_cue(match: re.Match[str], _column: str) -> str | None:
    """A name after `name:`; a single word, or a name in quotes, must be common: other things have names, too."""
    if {word.lower() for word in match["it"].split()} & _split_names(_ORGANISATIONS):
        return None
    quoted = match.string[match.start("it") - 1] in "\"'"
    return _english_name(match["it"], listed=quoted or " " not in match["it"])


def _common_name(match: re.Match[str], _column: str) -> str | None:
    return _english_name(match["it"], listed=True)


def _common_name_after_cue(match: re.Match[str], _column: str) -> str | None:
    """A name after words such as `PT NAME`: it must have a common part, and two words if there is no colon."""
    return _english_name(match["it"] or match["words"], listed=True)


def _name_of_relative(match: re.Match[str], _column: str) -> str | None:
    name = match["it"].lower()
    return name if name in _split_names(GIVEN_NAMES) else None


def _chinese_titled_name(match: re.Match[str], _column: str) -> str | None:
    name, start = match["it"], match.start("it")
    if len(name) == 1 and match.string[max(0, start - 1) : start + 1] in _split_names(_WORDS_BEFORE_TITLES):
        return None
    return None if _NOT_IN_NAMES & set(name[1:]) or _WORDS_LIKE_NAMES.match(name) else name


def _chinese_name_after_cue(match: re.Match[str], _column: str) -> str | None:
    name = match["it"].replace(" ", "").replace("\u3000", "")
    return name if len(name) > 1 and not _NOT_IN_NAMES & set(name[1:]) and not _WORDS_LIKE_NAMES.match(name) else None


def _name_as_whole_cell(match: re.Match[str], column: str) -> str | None:
    """A cell that is a name and nothing else, in a column of names."""
    text = match["it"]
    return text.casefold() if _is_called_names(column) and (is_chinese_name(text) or is_english_name(text)) else None


@cache
def _is_called_names(column: str) -> bool:
    words = words_of(column)
    return roles_by_name(words).get(IDENTIFIER) == A_NAME and not names_a_place(words)


_NAME_OF = r"(?:'?[Ss])?[ _-]?(?:NAME|[Nn]ame)"
_CAPITAL_CUE = f"(?:PT|PATIENT|CLIENT|CUSTOMER|STUDENT|CONTACT|[Pp]t){_NAME_OF}"
_CALLED_PEOPLE = f"(?:PT|PATIENT|CLIENT|STUDENT|CONTACT|[Pp]t|[Pp]atient|[Cc]lient|[Ss]tudent|[Cc]ontact){_NAME_OF}"
_PEOPLE = (
    r"[Pp]atient'?s?|[Ff]ull|[Ff]irst|[Ll]ast|[Gg]iven|[Ff]amily|[Cc]ontact|[Cc]lient|[Cc]ustomer|[Ss]tudent|[Mm]y"
)
_NAME_CUE = (
    rf"(?:^|[\n\r;,.|({{\"'（。；，] {{0,3}}|(?:{_PEOPLE})[ _-]?)(?:[Nn]ame|NAME|[Ss]urname)"
    r"(?:[\"']? ?[:：=] {0,3}[\"']?| is )"
)
# After these words, a name counts only if it has a common part: they may be followed by other things.
_PERSON_CUE = (
    r"(?:[Pp]atient|PATIENT|[Pp]t|[Cc]ontact|CONTACT|[Nn]ext of kin|[Pp]hysician|[Aa]ttending|[Ss]urgeon|[Nn]urse|"
    r"[Cc]aller|[Cc]lient|[Gg]uardian|[Mm]other|[Ff]ather|[Ss]pouse|[Ss]tudent|[Tt]eacher|[Ss]igned|[Bb]y) ?: {0,3}"
)
_KIN = r"(?:[Hh]usband|[Ww]ife|[Ss]on|[Dd]aughter|[Mm]other|[Ff]ather|[Bb]rother|[Ss]ister|[Nn]eighbou?r|[Ff]riend),? "
_CHINESE_TITLES = "先生|小姐|女士|太太|醫師|醫生|医师|医生|老師|老师|教授|護理師|护士|同學|同学"
_CHINESE_CUE = (
    "(?:姓名|聯絡人|联系人|簽名|病患|患者|病人|個案|家屬|家属|護理師|醫師|學生|受訪者|收件人|申請人) ?[:：] ?"
)


_SPOKEN_AT, _SPOKEN_DOT = " (?i:at) ", " (?i:dot) "
_ENDINGS = "(?i:com|org|net|edu|gov|info|io|me|co|eu|tw|uk|de|fr|jp|cn|us|hk|kr|ca|au)"  # of addresses in spoken form
_AT, _DOT = r" ?[(\[{](?i:at)[)\]}] ?", r"(?:\.| ?[(\[{](?i:dot)[)\]}] ?)"


def _detector(
    kind: str,
    expression: str,
    key: Callable[[re.Match[str], str], str | None],
    candidates: str,
    near: tuple[str, int, int] | None = None,
) -> Detector:
    return Detector(kind, candidates, expression, key, near=near)


DETECTORS = (
    _detector(
        EMAIL,
        r"(?<![A-Za-z0-9._%+-])(?P<it>[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24})(?![A-Za-z0-9])",
        lambda match, _column: match["it"].lower(),
        r"[A-Za-z0-9._%+-]@[A-Za-z0-9]",
    ),
    _detector(
        EMAIL,
        rf"(?<![A-Za-z0-9._%+-])(?P<it>[A-Za-z0-9._%+-]{{1,64}}{_AT}[A-Za-z0-9-]{{1,63}}(?:{_DOT}[A-Za-z0-9-]{{2,63}}){{1,4}})",
        lambda match, _column: re.sub(r"[^a-z0-9]+", "", match["it"].lower()),
        _AT,
    ),
    _detector(
        EMAIL,
        rf"(?<![A-Za-z0-9._%+-])(?P<it>[A-Za-z0-9._%+-]{{1,64}}{_SPOKEN_AT}[A-Za-z0-9-]{{1,63}}"
        rf"(?:{_SPOKEN_DOT}[A-Za-z0-9-]{{2,63}}){{0,3}}{_SPOKEN_DOT}{_ENDINGS})(?![A-Za-z0-9])",
        lambda match, _column: re.sub(r"[^a-z0-9]+", "", match["it"].lower()),
        f"{_SPOKEN_AT}[A-Za-z0-9-]+{_SPOKEN_DOT}",
    ),
    *(_numbers(NATIONAL_ID, shape) for shape in NATIONAL_IDS),
    _numbers(PAYMENT_CARD, CARD),
    _numbers(PHONE, _DASHED_PHONE),
    _numbers(PHONE, _BARE_MOBILE),
    _numbers(ACCOUNT, IBAN),
    _detector(
        PHONE,
        f"{_LEFT_OF_PHONE}(?P<it>{_TAIWANESE_MOBILE}|{_BEFORE_GROUPS}(?:{'|'.join(_PHONES)})(?! [1-9][0-9]{{2}}))"
        f"{_RIGHT_OF_PHONE}",
        _phone,
        f"(?:^|[^A-Za-z0-9_+])(?:{_TAIWANESE_MOBILE}|{'|'.join(_PHONES)})(?:$|[^A-Za-z0-9_])",
        (r"[+(0-9][0-9() ./-]{7}", 1, 24),
    ),
    _detector(
        PHONE,
        rf"{_PHONE_CUE}(?P<it>\+?\(?[1-9][0-9]?(?:[ ().-]{{0,2}}[0-9]){{6,13}}|0[0-9]{{8,10}}){_RIGHT_OF_PHONE}",
        _phone_after_cue,
        rf"{_PHONE_CUE}\+?\(?[0-9]",
    ),
    _detector(
        RECORD,
        rf"{_RECORD_CUE}(?P<it>[A-Z]{{0,4}}-?[0-9][0-9-]{{3,14}})(?![A-Za-z0-9])(?!\.[0-9])",
        _bare,
        rf"{_RECORD_CUE}[A-Z]{{0,4}}-?[0-9]",
    ),
    _detector(PLATE, rf"(?<![A-Za-z0-9-])(?P<it>{_PLATE_SHAPE})(?![A-Za-z0-9-])", _plate, _PLATE_SHAPE),
    _detector(
        PLATE,
        rf"{_PLATE_CUE}(?P<it>[A-Z0-9]{{1,4}} ?[A-Z0-9]{{2,5}}(?: [A-Z0-9]{{1,3}})?)(?![A-Za-z0-9-])",
        _plate_after_cue,
        rf"{_PLATE_CUE}[A-Z0-9]",
    ),
    _detector(STREET, f"(?P<it>{_CHINESE_STREET})", _chinese_street, f"[{_HAN}](?:{_CHINESE_STREET})"),
    _detector(
        STREET,
        rf"(?<![A-Za-z0-9.,/-])(?P<it>{_ENGLISH_STREET}(?:(?:{_STREETS})(?![A-Za-z])|"
        rf"(?:{_SHORT_STREETS})(?=\.?(?:,|$|\n| (?:Apt|Unit|Suite|#)))))",
        _street,
        rf"[0-9][A-Za-z]?,? .*(?:{_STREETS}|{_SHORT_STREETS})",
    ),
    _detector(STREET, rf"(?<![A-Za-z])(?P<it>{_TAIWANESE_STREET})(?![A-Za-z])", _street, _TAIWANESE_STREET),
    _detector(
        NAME,
        r"(?<![A-Za-z])(?:(?P<title>Miss|Nurse|Sister) |Professor |(?:Dr|Mr|Mrs|Ms|Prof)(?:\. ?| )|"
        rf"(?:DR|MR|MRS|MS|PROF)\. ?)(?P<it>{_WORDS})",
        _titled_name,
        r"(?:(?:Miss|Nurse|Sister|Professor) |(?:Dr|Mr|Mrs|Ms|Prof)(?:\. ?| )|(?:DR|MR|MRS|MS|PROF)\. ?)[A-ZÀ-Þ]",
        (r"[DMPNS](?:r|s|R|S|rs|RS|rof|ROF|iss|urse|ister|rofessor)(?![a-z])", 1, 120),
    ),
    _detector(
        NAME,
        rf"{_NAME_CUE}(?P<it>{_WORD}(?:,? {_WORD}){{0,3}})",
        _name_after_cue,
        r"(?:[Nn]ame|NAME)[\"']? ?(?:[:：=]| is )",
    ),
    _detector(
        NAME,
        rf"(?<![A-Za-z])(?:{_CAPITAL_CUE} ?[:：=] {{0,3}}(?P<it>{_WORDS})|"
        rf"{_CALLED_PEOPLE} (?P<words>{_WORD}(?: {_WORD}){{1,3}}))",
        _common_name_after_cue,
        f"{_CALLED_PEOPLE}[ :：=]",
    ),
    _detector(NAME, rf"(?<![A-Za-z]){_PERSON_CUE}(?P<it>{_WORDS})", _common_name, f"{_PERSON_CUE}[A-Z]"),
    _detector(
        NAME,
        r"(?<![A-Za-z])(?:(?:dr|mr|mrs|ms|prof)(?:\. ?| )|(?:DR|MR|MRS|MS) )"
        r"(?P<it>[a-z]{2,20}|[A-Z]{2,20})(?![A-Za-z])",
        _common_name,
        r"(?:(?:dr|mr|mrs|ms|prof)(?:\. ?| )|(?:DR|MR|MRS|MS) )(?:[a-z]{2}|[A-Z]{2})",
        (r"[dmpDMP](?:r|s|R|S|rs|RS|rof)(?![a-z])", 1, 40),
    ),
    _detector(
        NAME, rf"(?<![A-Za-z]){_KIN}(?P<it>[A-Z][a-z]{{1,15}})(?![A-Za-z])", _name_of_relative, f"{_KIN}[A-Z][a-z]"
    ),
    _detector(
        NAME,
        rf"(?P<it>{_CHINESE_NAME}?[{_HAN}]??)(?={_CHINESE_TITLES})",
        _chinese_titled_name,
        f"[{SURNAMES}][{_HAN}]{{0,3}}(?:{_CHINESE_TITLES})",
        (_CHINESE_TITLES, 4, 4),
    ),
    _detector(
        NAME,
        rf"{_CHINESE_CUE}(?P<it>(?:{SURNAMES_OF_TWO}|[{SURNAMES}])[ \u3000]?[{_HAN}][ \u3000]?[{_HAN}]?)(?![{_HAN}])",
        _chinese_name_after_cue,
        f"{_CHINESE_CUE}[{SURNAMES}]",
    ),
    _detector(NAME, r"^(?P<it>.{2,60})$", _name_as_whole_cell, ""),
)
_IN_NUMBERS = (NATIONAL_ID, PAYMENT_CARD, ACCOUNT)


def _candidate_pattern(*, numbers: bool) -> str:
    """A pattern that matches all cells in which a detector may find a number, or another detail."""
    return "|".join(
        f"(?:{detector.candidates})"
        for detector in DETECTORS
        if detector.candidates and (detector.kind in _IN_NUMBERS) is numbers
    )


_CANDIDATES = {numbers: _candidate_pattern(numbers=numbers) for numbers in (True, False)}
# Characters that only look like digits and letters, or that are invisible.
_DASHES = r"[\x{2010}-\x{2015}\x{2212}\x{FE58}\x{FE63}\x{FF0D}]"
_INVISIBLE = r"\p{Cf}|[\x{FE00}-\x{FE0F}\x{034F}]"
# The zeros of the scripts that have digits of their own, each followed by its other nine.
_ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰"
_OTHER_DIGITS = "[" + "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS) + "]"
_USUAL_DIGITS = {ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)}
_ENCODED_AT = "%40|&#(?:0*64|[xX]0*40);|&commat;"
# Phone numbers with underscores, which are part of a code elsewhere.
_UNDERSCORES = (
    ("(^|[^A-Za-z0-9_])(\\+?[0-9]{2,5})_([0-9]{3,4})_([0-9]{3,4})($|[^A-Za-z0-9_])", r"\1\2-\3-\4\5"),
    ("(^|[^A-Za-z0-9_])(0[0-9]{1,3})_([0-9]{6,8})($|[^A-Za-z0-9_])", r"\1\2-\3\4"),
)
_UNUSUAL = (
    rf"{_OTHER_DIGITS}|{_ENCODED_AT}|[0-9]_[0-9]{{3}}|"
    rf"[０-９Ａ-Ｚａ-ｚ＠＋（）．]|{_DASHES}|{_INVISIBLE}|[\x{{00A0}}\x{{2000}}-\x{{200A}}\x{{202F}}]|[\x{{1D400}}-\x{{1D7FF}}]"
    r"|[\x{00B2}\x{00B3}\x{00B9}\x{2070}-\x{2089}\x{2460}-\x{2473}]"
)
_PLAIN_NUMBER = r"^[+-]?(?:[0-9]{1,7}|[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?)$"
_PLAIN_WORD = "^[A-Za-z]*$"  # a name at most
# The fewest bytes of a cell with a number of a detector in `_IN_NUMBERS`, or with another detail: `Mr Ng`.
_SHORTEST = {True: 8, False: 5}


def matches(
    column: str, cells: Any, records: NDArray[np.int64], owners: NDArray[np.int64] | None = None
) -> Iterator[Match]:
    """The personal details of distinct cells, an Arrow array of texts; each detail once for a cell."""
    names = _is_called_names(column)
    owned = np.full(len(records), -1, np.int64) if owners is None else owners
    plain = _PLAIN_NUMBER if names else f"{_PLAIN_NUMBER}|{_PLAIN_WORD}"
    texts, counts = _split_matching(cells, np.stack([records, owned], axis=1), plain, others=True)
    if not len(texts):
        return  # Arrow would compile the patterns all the same, which takes longer than a small table does
    texts = _in_usual_signs(texts)
    by_group = {
        numbers: _split_matching(*_split_long(texts, counts, _SHORTEST[numbers]), signs)
        for numbers, signs in _CANDIDATES.items()
    }
    for number, detector in enumerate(DETECTORS):
        if detector.candidates:
            some, of_some = by_group[detector.kind in _IN_NUMBERS]
        elif names:
            some, of_some = texts, counts
        else:
            continue
        some, of_some = _split_matching(some, of_some, detector.candidates)
        for text, (count, owner) in zip(some.to_pylist(), of_some.tolist(), strict=True):
            for key in detector.find(text, column):
                yield Match(number, key, count, owner)


def _split_matching(
    texts: Any, counts: NDArray[np.int64], pattern: str, *, others: bool = False
) -> tuple[Any, NDArray[np.int64]]:
    """The texts that match, or the others, with their counts."""
    from pyarrow import compute as pc

    if not len(texts):
        return texts, counts  # without compiling the pattern
    matching = pc.match_substring_regex(texts, pattern)
    places = pc.indices_nonzero(pc.invert(matching) if others else matching)
    return texts.take(places), counts[numpy_integers(places)]


def _split_long(texts: Any, counts: NDArray[np.int64], least: int) -> tuple[Any, NDArray[np.int64]]:
    """The texts of so many bytes or more, with their counts."""
    from pyarrow import compute as pc

    places = pc.indices_nonzero(pc.greater_equal(pc.binary_length(texts), arrow_integers(np.array([least]))[0]))
    return texts.take(places), counts[numpy_integers(places)]


def _in_usual_signs(texts: Any) -> Any:
    """Texts with ASCII digits and letters instead of full-width and other ones, and without invisible signs.

    Signs of addresses that are written as codes, and the underscores of phone numbers, become what they stand for.
    """
    from pyarrow import compute as pc

    unusual = pc.match_substring_regex(texts, _UNUSUAL)
    if not pc.any(unusual).as_py():
        return texts
    visible = pc.replace_substring_regex(texts.filter(unusual), _INVISIBLE, "")
    usual = pc.replace_substring_regex(pc.utf8_normalize(visible, "NFKC"), _DASHES, "-")
    if pc.any(pc.match_substring_regex(usual, _OTHER_DIGITS)).as_py():
        usual = strings([text.translate(_USUAL_DIGITS) for text in usual.to_pylist()]).cast(texts.type)
    for unusual_signs, usual_signs in ((_ENCODED_AT, "@"), *_UNDERSCORES):
        usual = pc.replace_substring_regex(usual, unusual_signs, usual_signs)
    return pc.replace_with_mask(texts, unusual, usual)


class DetailSearch:
    """The personal details of a column, collected from pieces that have each value at most once.

    The records of equal details are added up in the end. Of details without a check digit only a hash is kept, since
    there may be many millions; of numbers the first `MAX_NUMBERS` of each shape. Where people are counted, cells that
    one person has count once, however many there are.
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._hashes: dict[int, tuple[array[int], array[int]]] = {}
        self._numbers: dict[int, tuple[list[str], array[int]]] = {}
        self._owned: set[tuple[int, int, int]] = set()  # detector, hash of the text, person

    def add(self, cells: Any, records: NDArray[np.int64], owners: NDArray[np.int64] | None = None) -> None:
        """Search further values.

        records   the number of records, or people, with each value
        owners    where people are counted, the person who has each value; -1 if several have it
        """
        for detector, text, records_of_it, owner in matches(self._column, cells, records, owners):
            count = records_of_it
            if owner >= 0:
                key = detector, hash(text), owner
                count = 0 if key in self._owned else 1
                self._owned.add(key)
            if DETECTORS[detector].shape is None:
                hashes, counts = self._hashes.setdefault(detector, (array("q"), array("q")))
                hashes.append(hash(text))
                counts.append(count)
            else:
                texts, counts = self._numbers.setdefault(detector, ([], array("q")))
                if len(texts) < MAX_NUMBERS:
                    texts.append(text)
                    counts.append(count)

    def details(self) -> dict[str, int]:
        """The number of details of each kind."""
        found = [_count_texts(detector, *hashed) for detector, hashed in self._hashes.items()]
        for detector, numbers in self._numbers.items():
            found += _count_numbers(detector, *numbers)
        return by_kind(found)


class DetectorCounts(NamedTuple):
    """Counts of one detector in a column: different texts of one form, valid ones, and records with such a detail.

    A text that `SHARED` records have does not count.
    """

    detector: int
    texts: int
    valid: int
    details: int


def by_kind(found: Iterable[DetectorCounts]) -> dict[str, int]:
    """The number of details of each kind; numbers with a check digit, if more than half of their form are valid."""
    total = dict.fromkeys(KINDS, 0)
    for counted in found:
        if 2 * counted.valid > counted.texts:
            total[DETECTORS[counted.detector].kind] += counted.details
    return {kind: number for kind, number in total.items() if number}


def is_valid(detector: int, text: str) -> bool:
    """Whether the check digit of a detail is right, or it has none."""
    shape = DETECTORS[detector].shape
    return shape is None or shape.is_valid(text)


def _count_texts(detector: int, hashes: Sequence[int], counts: Sequence[int]) -> DetectorCounts:
    different, codes = np.unique(np.array(hashes, np.int64), return_inverse=True)
    records = _sum_by_code(codes, counts)
    return DetectorCounts(detector, len(different), len(different), int(records[records < SHARED].sum()))


def _count_numbers(detector: int, numbers: Sequence[str], counts: Sequence[int]) -> Iterator[DetectorCounts]:
    codes_of: dict[str, int] = {}
    codes = np.fromiter((codes_of.setdefault(number, len(codes_of)) for number in numbers), np.int64, len(numbers))
    records = _sum_by_code(codes, counts)
    by_form: dict[str, list[str]] = {}
    for number in codes_of:
        by_form.setdefault(form_of(detector, number), []).append(number)
    for same_form in by_form.values():
        sample = same_form[:: 1 + len(same_form) // SAMPLE]
        if 3 * sum(is_valid(detector, number) for number in sample) < len(sample):
            continue  # far from half: the others need not be tried
        valid = [codes_of[number] for number in same_form if is_valid(detector, number)]
        yield DetectorCounts(detector, len(same_form), len(valid), int(records[valid][records[valid] < SHARED].sum()))


def _sum_by_code(codes: NDArray[np.int64], counts: Sequence[int]) -> NDArray[np.int64]:
    """The sum of the counts for each code."""
    return np.bincount(codes, np.array(counts, np.float64)).astype(np.int64)


def form_of(detector: int, text: str) -> str:
    """The positions of the signs in a number, if numbers of a shape are written in several ways."""
    shape = DETECTORS[detector].shape
    return re.sub("[0-9A-Z]", "0", text) if shape is not None and shape.signs else ""
