from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.value.compare import compare
from nodes.value.formula import formula
from nodes.value.pick import pick
from nodes.value.set_fields import set_fields
from studio.errors import ExpressionError, SettingsError
from studio.sdk import StepError
from studio.sdk.node import node_type_of
from studio.sdk.testing import run_bench

VALUE: Any = {"a": {"b": [1, {"c": "d"}]}, "n": None}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("path", "found"), [("", VALUE), ("a.b.0", 1), ("a.b.-1.c", "d"), ("n", None), ("a.b", [1, {"c": "d"}])]
)
def test_a_path_leads_through_objects_and_lists(path: str, found: object) -> None:
    assert pick(VALUE, path=path) == found


@pytest.mark.parametrize("path", ["x", "a.b.2", "a.b.x", "n.x", "a.b.0.c", "a..b"])
def test_what_is_missing_fails_or_is_null(path: str) -> None:
    with pytest.raises(StepError, match=path.rpartition(".")[2]):
        pick(VALUE, path=path)
    assert pick(VALUE, path=path, missing="null") is None


def test_fields_are_set_in_a_copy() -> None:
    made = set_fields(VALUE, places=("a.b.0", "new.deep"), a_b_0=2, new_deep=[3])
    assert made == {"a": {"b": [2, {"c": "d"}]}, "n": None, "new": {"deep": [3]}}
    assert VALUE["a"]["b"][0] == 1
    assert set_fields(places=("x",), x=1) == {"x": 1}


@pytest.mark.parametrize(
    ("into", "place"), [([1], "x"), ({"a": 1}, "a.b"), ("text", "x"), ({"a": [1]}, "a.1")]
)
def test_nothing_is_set_where_nothing_can_stand(into: Any, place: str) -> None:
    with pytest.raises(StepError, match=place):
        set_fields(into, places=(place,), **{place.replace(".", "_"): 1})


@pytest.mark.parametrize("places", [["A"], ["a b"], ["a.b", "a_b"], ["a..b"], [".a"], ["into"]])
def test_places_that_make_no_inputs_are_refused(places: list[str]) -> None:
    with pytest.raises(SettingsError):
        node_type_of(set_fields).signature({"places": list(places)})


@given(json_values)
def test_json_is_equal_to_itself(value: Any) -> None:
    assert compare(value, value)
    assert compare([value], value, operator="contains")


@pytest.mark.parametrize(
    ("a", "operator", "b", "result"),
    [
        (1, "equal", 1.0, True),
        (1, "equal", True, False),
        ([1, {"a": 0}], "equal", [1.0, {"a": False}], False),
        (2, "less", 10, True),
        ("2", "less", "10", False),
        (2, "at most", 2, True),
        (2, "at least", 3, False),
        (3, "greater", 2, True),
        ("frost", "contains", "ro", True),
        ([True], "contains", 1, False),
        ({"a": 1}, "contains", "a", True),
        ("a", "is one of", ["b", "a"], True),
        (None, "not equal", False, True),
    ],
)
def test_values_are_compared_as_json(a: Any, operator: Any, b: Any, result: bool) -> None:  # noqa: FBT001
    assert compare(a, b, operator=operator) is result


def test_case_and_small_differences_can_be_ignored() -> None:
    assert compare({"A": "Straße"}, {"a": "STRASSE"}, ignore_case=True)
    assert compare(0.1 + 0.2, 0.3, tolerance=1e-9)
    assert not compare(0.1 + 0.2, 0.3)


@pytest.mark.parametrize(("a", "operator", "b"), [(1, "less", "2"), (True, "less", 2), ([1], "greater", [0])])
def test_what_has_no_order_is_said(a: Any, operator: Any, b: Any) -> None:
    with pytest.raises(StepError, match="be ordered"):
        compare(a, b, operator=operator)


def test_what_contains_nothing_is_said() -> None:
    with pytest.raises(StepError, match="can contain"):
        compare(1, 1, operator="contains")


async def test_a_formula_has_an_input_for_each_name() -> None:
    signature = node_type_of(formula).signature({"formula": "price * count + len(words)"})
    assert [port.name for port in signature.inputs] == ["price", "count", "words"]
    inputs = {"price": 2, "count": 3, "words": ["a"]}
    assert await run_bench(formula, inputs, {"formula": "price * count + len(words)"}) == {"value": 7}


@pytest.mark.parametrize("text", ["", "a.b", "Name + 1", "__import__('os')", "formula + 1"])
def test_what_is_no_formula_is_refused_before_it_runs(text: str) -> None:
    with pytest.raises(SettingsError):
        node_type_of(formula).signature({"formula": text})


async def test_a_formula_cannot_run_away() -> None:
    with pytest.raises(ExpressionError):
        await run_bench(formula, {}, {"formula": "9 ** 9 ** 9"})
