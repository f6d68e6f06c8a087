from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.app.documents.history import History
from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change, difference
from studio.flow.files.codec import dumps, loads
from studio.flow.records import Flow, Json, Node, RunSettings, Socket, Wire
from studio.ids import NodeId, PortName
from tests.examples import examples
from tests.flow.builders import LIBRARY, review
from tests.flow.strategies import flows, json_values, names, points, texts

KINDS = sorted(LIBRARY.signatures)


@settings(max_examples=examples(40), deadline=None)
@given(flows(), flows())
def test_the_difference_of_two_flows_leads_from_one_to_the_other_and_back(one: Flow, other: Flow) -> None:
    change = difference(one, other, "Change")
    assert change.applied_to(one) == other
    assert change.inverted().applied_to(other) == one
    assert change.inverted().inverted() == change
    assert difference(one, one, "Nothing").is_empty


@settings(max_examples=examples(30), deadline=None)
@given(flows(), flows(), flows())
def test_squashed_changes_do_what_both_do(one: Flow, two: Flow, three: Flow) -> None:
    first, second = difference(one, two, "First"), difference(two, three, "Second")
    both = first.then(second)
    assert both.applied_to(one) == three
    assert both.inverted().applied_to(three) == one
    assert both.label == "First"
    assert first.then(first.inverted()).is_empty


def drawn_edit(data: st.DataObject, flow: Flow) -> Change:
    """Any edit, on nodes and ports that the flow has."""
    known = sorted(flow.nodes)
    some = data.draw(st.sampled_from(known)) if known else NodeId("none")
    few = data.draw(st.lists(st.sampled_from(known), max_size=3)) if known else []
    ports = names.map(PortName)
    sockets = [
        Socket(name, port.name)
        for name in known
        if (signature := LIBRARY.signature(flow.nodes[name])) is not None
        for port in (*signature.inputs, *signature.outputs)
    ] or [Socket(some, PortName("after"))]
    wires = data.draw(st.lists(st.sampled_from(flow.wires), max_size=2)) if flow.wires else []
    options: list[Callable[[], Change]] = [
        lambda: edits.add_node(flow, data.draw(st.sampled_from(KINDS)), data.draw(texts), data.draw(points))[
            1
        ],
        lambda: edits.remove(flow, few, wires),
        lambda: edits.connect(
            flow, data.draw(st.sampled_from(sockets)), data.draw(st.sampled_from(sockets)), LIBRARY
        ),
        lambda: edits.disconnect(flow, wires),
        lambda: edits.move(flow, {name: data.draw(points) for name in few}),
        lambda: edits.paste(flow, edits.fragment(flow, few), data.draw(points))[1],
        lambda: edits.renumber(flow, data.draw(st.sampled_from(sockets))),
        lambda: edits.describe(flow, data.draw(texts), data.draw(texts)),
        lambda: edits.bend(flow, wires[0], [data.draw(points)]) if wires else edits.disconnect(flow, ()),
        lambda: edits.rename_node(flow, some, data.draw(names.map(NodeId))),
        lambda: edits.set_title(flow, some, data.draw(texts)),
        lambda: edits.set_run(flow, some, RunSettings(retries=data.draw(st.integers(0, 5))), library=LIBRARY),
        lambda: edits.set_input(flow, some, data.draw(ports), data.draw(json_values)),
        lambda: edits.set_setting(
            flow, some, "ports", data.draw(st.lists(names, max_size=3)), library=LIBRARY
        ),
        lambda: edits.unset_setting(flow, some, "ports", library=LIBRARY),
    ]
    return data.draw(st.sampled_from(options))()


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_undoing_every_edit_gives_the_first_flow_back_byte_for_byte(data: st.DataObject) -> None:
    history = History(review())
    texts_before = [dumps(history.flow)]
    for _ in range(data.draw(st.integers(1, 12))):
        try:
            change = drawn_edit(data, history.flow)
        except EditRefusedError:
            continue
        if not change.is_empty:
            history.do(change)
            texts_before.append(dumps(history.flow))
    last = texts_before[-1]
    assert loads(last).flow == history.flow
    for expected in reversed(texts_before[:-1]):
        history.undo()
        assert dumps(history.flow) == expected
    while history.redo() is not None:
        pass
    assert dumps(history.flow) == last


@pytest.mark.parametrize(
    "flow",
    [
        lambda value: Flow(nodes={NodeId("a"): Node(kind="value.json", settings={"value": value})}),
        lambda value: Flow(policies=({"most": value},)),
    ],
    ids=["setting", "policy"],
)
def test_a_number_that_becomes_a_flag_is_a_change(flow: Callable[[Json], Flow]) -> None:
    before, after = flow(1), flow(True)
    change = difference(before, after, "Set value")
    assert not change.is_empty
    assert dumps(change.applied_to(before)) == dumps(after)
    further = flow(1.0)
    both = change.then(difference(after, further, "Set value"))
    assert dumps(both.applied_to(before)) == dumps(further)
    assert change.then(change.inverted()).is_empty


@given(st.sets(st.integers(0, 99), max_size=8), st.sets(st.integers(0, 99), max_size=8))
def test_few_wires_are_taken_out_of_many_and_put_back_where_they_were(gone: set[int], back: set[int]) -> None:
    ends = [(NodeId(f"n{place}"), NodeId(f"n{place + 1}")) for place in range(100)]
    wires = [Wire(Socket(one, PortName("text")), Socket(other, PortName("text"))) for one, other in ends]
    whole = Flow(wires=tuple(sorted(wires, key=lambda wire: wire.sort_key)))
    removed = Change("Disconnect", removed=frozenset(wires[place] for place in gone))
    without = removed.applied_to(whole)
    assert list(without.wires) == [wire for wire in whole.wires if wire not in removed.removed]
    assert removed.inverted().applied_to(without) == whole
    added = Change("Connect", added=frozenset(wires[place] for place in back))
    assert set(added.applied_to(without).wires) == set(without.wires) | added.added
