"""The expression language means what Python means, and nothing else."""

import ast
import math
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.bounds.weights import HEAVIEST, weigh
from studio.errors import ExpressionError
from studio.sdk.expressions import (
    FUNCTIONS,
    SAYINGS,
    compile_expression,
    completions,
    expression_over,
    free_names,
)

NAMES = ("value", "count", "words")
VALUES: dict[str, object] = {
    "value": {"accepted": True, "reason": "no day"},
    "count": 3,
    "words": ["frost", "pond"],
}


def evaluate(text: str, **values: object) -> Any:
    return compile_expression(text, tuple(values)).evaluate(values)


def expressions() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(
        [
            "1",
            "2.5",
            "-3",
            "0",
            "'frost'",
            "''",
            "True",
            "None",
            "count",
            "words",
            "value",
            "[1, 2]",
            "{'a': 1}",
        ]
    )

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        binary = st.sampled_from(
            ["+", "-", "*", "/", "//", "==", "!=", "<", "<=", ">", ">=", "and", "or", "in", "not in", "%"]
        )
        one = st.sampled_from(["len", "abs", "sum", "min", "max", "any", "all", "lower", "upper", "round"])
        return st.one_of(
            st.tuples(inner, binary, inner).map(lambda parts: f"({' '.join(parts)})"),
            st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} else {parts[2]})"),
            st.tuples(inner, inner).map(lambda parts: f"{parts[0]}[{parts[1]}]"),
            st.tuples(inner, inner).map(lambda parts: f"{parts[0]}[{parts[1]}:]"),
            st.tuples(one, inner).map(lambda parts: f"{parts[0]}({parts[1]})"),
            st.tuples(inner, inner).map(lambda parts: f"startswith({parts[0]}, {parts[1]})"),
            inner.map(lambda part: f"(not {part})"),
            inner.map(lambda part: f"(-{part})"),
            st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
        )

    return st.recursive(leaves, grow, max_leaves=8)


@given(expressions())
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_it_means_what_it_means_in_python(source: str) -> None:
    own = {name: FUNCTIONS[name] for name in ("lower", "upper", "startswith", "endswith")}
    expression = compile_expression(source, NAMES)
    try:
        expected = eval(source, dict(own), dict(VALUES))  # noqa: S307  # the source is made above
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        with pytest.raises(ExpressionError):
            expression.evaluate(VALUES)
        return
    try:
        found = expression.evaluate(VALUES)
    except ExpressionError as error:
        assert "numbers only" in str(error) or "large" in str(error)  # noqa: PT017  # what is narrower than Python
        return
    assert found == expected or (isinstance(expected, float) and math.isnan(expected))
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "source",
    [
        "value.__class__",
        "().__class__",
        "[one for one in words]",
        "lambda: 1",
        "open('x')",
        "words.append",
        "(count := 3)",
        "f'{count}'",
        "b'x'",
        "1j",
        "...",
        "max(*words)",
        "max(words, key=len)",
        "{**value}",
        "words[::2]",
        "await value",
        "yield value",
        "1 << 9",
        "~1",
        "other",
        "count is 3",
        "1 +",
        "",
        "  ",
        "count; count",
        "a = 1",
        ")(",
        "1)+(1",
        "\x00",
        "(" * 150 + "1" + ")" * 150 + " + x",
        "-" * 90 + "1",
        "1 + " * 1000 + "1",
    ],
)
def test_it_refuses_what_is_not_in_the_language(source: str) -> None:
    with pytest.raises(ExpressionError):
        compile_expression(source, NAMES)


@pytest.mark.parametrize(
    "source",
    [
        "9 ** 9 ** 9",
        "'x' * 1000000000",
        "[0] * 100000000",
        "1000000000 * [0]",
        "'%1000000000d' % 1",
        "round(5, -1000000000)",
        "2 ** -99999999",
        "matches('a' * 99999, 'b')",
        "matches('a' * 40, '(a+)+b')",
        "matches('a' * 40, '((a+))+b')",
        "matches('a' * 40, '(a|a)*b')",
        "matches('a', '(')",
        "sum([[1], [2]], [])",
        "[[[1] * 9999] * 9999] * 9999 == [[[1] * 9999] * 9999] * 9999",
        "[[1] * 50000] * 5000",
        "[['x' * 9999] * 999] * 9",
        "{'a': ['x' * 99999] * 99, 'b': ['x' * 99999] * 99}",
        "[['x' * 9999] * 900] + [['x' * 9999] * 900]",
        "['x' * 9999] * 900 < ['x' * 9999] * 900",
        "[1] in [[['x' * 999] * 90] * 90] * 2",
        "[2 ** 4000] * 99999",
        "upper('x' * 6000000)",
        "('x' * 6000000)[1:]",
        "(('x' * 3000000) if True else 1, ('y' * 3000000), 'z' * 4000000)",
    ],
)
def test_nothing_grows_or_runs_without_bounds(source: str) -> None:
    with pytest.raises(ExpressionError):
        compile_expression(source, ()).evaluate({})


@given(expressions(), st.sampled_from([2, 200, 10**6]), st.sampled_from([2, 200, 10**6]))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_what_it_makes_stays_within_its_bound_whatever_is_repeated(source: str, one: int, other: int) -> None:
    try:
        made = compile_expression(f"[[{source}] * {one}] * {other}", NAMES).evaluate(VALUES)
    except ExpressionError:
        return
    assert weigh(made) <= HEAVIEST


def test_texts_that_are_given_may_be_longer_than_what_is_made() -> None:
    text = "an owl " * 2_000_000
    assert evaluate("len(value) > 3 and value[:6] == 'an owl' and 'owl' in value", value=text) is True
    with pytest.raises(ExpressionError, match="too large"):
        evaluate("value + value", value=text)


def test_lists_are_compared_within_the_bound_even_if_they_were_given() -> None:
    heavy = [["owl"] * 2_000] * 2_000
    assert evaluate("value == []", value=heavy) is False
    with pytest.raises(ExpressionError, match="too large"):
        evaluate("value == other", value=heavy, other=[list(one) for one in heavy])


def test_what_it_does_not_find_is_named_in_short() -> None:
    with pytest.raises(ExpressionError) as caught:
        evaluate("{}[value * 9000]", value="owl")
    assert len(str(caught.value)) < 200


def test_an_expression_is_read_once_however_often_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    parse = ast.parse

    def counted(source: str, **more: Any) -> object:
        read.append(source)
        return cast("object", parse(source, **more))

    monkeypatch.setattr(ast, "parse", counted)
    for number in range(50):
        assert free_names("a_name_of_its_own + 1") == ("a_name_of_its_own",)
        assert evaluate("a_name_of_its_own + 1", a_name_of_its_own=number) == number + 1
    assert len(read) <= 2


def test_whoever_changes_the_tree_of_an_expression_changes_it_for_nobody_else() -> None:
    tree = compile_expression("count + 1", NAMES).tree
    assert isinstance(tree, ast.BinOp)
    tree.right = ast.Constant(9)
    assert ast.unparse(compile_expression("count + 1", NAMES).tree) == "count + 1"


def test_an_error_says_where() -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression("count + other", NAMES)
    assert caught.value.column == 9
    with pytest.raises(ExpressionError) as caught:
        compile_expression('1 + value["missing"]', NAMES).evaluate(VALUES)
    assert caught.value.column == 5
    assert "missing" in str(caught.value)


@pytest.mark.parametrize(
    ("source", "column"),
    [
        ("'Ä' + other", 7),
        ("'日本語' == other", 10),
        ("'🦉' == other", 8),
        ("  count + other", 11),
        ("\n count + other", 11),
        ("  'é' é", 7),
    ],
)
def test_an_error_is_placed_by_the_characters_that_were_typed(source: str, column: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(source, NAMES)
    assert caught.value.column == column


@pytest.mark.parametrize("pattern", [r"\w*\w*\w*[!?]{2}", r"(\w*)(\w*)(\w*)$"])
def test_a_pattern_that_takes_polynomial_time_is_stopped(pattern: str) -> None:
    with pytest.raises(ExpressionError, match=r"takes longer than 0\.1 s"):
        evaluate("matches(value, pattern)", value="a" * 9_998 + "!", pattern=pattern)


def test_ordinary_patterns_go_through_long_texts() -> None:
    assert evaluate("matches(value, 'frost.*snow.*[0-9]+ *km')", value=f"frost {'a 1 ' * 2_000} snow 4 km")


def test_the_names_that_it_wants_come_in_order_of_appearance() -> None:
    assert free_names("'Ä' + round(price * count, 2) + price") == ("price", "count")
    with pytest.raises(ExpressionError):
        free_names("price.real")


def completed(text: str) -> list[str]:
    return [one.text for one in completions(text, len(text) + 1, ("facts", "value"))]


def test_completions_begin_with_names_and_replace_what_was_begun() -> None:
    assert completed("len(va") == ["value"]
    assert completed("a") == ["abs(", "any(", "all(", "and"]
    assert completed("")[:3] == ["facts", "value", "len("]
    assert [one.start for one in completions("'é' == va", 10, ("value",))] == [8]
    assert [one.text for one in completions("va > 3", 3, ("value",))] == ["value"]


@pytest.mark.parametrize("text", ["'va", 'value["f', "value.l", "3", "'it\\'s v"])
def test_nothing_is_completed_where_no_name_can_stand(text: str) -> None:
    assert completed(text) == []


def test_every_function_is_explained() -> None:
    assert list(SAYINGS) == list(FUNCTIONS)


def test_it_tells_what_it_uses() -> None:
    expression = compile_expression(' len(words) > count and matches(words[0], "fr") ', NAMES)
    assert expression.names == {"words", "count"}


def test_an_expression_may_span_lines() -> None:
    assert evaluate("count > 1\nand count < 5", count=3) is True


def test_a_setting_may_be_checked_and_may_be_empty() -> None:
    assert expression_over("value", optional=True)("") == ""
    with pytest.raises(ValueError, match="no `round`"):
        expression_over("value")("round > 1")


def test_every_listed_function_is_there() -> None:
    listed = "len min max sum abs round lower upper startswith endswith matches any all"
    assert list(FUNCTIONS) == listed.split()
