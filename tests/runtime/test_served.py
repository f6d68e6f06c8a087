"""A server of tools in a run: allowed first, recorded, and not needed in a replay."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.recorder import Recorder
from studio.runtime.replay.takeover import replayed
from studio.runtime.resources.people import GivenAnswers, NoPeople
from studio.sdk.context import Form
from studio.servers.connection import McpServers
from studio.servers.records import DECLINED
from studio.trace.events import PolicyDecided
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, until
from tests.servers.running import BIRDS, ENVIRON, PLAIN, PLAIN_SCRIPT, Allowed, Person

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]

COMMAND = " ".join(PLAIN.command)


def flow(tool: str = "count", **more: Any) -> Any:
    settings = {"command": COMMAND, "variables": ["BIRD_KEY"], **more}
    return flow_of(
        {
            "call": (
                "control.call_tool",
                {"tool_name": tool},
                {"arguments": {"bird": "wren"} if tool == "count" else {}},
            ),
            "birds": ("tools.mcp_server", settings),
            "out": "io.flow_output",
        },
        ["birds.tool -> call.tool[0]", "call.text -> out.value"],
    )


async def ran(root: Path, one: Any, **more: Any) -> Ran:
    return await run(one, root=root, servers=McpServers(root, ENVIRON), **more)


def failure(one: Ran) -> Any:
    assert one.outcome is not None
    assert one.outcome.error is not None
    return one.outcome.error


async def test_a_command_starts_after_somebody_has_looked_at_it_and_is_asked_about_once(
    tmp_path: Path,
) -> None:
    person, grants = Person({"allow": True}), Allowed()
    first = await ran(tmp_path, flow(), people=person, grants=grants)
    assert first.outputs == {"out": "2 wrens"}
    [form] = person.forms
    assert COMMAND in form.question
    assert f"in {tmp_path}" in form.question
    assert "BIRD_KEY" in form.question
    second = await ran(tmp_path, flow(), people=NoPeople(), grants=grants)
    assert second.outputs == {"out": "2 wrens"}


async def test_when_anything_of_it_changes_it_is_asked_about_again(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    grants = Allowed()
    await ran(tmp_path, flow(), people=Person({"allow": True}), grants=grants)
    for change in ({"variables": ["OTHER_KEY"]}, {"folder": "inner"}, {"command": f"{COMMAND} more"}):
        error = failure(await ran(tmp_path, flow(**change), grants=grants))
        assert error.error == "WaitingError"
        assert error.exit_code == 4
        assert "stepwire grants" in error.hint


async def test_when_the_script_that_it_starts_changes_it_is_asked_about_again_with_what_changed(
    tmp_path: Path,
) -> None:
    script = tmp_path / "birds.py"
    script.write_text(PLAIN_SCRIPT.read_text())
    command = f"{sys.executable} birds.py"
    grants, person = Allowed(), Person({"allow": True})
    assert (await ran(tmp_path, flow(command=command), people=person, grants=grants)).outputs
    script.write_text(f"{PLAIN_SCRIPT.read_text()}# one line more\n")
    assert (await ran(tmp_path, flow(command=command), people=person, grants=grants)).outputs
    first, again = (form.question for form in person.forms)
    assert "including the contents of: birds.py" in first
    assert "birds.py changed:" in again
    assert "+# one line more" in again


async def test_when_a_server_describes_its_tools_otherwise_a_person_sees_how(tmp_path: Path) -> None:
    grants, person = Allowed(), Person({"allow": True})
    for _ in range(2):
        assert (await ran(tmp_path, flow(), people=person, grants=grants)).outputs
    assert len(person.forms) == 1, "the first time they are taken as they are"
    seen = grants.allowed[-1]
    told = seen.seen["count"].replace("Count a bird.", "Count a bird and more.")
    grants.allowed[-1] = replace(seen, seen={**seen.seen, "count": told})
    error = failure(await ran(tmp_path, flow(), grants=grants))
    assert error.exit_code == 4
    assert "--revoke" in error.hint
    no = Person({"allow": False})
    assert "have changed" in failure(await ran(tmp_path, flow(), people=no, grants=grants)).message
    assert "count changed:\n  @@ -1,2 +1,2 @@\n  -Count a bird and more.\n  +Count a bird." in (
        no.forms[0].question
    )
    assert (await ran(tmp_path, flow(), people=person, grants=grants)).outputs == {"out": "2 wrens"}
    assert (await ran(tmp_path, flow(), grants=grants)).outputs == {"out": "2 wrens"}


async def test_what_changes_while_a_person_looks_at_it_is_asked_about_again(tmp_path: Path) -> None:
    script = tmp_path / "birds.py"
    script.write_text(PLAIN_SCRIPT.read_text())

    class Slow(Person):
        async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
            if not self.forms:
                script.write_text(f"{PLAIN_SCRIPT.read_text()}# while you looked\n")
            return await super().ask(step, form)

    person = Slow({"allow": True})
    one = await ran(tmp_path, flow(command=f"{sys.executable} birds.py"), people=person, grants=Allowed())
    assert one.outputs == {"out": "2 wrens"}
    assert "+# while you looked" in person.forms[1].question


async def test_what_is_not_allowed_does_not_start(tmp_path: Path) -> None:
    grants = Allowed()
    one = await ran(tmp_path, flow(), people=Person({"allow": False}), grants=grants)
    assert "was not approved" in failure(one).message
    assert grants.allowed == []


async def test_the_answer_may_be_given_with_the_call(tmp_path: Path) -> None:
    people = GivenAnswers({StepId("birds#ask.1"): True}, NoPeople())
    assert (await ran(tmp_path, flow(), people=people)).outputs == {"out": "2 wrens"}


async def test_an_allowance_in_a_recording_counts_for_nothing(tmp_path: Path) -> None:
    first = await ran(tmp_path, flow(), people=Person({"allow": True}))
    kept = [entry for entry in first.entries if entry.event.kind != "tool_answered"]
    past = replayed(kept, flow(), REGISTRY, is_live=True)
    error = failure(await ran(tmp_path, flow(), past=past))
    assert error.error == "WaitingError"


async def test_a_replay_starts_nothing(tmp_path: Path) -> None:
    first = await ran(tmp_path, flow(), people=Person({"allow": True}))
    again = await run(flow(), root=tmp_path, past=replayed(first.entries, flow(), REGISTRY))
    assert again.outputs == first.outputs


async def test_progress_and_questions_of_the_server_are_those_of_its_node(tmp_path: Path) -> None:
    grants, birds = Allowed(), " ".join(BIRDS.command)
    watched = await ran(tmp_path, flow("watch", command=birds), people=Person({"allow": True}), grants=grants)
    told = [entry for entry in watched.entries if entry.event.kind == "step_progressed"]
    # How long it takes to start is told before, where that takes a second.
    assert [(str(entry.step), entry.event.note) for entry in told][-1:] == [("birds", "half")]
    asked = await ran(tmp_path, flow("ask", command=birds), people=Person({"place": "pond"}), grants=grants)
    assert asked.outputs == {"out": "at the pond"}
    assert "approval_asked" in asked.events("call#tool.1/birds#ask.1")
    declined = await ran(tmp_path, flow("ask", command=birds), people=Person({DECLINED: True}), grants=grants)
    assert declined.outputs == {"out": "decline"}


async def test_only_the_tools_that_are_named_are_lent_and_one_that_is_not_there_is_an_error(
    tmp_path: Path,
) -> None:
    people = Person({"allow": True})
    error = failure(await ran(tmp_path, flow("watch", only=["count"]), people=people))
    assert "no tool `watch`; attached: `count`" in error.message
    error = failure(await ran(tmp_path, flow(only=["feed"]), people=people))
    assert "no tool `feed`" in error.message


def decisions(one: Ran) -> list[tuple[str, str]]:
    """What was decided, and by what rule."""
    found = (entry.event for entry in one.entries)
    return [(event.decision, event.rule) for event in found if isinstance(event, PolicyDecided)]


async def test_what_is_allowed_asked_or_denied_is_on_record_with_its_rule(tmp_path: Path) -> None:
    grants = Allowed()
    first = await ran(tmp_path, flow(), people=Person({"allow": True}), grants=grants)
    assert decisions(first) == [
        ("ask", "it has not been approved yet"),
        ("allow", "a person approved it in this run"),
    ]
    assert decisions(await ran(tmp_path, flow(), grants=grants)) == [("allow", "approved before")]
    denied = await ran(tmp_path, flow(), people=Person({"allow": False}), grants=Allowed())
    assert decisions(denied)[-1] == ("deny", "a person rejected it")


async def test_a_decision_is_held_before_it_takes_effect(tmp_path: Path) -> None:
    gates: list[DebugGate] = []
    catch = Breakpoint(on="policy", condition='decision == "allow"')

    def make_gate(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, [catch]))
        return gates[0]

    async def look(one: Ran) -> None:
        await until(lambda: bool(gates) and bool(gates[0].held))
        assert [str(ref.step) for ref in gates[0].held] == ["birds#policy.2"]
        assert "tool_answered" not in {entry.event.kind for entry in one.entries}
        gates[0].resume()

    person = Person({"allow": True})
    one = await ran(
        tmp_path, flow(), people=person, grants=Allowed(), make_gate=make_gate, while_running=look
    )
    assert one.outputs == {"out": "2 wrens"}
