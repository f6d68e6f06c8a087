"""How long an endpoint wants to be left alone, as the headers of its answers say it."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
WINDOWS = ("requests", "tokens")
"""What endpoints count by the minute (https://platform.openai.com/docs/guides/rate-limits)."""


def asked_wait(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Give the seconds of `Retry-After`, a number or a date (RFC 9110, 10.2.3); None where it says nothing.

    `retry-after-ms`, which OpenAI and Azure send beside it, is more exact and counts first.
    """
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    text = headers.get("retry-after", "").strip()
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max((date - (now or datetime.now(UTC))).total_seconds(), 0.0)


def used_up(headers: Mapping[str, str]) -> float:
    """Give the seconds until there are calls or tokens again; 0 while some are left, or nothing is said."""
    waits = [0.0]
    for window in WINDOWS:
        left = _number(headers.get(f"x-ratelimit-remaining-{window}", ""))
        if left is not None and left <= 0:
            waits.append(span(headers.get(f"x-ratelimit-reset-{window}", "")))
    return max(waits)


def span(text: str) -> float:
    """Read a span of time such as `6m0s`, `1.5s`, `20ms` or `30`; 0 for anything else."""
    text = text.strip()
    seconds = _number(text)
    if seconds is not None:
        return seconds
    parts = SPAN.findall(text)
    if "".join(f"{number}{unit}" for number, unit in parts) != text:
        return 0.0
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
