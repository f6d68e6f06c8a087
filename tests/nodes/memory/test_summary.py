"""The conversation with a running summary."""

import pytest

from nodes.memory.summary import summary
from nodes.memory.summary.summaries import PART, summary_item
from studio.building_blocks.memories.context_window import tokens_of
from studio.errors import ChatUnreachableError
from studio.llm.client import ChatRequest
from studio.sdk import Item, Note, Query
from studio.sdk.testing import ScriptedContext
from tests.nodes.memory.lending import lent, talk

SAID = ("What sings?", "A dunnock.", "And there?", "A wren.", "And that?", "An owl.")
FEW = {"turns": 2, "left": 1, "profile": "small", "words": 20}


def texts_in(context: ScriptedContext) -> list[str]:
    return [one.text for one in context.memories["step"].items.all()]


async def test_older_turns_are_summed_up_when_there_are_too_many_and_recalled_in_short() -> None:
    context = ScriptedContext(["They heard a dunnock and a wren."])
    async with lent(summary, FEW, context) as memory:
        await memory.remember(context, talk(*SAID[:4]))
        assert not context.requests, "there is room for two turns"
        await memory.remember(context, talk(*SAID[4:]))
        found = await memory.recall(context, Query())
    assert texts_in(context) == [*SAID[4:], "They heard a dunnock and a wren."]
    assert [one.item.text for one in found] == [
        "(In short, what was said before: They heard a dunnock and a wren.)",
        *SAID[4:],
    ]
    assert [one.why for one in found] == [
        "sums up 4 messages that were said before",
        "the last turn",
        "the last turn",
    ]
    [request] = context.requests
    assert "20 words" in request.messages[0].content
    assert request.messages[1].content == (
        "user: What sings?\n\nassistant: A dunnock.\n\nuser: And there?\n\nassistant: A wren."
    )
    assert context.profiles == ["small"]
    gone = [one for one in context.memories["step"].writes if one.operation == "remove"]
    assert [one.why for one in gone] == ["summed up"] * 4


async def test_the_summary_so_far_goes_into_the_next_one() -> None:
    context = ScriptedContext(["first", "second"])
    async with lent(summary, {"turns": 1, "left": 1}, context) as memory:
        for number in range(0, 6, 2):
            await memory.remember(context, talk(*SAID[number : number + 2]))
    assert context.requests[1].messages[1].content.startswith("first\n\nuser: And there?")
    [short] = [one for one in context.memories["step"].items.all() if "sums_up" in one.data]
    assert (short.text, short.data["sums_up"]) == ("second", 4)


@pytest.mark.parametrize("answer", [ChatUnreachableError("No connection."), "  "])
async def test_without_a_summary_nothing_is_lost_and_it_is_told(answer: Exception | str) -> None:
    context = ScriptedContext([answer, "All the birds."])
    async with lent(summary, FEW, context) as memory:
        made = await memory.remember(context, talk(*SAID))
        assert len(made) == 6
        assert texts_in(context) == list(SAID)
        assert "is kept" in context.lines[0]
        assert [one.item.text for one in await memory.recall(context, Query())] == list(SAID[2:])
        await memory.remember(context, talk("More?"))
    assert texts_in(context) == ["More?", "All the birds."]


async def test_two_summaries_that_were_made_at_once_are_both_recalled_and_then_joined() -> None:
    context = ScriptedContext(["both"])
    said = [Item("a", "What sings?", {"role": "user"})]
    halves = [summary_item(context, text, said * 3) for text in ("one half", "other half")]
    context = ScriptedContext(["both"], memories={"step": [*halves, *said]}, seed=1)
    async with lent(summary, {"turns": 1, "left": 1}, context) as memory:
        found = await memory.recall(context, Query())
        assert ["one half" in found[0].item.text, "other half" in found[1].item.text] == [True, True]
        await memory.remember(context, talk("And there?"))
    assert context.requests[0].messages[1].content == "one half\n\nother half\n\nuser: What sings?"
    assert texts_in(context) == ["And there?", "both"]
    assert context.memories["step"].items.all()[-1].data["sums_up"] == 7


async def test_a_long_past_is_summed_up_in_parts_and_all_of_it_is_read() -> None:
    context = ScriptedContext(["one", "two", "three"])
    async with lent(summary, {"turns": 1, "left": 1, "longest": 100_000}, context) as memory:
        long = "".join(f"{number:05} " for number in range(PART // 3))
        await memory.remember(context, talk(long, "Well.", "Go on."))

    def told(request: ChatRequest) -> str:
        return request.messages[1].content

    first, second, _ = map(told, context.requests)
    assert second.startswith("one\n\n")
    assert (first + second.removeprefix("one\n\n")).startswith("user: 00000 00001")
    assert "".join([first, *(told(one)[5:] for one in context.requests[1:])]).count(" ") >= PART // 3


async def test_what_is_recalled_stays_within_its_tokens_summary_included() -> None:
    context = ScriptedContext(["word " * 400])
    async with lent(summary, {"turns": 50, "tokens": 120, "words": 500}, context) as memory:
        for _ in range(12):
            await memory.remember(context, talk("a question of some length?", "and an answer to it."))
            context._chat.append("word " * 400)
        found = await memory.recall(context, Query())
        assert sum(tokens_of(one.item.text) for one in found) <= 120
        assert found[0].item.text.startswith("(In short")
        narrow = await memory.recall(context, Query(tokens=20))
        assert sum(tokens_of(one.item.text) for one in narrow) <= 20


async def test_forgetting_reaches_the_summary_as_well() -> None:
    context = ScriptedContext(["The secret is 4711."])
    async with lent(summary, FEW, context) as memory:
        await memory.remember(context, talk(*SAID))
        await memory.forget(context, Query("4711"))
        assert [one.item.text for one in await memory.recall(context, Query())] == list(SAID[4:])


async def test_while_the_language_model_fails_the_oldest_beyond_the_bound_are_forgotten_and_it_is_told() -> (
    None
):
    gone = ChatUnreachableError("No connection.")
    context = ScriptedContext([gone, gone, gone, "All the birds."])
    async with lent(summary, {"turns": 1, "left": 1, "limit": 4}, context) as memory:
        for place in range(0, 6, 2):
            await memory.remember(context, talk(*SAID[place : place + 2]))
        assert texts_in(context) == list(SAID[2:])
        assert context.lines[-1].startswith("Nothing was summed up, and the 2 oldest are forgotten: No conn")
        assert "all is kept" in context.lines[0]
        await memory.remember(context, talk("More?"))
        await memory.remember(context, talk("And more?"))
    assert texts_in(context) == ["And more?", "All the birds."]


async def test_a_turn_that_never_ends_is_summed_up_by_halves_beyond_the_bound() -> None:
    context = ScriptedContext(["He counts."])
    async with lent(summary, {"limit": 4}, context) as memory:
        for number in range(5):
            await memory.remember(context, [Note(f"{number}", {"role": "assistant"})])
    assert texts_in(context) == ["2", "3", "4", "He counts."]
