"""What a window sends of a conversation, what it leaves out, and what it says of it."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from studio.building_blocks.agents.tool_loop import run_agent
from studio.building_blocks.memories.context_window import Window, guessed, shortened
from studio.llm.client import ChatAnswer, ChatRequest, Message, ToolCall, ToolSpec, Usage
from studio.sdk import StepError
from studio.sdk.testing import ScriptedContext
from tests.llm.strict_endpoint import refusals

SYSTEM = Message("system", "Be kind.")
LOOK = ToolSpec("look", "", {})


def turn(number: int, words: int = 60) -> list[Message]:
    return [
        Message("user", f"question {number} {'word ' * words}"),
        Message("assistant", f"answer {number} {'word ' * words}"),
    ]


def tool_round(number: int, words: int = 200) -> list[Message]:
    call = ToolCall(f"call_{number}", "look", json.dumps({"at": number}))
    return [
        Message("assistant", "", (call,)),
        Message("tool", f"seen {number} {'word ' * words}end", tool_call_id=call.id),
    ]


def asking(*messages: Sequence[Message]) -> ChatRequest:
    return ChatRequest((SYSTEM, *(one for part in messages for one in part)), (LOOK,))


async def sent(request: ChatRequest, tokens: int, *, summary: str = "") -> ChatRequest:
    context = ScriptedContext([summary, "ok"] if summary else ["ok"])
    await Window(context, tokens, summarise=bool(summary)).chat(request)
    return context.requests[-1]


async def test_what_fits_is_sent_as_it_is_and_said_so() -> None:
    request = asking(turn(1), turn(2), [Message("user", "Well?")])
    fitted = await sent(request, 1000)
    assert fitted.messages == request.messages
    assert fitted.window is not None
    assert (fitted.window.tokens, fitted.window.taken) == (1000, guessed(request))
    assert (fitted.window.dropped, fitted.window.shortened) == ((), 0)


async def test_the_oldest_turns_are_left_out_whole_and_accounted_for() -> None:
    request = asking(*(turn(number) for number in range(6)), [Message("user", "Well?")])
    fitted = await sent(request, 600)
    assert guessed(fitted) <= 600
    assert fitted.messages[0] == SYSTEM
    assert fitted.messages[1].content.startswith("question ")
    assert fitted.messages[-1].content == "Well?"
    assert fitted.window is not None
    assert len(fitted.window.dropped) + len(fitted.messages) == len(request.messages)
    assert fitted.window.dropped[0].startswith("user: question 0 word")
    assert refusals([fitted]) == []


async def test_older_answers_of_tools_are_cut_before_anything_is_left_out() -> None:
    request = asking([Message("user", "Look.")], tool_round(1), tool_round(2), tool_round(3))
    fitted = await sent(request, 600)
    assert [one.role for one in fitted.messages] == [one.role for one in request.messages]
    assert fitted.messages[-1] == request.messages[-1]
    first = fitted.messages[3].content
    assert first.startswith("seen 1 word")
    assert first.endswith("word end")
    assert "characters left out" in first
    assert fitted.window is not None
    assert (fitted.window.dropped, fitted.window.shortened) == ((), 2)


async def test_the_question_stays_while_rounds_of_tools_after_it_are_left_out() -> None:
    request = asking([Message("user", "Look.")], *(tool_round(number, 30) for number in range(20)))
    fitted = await sent(request, 400)
    assert fitted.messages[1].content == "Look."
    assert fitted.messages[-2:] == request.messages[-2:]
    assert fitted.window is not None
    assert "assistant: look" in fitted.window.dropped[0]
    assert refusals([fitted]) == []


async def test_the_last_answer_of_a_tool_is_cut_where_it_alone_is_too_long() -> None:
    fitted = await sent(asking([Message("user", "Look.")], tool_round(1, 4000)), 300)
    assert guessed(fitted) <= 300
    assert "characters left out" in fitted.messages[-1].content


async def test_what_cannot_be_left_out_has_to_fit() -> None:
    with pytest.raises(StepError, match="the window is 200"):
        await sent(asking([Message("user", "word " * 400)]), 200)


async def test_tools_and_schema_take_room_too() -> None:
    spec = ToolSpec("look", "Looks. " * 200, {})
    with pytest.raises(StepError, match="the window is"):
        await sent(ChatRequest((Message("user", "Look."),), (spec,)), 300)


async def test_what_is_left_out_is_summed_up_and_the_summary_goes_on() -> None:
    context = ScriptedContext(["They spoke of birds.", "ok", "Of birds and trees.", "ok"])
    window = Window(context, 600, summarise=True)
    said = [one for number in range(6) for one in turn(number)]
    await window.chat(asking(said, [Message("user", "Well?")]))
    summing, asked = context.requests
    assert "question 0" in summing.messages[1].content
    assert asked.messages[1].role == "user"
    assert "They spoke of birds." in asked.messages[1].content
    assert asked.window is not None
    assert asked.window.summary == "They spoke of birds."
    assert guessed(asked) <= 600
    more = [one for number in range(6, 12) for one in turn(number)]
    await window.chat(asking(said, [Message("user", "Well?")], [Message("assistant", "Hm.")], more, more[:1]))
    assert context.requests[2].messages[1].content.startswith("They spoke of birds.")
    assert "Of birds and trees." in context.requests[3].messages[1].content


async def test_what_was_left_out_stays_left_out_so_that_the_beginning_stays_the_same() -> None:
    context = ScriptedContext(["ok"] * 8)
    window = Window(context, 800)
    said = [one for number in range(8) for one in turn(number)]
    starts: list[str] = []
    for number in range(8, 16):
        await window.chat(asking(said, [Message("user", f"Well {number}?")]))
        starts.append(context.requests[-1].messages[1].content)
        said += turn(number)
    assert len(set(starts)) <= 5


async def test_what_the_endpoint_counts_puts_the_guess_right() -> None:
    class Counting(ScriptedContext):
        async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
            answer = await super().chat(request, profile=profile)
            return ChatAnswer(answer.message, usage=Usage(2 * guessed(request), 1))

    context = Counting(["ok"] * 2)
    window = Window(context, 600)
    request = asking(turn(1), turn(2), [Message("user", "Well?")])
    for _ in range(2):
        await window.chat(request)
    first, second = context.requests
    assert first.messages == request.messages
    assert len(second.messages) < len(request.messages)
    assert 2 * guessed(second) <= 600


async def test_what_a_person_edited_is_the_conversation_from_then_on() -> None:
    edited = (SYSTEM, Message("user", "Just this."), Message("tool", "lost", tool_call_id="x"))

    class Edited(ScriptedContext):
        async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
            answer = await super().chat(request, profile=profile)
            return replace(answer, asked=edited if len(self.requests) == 1 else ())

    call = Message("assistant", "", (ToolCall("c1", "look", "{}"),))
    context = Edited([call, "Done."])
    said = [one for number in range(6) for one in turn(number)]
    answer = await run_agent(context, prompt="Well?", history=said, through=Window(context, 600))
    first, second = context.requests
    assert first.window is not None
    assert first.window.dropped
    assert [one.content for one in second.messages[:2]] == ["Be kind.", "Just this."]
    assert second.messages[2] == call
    assert second.window is not None
    assert second.window.dropped == ()
    assert answer.reply == "Done."


async def test_a_very_long_conversation_is_left_out_in_one_go() -> None:
    context = ScriptedContext(["ok"])
    window = Window(context, 2000)
    sizes: list[int] = []
    measured = window.size

    def size(request: ChatRequest, parts: Sequence[list[Message]], most: int = 0) -> int:
        sizes.append(len(parts))
        return measured(request, parts, most)

    window.size = size
    await window.chat(asking(*(turn(number) for number in range(1000)), [Message("user", "Well?")]))
    assert len(context.requests[0].messages) < 40
    assert len(sizes) < 10


def test_a_text_that_is_cut_keeps_its_ends_and_says_how_much_is_missing() -> None:
    assert shortened("short", 10) == "short"
    assert shortened("a" * 100 + "b" * 100, 20) == f"{'a' * 10}\n[… 180 characters left out …]\n{'b' * 10}"
