from dataclasses import replace
from itertools import combinations
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from studio.flow.edits import bend, boxes
from studio.flow.edits.boxes import standing_in
from studio.flow.files import codec
from studio.flow.layout.arrange import NODE_SIZE, arrange
from studio.flow.layout.columns import layers_of
from studio.flow.records import Flow, Frame, Layout, Note, Point
from studio.ids import NodeId
from tests.examples import examples
from tests.flow.builders import LIBRARY, flow, review, wire
from tests.flow.strategies import flows, nested_flows, wired_flows


def tidy(some: Flow) -> Flow:
    return arrange(some, LIBRARY).applied_to(some)


def at(some: Flow, name: str) -> Point:
    return some.layout.nodes[NodeId(name)]


def test_steps_stand_from_left_to_right_in_the_order_they_run() -> None:
    some = tidy(review())
    order = ["question", "rounds", "writer", "critic", "verdict", "answer"]
    assert [at(some, name).x for name in order] == sorted({at(some, name).x for name in order})


def test_what_is_lent_stands_beneath_its_borrower() -> None:
    some = tidy(review())
    assert at(some, "files").y >= at(some, "writer").y + NODE_SIZE[1]
    assert at(some, "files").x == at(some, "writer").x


def test_a_source_stands_right_before_the_first_that_needs_it() -> None:
    some = tidy(
        flow(
            {"a": "text.text", "b": "text.upper", "c": "text.upper", "late": "text.text", "d": "text.pair"},
            "a.text -> b.text",
            "b.text -> c.text",
            "c.text -> d.one",
            "late.text -> d.two",
        )
    )
    assert at(some, "late").x == at(some, "c").x


@settings(max_examples=examples(50), deadline=None)
@given(flows())
def test_nothing_overlaps_and_tidying_twice_changes_nothing(some: Flow) -> None:
    assert arrange(tidy(some), LIBRARY).is_empty
    once = tidy(replace(some, layout=replace(some.layout, frames={}, collapsed=frozenset())))
    assert arrange(once, LIBRARY).is_empty
    assert once.layout.nodes.keys() >= once.nodes.keys()
    for one, other in combinations(once.nodes, 2):
        a, b = at(once, one), at(once, other)
        assert abs(a.x - b.x) >= NODE_SIZE[0] or abs(a.y - b.y) >= NODE_SIZE[1]


def test_tidying_a_selection_leaves_the_others_and_the_corner_where_they_are() -> None:
    some = review()
    change = arrange(some, LIBRARY, [NodeId("writer"), NodeId("critic")])
    assert change.label == "Tidy selection"
    assert change.places.keys() <= {"writer", "critic"}
    after = change.applied_to(some)
    assert at(after, "writer") == at(some, "writer")
    assert at(after, "critic").x > at(after, "writer").x


def test_larger_nodes_get_more_room() -> None:
    some = flow({"a": "text.text", "b": "text.upper"}, "a.text -> b.text")
    after = arrange(some, LIBRARY, sizes={NodeId("a"): (600, 100)}).applied_to(some)
    assert at(after, "b").x >= at(after, "a").x + 600


def test_bends_of_wires_that_move_go_and_come_back_with_undo() -> None:
    before = bend(review(), wire("critic.reply -> verdict.value"), [Point(5, 5)]).applied_to(review())
    change = arrange(before, LIBRARY)
    after = change.applied_to(before)
    assert not after.layout.bends
    assert change.inverted().applied_to(after) == before
    assert not change.touches_logic


small = st.integers(-600, 1600)
sides = st.integers(80, 1400)


@st.composite
def framed_flows(draw: st.DrawFn) -> Flow:
    """Flows with loops and maps, standing anywhere, with frames and notes anywhere over them."""
    some = draw(nested_flows() | wired_flows())
    frames = st.builds(Frame, st.just(""), small, small, sides, sides)
    notes = st.builds(Note, st.just(""), small, small, sides, sides)
    layout = Layout(
        {name: Point(draw(small), draw(small)) for name in some.nodes},
        draw(st.dictionaries(st.sampled_from("fghk"), frames, max_size=3)),
        draw(st.dictionaries(st.sampled_from("mnop"), notes, max_size=2)),
    )
    some = replace(some, layout=layout)
    for name in sorted(layout.frames):
        held = standing_in(some, name, rects(some))
        if held.nodes and draw(st.integers(0, 4)) == 0:
            some = boxes.collapse_frame(some, name, held).applied_to(some)
    return some


def rects(some: Flow) -> dict[NodeId, tuple[float, float, float, float]]:
    return {name: (place.x, place.y, *NODE_SIZE) for name, place in some.layout.nodes.items()}


@settings(max_examples=examples(50), deadline=None)
@given(framed_flows())
def test_tidying_twice_changes_nothing_whatever_frames_and_notes_there_are(some: Flow) -> None:
    once = tidy(some)
    again = arrange(once, LIBRARY)
    assert again.is_empty, again


def test_a_frame_that_is_drawn_anew_around_another_node_is_tidied_with_it() -> None:
    """A frame was drawn around where a loop's node stood, and held it from then on."""
    some = codec.loads((Path(__file__).parent / "framed_twice.json").read_text("utf-8")).flow
    assert arrange(tidy(some), LIBRARY).is_empty


@settings(max_examples=examples(50), deadline=None)
@given(framed_flows())
def test_tidying_can_be_undone(some: Flow) -> None:
    change = arrange(some, LIBRARY)
    assert change.inverted().applied_to(change.applied_to(some)) == some


def framed_review() -> Flow:
    """The review, its writer and critic in a frame with a note, the answer in another."""
    some = tidy(review())
    writer, critic, answer = (at(some, name) for name in ("writer", "critic", "answer"))
    frames = {
        "work": Frame("", writer.x - 20, writer.y - 40, critic.x + 260 - writer.x, 400),
        "end": Frame("", answer.x - 20, answer.y - 40, 300, 300),
        "empty": Frame("", writer.x, writer.y - 2000, 200, 200),
    }
    notes = {"note": Note("", writer.x, writer.y + 200, 200, 80), "covered": Note("", critic.x, -90, 50, 900)}
    return replace(some, layout=replace(some.layout, frames=frames, notes=notes))


def test_a_frame_is_drawn_anew_around_what_it_holds_and_around_nothing_else() -> None:
    before = framed_review()
    held = standing_in(before, "work", rects(before))
    assert {"writer", "critic"} <= held.nodes
    after = tidy(before)
    assert standing_in(after, "work", rects(after)).nodes >= {"writer", "critic"}
    assert standing_in(after, "work", rects(after)).notes == {"note"}
    assert standing_in(after, "end", rects(after)).nodes == {"answer"}
    frames = after.layout.frames["work"], after.layout.frames["end"]
    left, right = sorted(frames, key=lambda one: one.x)
    assert left.x + left.width <= right.x


def test_an_empty_frame_that_is_not_covered_stays_and_a_covered_note_goes_beneath() -> None:
    before = framed_review()
    after = tidy(before)
    assert after.layout.frames["empty"] == before.layout.frames["empty"]
    lowest = max(place.y for place in after.layout.nodes.values())
    assert after.layout.notes["covered"].y > lowest


def test_a_frame_that_cuts_through_a_loop_takes_the_whole_loop() -> None:
    some = tidy(review())
    writer = at(some, "writer")
    frames = {
        "f": Frame(
            "", at(some, "question").x - 10, writer.y - 400, writer.x + 240 - at(some, "question").x, 900
        )
    }
    some = replace(some, layout=replace(some.layout, frames=frames))
    assert "critic" not in standing_in(some, "f", rects(some)).nodes
    after = tidy(some)
    assert {"question", "writer", "critic", "verdict"} <= standing_in(after, "f", rects(after)).nodes


def test_a_collapsed_frame_takes_the_room_of_its_bar() -> None:
    some = framed_review()
    folded = boxes.collapse_frame(some, "work", standing_in(some, "work", rects(some))).applied_to(some)
    wide, narrow = tidy(some), tidy(folded)
    assert at(narrow, "answer").x < at(wide, "answer").x


def test_a_selection_is_tidied_without_the_frames_that_are_not_selected() -> None:
    some = framed_review()
    change = arrange(some, LIBRARY, [NodeId("writer"), NodeId("critic")])
    assert not change.frames
    change = arrange(some, LIBRARY, [NodeId("writer"), NodeId("critic")], frames=["work"])
    assert change.frames.keys() == {"work"}


def test_a_wire_to_the_end_of_a_loop_has_a_way_past_the_steps_behind_its_own() -> None:
    some = tidy(
        flow(
            {
                "start": "text.text",
                "loop": "control.loop",
                "draft": "text.upper",
                "next": "text.upper",
                "late": "text.upper",
            },
            "start.text -> loop.start",
            "loop.value -> draft.text",
            "draft.text -> loop.done",
            "draft.text -> next.text",
            "next.text -> late.text",
            "late.text -> loop.again",
        )
    )
    middle = at(some, "draft").y + NODE_SIZE[1] / 2
    for name in ("next", "late"):
        assert not at(some, name).y < middle < at(some, name).y + NODE_SIZE[1], name


def test_wires_that_need_not_cross_do_not() -> None:
    names = [NodeId(f"n{place}") for place in range(8)]
    edges = [(names[place], names[7 - place]) for place in range(4)]
    assert layers_of(names, edges).crossings() == 0
    tree = [(names[0], names[3]), (names[0], names[1]), (names[3], names[2]), (names[1], names[7])]
    assert layers_of(names, [*tree, (names[0], names[2]), (names[3], names[6])]).crossings() == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=24))
def test_sweeping_never_leaves_more_crossings_than_there_were(pairs: list[tuple[int, int]]) -> None:
    names = [NodeId(f"n{place}") for place in range(10)]
    edges = [(names[one], names[two]) for one, two in pairs if one < two]
    layers = layers_of(names, edges)
    fewest = layers.crossings()
    for column in layers.columns:
        column.sort()
    assert fewest <= layers.crossings()
    assert sorted(slot for column in layers.columns for slot in column) == list(range(len(layers.before)))


def test_without_nodes_there_is_nothing_that_notes_and_frames_could_be_covered_by() -> None:
    layout = Layout(frames={"f": Frame("", 10, 10, 300, 200)}, notes={"n": Note("Why", 0, 0, 100, 60)})
    assert arrange(Flow(layout=layout), LIBRARY).is_empty


def test_what_feeds_one_node_stands_in_the_order_of_its_inputs() -> None:
    some = tidy(
        flow(
            {"zebra": "text.text", "ant": "text.text", "both": "text.pair"},
            "zebra.text -> both.one",
            "ant.text -> both.two",
        )
    )
    assert at(some, "zebra").x == at(some, "ant").x
    assert at(some, "zebra").y < at(some, "ant").y
