"""People in a run: whoever takes too long, and whoever sends a value back until it is right."""

from collections.abc import Mapping
from typing import Any

from studio.host.people import FormsOnScreen
from studio.ids import StepId
from studio.runtime.resources.people import NoPeople
from studio.sdk import Form
from studio.trace.fold.state import StepStatus, fold
from tests.runtime.bench import flow_of, run

OUT = "io.flow_output"


class Reviewer:
    """Rejects what has no owl yet."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Decide."""
        del step
        approval: Any = form.schema["approval"]
        self.seen.append(approval["value"])
        if "owl" in approval["value"]:
            return {"decision": "approve"}
        return {"decision": "reject", "reason": "an owl"}


async def test_a_person_who_takes_too_long_is_waited_for_no_more_and_the_error_policy_says_what_follows() -> (
    None
):
    nodes: dict[str, Any] = {
        "ask": (
            "human.ask",
            {},
            {"question": "Ready?"},
            {"time_limit": 0.02, "on_error": "default", "default": "no"},
        ),
        "out": OUT,
    }
    flow = flow_of(nodes, ["ask.answer -> out.value"])
    ran = await run(flow, people=FormsOnScreen())
    assert ran.outputs == {"out": "no"}
    state = fold(ran.entries)
    assert state.steps[StepId("ask#ask.1")].status is StepStatus.CANCELLED
    assert state.waiting == {}


async def test_no_error_policy_stands_in_for_a_person_who_can_still_be_asked() -> None:
    nodes: dict[str, Any] = {
        "ask": ("human.ask", {}, {"question": "?"}, {"on_error": "default", "default": "no"}),
        "out": OUT,
    }
    ran = await run(flow_of(nodes, ["ask.answer -> out.value"]), people=NoPeople())
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert (ran.outcome.error.error, ran.outcome.error.exit_code) == ("WaitingError", 4)


async def test_what_is_rejected_goes_round_with_its_reason_until_it_is_approved() -> None:
    nodes: dict[str, Any] = {
        "draft": ("value.json", {"value": "A wren."}),
        "rounds": ("control.loop", {"max_rounds": 5}),
        "approve": "human.approve",
        "writer": ("text.template", {"template": "{{old}} Now {{why}}."}),
        "out": OUT,
    }
    wires = [
        "draft.value -> rounds.start",
        "rounds.value -> approve.value",
        "approve.rejected -> writer.old",
        "approve.reason -> writer.why",
        "writer.text -> rounds.again",
        "approve.approved -> rounds.done",
        "rounds.result -> out.value",
    ]
    reviewer = Reviewer()
    ran = await run(flow_of(nodes, wires), people=reviewer)
    assert ran.outputs == {"out": "A wren. Now an owl."}
    assert reviewer.seen == ["A wren.", "A wren. Now an owl."]
