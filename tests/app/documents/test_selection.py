from studio.app.documents.selection import Selected, Selection
from studio.flow.records import Flow, Frame, Layout, Node, Note
from studio.ids import NodeId, StepId

FLOW = Flow(
    nodes={NodeId("a"): Node(kind="text.text")},
    layout=Layout(frames={"frame": Frame("", 0, 0, 10, 10)}, notes={"note": Note("", 0, 0, 10, 10)}),
)


def test_what_left_the_flow_is_not_selected_any_more() -> None:
    selection = Selection()
    selection.select([NodeId("a"), NodeId("gone")], [], ["frame", "lost"], ["note", "torn"])
    selection.keep(FLOW)
    now = selection.now
    assert (now.nodes, now.frames, now.notes) == ({"a"}, {"frame"}, {"note"})
    selection.keep(Flow())
    assert selection.now.is_empty


def test_an_earlier_selection_comes_back_with_the_step_that_is_shown_now() -> None:
    selection = Selection()
    earlier = Selected(frozenset({NodeId("a")}), frames=frozenset({"frame"}))
    selection.show_step(StepId("7"))
    selection.take(earlier)
    assert selection.now == Selected(earlier.nodes, step=StepId("7"), frames=earlier.frames)


def test_selecting_the_same_again_tells_nobody() -> None:
    selection = Selection()
    told: list[Selected] = []
    selection.on_change(told.append)
    selection.select(notes=["note"])
    selection.select(notes=["note"])
    assert len(told) == 1
