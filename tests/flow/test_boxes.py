from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import EditRefusedError
from studio.flow.edits import boxes, fragment, paste
from studio.flow.edits.boxes import Things
from studio.flow.records import Flow, Frame, Layout, Note, Point
from studio.ids import NodeId
from tests.flow.builders import flow
from tests.flow.strategies import flows

A, B, FAR = NodeId("a"), NodeId("b"), NodeId("far")
RECTS = {A: (20.0, 40.0, 200.0, 100.0), B: (300.0, 40.0, 200.0, 100.0), FAR: (2000.0, 0.0, 200.0, 100.0)}


def framed() -> Flow:
    some = flow({"a": "text.text", "b": "text.upper", "far": "text.text"}, "a.text -> b.text")
    layout = Layout(
        {A: Point(20, 40), B: Point(300, 40), FAR: Point(2000, 0)},
        {"outer": Frame("Outer", 0, 0, 600, 400), "inner": Frame("Inner", 10, 20, 250, 200)},
        {"note": Note("Why", 20, 240, 160, 80), "away": Note("", 3000, 0, 160, 80)},
    )
    return replace(some, layout=layout)


def test_a_frame_holds_the_nodes_frames_and_notes_that_stand_in_it() -> None:
    some = framed()
    held = boxes.standing_in(some, "outer", RECTS)
    assert held == Things(frozenset({A, B}), frozenset({"inner"}), frozenset({"note"}))
    assert boxes.standing_in(some, "inner", RECTS) == Things(frozenset({A}))


def test_a_collapsed_frame_holds_what_it_hid_wherever_that_stands_now() -> None:
    some = framed()
    held = boxes.standing_in(some, "outer", RECTS)
    folded = boxes.collapse_frame(some, "outer", held).applied_to(some)
    assert boxes.standing_in(folded, "outer", {}) == held == boxes.hidden_things(folded)
    assert boxes.unfold_frame(folded, "outer").applied_to(folded) == some


def test_a_frame_that_hides_a_collapsed_frame_hides_what_that_hides() -> None:
    some = framed()
    change = boxes.collapse_frame(some, "inner", boxes.standing_in(some, "inner", RECTS))
    inner = change.applied_to(some)
    outside = {**RECTS, A: (5000.0, 0.0, 10.0, 10.0)}
    held = boxes.standing_in(inner, "outer", outside)
    assert held.nodes == {A, B}
    both = boxes.collapse_frame(inner, "outer", held).applied_to(inner)
    assert boxes.hidden_things(both).nodes == {A, B}


def test_a_frame_put_where_hidden_nodes_would_be_does_not_hold_them() -> None:
    some = framed()
    change = boxes.collapse_frame(some, "inner", Things(frozenset({FAR}), notes=frozenset({"away"})))
    folded = change.applied_to(some)
    around = Frame("", 1900, -100, 2000, 400)
    frames = {**folded.layout.frames, "around": around}
    folded = replace(folded, layout=replace(folded.layout, frames=frames))
    assert boxes.standing_in(folded, "around", RECTS) == Things()
    assert boxes.standing_in(folded, "outer", RECTS).nodes == {A, B, FAR}


def test_an_empty_frame_is_not_collapsed() -> None:
    with pytest.raises(EditRefusedError, match="has nothing to hide"):
        boxes.collapse_frame(framed(), "inner", Things())


def test_what_a_deleted_frame_hid_is_seen_again() -> None:
    some = framed()
    folded = boxes.collapse_frame(some, "outer", Things(frozenset({A}))).applied_to(some)
    after = boxes.remove_boxes(folded, ["outer"], []).applied_to(folded)
    assert not boxes.hidden_things(after).nodes
    assert after.nodes == some.nodes


def test_collapsing_the_collapsed_unfolds_them() -> None:
    some = framed()
    once = boxes.collapse(some, [A]).applied_to(some)
    both = boxes.collapse(once, [A, B]).applied_to(once)
    assert (once.layout.collapsed, both.layout.collapsed) == ({A}, {A, B})
    assert boxes.collapse(both, [A, B]).applied_to(both) == some


def test_a_frame_is_never_smaller_than_its_title() -> None:
    name, change = boxes.add_frame(framed(), Frame("", 0, 0, 1, 1))
    frame = change.applied_to(framed()).layout.frames[name]
    assert (frame.width, frame.height) == boxes.LEAST_FRAME


def test_copies_of_frames_and_notes_stand_as_their_originals_do() -> None:
    some = framed()
    folded = boxes.collapse_frame(some, "inner", Things(frozenset({A}), notes=frozenset({"note"})))
    some = folded.applied_to(some)
    piece = fragment(some, [A], ["inner"], ["note"])
    assert piece.layout.frames.keys() == {"inner"}
    names, change = paste(some, piece, Point(1000, 1000))
    after = change.applied_to(some)
    (copy,) = names
    assert after.layout.nodes[copy] == Point(1010, 1020)
    fresh = after.layout.frames["frame"]
    assert (fresh.x, fresh.y, fresh.holds) == (1000, 1000, (copy, "notes.note_2"))
    assert after.layout.notes["note_2"].text == "Why"


@given(flows(), st.integers(-999, 999), st.integers(-999, 999))
def test_every_edit_of_frames_and_notes_can_be_taken_back(some: Flow, dx: int, dy: int) -> None:
    frames, notes = frozenset(some.layout.frames), frozenset(some.layout.notes)
    for change in (
        boxes.shift(some, Things(frames=frames, notes=notes), dx, dy),
        boxes.remove_boxes(some, frames, notes),
        boxes.add_frame(some, Frame("", dx, dy, 1, 1))[1],
        boxes.add_note(some, Note("", dx, dy, 1, 1))[1],
        boxes.collapse(some, some.nodes),
        paste(some, some, Point(dx, dy))[1],
    ):
        assert change.inverted().applied_to(change.applied_to(some)) == some
