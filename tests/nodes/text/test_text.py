from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.text.join import join_text
from nodes.text.split import split_text
from nodes.text.template import template
from studio.sdk.node import node_type_of


@given(st.lists(st.text(alphabet="ab \n")), st.text())
def test_joining_keeps_what_is_not_blank_in_order(parts: list[str], separator: str) -> None:
    assert join_text(parts, separator=separator, skip_blank=False) == separator.join(parts)
    assert join_text(parts, separator=separator) == separator.join(one for one in parts if one.strip())


def test_a_template_has_an_input_for_each_placeholder() -> None:
    signature = node_type_of(template).signature({"template": "{{draft}} {{verdict.reason}} {{draft}}"})
    assert [(port.name, str(port.type), port.required) for port in signature.inputs] == [
        ("draft", "any", True),
        ("verdict", "any", True),
    ]
    assert node_type_of(template).signature({}).inputs == ()


@pytest.mark.parametrize(
    ("text", "settings", "pieces"),
    [
        ("a\r\nb\n\n c \n", {}, ["a", "b", "c"]),
        ("a\n\nb", {"skip_blank": False}, ["a", "", "b"]),
        ("a; b;", {"separator": ";"}, ["a", "b"]),
        (" whole ", {"separator": ""}, ["whole"]),
        ("", {}, []),
    ],
)
def test_a_text_is_cut_at_its_separator(text: str, settings: Mapping[str, Any], pieces: list[str]) -> None:
    assert split_text(text, **settings) == pieces
