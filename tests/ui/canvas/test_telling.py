"""An idle card says what was set on its node, never what its kind does in general."""

import pytest

from studio.flow.records import Json
from studio.ui.canvas.document import KindLook
from studio.ui.canvas.scene.idle_text import telling_of
from tests.flow.builders import node

AGENT = KindLook("llm.agent", "Agent", "llm", "Works on a prompt with the tools that are lent to it.")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"instructions": "You are strict.\nQuote.\n\nMore.", "turns": 8}, "You are strict. Quote."),
        ({"folder": "data/notes", "limit": 5}, "data/notes"),
        ({"criteria": [{"label": "Brief"}, {"label": "True"}], "enough": 0.75}, "Brief, True"),
        ({"rounds": 3, "agreed": 0.7, "neighbours": 1}, "rounds 3, agreed 0.7"),
        ({"acts": True}, "acts"),
        ({"profile": "cheap"}, "Agent"),
        ({}, "Agent"),
    ],
)
def test_the_setting_that_matters_is_said(settings: dict[str, Json], said: str) -> None:
    assert telling_of(node("llm.agent", title="Writer", **settings), AGENT) == said


def test_what_the_title_says_already_is_not_said_again() -> None:
    assert telling_of(node("llm.agent", title="Agent"), AGENT) == ""


def test_no_card_says_what_its_kind_does_in_general() -> None:
    output = KindLook("io.flow_output", "Flow output", "io", "A value that the flow gives back.")
    assert telling_of(node("io.flow_output", title="Answer"), output) == ""
