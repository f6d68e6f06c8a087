"""What is collapsed is kept in the layout, and follows the nodes."""

from dataclasses import replace

import pytest

from studio.errors import FlowFileError
from studio.flow.change import difference
from studio.flow.edits import fragment, paste, remove, rename_node
from studio.flow.edits.boxes import remove_boxes
from studio.flow.edits.diff import describe_difference
from studio.flow.files import codec
from studio.flow.records import Flow, Frame, Note, Point
from studio.ids import NodeId
from tests.flow.builders import review

WRITER, CRITIC = NodeId("writer"), NodeId("critic")


def folded() -> Flow:
    flow = review()
    frame = Frame("Work", 0, 0, 400, 300, "blue", ("critic", "notes.n"))
    layout = replace(flow.layout, frames={"f": frame}, collapsed=frozenset({WRITER}))
    return replace(flow, layout=layout)


def test_what_is_collapsed_stands_in_the_file_and_comes_back() -> None:
    text = codec.dumps(folded())
    assert '"collapsed": ["writer"]' in text
    assert '"color": "blue", "holds": ["critic", "notes.n"]' in text
    assert codec.loads(text).flow == codec.in_order(folded())


def test_a_file_without_anything_collapsed_does_not_speak_of_it() -> None:
    text = codec.dumps(review())
    assert not any(word in text for word in ("collapsed", "holds", "color"))


def test_a_file_that_says_it_wrongly_is_reported_by_place() -> None:
    text = codec.dumps(folded()).replace('["writer"]', '"writer"')
    with pytest.raises(FlowFileError) as caught:
        codec.loads(text)
    assert any("layout.collapsed" in one for one in caught.value.details)


def test_collapsing_is_a_change_of_the_layout_alone_that_undo_takes_back() -> None:
    before, after = review(), folded()
    change = difference(before, after, "Collapse")
    assert change.applied_to(before) == after
    assert change.inverted().applied_to(after) == before
    assert change.then(change.inverted()).is_empty
    assert not change.is_empty
    assert not change.touches_logic
    assert "Nodes were collapsed or expanded." in describe_difference(before, after)


def test_a_renamed_node_stays_collapsed_and_hidden() -> None:
    after = rename_node(folded(), WRITER, NodeId("poet")).applied_to(folded())
    assert after.layout.collapsed == {"poet"}
    after = rename_node(folded(), CRITIC, NodeId("judge")).applied_to(folded())
    assert after.layout.frames["f"].holds == ("judge", "notes.n")


def test_a_removed_node_leaves_nothing_behind_and_undo_brings_it_back_collapsed() -> None:
    change = remove(folded(), [WRITER])
    assert not change.applied_to(folded()).layout.collapsed
    assert change.inverted().applied_to(change.applied_to(folded())) == folded()


def test_a_copy_of_a_collapsed_node_is_collapsed() -> None:
    some = folded()
    names, change = paste(some, fragment(some, [WRITER]), Point(0, 0))
    assert change.applied_to(some).layout.collapsed == {WRITER, *names}


def test_a_collapsed_frame_forgets_what_was_removed_so_that_the_next_of_its_name_is_seen() -> None:
    some = folded()
    change = remove(some, [CRITIC])
    after = change.applied_to(some)
    assert after.layout.frames["f"].holds == ("notes.n",)
    assert change.inverted().applied_to(after) == some
    assert remove_boxes(some, [], ["n"]).is_empty
    noted = replace(some, layout=replace(some.layout, notes={"n": Note("", 0, 0, 100, 50)}))
    change = remove_boxes(noted, [], ["n"])
    assert change.applied_to(noted).layout.frames["f"].holds == ("critic",)
    assert change.inverted().applied_to(change.applied_to(noted)) == noted
