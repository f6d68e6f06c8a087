import pytest

from studio.flow.checks.check import Problem, check, errors_of
from studio.flow.edits import set_run
from studio.flow.records import Flow, RunSettings
from studio.ids import NodeId
from tests.flow.builders import LIBRARY, flow, node, review


def found(some: Flow, code: str) -> Problem:
    matching = [one for one in check(some, LIBRARY) if one.code == code]
    assert matching, [one.code for one in check(some, LIBRARY)]
    return matching[0]


def codes(some: Flow) -> list[str]:
    return [one.code for one in check(some, LIBRARY)]


def mended(some: Flow, code: str, label: str) -> Flow:
    """Apply the remedy with this label; the problem must be gone then."""
    problem = found(some, code)
    remedy = next((one for one in problem.remedies if one.label == label), None)
    assert remedy is not None, [one.label for one in problem.remedies]
    after = remedy.change.applied_to(some)
    assert remedy.change.inverted().applied_to(after) == some
    assert code not in codes(after)
    return after


OUT = {"out": "io.flow_output"}


def test_a_flow_in_order_has_no_problems() -> None:
    assert check(review(), LIBRARY) == []


def test_a_kind_that_is_not_installed_is_named() -> None:
    problem = found(flow({"a": node("company.secret", title="Ours")}), "unknown-kind")
    assert problem.message == "“Ours” has the type `company.secret`, which is not installed."
    assert (problem.node, problem.severity) == ("a", "error")


def test_settings_that_do_not_fit_are_told_as_the_library_tells_them() -> None:
    some = flow({"a": node("text.text", broken=1)})
    assert found(some, "settings").message == "“a”: The setting `broken` does not exist."


def test_a_required_input_needs_a_wire_or_a_value() -> None:
    assert "“text”" in found(flow({"up": "text.upper"}), "missing-input").message
    assert "missing-input" not in codes(flow({"up": node("text.upper", inputs={"text": "typed"})}))


def test_a_lent_agent_needs_no_prompt() -> None:
    some = flow(
        {"t": "text.text", "a": "llm.agent", "d": "team.debate", "out": "io.flow_output"},
        "t.text -> d.topic",
        "a.agent -> d.members[0]",
        "d.verdict -> out.value",
    )
    assert codes(some) == []


def test_a_wire_to_a_port_that_is_not_there_can_be_removed() -> None:
    some = flow({"t": "text.text", **OUT}, "t.text -> out.value", "t.gone -> out.after")
    assert found(some, "missing-port").message == "“t” has no output `gone`. It has `text`."
    after = mended(some, "missing-port", "Remove the wire t.gone → out.after")
    assert [str(wire) for wire in after.wires] == ["t.text -> out.value"]


def test_a_wire_to_a_node_that_is_not_there_can_be_removed() -> None:
    some = flow({"t": "text.text", **OUT}, "t.text -> out.value", "ghost.text -> out.after")
    after = mended(some, "missing-node", "Remove the wire ghost.text → out.after")
    assert [str(wire) for wire in after.wires] == ["t.text -> out.value"]


def test_the_error_port_is_there_only_while_errors_are_an_output() -> None:
    some = flow({"t": "text.text", **OUT}, "t.error -> out.value")
    assert "missing-port" in codes(some)
    ready = set_run(some, NodeId("t"), RunSettings(on_error="output")).applied_to(some)
    assert "missing-port" not in codes(ready)


def test_types_that_do_not_fit_are_told_with_both_nodes() -> None:
    some = flow({"p": "value.picture", "n": "value.square"}, "p.image -> n.number")
    assert found(some, "type-conflict").message == "From “p” to “n”: `image` does not fit `number`."


def test_a_single_input_with_two_wires_offers_to_keep_either() -> None:
    some = flow({"a": "text.text", "b": "text.text", **OUT}, "a.text -> out.value", "b.text -> out.value")
    after = mended(some, "two-wires", "Keep the wire from b")
    assert [str(wire) for wire in after.wires] == ["b.text -> out.value"]


def test_equal_indices_can_be_renumbered() -> None:
    some = flow(
        {"a": "text.text", "b": "text.text", "j": "text.join"}, "a.text -> j.parts[1]", "b.text -> j.parts[1]"
    )
    after = mended(some, "equal-indices", "Renumber")
    assert [wire.index for wire in after.wires] == [0, 1]


def test_gaps_between_indices_are_fine() -> None:
    some = flow(
        {"a": "text.text", "b": "text.text", "j": "text.join"}, "a.text -> j.parts[1]", "b.text -> j.parts[9]"
    )
    assert "equal-indices" not in codes(some)


def cycle() -> Flow:
    return flow(
        {"t": "text.text", "a": "text.pair", "b": "text.upper", "out": "io.flow_output"},
        "t.text -> a.one",
        "a.text -> b.text",
        "b.text -> a.two",
        "b.text -> out.value",
    )


def test_a_cycle_names_its_wires_and_any_of_them_can_be_removed() -> None:
    problem = found(cycle(), "cycle")
    assert {str(one) for one in problem.wires} == {"a.text -> b.text", "b.text -> a.two"}
    mended(cycle(), "cycle", "Remove the wire b.text → a.two")


def test_a_cycle_with_a_start_becomes_a_loop() -> None:
    some = flow(
        {"t": "text.text", "a": "text.upper", "b": "text.upper", "out": "io.flow_output"},
        "t.text -> a.text",
        "a.text -> b.text",
        "b.text -> a.text",
        "b.text -> out.value",
    )
    after = mended(some, "cycle", "Insert a loop")
    assert errors_of(check(after, LIBRARY)) == []
    assert {"t.text -> rounds.start", "b.text -> rounds.again", "rounds.value -> a.text"} < {
        str(wire) for wire in after.wires
    }


def test_a_value_typed_at_the_port_becomes_the_start_of_the_loop() -> None:
    some = flow(
        {"a": node("text.upper", inputs={"text": "typed"}), "b": "text.upper"},
        "a.text -> b.text",
        "b.text -> a.text",
    )
    after = mended(some, "cycle", "Insert a loop")
    assert after.nodes[NodeId("rounds")].inputs == {"start": "typed"}


def test_maps_that_share_a_step_can_be_nested() -> None:
    some = flow(
        {
            "list": "text.split",
            "a": "control.for_each",
            "b": "control.for_each",
            "pair": "text.pair",
            "c": "control.collect",
            "d": "control.collect",
        },
        "list.parts -> a.items[0]",
        "list.parts -> b.items[0]",
        "a.item -> pair.one",
        "b.item -> pair.two",
        "pair.text -> c.item",
        "c.items -> d.item",
    )
    after = mended(some, "regions-maps", "Run b for each item of a")
    assert "a.index -> b.after" in {str(wire) for wire in after.wires}


def test_what_runs_once_can_be_made_to_run_in_every_round() -> None:
    some = flow(
        {"t": "text.text", "rounds": "control.loop", "up": "text.upper", "page": "text.upper", **OUT},
        "t.text -> rounds.start",
        "rounds.value -> up.text",
        "up.text -> rounds.again",
        "up.text -> page.text",
        "rounds.result -> out.value",
    )
    assert found(some, "runs-once").severity == "warning"
    mended(some, "runs-once", "Run in every round")


@pytest.mark.parametrize(
    ("some", "code"),
    [
        (flow({"t": "text.text"}), "no-output"),
        (flow({"t": "text.text", "u": "text.text"}), "not-wired"),
        (flow({"t": "text.text", "r": "control.loop"}, "t.text -> r.start"), "loop-without-return"),
        (
            flow({"a": node("io.flow_output", title="Out"), "b": node("io.flow_output", title="Out")}),
            "duplicate-outputs",
        ),
    ],
)
def test_likely_mistakes_are_warnings(some: Flow, code: str) -> None:
    assert found(some, code).severity == "warning"


def test_region_refusals_are_errors_with_wires_to_remove() -> None:
    some = flow(
        {"l": "text.split", "a": "control.for_each", "c": "control.collect", **OUT},
        "l.parts -> a.items[0]",
        "a.item -> c.item",
        "a.item -> out.value",
    )
    assert found(some, "output-in-map").severity == "error"
    mended(some, "output-in-map", "Remove the wire a.item → out.value")


def test_errors_stand_before_warnings() -> None:
    some = flow({"a": "text.text", "b": "company.secret"})
    severities = [one.severity for one in check(some, LIBRARY)]
    assert severities == sorted(severities)
