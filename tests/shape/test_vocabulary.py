"""What a user reads says the words of the field, found by asking the registries for their texts."""

import argparse
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from studio.cli.main import make_parser
from studio.workspace.catalog import builtin_registry
from tests.vocabulary import offences

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "resources" / "guide").glob("*.md"))]
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
"""What a page quotes from files and terminals, and where its links lead."""


def test_node_types_say_the_words_of_the_field() -> None:
    assert offences(_of_nodes()) == []


def _of_nodes() -> Iterator[tuple[str, str]]:
    for node_type in builtin_registry():
        yield node_type.kind, node_type.title
        yield node_type.kind, node_type.summary
        for setting in node_type.settings:
            yield f"{node_type.kind}, {setting.name}", setting.label
            yield f"{node_type.kind}, {setting.name}", _without_code(setting.help)
        for port in (*node_type.inputs, *node_type.outputs):
            yield f"{node_type.kind}, {port.name}", port.label
            yield f"{node_type.kind}, {port.name}", _without_code(port.help)


def test_the_help_of_the_command_line_says_the_words_of_the_field() -> None:
    assert offences(("--help", text) for text in _of_parser(make_parser())) == []


def _of_parser(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield _without_code(parser.description or "")
    for action in parser._actions:  # argparse offers no other way to them
        yield _without_code(action.help or "")
        if isinstance(action.choices, Mapping):  # its subcommands
            for one in cast("Mapping[str, argparse.ArgumentParser]", action.choices).values():
                yield from _of_parser(one)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_guide_says_the_words_of_the_field(page: Path) -> None:
    text = CODE.sub(" ", page.read_text("utf-8"))
    assert offences((page.name, line) for line in text.splitlines()) == []


def _without_code(text: str) -> str:
    return CODE.sub(" ", text)
