"""Values survive the way into JSON and back, and are converted as wires say."""

import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import ValueTypeError
from studio.flow.ports import BINDING_TYPES, DATA_TYPES, PortType, Refusal, conversion, parse_type
from studio.llm.client import Message, ToolCall
from studio.sdk.values import convert, fits, from_plain, to_plain

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(ToolCall, st.text(), st.text(), st.just("{}"))
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.text(),
    st.lists(CALLS, max_size=2).map(tuple),
    st.text(max_size=4),
)
OF_BASE = {
    "text": st.text(),
    "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    "flag": st.booleans(),
    "json": PLAIN,
    "message": MESSAGES,
    "messages": st.lists(MESSAGES, max_size=3),
    "file": st.sampled_from([Path("out/answer.md"), Path("a")]),
    "image": st.sampled_from([Path("a.png")]),
}


@st.composite
def typed_values(draw: st.DrawFn) -> tuple[PortType, object]:
    base, depth = draw(st.sampled_from(sorted(OF_BASE))), draw(st.integers(0, 2))
    values = OF_BASE[base]
    for _ in range(depth):
        values = st.lists(values, max_size=2)
    return PortType(base, depth), draw(values)


@given(typed_values())
def test_a_value_survives_the_way_into_json_and_back(typed: tuple[PortType, object]) -> None:
    kind, value = typed
    fits(value, kind)
    assert from_plain(to_plain(value), kind) == value


@given(typed_values(), st.sampled_from(DATA_TYPES), st.integers(0, 2))
def test_what_is_converted_fits(typed: tuple[PortType, object], base: str, depth: int) -> None:
    source, value = typed
    target = PortType(base, depth)
    if isinstance(conversion(source, target), Refusal):
        with pytest.raises(ValueTypeError):
            convert(value, source, target)
        return
    try:
        converted = convert(value, source, target)
    except ValueTypeError:
        assert source.base == "json", "only what is checked on arrival may be refused there"
        return
    fits(converted, target)


@pytest.mark.parametrize(
    ("value", "source", "target", "converted"),
    [
        (3, "number", "text", "3"),
        (2.5, "number", "text", "2.5"),
        (True, "flag", "text", "true"),
        ("hello", "text", "message", Message("user", "hello")),
        (Message("assistant", "hello"), "message", "text", "hello"),
        ("one", "text", "text[]", ["one"]),
        (3, "number", "text[]", ["3"]),
        ([1, 2], "number[]", "text[]", ["1", "2"]),
        (Path("a.png"), "image", "file", Path("a.png")),
        (Message("user", "x"), "message", "json", {"role": "user", "content": "x"}),
        ([Message("user", "x")], "messages", "json", [{"role": "user", "content": "x"}]),
        ("frost", "json", "text", "frost"),
        (["a"], "json", "text[]", ["a"]),
        ({"role": "user", "content": "x"}, "json", "message", Message("user", "x")),
        ("a.txt", "any", "file", Path("a.txt")),
        (Message("user", "x"), "any", "message", Message("user", "x")),
    ],
)
def test_conversions(value: object, source: str, target: str, converted: object) -> None:
    assert convert(value, parse_type(source), parse_type(target)) == converted


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (3, "text"),
        ("3", "number"),
        (True, "number"),
        (1, "flag"),
        ("x", "message"),
        (["x"], "messages"),
        ("a.txt", "file"),
        ("x", "text[]"),
        (["x", 1], "text[]"),
        ({1: 2}, "json"),
        (math.nan, "json"),
        (object(), "json"),
        (None, "text"),
    ],
)
def test_what_does_not_fit_is_refused_with_both_types(value: object, kind: str) -> None:
    with pytest.raises(ValueTypeError, match="Expected `"):
        fits(value, parse_type(kind))


@pytest.mark.parametrize("value", [math.inf, math.nan, object(), {1: 2}, len, {"a": {1, 2}}])
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(ValueTypeError):
        to_plain(value)


def test_records_and_enums_are_said_by_their_parts() -> None:
    class Colour(Enum):
        RED = "red"

    @dataclass
    class Sighting:
        what: str
        colour: Colour

    assert to_plain((Sighting("robin", Colour.RED),)) == [{"what": "robin", "colour": "red"}]


def test_bindings_are_no_values() -> None:
    for base in BINDING_TYPES:
        with pytest.raises(ValueTypeError):
            convert("x", parse_type("text"), parse_type(base))


def test_a_broken_message_is_refused() -> None:
    with pytest.raises(ValueTypeError, match="robot"):
        from_plain({"role": "robot"}, parse_type("message"))
    with pytest.raises(ValueTypeError):
        from_plain({"role": "user", "tool_calls": [{}]}, parse_type("message"))
