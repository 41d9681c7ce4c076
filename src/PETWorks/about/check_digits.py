"""Numbers of people with a shape of their own, and most of them with a check digit: identity and bank cards, IBANs.

A check digit is right for one random number in ten or eleven, so a single valid number proves little; whoever uses
these tests looks at all numbers of a shape. python-stdnum knows most of the rules; it is loaded at first use.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module

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
    return _validator(module)(number)


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
