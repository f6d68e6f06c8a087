"""Ports from Python source, without running it."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import SettingsError
from studio.sdk.code_signature import read_signature


def ports(code: str) -> tuple[dict[str, str], dict[str, str]]:
    found = read_signature(code)
    inputs = {port.name: str(port.type) + ("" if port.required else "?") for port in found.inputs}
    return inputs, {port.name: str(port.type) for port in found.outputs}


def test_annotations_become_types_and_defaults_make_inputs_optional() -> None:
    code = (
        "def main(a: str, b: int, c: list[float], d, e: bool = True, *, f: 'x' = 1, g: str | None)"
        " -> list[str]: ..."
    )
    assert ports(code) == (
        {"a": "text", "b": "number", "c": "number[]", "d": "json", "e": "flag?", "f": "json?", "g": "text"},
        {"result": "text[]"},
    )


@pytest.mark.parametrize(
    "record",
    [
        "@dataclass\nclass Found:\n    words: list[str]\n    count: int",
        "@dataclasses.dataclass(frozen=True)\nclass Found:\n    words: list[str]\n    count: int",
        "class Found(TypedDict):\n    words: list[str]\n    count: int",
    ],
)
def test_a_record_gives_an_output_a_field(record: str) -> None:
    assert ports(f"{record}\ndef main() -> Found: ...") == ({}, {"words": "text[]", "count": "number"})


def test_main_is_called_where_there_are_several_and_private_ones_never() -> None:
    assert read_signature("def other(): ...\ndef main(): ...").function == "main"
    assert read_signature("def _other(): ...\ndef only(): ...").function == "only"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "it defines no function"),
        ("def a(): ...\ndef b(): ...", "several functions"),
        ("async def main(): ...", "line 1: `main` is `async`"),
        ("\ndef main(:", "line 2: "),
        ("def main(*words): ...", "plain parameters only"),
        ("def main(Text): ...", "`Text` cannot be an input"),
        ("\0", "Code: "),
        ("x = " + "(" * 1000, "Code: "),
        ("x" * 200_001, "200,000 characters"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(code: str, reason: str) -> None:
    with pytest.raises(SettingsError) as raised:
        read_signature(code)
    assert reason in raised.value.details[0]


@given(st.text() | st.text(alphabet="def main(abc):\n=-,*[]{}'\"").map("def main(".__add__))
def test_any_text_is_read_or_refused(code: str) -> None:
    with suppress(SettingsError):
        assert read_signature(code).function


def test_parameters_are_told_as_a_json_schema() -> None:
    found = read_signature("def add(a: float, tags: list[str], note: str = ''):\n    'Add up.\\n\\nMore.'")
    assert found.summary == "Add up."
    assert found.parameters == {
        "type": "object",
        "properties": {
            "a": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"type": "string"},
        },
        "required": ["a", "tags"],
        "additionalProperties": False,
    }
