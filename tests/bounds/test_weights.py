"""A value weighs what it takes to write it down, and is not looked at further than that may be."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.bounds.weights import weigh

SINGLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SINGLE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_written_down_is_no_longer_than_its_weight_allows(value: Any) -> None:
    written = len(json.dumps(value, ensure_ascii=False))
    assert weigh(value) <= 2 * written + 1
    assert written <= 26 * weigh(value)


@given(st.lists(VALUES, max_size=4), st.integers(0, 5))
def test_a_list_weighs_as_much_as_its_elements_however_often_they_stand_in_it(
    values: list[Any], times: int
) -> None:
    once = weigh(values) - 1
    assert weigh(values * times) == 1 + times * once
    assert weigh([*values, values]) == 1 + once + weigh(values)


@given(VALUES, st.integers(1, 50))
def test_a_bound_tells_heavy_values_from_light_ones(value: Any, most: int) -> None:
    assert (weigh(value, most) > most) == (weigh(value) > most)


@pytest.mark.timeout(60)
def test_a_value_that_holds_itself_over_and_over_is_weighed_in_a_moment() -> None:
    value: Any = "owl"
    for _ in range(60):
        value = [value, value]
    assert weigh(value, 10_000) > 10_000
