"""Texts are measured before they are made: what would be too large takes no memory first."""

import tracemalloc
from collections.abc import Callable

import pytest

from nodes.check.guard.objections import masked
from nodes.text.join import join_text
from nodes.text.split import split_by_headings, split_by_separator, split_by_tokens
from nodes.text.template import template
from studio.sdk import ToolError

MILLION = 10**6


@pytest.mark.parametrize(
    "make",
    [
        lambda: join_text([" x "] * 100_000, separator="y" * 50_000),
        lambda: template(template="{{part}}" * 1_000, part="x" * MILLION),
        lambda: template(
            language="jinja",
            template="{% for one in parts %}{{ part }}{% endfor %}",
            parts=[1] * 1_000,
            part="x" * MILLION,
        ),
        lambda: split_by_tokens("word " * 100_000, size=50_000, overlap=49_999),
        lambda: split_by_separator("x," * 6 * MILLION, separator=","),
        lambda: split_by_headings("x\n" * 6 * MILLION),
        lambda: masked("x," * 10_000, [","], "y" * 100_000),
    ],
    ids=["join", "template", "jinja", "tokens", "separator", "headings", "masked"],
)
def test_what_would_be_too_large_is_refused_before_it_is_made(make: Callable[[], object]) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ToolError, match=r"larger than 256 MiB|becomes longer than"):
            make()
        assert tracemalloc.get_traced_memory()[1] < 50 * MILLION
    finally:
        tracemalloc.stop()
