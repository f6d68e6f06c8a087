"""Whatever a language model says, what it is asked next is in the order that the strictest endpoints want."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.flow.records import Flow
from studio.llm.client import Caller, ToolCall, Usage
from studio.llm.scripted_answers.script_book import ScriptedReply
from tests.llm.strict_endpoint import StrictEndpoint
from tests.runtime import bench
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT
from tests.runtime.provider import EXECUTED, Endpoint, Mode
from tests.runtime.test_provider_faults import REGISTRY, ran_virtually, see_that_it_is_over

any_text = st.text(st.characters(exclude_categories=()), max_size=8)
"""Half surrogates included."""
names = st.sampled_from(["lookup", "ask_expert", "functions.lookup", "no_such_tool", "a" * 80])
arguments = st.sampled_from(
    ['{"query": "owls"}', '{"task": "owls"}', "{}", '{"query": 7}', '{"query": "\ud83d", "limit": [1, null]}']
)
odd = st.sampled_from(["[]", '"owls"', '{"query": "a"', "", "NaN"])
ids = st.sampled_from(["", "c1", "c2", "an id that has more characters than OpenAI takes"])
calls = st.builds(ToolCall, ids, names, arguments)
texts = any_text | st.sampled_from(["", " ", '{"bird": "wren"}', '```json\n{"bird": 3}\n```'])
Said = tuple[str, tuple[ToolCall, ...], str]


@st.composite
def replies(draw: st.DrawFn) -> Said:
    """What a language model says: mostly something that can be used, now and then nothing of the kind."""
    text, asked = draw(texts), draw(st.lists(calls, max_size=3))
    reason = draw(st.sampled_from(["stop"] * 8 + ["tool_calls", "length", "content_filter"]))
    if asked and draw(st.integers(0, 9)) == 0:
        asked[-1] = replace(asked[-1], arguments=draw(odd))
    return text, tuple(asked), reason


class WildBook:
    """Says what was drawn, one after the other, and at last always the same."""

    def __init__(self, said: list[Said]) -> None:
        self._said = said
        self._number = 0

    def answer(self, body: Mapping[str, Any], caller: Caller) -> ScriptedReply:
        """Give the next reply."""
        del body, caller
        text, asked, reason = self._said[self._number % len(self._said)]
        self._number += 1
        return ScriptedReply(str(self._number), text, asked, usage=Usage(1, 1), finish_reason=reason)


class WildEndpoint(StrictEndpoint, Endpoint):
    """A strict endpoint whose language model says anything."""

    def __init__(self, said: list[Said], mode: Mode) -> None:
        super().__init__("rules: [{reply: never}]", mode=mode)
        self._book = WildBook(said)  # type: ignore[assignment]
        self.refused = []


SCHEMA = {"type": "object", "properties": {"bird": {"type": "string"}}, "required": ["bird"]}
WIRES = [
    "ask.text -> agent.prompt",
    "lend.tool -> agent.tools[0]",
    "lend.tool -> expert.tools",
    "expert.tool -> agent.tools[1]",
    "agent.messages -> chat.history",
    "ask.text -> chat.prompt",
    "chat.messages -> last.history",
    "ask.text -> last.prompt",
    "last.messages -> out.value",
]


@st.composite
def flows(draw: st.DrawFn) -> Flow:
    """An agent with tools, a chat that goes on with its conversation, and an agent that goes on with that."""
    schema = st.none() | st.just(SCHEMA)
    again = {"on_error": "output", "retries": draw(st.integers(0, 1))}
    agent = {
        "instructions": draw(st.sampled_from(["", "Be brief."])),
        "turns": draw(st.integers(1, 4)),
        "at_limit": draw(st.sampled_from(["fail", "answer", "stop"])),
        "parallel": draw(st.booleans()),
        "window": draw(st.none() | st.just(700)),
        "answer_schema": draw(schema),
        "stop_tools": draw(st.sampled_from([[], ["lookup"]])),
        "stop_texts": draw(st.sampled_from([[], ["o"]])),
    }
    return flow_of(
        {
            "ask": ("text.text", {"text": draw(st.sampled_from(["What sang?", "What sang? " * 100]))}),
            "lend": "test.lookup",
            "expert": ("tools.agent_as_tool", {"name": "ask_expert", "turns": 2}),
            "agent": ("llm.agent", agent, {}, {"retries": again["retries"]}),
            "chat": ("llm.chat", {"instructions": "Go on.", "answer_schema": draw(schema)}),
            "last": ("llm.agent", {"turns": 2, "at_limit": "stop"}),
            "out": OUT,
        },
        WIRES,
    )


@pytest.fixture(autouse=True, scope="module")
def _tool() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "REGISTRY", REGISTRY)
        yield


@given(
    flows(),
    st.lists(replies(), min_size=2, max_size=12),
    st.sampled_from(Mode),
    st.sampled_from(["chat", "responses"]),
)
def test_no_strict_endpoint_refuses_what_an_agent_asks_next(
    flow: Flow, said: Any, mode: Mode, api: Any
) -> None:
    EXECUTED.arguments.clear()
    endpoint = WildEndpoint(said, mode)
    ran, _ = ran_virtually(flow, endpoint, api)
    assert not endpoint.refused, endpoint.refused
    see_that_it_is_over(ran)
    assert all(isinstance(one.get("query", ""), str) for one in EXECUTED.arguments)
