import time
from typing import Any

import pytest
from jinja2 import Environment

from nodes.text.template import template
from studio.errors import SettingsError
from studio.llm.client import Message
from studio.sdk import ToolError
from studio.sdk.node import node_type_of
from studio.sdk.testing import run_bench

BIRDS: Any = [{"name": "wren", "items": 2}, {"name": "tit"}]


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        (
            "{% for b in birds %}{{ loop.index }}.{{ b.name }}{% if not loop.last %},{% endif %}{% endfor %}",
            "1.wren,2.tit",
        ),
        ("{% for b in birds if b.items is defined %}{{ b.items }}{% endfor %}", "2"),
        ("{% if birds | length > 1 and day == 'May' %}many{% else %}few{% endif %}", "many"),
        ("{{ birds[0]['name'] | upper }} {{ birds[-1].name }} {{ birds.0.name }}", "WREN tit wren"),
        ("{{ birds[0] }}", '{"name": "wren", "items": 2}'),
        ("{{ said }} {{ none }}{{ birds[1].items | default('no') }}", "Hello no"),
        ("{{ ['a', day] | join('-') }} {{ birds[0] | json }}", 'a-May {"name": "wren", "items": 2}'),
    ],
)
def test_conditions_loops_and_fields(text: str, filled: str) -> None:
    values = {"birds": BIRDS, "day": "May", "said": Message("user", "Hello"), "none": None}
    assert template(language="jinja", template=text, **values) == filled


@pytest.mark.parametrize(
    "text",
    [
        "{{ a.__class__ }}",
        "{{ a['__class__'] }}",
        "{{ a.upper }}",
        "{{ loop.changed }}",
        "{{ b.missing.more }}",
        "{% for x in b %}{{ loop._iterator }}{% endfor %}",
    ],
)
def test_only_what_arrived_can_be_reached(text: str) -> None:
    with pytest.raises(ToolError):
        template(language="jinja", template=text, a="text", b={"c": 1}, loop={})


@pytest.mark.parametrize(
    "text",
    [
        "{% set a = 1 %}",
        "{{ a() }}",
        "{{ a * 9 }}",
        "{{ a ~ a }}",
        "{% macro m() %}{% endmacro %}",
        "{% include 'x' %}",
        "{% import 'x' as y %}",
        "{% extends 'x' %}",
        "{% for x in a recursive %}{% endfor %}",
        "{{ a | center(9) }}",
        "{{ a[1:] }}",
        "{% if %}",
        "{{ Name }}",
    ],
)
def test_what_is_not_in_the_language_is_refused_before_it_runs(text: str) -> None:
    with pytest.raises(SettingsError):
        node_type_of(template).signature({"template": text, "language": "jinja"})


@pytest.mark.parametrize("depth", [2, 6])
def test_loops_end(depth: int) -> None:
    text = "{% for x in a %}" * depth + "{% endfor %}" * depth
    began = time.monotonic()
    with pytest.raises(ToolError, match="rounds"):
        template(language="jinja", template=text, a=list(range(1_000)))
    assert time.monotonic() - began < 5


def test_texts_end() -> None:
    with pytest.raises(ToolError, match="grows longer"):
        template(language="jinja", template="{{ a | list | join(a) | list | join(a) }}", a="x" * 9_999)
    with pytest.raises(ToolError, match="becomes longer"):
        template(
            language="jinja",
            template="{% for x in b %}{{ a }}{% endfor %}",
            a="x" * 9_999,
            b=list(range(9_999)),
        )


async def test_what_is_not_declared_in_the_template_is_an_input() -> None:
    text = "{% for b in birds %}{{ b.name }}{{ sep }}{% endfor %}"
    settings: Any = {"template": text, "language": "jinja"}
    assert [port.name for port in node_type_of(template).signature(settings).inputs] == ["birds", "sep"]
    assert await run_bench(template, {"birds": BIRDS, "sep": ";"}, settings) == {"text": "wren;tit;"}


def test_a_template_is_read_once_however_often_it_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    parse = Environment.parse

    def counted(self: Environment, source: str, *more: Any) -> Any:
        read.append(source)
        return parse(self, source, *more)

    monkeypatch.setattr(Environment, "parse", counted)
    text = "A template of its own: {% if a %}{{ a }}{% endif %}"
    filled = [template(language="jinja", template=text, a=number) for number in range(1, 50)]
    assert filled[-1].endswith("49")
    assert len(read) <= 2


def test_templates_that_were_read_once_count_their_rounds_anew() -> None:
    text = "{% for a in many %}{% endfor %}{{ many | length }}"
    assert [template(language="jinja", template=text, many=[0] * 60_000) for _ in range(3)] == ["60000"] * 3
