import ast
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.export.python.literals import block_literal, doc_literal, literal, text_literal
from studio.script.schemas import fields

TEXTS = st.text(st.characters(codec=None, exclude_categories=())) | st.text(
    "\"'\\{}\n\r\0 \t#%\ud800\u2028é🐦"
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
LIKE_WORDS = st.sampled_from(["city", "class", "self", "schemas", "größe", "no word"])
SCHEMAS = st.recursive(
    JSON | st.builds(lambda text: {"type": "string", "description": text}, TEXTS),
    lambda inner: (
        st.dictionaries(LIKE_WORDS, inner, min_size=1, max_size=3).map(lambda named: fields(**named))
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner})
    ),
    max_leaves=8,
)


@given(TEXTS)
@example('"""')
@example('\\"""\\')
@example('ends with a quote"')
@example("a line \nthat ends with a space")
@example("{x!r} {0} %s \\N{BELL} \\x00")
@example("\r\n")
def test_a_text_comes_back_as_it_was(text: str) -> None:
    assert ast.literal_eval(text_literal(text)) == text
    assert ast.literal_eval(block_literal(text)) == text


@given(TEXTS)
def test_a_text_can_be_written_into_a_file(text: str) -> None:
    for written in (text_literal(text), block_literal(text), doc_literal(text)):
        written.encode()
        assert isinstance(ast.parse(written).body[0], ast.Expr)
        assert isinstance(ast.literal_eval(written), str)


@given(JSON)
def test_json_comes_back_as_it_was(value: object) -> None:
    assert ast.literal_eval(literal(value)) == value


@given(SCHEMAS)
@example({**fields(a={}), "additionalProperties": 0})
@example({**fields(a={}), "required": []})
@example(dict(reversed(fields(a={}).items())))
@example(fields(a={"description": "b", "type": "string"}))
def test_a_schema_comes_back_as_it_was(schema: object) -> None:
    made: Any = eval(literal(schema, lambda: "fields"), {"fields": fields})  # noqa: S307  # it is what is tested
    assert json.dumps(made) == json.dumps(schema)


@pytest.mark.parametrize(
    "said", ['fields(city="Where it is", size={"type": "number"})', 'fields(at=fields(city="Where"))']
)
def test_the_schema_of_an_object_is_said_by_its_fields(said: str) -> None:
    schema: object = eval(said, {"fields": fields})  # noqa: S307  # as a script says it
    assert literal(schema, lambda: "fields") == said
