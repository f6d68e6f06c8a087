"""Frames, notes and titles of the canvas head the steps of a script, and change nothing that it does."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.export.statements.headings import comment
from studio.flow.records import Flow, Frame, Layout, Note, Point
from studio.ids import NodeId
from tests.export.equality import Row, both, script_of
from tests.runtime.bench import flow_of

FILL = {"template": "{{x}}!"}
FLOW = flow_of(
    {
        "word": ("io.flow_input", {"type": "text", "default": "wren"}),
        "shout": ("text.template", FILL),
        "louder": ("text.template", FILL),
        "end": ("text.template", FILL),
        "out": "io.flow_output",
    },
    [
        "word.value -> shout.x",
        "shout.text -> louder.x",
        "louder.text -> end.x",
        "end.text -> out.value",
    ],
)
PLACES = {"shout": Point(0, 0), "louder": Point(100, 0), "end": Point(500, 0)}


def laid_out(frames: dict[str, Frame], notes: dict[str, Note] | None = None) -> Flow:
    places = {NodeId(name): place for name, place in PLACES.items()}
    return replace(FLOW, layout=Layout(places, frames, notes or {}))


def titled(title: str) -> Flow:
    named = FLOW.nodes[NodeId("shout")].model_copy(update={"title": title})
    return replace(FLOW, nodes={**FLOW.nodes, NodeId("shout"): named})


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_a_frame_heads_its_stretch_and_what_follows_is_set_apart() -> None:
    frames = {"one": Frame("Say it loudly", -10, -10, 200, 50)}
    notes = {"note": Note("As birds\ndo", 20, 20, 10, 10), "other": Note("Far away", 900, 900, 10, 10)}
    lines = lines_of(script_of(laid_out(frames, notes)))
    at = lines.index("# --- Say it loudly ---")
    assert lines[at + 1] == "# As birds do"
    assert lines[at + 2].startswith("shout = ")
    assert lines[at + 3].startswith("louder = ")
    assert lines[at + 4] == ""
    assert lines[at + 5].startswith("end = ")
    assert "# Far away" not in lines


def test_the_innermost_frame_is_the_one_that_heads() -> None:
    frames = {"all": Frame("All", -10, -10, 900, 900), "one": Frame("One", 90, -10, 50, 50)}
    lines = lines_of(script_of(laid_out(frames)))
    heads = [line for line in lines if line in {"# --- All ---", "# --- One ---"}]
    assert heads == ["# --- All ---", "# --- One ---", "# --- All ---"]


def test_a_collapsed_frame_heads_what_it_hides_wherever_its_bar_stands() -> None:
    open_one = {"one": Frame("Say it loudly", -10, -10, 200, 50)}
    notes = {"note": Note("As birds do", 20, 20, 10, 10), "other": Note("Far away", 510, 10, 10, 10)}
    before = lines_of(script_of(laid_out(open_one, notes)))
    hidden = ("louder", "shout", "notes.note")
    moved = {"one": replace(open_one["one"], x=490, y=-10, holds=hidden)}
    assert lines_of(script_of(laid_out(moved, notes))) == before


def test_a_frame_in_a_collapsed_one_still_heads_its_own() -> None:
    inner = Frame("One", 90, -10, 50, 50)
    hidden = ("louder", "shout", "frames.one")
    frames = {"all": Frame("All", -10, -10, 200, 50, holds=hidden), "one": inner}
    lines = lines_of(script_of(laid_out(frames)))
    heads = [line for line in lines if line in {"# --- All ---", "# --- One ---"}]
    assert heads == ["# --- All ---", "# --- One ---"]


@pytest.mark.parametrize(("title", "is_said"), [("As a crow", True), ("Shout", False), ("shout?", False)])
def test_a_title_is_said_where_the_variable_does_not_say_it(title: str, *, is_said: bool) -> None:
    lines = lines_of(script_of(titled(title)))
    assert (f"# {title}" in lines) is is_said
    if is_said:
        assert lines[lines.index(f"# {title}") + 1].startswith("shout = ")


@pytest.mark.parametrize(
    "text",
    ["fmt: off", "a\n    raise SystemExit", 'x"""', "type: ignore", "noqa", "\u202e\ud800\0 ok", "# ///"],
)
def test_no_text_of_the_canvas_becomes_code_or_an_order(text: str, tmp_path: Path) -> None:
    flow = replace(titled(text), layout=laid_out({"one": Frame(text, -10, -10, 200, 50)}).layout)
    found = both(Row(flow), tmp_path)
    assert code_of(found.text) == code_of(script_of(FLOW))
    assert found.outputs == {"out": "wren!!!"}


def code_of(text: str) -> str:
    """What a script does, whatever flow its digests name."""
    return ast.dump(ast.parse(re.sub(r"\b[0-9a-f]{12}\b", "", text)))


@given(st.text(max_size=200))
def test_a_comment_is_nothing_but_comments_of_bearable_length(text: str) -> None:
    lines = comment(text)
    assert all(line.startswith("# ") and line.isprintable() and len(line) <= 80 for line in lines)
