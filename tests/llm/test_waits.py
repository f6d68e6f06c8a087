"""What endpoints say of when to come back is understood, and whatever else they say means nothing."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.llm.waits import asked_wait, span, used_up

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "3", "retry-after-ms": "2500"}, 2.5),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_read_as_number_or_date(headers: dict[str, str], wait: float | None) -> None:
    assert asked_wait(headers, NOON) == wait


@pytest.mark.parametrize(
    ("requests", "tokens", "wait"),
    [
        (("9", "1s"), ("1000", "6m0s"), 0.0),
        (("0", "1s"), ("1000", "6m0s"), 1.0),
        (("0", "1s"), ("0", "6m0s"), 360.0),
        (("0", "120ms"), ("", ""), 0.12),
        (("0", "whenever"), ("", ""), 0.0),
        (("none", "1s"), ("", ""), 0.0),
    ],
)
def test_only_what_is_used_up_is_waited_for(
    requests: tuple[str, str], tokens: tuple[str, str], wait: float
) -> None:
    said = {"requests": requests, "tokens": tokens}
    headers = {f"x-ratelimit-remaining-{name}": left for name, (left, _) in said.items()}
    headers |= {f"x-ratelimit-reset-{name}": reset for name, (_, reset) in said.items()}
    assert used_up(headers) == pytest.approx(wait)


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_a_span_is_the_sum_of_its_parts(hours: int, minutes: int, seconds: int, rest: int) -> None:
    wanted = hours * 3600 + minutes * 60 + seconds + rest / 1000
    assert span(f"{hours}h{minutes}m{seconds}s{rest}ms") == pytest.approx(wanted)


@given(st.text(max_size=12))
def test_any_text_is_a_span_that_can_be_waited(text: str) -> None:
    assert 0 <= span(text) < float("inf")
