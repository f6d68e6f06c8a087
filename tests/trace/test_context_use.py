"""What filled a request: shares that make up what was counted, and what is said where nobody counted."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from studio.ids import StepId
from studio.trace.conversations.context_use import chats_of, context_of, shown_chat
from studio.trace.events import ChatAnswered, ChatRequested, Event, StepStarted
from studio.trace.fold.state import fold
from tests.trace.builders import answer, numbered

CHAT = StepId("critic#chat.1")
SAID = {"role": "assistant", "content": "Yes."}
MESSAGES = [
    {"role": "system", "content": "You are strict."},
    {"role": "user", "content": "Is it?" * 50},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "name": "search", "arguments": "{}"}]},
    {"role": "tool", "content": "Found.", "tool_call_id": "a"},
]
TOOLS = [{"name": "search", "description": "Looks.", "parameters": {"type": "object"}}]


def requested(messages: list[Any], **more: Any) -> ChatRequested:
    return ChatRequested("openai", {"messages": messages, "tools": [], **more})


def use_of(*happened: Event) -> Any:
    state = fold(numbered(*((CHAT, "critic", one) for one in happened)))
    return context_of(state, state.steps[CHAT])


@given(st.lists(st.text(max_size=40), min_size=1, max_size=8), st.integers(1, 5000))
def test_the_shares_of_all_parts_make_up_what_was_counted(texts: list[str], tokens: int) -> None:
    messages = [{"role": "user", "content": text} for text in texts]
    use = use_of(requested(messages), ChatAnswered(SAID, "stop", tokens, 3, 0, 0.1))
    assert use.is_counted
    assert use.tokens_in == sum(part.tokens for part in use.parts) == tokens
    assert all(part.tokens >= 0 for part in use.parts)
    assert abs(sum(part.share for part in use.parts) - 1) < 1e-9


def test_messages_tools_and_the_schema_are_parts_and_answers_name_their_tool() -> None:
    use = use_of(requested(MESSAGES, tools=TOOLS, response_schema={"type": "object"}))
    assert [(part.kind, part.name, part.tool) for part in use.parts] == [
        ("message", "system", ""),
        ("message", "user", ""),
        ("message", "assistant", ""),
        ("message", "tool", "search"),
        ("tool", "search", ""),
        ("schema", "", ""),
    ]
    assert max(use.parts, key=lambda part: part.tokens).name == "user"


def test_what_nobody_counted_is_estimated_and_says_so() -> None:
    use = use_of(requested([{"role": "user", "content": "x" * 388}]))
    assert (use.is_counted, use.is_answered, use.tokens_in) == (False, False, 100)


def test_cost_cache_and_window_stand_beside_the_parts() -> None:
    window = {"tokens": 100, "taken": 90, "dropped": ["Hello…"], "shortened": 1, "summary": False}
    use = use_of(requested(MESSAGES, window=window), ChatAnswered(SAID, "stop", 200, 7, 50, 0.25))
    assert (use.tokens_out, use.cached, use.cached_share, use.cost) == (7, 50, 0.25, 0.25)
    assert use.window is not None
    assert use.window.dropped == ("Hello…",)


def test_a_step_stands_for_its_last_chat_and_a_chat_for_itself() -> None:
    second = StepId("critic#chat.2")
    state = fold(
        numbered(
            ("critic", StepStarted()),
            (CHAT, "critic", requested(MESSAGES)),
            (CHAT, "critic", answer("a")),
            (second, "critic", requested(MESSAGES)),
        )
    )
    assert [one.id for one in chats_of(state, StepId("critic"))] == [CHAT, second]
    last, first = shown_chat(state, StepId("critic")), shown_chat(state, CHAT)
    assert (last and last.id, first and first.id) == (second, CHAT)


def test_the_effort_its_tokens_and_how_the_answer_was_begun_stand_beside_the_parts() -> None:
    asked = requested(MESSAGES, effort="high", prefix="It is")
    use = use_of(asked, ChatAnswered(SAID, "stop", 200, 70, reasoning_tokens=60))
    assert (use.effort, use.reasoning) == ("high", 60)
    assert [(one.name, one.text) for one in use.parts][-1] == ("assistant", "It is")
