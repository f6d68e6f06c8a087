from hypothesis import given, settings

from studio.flow.edits import add_node, connect, describe, move, remove, set_run, set_setting, set_title
from studio.flow.edits.diff import describe_difference
from studio.flow.records import Flow, Point, RunSettings
from studio.ids import NodeId
from tests.examples import examples
from tests.flow.builders import LIBRARY, flow, node, review, socket
from tests.flow.strategies import flows

CRITIC = NodeId("critic")


def test_added_and_removed_nodes_are_told_with_their_wires() -> None:
    before = review()
    after = remove(before, [NodeId("files")]).applied_to(before)
    after = add_node(after, "text.text", "Hint", Point(0, 0))[1].applied_to(after)
    assert describe_difference(before, after) == [
        "Removed “files” (tools.files).",
        "Added “Hint” (text.text).",
        "Removed the wire “files” tool → “Writer” tools.",
    ]


def test_settings_are_told_with_both_values_and_texts_by_lines() -> None:
    before = flow({"critic": node("llm.agent", title="Critic", instructions="a\nb\nc", rounds=3)})
    after = set_setting(before, CRITIC, "instructions", "a\nB\nc\nd").applied_to(before)
    after = set_setting(after, CRITIC, "rounds", 4).applied_to(after)
    assert describe_difference(before, after) == [
        "Changed the setting `instructions` of “Critic”: 2 lines added, 1 removed.",
        "Changed the setting `rounds` of “Critic” from 3 to 4.",
    ]


def test_titles_run_settings_wires_and_the_header_are_told() -> None:
    before = review()
    after = describe(before, "Review", "").applied_to(before)
    after = set_title(after, CRITIC, "Judge").applied_to(after)
    after = set_run(after, CRITIC, RunSettings(retries=2)).applied_to(after)
    after = connect(after, socket("critic.then"), socket("answer.after"), LIBRARY).applied_to(after)
    assert describe_difference(before, after) == [
        'The flow is called "Review" instead of "".',
        "“Critic” is now called “Judge”.",
        "Changed the run setting `retries` of “Judge” from 0 to 2.",
        "Added the wire “Judge” then → “answer” after.",
    ]


def test_moving_nodes_is_one_line_however_many_they_are() -> None:
    before = review()
    places = {name: Point(7, 7) for name in before.nodes}
    assert describe_difference(before, move(before, places).applied_to(before)) == ["Moved 7 nodes."]


@settings(max_examples=examples(40), deadline=None)
@given(flows(), flows())
def test_only_equal_flows_have_nothing_to_tell(one: Flow, other: Flow) -> None:
    assert describe_difference(one, one) == []
    if one.nodes != other.nodes or one.wires != other.wires:
        assert describe_difference(one, other)
