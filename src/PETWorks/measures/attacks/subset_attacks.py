"""What an attack achieves with each subset of the quasi-identifiers, and what columns of results are called."""

from typing import NamedTuple

from PETWorks.counting.counts import Integers


class Attack(NamedTuple):
    """What an attack achieves before, and with each subset; and what that is divided by to be a chance, or a gain."""

    prior: int
    hits: Integers
    of: int


def attack_column(attack: str, field: str) -> str:
    """The name of a column: `re_identification_posterior`, `attribute_inference_posterior of Disease`.

    >>> attack_column("attribute-inference of zip-code", "prior")
    'attribute_inference_prior of zip-code'
    """
    name, of, column = attack.partition(" of ")
    return f"{name.replace('-', '_')}_{field}{of}{column}"
