"""A check ends a loop, or sends it round once more, and the trace says why."""

from pathlib import Path
from typing import Any

import pytest

from tests.export.scripts import both
from tests.runtime.bench import Ran, flow_of, run


def refined(kind: str, settings: Any, start: str = "wren", **inputs: Any) -> Any:
    """A flow that goes round, with `!` put behind the text, until the check lets it pass."""
    nodes: dict[str, Any] = {
        "rounds": ("control.loop", {"max_rounds": 6}, {"start": start}),
        "longer": ("text.template", {"template": "{{text}}!"}),
        "check": (kind, settings, inputs),
        "result": "io.flow_output",
        "history": "io.flow_output",
        "reasons": "io.flow_output",
        "other": "io.flow_output",
    }
    wires = [
        "rounds.value -> longer.text",
        "longer.text -> check.value",
        "check.passed -> rounds.done",
        "check.failed -> rounds.again",
        "rounds.result -> result.value",
        "rounds.history -> history.value",
        "check.reason -> reasons.value",
        "check.ok -> other.value",
    ]
    return flow_of(nodes, wires)


CONDITIONS: dict[str, Any] = {
    "expect": ("check.expect", {"rule": "len(value) > 6", "says": "too short"}, {}),
    "schema": ("check.schema", {"schema": {"type": "string", "minLength": 7}}, {}),
    "contains": ("check.score", {"by": "contains"}, {"wanted": "!!!"}),
    "exact": ("check.score", {}, {"wanted": "wren!!!"}),
    "pattern": ("check.score", {"by": "regular expression"}, {"wanted": "!{3}$"}),
    "share": ("check.score", {"by": "contains", "enough": 0.5}, {"wanted": ["!!!", "owl"]}),
}


@pytest.mark.parametrize("name", CONDITIONS)
async def test_a_loop_goes_round_until_the_check_lets_it_pass(name: str) -> None:
    kind, settings, inputs = CONDITIONS[name]
    ran: Ran = await run(refined(kind, settings, **inputs))
    assert ran.outputs["result"] == "wren!!!"
    assert ran.outputs["other"] is True
    steps = ran.state.steps
    verdicts = [steps[f"rounds.{number}/check"].outputs for number in (1, 2, 3)]  # type: ignore[index]
    assert [one["ok"].data for one in verdicts] == [False, False, True]
    assert [sorted({"passed", "failed"} & set(one)) for one in verdicts] == [
        ["failed"],
        ["failed"],
        ["passed"],
    ]
    assert all(one["reason"].data for one in verdicts[:2])
    assert "rounds.4/check" not in steps


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_script_goes_round_as_often(name: str, tmp_path: Path) -> None:
    kind, settings, inputs = CONDITIONS[name]
    engine, script = both(refined(kind, settings, **inputs), tmp_path)
    assert script == engine
    assert engine["result"] == "wren!!!"


@pytest.mark.parametrize("kind", ["check.expect", "check.schema"])
async def test_a_check_may_fail_the_run_as_an_assertion_does(kind: str) -> None:
    settings = {"at_fault": "fail", **({} if kind == "check.expect" else {"schema": {"type": "object"}})}
    ran = await run(flow_of({"check": (kind, settings, {"value": ""})}, []))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.error == "StepError"
