"""What ends an agent, what it gives then, and who speaks."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from nodes.llm.agent import agent
from studio.llm.client import ChatAnswer, ChatRequest, Message, ToolCall, Usage
from studio.sdk import Agent, StepError, Tool
from studio.sdk.testing import NOON, ScriptedAnswer, ScriptedContext, run_bench


def calling(*names: str, text: str = "") -> Message:
    return Message("assistant", text, tuple(ToolCall(f"c{n}", name, "{}") for n, name in enumerate(names)))


class Paid(ScriptedContext):
    """Every answer costs 10 tokens, half a dollar and a minute."""

    minutes = 0

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        self.minutes += 1
        answer = await super().chat(request, profile=profile)
        return ChatAnswer(answer.message, answer.finish_reason, Usage(6, 4), cost=0.5)

    def now(self, *, working: bool = False) -> datetime:
        assert working, "limits count no time in which the run is held"
        return NOON + timedelta(minutes=self.minutes)


def tools(log: list[str]) -> list[Tool]:
    def made(name: str) -> Tool:
        async def run(_: Mapping[str, object]) -> str:
            log.append(name)
            return f"{name} says so"

        return Tool(name, "", {}, run)

    return [made("look"), made("decide")]


async def work(
    chat: Sequence[ScriptedAnswer], colleagues: Sequence[Agent] = (), **settings: Any
) -> tuple[dict[str, Any], Paid, list[str]]:
    context, log = Paid(chat), list[str]()
    inputs = {"prompt": "Go.", "tools": tools(log), "colleagues": colleagues}
    return await run_bench(agent, inputs, settings, context), context, log


@pytest.mark.parametrize(
    ("settings", "reason", "asked"),
    [
        ({"turns": 2}, "turns", 2),
        ({"tokens": 30}, "tokens", 3),
        ({"cost": 1.5}, "cost", 3),
        ({"seconds": 180.0}, "time", 3),
    ],
)
async def test_each_limit_ends_it_and_says_so(settings: dict[str, Any], reason: str, asked: int) -> None:
    chat = [calling("look", text=f"thought {n}") for n in range(1, 5)]
    outputs, context, _ = await work(chat, at_limit="stop", **settings)
    assert (outputs["ended"], outputs["reply"]) == (reason, f"thought {asked}")
    assert len(context.requests) == asked
    with pytest.raises(StepError, match="last turn" if reason == "turns" else f"limit of {reason}"):
        await work(chat, **settings)


async def test_a_limit_of_dollars_is_not_taken_for_kept_where_prices_are_unknown() -> None:
    with pytest.raises(StepError, match="cannot be enforced"):
        await run_bench(agent, {"prompt": "Go."}, {"cost": 1.0}, ScriptedContext(["Hello."]))


async def test_at_a_limit_it_may_answer_once_more_without_tools() -> None:
    outputs, context, log = await work([calling("look")] * 2 + ["All right."], at_limit="answer", turns=2)
    assert (outputs["reply"], outputs["ended"], log) == ("All right.", "turns", ["look", "look"])
    assert [request.may_call for request in context.requests] == [True, True, False]


async def test_words_without_tools_are_no_call_even_where_the_endpoint_calls_all_the_same() -> None:
    outputs, _, log = await work(
        [calling("look")] * 2 + [calling("look", text="Hm.")], at_limit="answer", turns=2
    )
    assert (outputs["reply"], log) == ("Hm.", ["look", "look"])
    assert outputs["messages"][-1] == Message("assistant", "Hm.")


async def test_a_tool_is_not_run_once_a_limit_of_tokens_is_reached() -> None:
    outputs, _, log = await work([calling("look")] * 2, at_limit="stop", tokens=20)
    assert log == ["look"]
    assert outputs["messages"][-1].content == "(It was not run: the agent was stopped.)"


async def test_what_it_says_ends_it_before_its_tools_are_run() -> None:
    outputs, _, log = await work([calling("look", text="DONE: two wrens")], stop_texts=["DONE"])
    assert (outputs["ended"], outputs["reply"], log) == ("text", "DONE: two wrens", [])


async def test_a_tool_ends_it_with_its_answer() -> None:
    outputs, context, log = await work([calling("decide", "look")], stop_tools=["decide"])
    assert (outputs["ended"], outputs["reply"]) == ("tool", "decide says so")
    assert (len(context.requests), log) == (1, ["decide", "look"])


async def test_a_rule_over_what_happened_ends_it() -> None:
    rule = 'turn > 1 and "decide" in tools and tokens >= 30 and any([len(answers) == 1])'
    outputs, context, _ = await work([calling("decide"), *[calling("look")] * 3], stop_when=rule)
    assert (outputs["ended"], len(context.requests)) == ("rule", 3)


async def test_the_first_condition_that_holds_ends_it() -> None:
    settings: dict[str, Any] = {"stop_tools": ["decide"], "stop_when": "turn == 2", "turns": 8}
    assert (await work([calling("look"), calling("look")], **settings))[0]["ended"] == "rule"
    assert (await work([calling("look"), calling("decide")], **settings))[0]["ended"] == "tool"
    assert (await work(["Two wrens."], **settings))[0]["ended"] == "answered"


async def test_where_json_is_asked_for_an_end_is_followed_by_it() -> None:
    outputs, context, _ = await work(
        [calling("decide"), '{"sum": 2}'], stop_tools=["decide"], answer_schema={"type": "object"}
    )
    assert (outputs["data"], outputs["ended"]) == ({"sum": 2}, "tool")
    assert not context.requests[-1].may_call


async def test_tools_may_be_run_one_after_another() -> None:
    _, context, log = await work([calling("look", "decide"), "ok"], parallel=False)
    assert log == ["look", "decide"]
    assert not any(request.several_calls for request in context.requests)


EXPERT = Agent("expert", "Knows birds.", "You know birds.", profile="clever")
KEEPER = Agent("keeper", "Keeps notes.", "You keep notes.", passes_to=["expert"])


async def test_a_conversation_is_handed_over_with_all_that_was_said() -> None:
    outputs, context, _ = await work(
        [calling("hand_over_to_expert"), "A wren."], [EXPERT, KEEPER], instructions="You greet."
    )
    assert (outputs["reply"], outputs["speaker"], outputs["ended"]) == ("A wren.", "expert", "answered")
    first, second = context.requests
    assert [one.name for one in first.tools] == [
        "look",
        "decide",
        "hand_over_to_expert",
        "hand_over_to_keeper",
    ]
    assert "Knows birds." in first.tools[2].description
    assert [one.name for one in second.tools] == ["hand_over_to_front", "hand_over_to_keeper"]
    assert [one.content for one in second.messages] == ["You know birds.", "Go.", "", "`expert` takes over."]
    assert (first.speaker, second.speaker, context.profiles) == ("front", "expert", ["", "clever"])


async def test_what_was_refused_was_not_called_and_so_neither_hands_over_nor_stops() -> None:
    refused = Message("assistant", "", (ToolCall("c1", "hand_over_to_expert", '{"why": "birds"}'),))
    outputs, context, _ = await work([refused, "Mine."], [EXPERT])
    assert outputs["speaker"] == "front"
    told = context.requests[1].messages[-1].content
    assert told == "`hand_over_to_expert` was not run: the call should have no `why`."
    cut = Message("assistant", "", (ToolCall("c1", "decide", '{"x'),))
    outputs, _, log = await work([cut, calling("decide")], stop_tools=("decide",))
    assert (outputs["reply"], outputs["ended"], log) == ("decide says so", "tool", ["decide"])


async def test_a_member_hands_over_to_whom_it_may_and_back_and_round() -> None:
    chat = [calling(f"hand_over_to_{name}") for name in ("keeper", "expert", "front")]
    outputs, context, _ = await work([*chat, "Back."], [EXPERT, KEEPER])
    assert [one.speaker for one in context.requests] == ["front", "keeper", "expert", "front"]
    assert [one.name for one in context.requests[1].tools] == ["hand_over_to_expert"]
    assert outputs["speaker"] == "front"


async def test_after_so_many_hand_overs_whoever_has_the_word_keeps_it() -> None:
    outputs, context, _ = await work([calling("hand_over_to_expert"), "Mine."], [EXPERT], hand_overs=1)
    assert not context.requests[1].may_call
    assert outputs["speaker"] == "expert"


async def test_turns_count_for_all_together() -> None:
    chat = [calling("look"), calling("hand_over_to_expert"), calling("none"), calling("none")]
    with pytest.raises(StepError, match="still called tools"):
        await work(chat, [EXPERT], turns=3)


async def test_who_is_handed_over_to_in_the_last_turn_has_none_left() -> None:
    chat = [calling("hand_over_to_expert"), "A wren."]
    outputs, context, _ = await work(chat, [EXPERT], turns=1, at_limit="stop")
    assert (outputs["ended"], outputs["speaker"], len(context.requests)) == ("turns", "expert", 1)
    outputs, context, _ = await work(chat, [EXPERT], turns=1, at_limit="answer")
    assert (outputs["reply"], context.requests[1].may_call) == ("A wren.", False)


async def test_of_two_agents_of_one_name_none_is_meant() -> None:
    with pytest.raises(StepError, match="same name"):
        await work(["x"], [EXPERT, EXPERT])
