"""What never fits is told before anything is computed, and nothing else is."""

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import ExpressionError
from studio.flow.ports import parse_type
from studio.sdk.expression_kinds import Kind, kind_of, refuse_misfits
from studio.sdk.expressions import compile_expression

VALUES: dict[Kind, list[Any]] = {
    "number": [0, 2, -1.5],
    "text": ["", "ab", "7"],
    "flag": [True, False],
    "list": [[], [1], ["ab"]],
    "object": [{}, {"ab": 1}],
}
KINDS = tuple(VALUES)
COMPARISONS = ("<", "<=", ">", ">=")
COMPUTATIONS = ("+", "-", "*", "/", "//", "%", "**")


def refusal(text: str, kinds: Mapping[str, Kind]) -> str:
    """What is said against an expression over values of these kinds; empty where it may fit."""
    try:
        refuse_misfits(compile_expression(text, frozenset({*kinds, "unknown"})), kinds)
    except ExpressionError as error:
        return error.message
    return ""


def ever_computes(text: str, left: Kind, right: Kind) -> bool:
    """Whether any of the values of these kinds makes sense of an expression over `a` and `b`."""
    expression = compile_expression(text, frozenset({"a", "b"}))
    for a, b in itertools.product(VALUES[left], VALUES[right]):
        try:
            expression.evaluate({"a": a, "b": b})
        except ExpressionError as error:
            if "number too large" in error.message or "division" in error.message or "zero" in error.message:
                return True
            continue
        return True
    return False


@pytest.mark.parametrize("operator", [*COMPARISONS, *COMPUTATIONS])
@pytest.mark.parametrize(("left", "right"), list(itertools.product(KINDS, KINDS)))
def test_what_is_refused_could_never_have_been_computed(operator: str, left: Kind, right: Kind) -> None:
    text = f"a {operator} b"
    if refusal(text, {"a": left, "b": right}):
        assert not ever_computes(text, left, right)
    elif operator != "%":  # texts are refused there when it is computed
        assert ever_computes(text, left, right)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("number == 'a'", "it would never hold"),
        ("text == 3", "it would never hold"),
        ("[] != text", "it would never hold"),
        ("number == None", ""),
        ("number == flag", ""),
        ("unknown < 3 and unknown == 'a'", ""),
        ("3 in text", "never in"),
        ("text in number", "never in"),
        ("text in list", ""),
        ("len(number)", "`len` takes text or a list or an object"),
        ("len(text, text)", "`len` takes 1 value."),
        ("matches(text)", "`matches` takes 2 values."),
        ("startswith(text, number)", "`startswith` looks for text"),
        ("matches(text, '(')", "pattern"),
        ("number['a']", "have parts"),
        ("text['a']", "place in it is a number"),
        ("object[1:2]", "named"),
        ("text[0] + text[1:] == 'ab'", ""),
        ("(text if flag else number) < 3", ""),
        ("upper(text if flag else lower(text)) < 3", "never hold"),
        ("-text", "sign"),
        ("sum(list) > max(1, number)", ""),
    ],
)
def test_a_misfit_is_told_in_words(text: str, said: str) -> None:
    found = refusal(text, {kind: kind for kind in KINDS})
    assert (said in found) if said else (found == "")


def test_a_misfit_names_its_column() -> None:
    with pytest.raises(ExpressionError) as caught:
        refuse_misfits(compile_expression("flag and len(7) > 2", {"flag"}), {"flag": "flag"})  # type: ignore[arg-type]
    assert caught.value.column == 14


@given(st.sampled_from(["text", "number", "flag", "json", "message", "messages", "T"]), st.integers(0, 2))
def test_lists_of_anything_are_lists(base: str, depth: int) -> None:
    kind = kind_of(parse_type(base + "[]" * depth))
    assert (kind == "list") is (bool(depth) or base == "messages")
