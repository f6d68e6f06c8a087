"""Flows that ask a provider that misbehaves, and whose tool writes down what it was run with."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from studio.flow.records import Flow
from studio.llm.client import ChatRequest
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.endpoints.retry import RetryPlan
from studio.llm.limits import ByteLimits, TimeLimits
from studio.llm.prices import Prices
from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.response_parts import Served
from studio.llm.scripted_answers.transport import scripted_http_client
from studio.sdk import Effect, Tool, Yields, binding
from tests.llm.builders import book_of
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT, calls

SCRIPT = """
rules:
  - when: {after_tool: lookup}
    reply: "Found {{ tool_results[-1].text }}"
  - when: {has_tool: ask_expert, turn: 0}
    tool_calls: [{name: ask_expert, arguments: {task: "look it up"}}]
  - when: {has_tool: hand_over_to_expert, turn: 0}
    tool_calls: [{name: hand_over_to_expert, arguments: {}}]
  - when: {after_tool: ask_expert}
    reply: "{{ tool_results[-1].text }}"
  - when: {has_tool: lookup}
    reply: "I look it up."
    tool_calls:
      - {name: lookup, arguments: {query: "the wren of the hedge", limit: 3}}
  - reply: "five words and an é"
"""
WHOLE_ARGUMENTS = ({"query": "the wren of the hedge", "limit": 3}, {"query": "anything at all"})
"""Those of the script, and those that a fault makes up where there is nothing to spoil."""
LIMITS = TimeLimits(connect=5, first_token=10, idle=5, total=60)
CAPS = ByteLimits(line=20_000, answer=40_000)

Api = Literal["chat", "responses"]

ASKING = {"ask": ("text.text", {"text": "What sang?"}), "out": OUT}
CHAT = flow_of({**ASKING, "chat": "llm.chat"}, ["ask.text -> chat.prompt", "chat.reply -> out.value"])
AGENT_NODES = {**ASKING, "lend": "test.lookup", "agent": "llm.agent"}
AGENT_WIRES = ["ask.text -> agent.prompt", "agent.reply -> out.value"]
AGENT = flow_of(AGENT_NODES, [*AGENT_WIRES, "lend.tool -> agent.tools"])
MAP_NODES: Mapping[str, Any] = {
    "words": ("value.json", {"value": ["a", "b", "c"]}),
    "each": ("control.for_each", {}),
    "lend": "test.lookup",
    "agent": "llm.agent",
    "all": "control.collect",
    "out": OUT,
}
MAP_WIRES = [
    "words.value -> each.items",
    "each.item -> agent.prompt",
    "lend.tool -> agent.tools",
    "agent.reply -> all.value",
    "all.values -> out.value",
]
TEAM = flow_of(
    {**AGENT_NODES, "expert": ("tools.agent_as_tool", {"name": "ask_expert"})},
    [*AGENT_WIRES, "lend.tool -> expert.tools", "expert.tool -> agent.tools"],
)
LENT = flow_of(
    {"task": "io.flow_input", "lend": "test.lookup", "agent": "llm.agent", "out": OUT},
    ["task.value -> agent.prompt", "lend.tool -> agent.tools", "agent.reply -> out.value"],
)
FLOWS = {"asked.json": AGENT, "lent.json": LENT}

STRUCTURES: Mapping[str, Flow] = {
    "chat": CHAT,
    "agent": AGENT,
    "map": flow_of(MAP_NODES, MAP_WIRES),
    "subflow": flow_of({"call": calls("asked.json"), "said": OUT}, ["call.out -> said.value"]),
    "agent of an agent": TEAM,
}

OTHERS: Mapping[str, Flow] = {
    "flow lent to an agent": flow_of(
        {
            **ASKING,
            "agent": "llm.agent",
            "flow": ("tools.flow_as_tool", {"flow": "lent.json", "name": "ask_expert"}),
        },
        [*AGENT_WIRES, "flow.tool -> agent.tools"],
    ),
    "agent that hands over": flow_of(
        {**AGENT_NODES, "expert": "team.member"},
        [*AGENT_WIRES, "lend.tool -> expert.tools", "expert.agent -> agent.colleagues"],
    ),
    "samples of one call": flow_of(
        {**ASKING, "chat": ("llm.chat", {"sampling": "one call for all", "samples": 2})},
        ["ask.text -> chat.prompt", "chat.samples -> out.value"],
    ),
    "samples of a call each": flow_of(
        {**ASKING, "chat": ("llm.chat", {"sampling": "a call for each", "samples": 2})},
        ["ask.text -> chat.prompt", "chat.samples -> out.value"],
    ),
}
"""What else asks language models; tried in fewer ways."""


class Mode(StrEnum):
    """How an answer is asked for, and comes."""

    STREAMED = "streamed"
    WHOLE = "whole"
    """Asked for in one piece."""
    IN_ONE_PIECE_ALL_THE_SAME = "in one piece all the same"
    """A stream was asked for, which some endpoints don't know."""


class Endpoint(ScriptedEndpoint):
    """A scripted endpoint that counts what it is asked, and may not know how to stream."""

    def __init__(self, script: str, faults: Sequence[str] = (), mode: Mode = Mode.STREAMED) -> None:
        super().__init__(book_of(script), faults=faults, pace=0)
        self.mode = mode
        self.bodies: list[Mapping[str, Any]] = []

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Served:
        """Answer, and keep the body as it came."""
        plain = json.loads(body)
        self.bodies.append(plain)
        if self.mode is Mode.IN_ONE_PIECE_ALL_THE_SAME:
            body = json.dumps({**plain, "stream": False}).encode()
        return super().handle(method, path, headers, body)

    def client(self, api: Api = "chat", prices: Prices | None = None) -> OpenAIClient:
        """Give the real client, which asks again and keeps its clocks in the time of the running loop."""
        return (_Unstreamed if self.mode is Mode.WHOLE else OpenAIClient)(
            "http://scripted.invalid/v1",
            "sk-secret-of-the-test",
            "scripted",
            time_limits=LIMITS,
            byte_limits=CAPS,
            http_client=lambda: scripted_http_client(self),
            prices=prices,
            retries=RetryPlan(clock=lambda: asyncio.get_running_loop().time(), jitter=lambda: 1.0),
            send_caller=True,
            api=api,
        )


class _Unstreamed(OpenAIClient):
    """A client that asks for no streams."""

    def body_of(self, request: ChatRequest) -> dict[str, object]:
        return super().body_of(replace(request, stream=False))


@dataclass(slots=True)
class Executed:
    """What the tool was run with, in all runs of a test."""

    arguments: list[Mapping[str, object]] = field(default_factory=list[Mapping[str, object]])


EXECUTED = Executed()


@binding("test.lookup", title="A tool that changes the world")
async def lookup() -> Yields[Tool]:
    """Lend it."""

    async def look(arguments: Mapping[str, object]) -> str:
        EXECUTED.arguments.append(dict(arguments))
        return "a wren"

    parameters = {"type": "object", "properties": {"query": {"type": "string"}}}
    yield Tool("lookup", "Looks things up.", parameters, look, Effect.SIDE_EFFECT)
