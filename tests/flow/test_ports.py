import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.flow.ports import (
    BINDING_TYPES,
    DATA_TYPES,
    ORDER,
    Conversion,
    PortType,
    Refusal,
    conversion,
    parse_type,
)

data_types = st.builds(PortType, st.sampled_from(DATA_TYPES), st.integers(0, 3))
all_types = data_types | st.builds(PortType, st.sampled_from((*BINDING_TYPES, "T")), st.integers(0, 1))


@given(all_types)
def test_a_type_reads_back_from_its_text_and_fits_itself(one: PortType) -> None:
    assert parse_type(str(one)) == one
    assert conversion(one, one) is Conversion.NONE


@given(data_types)
def test_everything_becomes_json_or_a_list_of_one(one: PortType) -> None:
    assert not isinstance(conversion(one, parse_type("json")), Refusal)
    assert not isinstance(conversion(one, one.listed), Refusal)


@given(all_types)
def test_any_value_can_say_when_a_step_starts_and_order_carries_no_value(one: PortType) -> None:
    assert isinstance(conversion(one, ORDER), Refusal) is one.is_binding
    assert isinstance(conversion(ORDER, one), Refusal)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("number", "text", Conversion.TO_TEXT),
        ("message", "text", Conversion.TO_TEXT),
        ("text", "message", Conversion.TO_MESSAGE),
        ("image", "file", Conversion.TO_FILE),
        ("json", "number", Conversion.CHECKED),
        ("any", "text", Conversion.CHECKED),
        ("number[]", "text[]", Conversion.EACH),
        ("tool", "tool[]", Conversion.NONE),
    ],
)
def test_the_conversions_that_there_are(source: str, target: str, expected: Conversion) -> None:
    assert conversion(parse_type(source), parse_type(target)) is expected


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("text", "number"),
        ("text[]", "text"),
        ("file", "image"),
        ("tool", "agent"),
        ("tool", "any"),
        ("text", "tool"),
    ],
)
def test_what_does_not_fit_is_refused_with_both_types(source: str, target: str) -> None:
    found = conversion(parse_type(source), parse_type(target))
    assert isinstance(found, Refusal)
    assert f"`{source}`" in found.reason
    assert f"`{target}`" in found.reason


@pytest.mark.parametrize("text", ["", "Text", "text[", "order", "text[1]", "[]"])
def test_a_type_that_does_not_exist_is_no_type(text: str) -> None:
    with pytest.raises(ValueError, match="no port type"):
        parse_type(text)
