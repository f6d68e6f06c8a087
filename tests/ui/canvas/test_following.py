"""The scene follows changes: what is patched is what reading the flow again would give."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.app.documents.history import History
from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change, difference
from studio.flow.edits import boxes
from studio.flow.edits.boxes import Things
from studio.flow.edits.splices import take_out
from studio.flow.layout.arrange import arrange
from studio.flow.records import Flow, Frame, Library, Point, RunSettings
from studio.ids import NodeId, PortName
from studio.ui.canvas.scene.regions import regions_of
from studio.ui.canvas.scene.scene import Scene
from tests.examples import examples
from tests.flow.builders import DictLibrary, flow, node, socket, wire
from tests.ui.canvas.builders import Document, chain, document, notes_flow, placed

CURVES = ("curves", "piece_wire", "curve_bounds", "wire_bounds")
KINDS = ["text.upper", "control.merge", "control.branch", "control.loop", "control.for_each", "memory.notes"]
_FOLDS = ["collapse", "frame", "fold the frame", "drag the frame"]
_LARGE = ["tidy", "paste", "take out"]
_STEP = st.tuples(
    st.sampled_from(
        [
            "move",
            "mute",
            "type",
            "error port",
            "remove",
            "add",
            "wire",
            "unwire",
            "bend",
            "unplace",
            "undo",
            *_FOLDS,
            *_LARGE,
        ]
    ),
    st.integers(0, 999),
    st.integers(0, 999),
)


def _width(text: str) -> float:
    return 6.5 * len(text)


def _scene(doc: Document) -> Scene:
    return Scene(doc.history.flow, doc.library, doc.describe, _width, regions_of)


def _followed(doc: Document) -> Scene:
    scene = _scene(doc)

    def follow(change: Change) -> None:
        scene.apply(doc.history.flow, change)

    doc.history.on_change(follow)
    return scene


def mapped_flow() -> Flow:
    """Two maps in one another whose types follow from the wires, beside a loop."""
    return placed(
        flow(
            {
                "words": "text.split",
                "each": "control.for_each",
                "letters": "text.split",
                "inner": "control.for_each",
                "shout": "text.upper",
                "gather": "control.collect",
                "whole": "control.collect",
                "loop": "control.loop",
                "twice": "text.upper",
                "way": "control.branch",
                "far": node("text.pair", title="Far away"),
            },
            "words.parts -> each.items[0]",
            "each.item -> letters.text",
            "letters.parts -> inner.items[0]",
            "inner.item -> shout.text",
            "shout.text -> gather.item",
            "gather.items -> whole.item",
            "loop.value -> twice.text",
            "twice.text -> way.value",
            "way.no -> loop.again",
            "way.yes -> loop.done",
            "loop.result -> far.one",
        ),
        twice=(300, 900),
        far=(900, 900),
    )


def broken_flow() -> Flow:
    """Wires from and to nodes that are not there, one of them bent, and a frame that hides such a node."""
    flow = chain()
    wires = wire("ghost.text -> writer.prompt"), wire("writer.reply -> ghost.text"), *flow.wires
    frames = {"f": Frame("", 300, 0, 300, 200, holds=("new", "upper"))}
    bends = {str(wires[0]): (Point(3, 4),), str(wires[2]): (Point(200, 9),)}
    layout = replace(flow.layout, frames=frames, bends=bends)
    return replace(flow, wires=tuple(sorted(wires, key=lambda one: one.sort_key)), layout=layout)


@settings(max_examples=examples(60))
@given(st.sampled_from([notes_flow, mapped_flow, broken_flow]), st.lists(_STEP, max_size=9))
def test_following_changes_gives_the_same_scene_as_reading_the_flow(
    start: Callable[[], Flow], steps: list[tuple[str, int, int]]
) -> None:
    doc = document(start())
    scene = _followed(doc)
    for what, one, other in steps:
        try:
            _edit(doc.history, doc.library, what, one, other)
        except EditRefusedError:
            continue
    _assert_alike(scene, _scene(doc))


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(-900, 900)), max_size=4))
def test_a_drag_shows_what_putting_the_nodes_there_would_give(moves: list[tuple[int, int]]) -> None:
    doc = document(notes_flow())
    bent = wire("critic.verdict -> accepted.value")
    doc.history.do(edits.bend(doc.history.flow, bent, [Point(5, 60), Point(80, 200)]))
    dragged = _scene(doc)
    nodes = [NodeId(name) for name in ("critic", "accepted", "search")]
    rows = np.array([dragged.row[node] for node in nodes])
    for x, y in moves:
        dragged.shift(rows, x, y)
    dx, dy = moves[-1] if moves else (0, 0)
    places = doc.history.flow.layout.nodes
    there = {node: Point(places[node].x + dx, places[node].y + dy) for node in nodes}
    doc.history.do(edits.move(doc.history.flow, there))
    fresh = _scene(doc)
    assert np.array_equal(dragged.rects, fresh.rects)
    assert np.array_equal(dragged.curves, fresh.curves)
    assert dragged.areas == fresh.areas


def test_the_border_of_a_loop_lets_go_of_a_node_that_a_collapsed_map_comes_to_hide() -> None:
    before = mapped_flow()
    wires = tuple(sorted((*before.wires, wire("aside.text -> far.two")), key=lambda one: one.sort_key))
    nodes = {**before.nodes, NodeId("aside"): node("text.upper")}
    tall = placed(replace(before, nodes=nodes, wires=wires), far=(900, 2400), twice=(300, 900))
    flow = replace(tall, layout=replace(tall.layout, collapsed=frozenset({NodeId("each")})))
    doc = document(flow)
    scene = _followed(doc)
    doc.history.do(edits.connect(flow, socket("each.item"), socket("aside.text"), doc.library))
    assert NodeId("far") in scene.hidden
    _assert_alike(scene, _scene(doc))


def test_a_change_that_replaces_nearly_all_is_read_as_a_new_flow() -> None:
    doc = document(notes_flow())
    scene = _followed(doc)
    doc.history.do(difference(doc.history.flow, mapped_flow(), "Open"))
    _assert_alike(scene, _scene(doc))


def test_a_node_that_comes_to_be_what_a_collapsed_frame_hides_is_hidden() -> None:
    doc = document(chain())
    flow = doc.history.flow
    frames = {"frame": Frame("", 0, 0, 300, 200, holds=("guest",))}
    doc.history.do(difference(flow, replace(flow, layout=replace(flow.layout, frames=frames)), "Fold"))
    scene = _followed(doc)
    doc.history.do(edits.add_node(doc.history.flow, "text.upper", "Guest", Point(40, 40))[1])
    assert scene.hidden
    _assert_alike(scene, _scene(doc))


def test_a_wire_from_a_node_that_is_not_there_can_go_and_come_back() -> None:
    flow = chain()
    broken = wire("ghost.text -> writer.prompt")
    doc = document(replace(flow, wires=(broken, *flow.wires)))
    scene = _followed(doc)
    doc.history.do(edits.disconnect(doc.history.flow, [broken]))
    _assert_alike(scene, _scene(doc))
    doc.history.undo()
    _assert_alike(scene, _scene(doc))
    doc.history.do(edits.add_node(doc.history.flow, "text.upper", "Ghost", Point(0, 0))[1])
    assert broken in scene.wire_row
    _assert_alike(scene, _scene(doc))


def test_what_is_outside_the_flow_is_asked_again_when_it_is_announced() -> None:
    doc = document(notes_flow())
    scene = _followed(doc)
    assert isinstance(doc.library, DictLibrary)
    del doc.library.signatures["llm.critic"]
    doc.history.announce([NodeId("critic")])
    assert scene.signatures[NodeId("critic")] is None
    _assert_alike(scene, _scene(doc))


def _edit(history: History, library: Library, what: str, one: int, other: int) -> None:  # noqa: C901, PLR0912 - one case each
    flow = history.flow
    nodes, wires = list(flow.nodes), list(flow.wires)
    if what == "undo":
        history.undo()
        return
    if what == "add":
        history.do(edits.add_node(flow, KINDS[one % len(KINDS)], "New", Point(one, other))[1])
    if not nodes:
        return
    name = nodes[one % len(nodes)]
    if what == "move":
        history.do(edits.move(flow, {name: Point(other, one), nodes[other % len(nodes)]: Point(one, -other)}))
    elif what == "mute":
        history.do(edits.set_run(flow, name, RunSettings(state="muted")))
    elif what == "error port":
        history.do(edits.set_run(flow, name, RunSettings(on_error="output")))
    elif what == "type":
        history.do(edits.set_input(flow, name, PortName("value"), "x" * (other % 50)))
    elif what == "remove":
        history.do(edits.remove(flow, {name, nodes[other % len(nodes)]}))
    elif what == "unplace":
        history.do(difference(flow, _unplaced(flow, name), "Forget the place"))
    elif what == "wire":
        signatures = [(name, library.signature(record)) for name, record in flow.nodes.items()]
        outputs = [f"{name}.{port.name}" for name, found in signatures if found for port in found.outputs]
        inputs = [f"{name}.{port.name}" for name, found in signatures if found for port in found.inputs]
        if not outputs or not inputs:
            return
        source, target = socket(outputs[one % len(outputs)]), socket(inputs[other % len(inputs)])
        history.do(edits.connect(flow, source, target, library))
    elif what == "unwire" and wires:
        history.do(edits.disconnect(flow, {wires[one % len(wires)], wires[other % len(wires)]}))
    elif what in _LARGE:
        _rework(history, library, what, {name, nodes[other % len(nodes)]})
    elif what in _FOLDS:
        _fold(history, what, name, one, other)
    elif what == "bend" and wires:
        points = [Point(one, other), Point(other, one)][: one % 3]
        history.do(edits.bend(flow, wires[other % len(wires)], points))


def _rework(history: History, library: Library, what: str, nodes: set[NodeId]) -> None:
    flow = history.flow
    if what == "tidy":
        history.do(arrange(flow, library))
    elif what == "paste":
        history.do(edits.paste(flow, edits.fragment(flow, nodes, flow.layout.frames), Point(50, 90))[1])
    else:
        history.do(take_out(flow, nodes, library))


def _fold(history: History, what: str, name: NodeId, one: int, other: int) -> None:
    flow, frames = history.flow, history.flow.layout.frames
    if what == "collapse":
        history.do(boxes.collapse(flow, [name]))
    elif what == "frame":
        history.do(boxes.add_frame(flow, Frame("", one - 300, other - 300, 900, 700))[1])
    elif frames and what == "drag the frame":
        history.do(boxes.shift(flow, Things(frames=frozenset(list(frames)[:1])), one, -other))
    elif frames:
        frame = list(frames)[one % len(frames)]
        rects = {node: (place.x, place.y, 200.0, 100.0) for node, place in flow.layout.nodes.items()}
        change = boxes.unfold_frame(flow, frame)
        if not frames[frame].holds:
            change = boxes.collapse_frame(flow, frame, boxes.standing_in(flow, frame, rects))
        history.do(change)


def _unplaced(flow: Flow, name: NodeId) -> Flow:
    places = {one: place for one, place in flow.layout.nodes.items() if one != name}
    return replace(flow, layout=replace(flow.layout, nodes=places))


def _assert_alike(scene: Scene, fresh: Scene) -> None:
    assert scene.ids == fresh.ids
    assert scene.wires == fresh.wires
    assert scene.wired == fresh.wired
    assert scene.signatures == fresh.signatures
    assert scene.boxes == fresh.boxes
    assert scene.areas == fresh.areas
    assert scene.hidden == fresh.hidden
    assert scene.looks == fresh.looks
    assert scene.bends.now == fresh.bends.now
    for name in ("home", "rects", "has_card", "wire_style", *CURVES):
        assert np.array_equal(getattr(scene, name), getattr(fresh, name)), name
    mine: list[str] = [scene.category_names[category] for category in scene.categories]
    assert mine == [fresh.category_names[category] for category in fresh.categories]
    mine = [str(scene.wire_colors[color]) for color in scene.wire_color]
    assert mine == [fresh.wire_colors[color] for color in fresh.wire_color]
