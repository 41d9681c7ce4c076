"""The day by which waivers and reviews are judged: by UTC, everywhere, so that all doors agree."""

from datetime import UTC, date, datetime


def today() -> date:
    """The day that it is now by UTC."""
    return datetime.now(UTC).date()
