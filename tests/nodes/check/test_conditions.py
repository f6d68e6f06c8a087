"""A check ends a loop, or sends it round once more, and the trace says why."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.export.equality import Row, both
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
    assert both(Row(refined(kind, settings, **inputs)), tmp_path).outputs["result"] == "wren!!!"


@pytest.mark.parametrize("kind", ["check.expect", "check.schema"])
async def test_a_check_may_fail_the_run_as_an_assertion_does(kind: str) -> None:
    settings = {"at_fault": "fail", **({} if kind == "check.expect" else {"schema": {"type": "object"}})}
    ran = await run(flow_of({"check": (kind, settings, {"value": ""})}, []))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.error == "StepError"


def looped(check: Any, wires: list[str]) -> Any:
    """A loop around a writer who is a chat, and a check that says when it is over."""
    nodes: dict[str, Any] = {
        "rounds": ("control.loop", {"max_rounds": 5}, {"start": "A wren."}),
        "writer": ("llm.chat", {"instructions": "Write."}),
        "check": check,
        "result": "io.flow_output",
    }
    common = ["rounds.value -> writer.prompt", "writer.reply -> check.value", "rounds.result -> result.value"]
    return flow_of(nodes, [*common, *wires])


def script_of(tmp_path: Path, rules: list[dict[str, Any]]) -> Path:
    """A file of scripted answers."""
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"rules": rules}))
    return path


async def test_a_judge_ends_the_loop_and_each_judgement_stands_in_the_trace(tmp_path: Path) -> None:
    check = ("check.judge", {"criteria": [{"label": "Brief"}], "enough": 0.5})
    flow = looped(
        check,
        [
            "check.passed -> rounds.done",
            "check.failed -> hint.before",
            "check.reason -> hint.reason",
            "hint.text -> rounds.again",
        ],
    )
    hint = flow_of({"hint": ("text.template", {"template": "{{before}} ({{reason}})"})}, []).nodes
    flow = replace(flow, nodes={**flow.nodes, **hint})
    rules = [
        {"when": {"node": "check", "round": 1}, "reply": '{"reason": "Too long.", "brief": 1}'},
        {"when": {"node": "check", "round": 2}, "reply": '{"reason": "Better.", "brief": 4}'},
        {"when": {"node": "writer", "round": 1}, "reply": "A wren sang in the hedge."},
        {"when": {"node": "writer", "round": 2}, "reply": "A wren sang."},
    ]
    ran = await run(flow, script=script_of(tmp_path, rules))
    assert ran.outputs["result"] == "A wren sang."
    steps = ran.state.steps
    verdicts = {name: one.outputs["reason"].data for name, one in steps.items() if name.endswith("/check")}
    assert verdicts == {"rounds.1/check": "Too long.", "rounds.2/check": "Better."}
    assert {"rounds.1/check#chat.1", "rounds.2/check#chat.1"} <= set(steps)
    prompt = steps["rounds.2/writer"].inputs["prompt"].data  # type: ignore[index]
    assert prompt == "A wren sang in the hedge. (Too long.)"


async def test_a_guard_lets_the_loop_go_round_until_something_is_allowed(tmp_path: Path) -> None:
    check = ("check.guard", {"forbidden": ["owl"]})
    flow = looped(check, ["check.allowed -> rounds.done", "check.blocked -> rounds.again"])
    rules = [
        {"when": {"node": "writer", "round": 1}, "reply": "An owl."},
        {"when": {"node": "writer", "round": 2}, "reply": "A tit."},
    ]
    ran = await run(flow, script=script_of(tmp_path, rules))
    assert ran.outputs["result"] == "A tit."
    found = [one for name, one in ran.state.steps.items() if name.endswith("/check")]
    assert [one.outputs["ok"].data for one in found] == [False, True]
    assert "forbidden: owl" in str(found[0].outputs["reason"].data)
