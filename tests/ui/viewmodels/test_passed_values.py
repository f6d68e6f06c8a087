"""What is said of the values that passed at ports and along wires."""

import pytest

from studio.flow.records import Socket
from studio.ids import NodeId, PortName, StepId
from studio.trace.events import OutputsPinned, StepFinished, StepReady, StepStarted
from studio.trace.events.values import Shown
from studio.ui.viewmodels.run.passed_values import describe, passed_along, passed_at
from studio.ui.viewmodels.run.shown_run import ShownRun
from tests.ui.builders import a_flow, a_run

REPLY = Socket(NodeId("writer"), PortName("reply"))


def _shown(*happened: object) -> ShownRun:
    shown = ShownRun()
    shown.show(a_run(*happened))
    shown.flush()
    return shown


def test_a_port_has_what_the_shown_step_gave_and_says_which_step_that_is() -> None:
    shown = _shown(
        ("rounds.2/writer", "rounds", StepStarted({"prompt": Shown("Why?")})),
        ("rounds.2/writer", "rounds", StepFinished({"reply": Shown("Because.")})),
    )
    found = passed_at(a_flow(), shown, REPLY, None, is_output=True)
    assert found is not None
    assert found.caption == "Writer, round 2: reply · text, 8 characters"


def test_a_port_where_nothing_has_passed_has_nothing() -> None:
    assert passed_at(a_flow(), ShownRun(), REPLY, None, is_output=True) is None
    shown = _shown(("writer", StepStarted({})))
    assert passed_at(a_flow(), shown, REPLY, None, is_output=True) is None


def test_a_wire_off_the_border_of_a_loop_has_what_its_target_read() -> None:
    flow = a_flow()
    shown = _shown(
        ("rounds", StepStarted()), ("rounds.1/writer", "rounds", StepStarted({"prompt": Shown("x")}))
    )
    wire = next(wire for wire in flow.wires if str(wire) == "rounds.value -> writer.prompt")
    for found in (
        passed_along(flow, shown, wire, None),
        passed_at(flow, shown, wire.source, None, is_output=True),
    ):
        assert found is not None
        assert (found.value.data, found.place) == ("x", "Writer, round 1: prompt")


def test_a_pinned_value_is_said_to_be_pinned() -> None:
    shown = _shown(
        ("writer", StepReady()),
        ("writer", OutputsPinned("earlier", "writer")),
        ("writer", StepFinished({"reply": Shown("x")})),
    )
    found = passed_at(a_flow(), shown, REPLY, StepId("writer"), is_output=True)
    assert found is not None
    assert found.caption.endswith("pinned")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("a", "text, 1 character"),
        ("a" * 1200, "text, 1,200 characters"),
        (True, "yes or no"),
        (2.5, "number"),
        ([1, 2, 3], "list of 3"),
        ({"a": 1}, "object with 1 field"),
        ({"role": "assistant", "content": "Hm."}, "message from assistant"),
        (None, "nothing (null)"),
    ],
)
def test_a_value_is_described_by_what_it_is_and_how_large(data: object, said: str) -> None:
    assert describe(data) == said
