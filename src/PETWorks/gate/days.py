"""The date used to judge waivers and reviews: always UTC, so that every interface agrees."""

from datetime import UTC, date, datetime


def today() -> date:
    """Today's date in UTC."""
    return datetime.now(UTC).date()
