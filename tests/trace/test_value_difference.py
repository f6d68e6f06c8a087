import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from studio.trace.differences.value_difference import Kind, marked_words, value_differences

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "owl", "tit"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


def put_right(first: Any, second: Any) -> Any:
    """Make the second value of the first, with nothing but what is told of where they differ."""
    whole: dict[str, Any] = {"": copy.deepcopy(first)}
    found = value_differences(first, second)

    def holder(place: tuple[Any, ...]) -> Any:
        at: Any = whole
        for part in ("", *place)[:-1]:
            at = at[part]
        return at

    for one in found:
        if one.kind is Kind.CHANGED:
            holder(one.place)[("", *one.place)[-1]] = one.second
    for one in sorted((one for one in found if one.kind is Kind.REMOVED), key=lambda one: one.place)[::-1]:
        del holder(one.place)[one.place[-1]]
    for one in sorted((one for one in found if one.kind is Kind.ADDED), key=lambda one: one.place):
        at = holder(one.place)
        if isinstance(at, list):
            at.insert(one.place[-1], one.second)
        else:
            at[one.place[-1]] = one.second
    return whole[""]


@given(PLAIN, PLAIN)
def test_what_differs_is_all_that_it_takes_to_make_one_value_of_the_other(first: Any, second: Any) -> None:
    assert repr_sorted(put_right(first, second)) == repr_sorted(second)


@given(PLAIN)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert value_differences(value, copy.deepcopy(value)) == []


def repr_sorted(value: Any) -> str:
    """Tell 1 from True, and not one order of keys from another."""
    if isinstance(value, dict):
        return repr({key: repr_sorted(value[key]) for key in sorted(value)})
    if isinstance(value, list):
        return repr([repr_sorted(one) for one in value])
    return repr(value)


def test_an_element_that_was_put_in_is_all_that_differs() -> None:
    (only,) = value_differences({"birds": ["owl", "tit"]}, {"birds": ["jay", "owl", "tit"]})
    assert (only.kind, only.path, only.second) == (Kind.ADDED, "birds[0]", "jay")


def test_a_place_is_written_as_people_do() -> None:
    (only,) = value_differences([{"a": {"b": 1}}], [{"a": {"b": 2}}])
    assert (only.path, only.first, only.second) == ("[0].a.b", 1, 2)


@given(st.text("ab .", max_size=30), st.text("ab .", max_size=30))
def test_pieces_are_the_texts_and_what_is_the_same_is_in_both(first: str, second: str) -> None:
    one, other = marked_words(first, second)
    assert ("".join(piece.text for piece in one), "".join(piece.text for piece in other)) == (first, second)
    assert "".join(piece.text for piece in one if piece.is_same) == "".join(
        piece.text for piece in other if piece.is_same
    )


def test_only_the_words_that_are_others_are_marked() -> None:
    one, other = marked_words("Be very kind.", "Be kind.")
    assert [piece.text.strip() for piece in one if not piece.is_same] == ["very"]
    assert all(piece.is_same for piece in other)


def test_of_a_long_text_the_lines_are_marked() -> None:
    lines = [f"line {number} of many words\n" for number in range(1_000)]
    one, other = marked_words("".join(lines), "".join([*lines[:500], "new\n", *lines[500:]]))
    assert all(piece.is_same for piece in one)
    assert [piece.text for piece in other if not piece.is_same] == ["new\n"]
