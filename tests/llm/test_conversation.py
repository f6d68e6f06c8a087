"""Whatever was said before, and however an agent misbehaves, no strict endpoint has anything to refuse."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from nodes.llm.agent.stop_conditions import Conditions
from studio.building_blocks.agents.handoffs import run_team
from studio.building_blocks.memories.context_window import Window
from studio.llm.client import ChatRequest, Message, ToolCall
from studio.llm.conversation import blocks, continued, formerly_called, tidied
from studio.sdk import Agent, StepError, Tool, ToolError
from studio.sdk.testing import ScriptedContext
from tests.llm.strict_endpoint import refusals

IDS = st.sampled_from(["a", "b", "c"])
TEXTS = st.sampled_from(["", "hello", "STOP", "long " * 200])
NAMES = st.sampled_from(["look", "fail", "none", "hand_over_to_second", "hand_over_to_first", "last"])
AtLimit = Literal["fail", "answer", "stop"]
AT_LIMIT: list[AtLimit] = ["fail", "answer", "stop"]
CALLS = st.builds(ToolCall, IDS, NAMES, st.sampled_from(["{}", '{"at": 1}']))
ODD_CALLS = st.builds(ToolCall, IDS, NAMES, st.sampled_from(["{}", "[]", "{"]))
MESSAGES = st.one_of(
    st.builds(Message, st.sampled_from(["system", "user", "assistant"]), TEXTS),
    st.builds(Message, st.just("assistant"), TEXTS, st.lists(ODD_CALLS, max_size=3).map(tuple)),
    st.builds(Message, st.just("tool"), TEXTS, tool_call_id=IDS),
)
HISTORIES = st.lists(MESSAGES, max_size=12)
ANSWERS = st.builds(Message, st.just("assistant"), TEXTS, st.lists(CALLS | ODD_CALLS, max_size=3).map(tuple))


@given(HISTORIES, st.sampled_from(["", "What now?"]))
def test_what_goes_on_from_any_history_is_valid(history: list[Message], prompt: str) -> None:
    said = continued(history, prompt)
    assert refusals([ChatRequest(tuple(said), formerly_called(said), may_call=False)]) == []


@given(HISTORIES)
def test_a_history_that_was_put_right_stays_as_it_is(history: list[Message]) -> None:
    assert tidied(tidied(history)) == tidied(history)


def test_a_valid_history_is_handed_on_as_it_is() -> None:
    call = ToolCall("a", "look", "{}")
    history = [
        Message("system", "Be kind."),
        Message("user", "Look."),
        Message("assistant", "", (call,)),
        Message("tool", "a wren", tool_call_id="a"),
        Message("assistant", "A wren."),
    ]
    assert continued(history, "And now?") == [*history[1:], Message("user", "And now?")]
    assert [len(block) for block in blocks(history)] == [1, 1, 2, 1]


def test_calls_without_answers_and_answers_without_calls_are_put_right() -> None:
    calls = (ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}"))
    history = [
        Message("tool", "lost", tool_call_id="z"),
        Message("assistant", "Hm.", calls),
        Message("tool", "a wren", tool_call_id="b"),
    ]
    opening, asked, *answers, stopped, question = continued(history, "Well?")
    assert [opening.role, stopped.role, question.role] == ["user", "assistant", "user"]
    assert asked.tool_calls == calls
    assert [(one.tool_call_id, one.content) for one in answers] == [
        ("a", "(The tool gave no answer.)"),
        ("b", "a wren"),
    ]


async def look(_: Mapping[str, object]) -> str:
    return "seen " * 100


async def fail(_: Mapping[str, object]) -> str:
    raise ToolError("Not today.")


TOOLS = [Tool(name, "", {}, run) for name, run in {"look": look, "fail": fail, "last": look}.items()]


@given(
    st.lists(ANSWERS, min_size=1, max_size=8),
    HISTORIES,
    st.sampled_from(AT_LIMIT),
    st.sampled_from([0, 300, 600]),
)
async def test_no_agent_says_what_a_strict_endpoint_refuses(
    answers: list[Message], history: list[Message], at_limit: AtLimit, tokens: int
) -> None:
    context = ScriptedContext([*answers, *["Done."] * 30])
    with suppress(StepError):  # at its limit, or where not even the last question fits
        answer = await run_team(
            context,
            first=Agent("first", "", "You are first.", TOOLS),
            colleagues=[Agent("second"), Agent("third", "", "You are third.", TOOLS)],
            prompt="Look.",
            hand_overs=3,
            history=history,
            at_limit=at_limit,
            turns=5,
            chats=Window(context, tokens, summarise=tokens > 300) if tokens else None,
            stops=Conditions(context, ["STOP"], ["last"], rule="turn >= 6").start(),
        )
        assert tidied(answer.messages) == [
            one
            for one in answer.messages
            if one.role == "tool" or (one.role != "system" and (one.content or one.tool_calls))
        ]
        assert answer.speaker in {"first", "second", "third"}
    assert refusals(context.requests) == []
    assert not tokens or all(one.window is None or one.window.taken <= tokens for one in context.requests)
