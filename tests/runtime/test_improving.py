"""Loops that one gesture builds: the next round reads task, draft and objection, till a draft is accepted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from studio.flow.checks.check import check
from studio.flow.edits.draft_loops import SAYS_OK, improving_loop
from studio.flow.records import Flow, Layout, Point, Socket, Wire
from studio.ids import NodeId, PortName, StepId
from studio.runtime.resources.people import NoPeople, People
from studio.sdk import Form
from studio.trace.events import ChatRequested
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

SCRIPT = r"""
rules:
  - when: {node: writer, asked: 'no bird'}
    reply: "A wren sang."
  - when: {node: writer}
    reply: "Something sang."
  - when: {node: judge, asked: 'wren'}
    reply: '{"reason": "Good.", "good": 5}'
  - when: {node: judge}
    reply: '{"reason": "It names no bird.", "good": 1}'
  - when: {node: critic, asked: 'wren'}
    reply: "OK"
  - when: {node: critic}
    reply: "It names no bird."
"""


class Reader:
    """A person who wants a wren."""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Approve, or say what is missing."""
        shown = str(form)
        if step.partition("#")[0].endswith("ask"):
            return {"answer": "ok" if "wren" in shown else "It names no bird."}
        if "wren" in shown:
            return {"decision": "approve"}
        return {"decision": "reject", "reason": "It names no bird."}


@pytest.mark.parametrize("way", ["judge", "critic", "approve", "ask"])
async def test_the_next_round_reads_task_draft_and_objection(tmp_path: Path, way: str) -> None:
    flow = built(way)
    assert [one.message for one in check(flow, REGISTRY) if one.severity == "error"] == []
    ran = await ran_on(flow, tmp_path, Reader())
    assert ran.outputs == {"out": "A wren sang."}
    second = asked_of(ran, "rounds.2/writer")
    for part in ("What sang?", "Something sang.", "It names no bird."):
        assert part in second
    assert "Something sang." not in asked_of(ran, "rounds.1/writer")


@pytest.mark.parametrize("way", ["judge", "critic", "approve", "ask"])
def test_what_stood_beside_the_body_makes_room_and_keeps_its_order(way: str) -> None:
    flow = built(way)
    places = flow.layout.nodes
    body = [
        at.x for node, at in places.items() if node not in {NodeId("in"), NodeId("out"), NodeId("rounds")}
    ]
    assert places[NodeId("in")].x + 220 <= min(body) - 76
    assert places[NodeId("out")].x >= max(body) + 220 + 76


def test_a_critic_is_told_how_to_accept_and_a_judge_gets_the_question() -> None:
    critic = built("critic").nodes[NodeId("critic")]
    assert critic.settings["instructions"] == f"You find mistakes.\n{SAYS_OK}"
    judge = built("judge")
    assert Wire(socket("in.value"), socket("judge.question")) in judge.wires


def test_a_typed_task_is_read_in_every_round() -> None:
    base = drawn("judge")
    nodes = dict(base.nodes)
    writer = nodes[NodeId("writer")]
    nodes[NodeId("writer")] = writer.model_copy(update={"inputs": {PortName("prompt"): "What sang?"}})
    wires = tuple(wire for wire in base.wires if wire.source.node != NodeId("in"))
    flow = Flow("typed", "", nodes, wires, layout=base.layout)
    change = improving_loop(flow, closing("judge"), REGISTRY)
    assert change is not None
    after = change.applied_to(flow)
    assert after.nodes[NodeId("rounds")].inputs == {"start": "What sang?"}
    assert after.nodes[NodeId("next_round")].inputs == {"task": "What sang?"}


def test_nothing_is_built_where_the_task_is_not_known() -> None:
    base = drawn("judge")
    wires = tuple(wire for wire in base.wires if wire.source.node != NodeId("in"))
    assert improving_loop(Flow("bare", "", base.nodes, wires), closing("judge"), REGISTRY) is None


def test_one_undo_takes_the_whole_loop_back() -> None:
    flow = drawn("approve")
    change = improving_loop(flow, closing("approve"), REGISTRY)
    assert change is not None
    assert change.inverted().applied_to(change.applied_to(flow)) == flow


# ------------------------------------------------------------------------------------------- helpers

CRITICS: Mapping[str, tuple[Any, Sequence[str], str]] = {
    "judge": ("check.judge", ["writer.reply -> judge.value", "judge.passed -> out.value"], "judge.failed"),
    "critic": (
        ("llm.chat", {"instructions": "You find mistakes."}),
        ["writer.reply -> critic.prompt", "writer.reply -> out.value"],
        "critic.reply",
    ),
    "approve": (
        "human.approve",
        ["writer.reply -> approve.value", "approve.approved -> out.value"],
        "approve.rejected",
    ),
    "ask": ("human.ask", ["writer.reply -> ask.question", "writer.reply -> out.value"], "ask.answer"),
}


def drawn(way: str) -> Flow:
    kind, wires, _ = CRITICS[way]
    nodes = {
        "in": ("io.flow_input", {"type": "text"}),
        "writer": "llm.chat",
        way: kind,
        "out": "io.flow_output",
    }
    flow = flow_of(nodes, ["in.value -> writer.prompt", *wires])
    places = {NodeId(name): Point(260 * place, 0) for place, name in enumerate(nodes)}
    return Flow(flow.name, "", flow.nodes, flow.wires, layout=Layout(places))


def closing(way: str) -> Wire:
    return Wire(socket(CRITICS[way][2]), socket("writer.prompt"))


def built(way: str) -> Flow:
    flow = drawn(way)
    change = improving_loop(flow, closing(way), REGISTRY)
    assert change is not None
    return change.applied_to(flow)


def socket(text: str) -> Socket:
    node, _, port = text.partition(".")
    return Socket(NodeId(node), PortName(port))


async def ran_on(flow: Flow, folder: Path, people: People | None = None) -> Ran:
    (folder / "answers.yaml").write_text(SCRIPT, "utf-8")
    return await run(
        flow, {"in": "What sang?"}, script=folder / "answers.yaml", root=folder, people=people or NoPeople()
    )


def asked_of(ran: Ran, step: str) -> str:
    """All that the chats of a step were asked."""
    found = [entry.event for entry in ran.entries if str(entry.step).startswith(f"{step}#")]
    return "\n".join(str(one.request) for one in found if isinstance(one, ChatRequested))
