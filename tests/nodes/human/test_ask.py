from nodes.human.ask import ask
from studio.sdk.testing import ScriptedContext, run_bench


async def test_without_a_form_one_text_is_asked_for() -> None:
    context = ScriptedContext(answers=[{"answer": "Yes."}])
    assert await run_bench(ask, {"question": "Ready?"}, {}, context) == {
        "answer": "Yes.",
        "answers": {"answer": "Yes."},
    }
    assert context.forms[0].question == "Ready?"
    assert context.forms[0].schema["required"] == ["answer"]


async def test_a_form_of_ones_own_is_shown_and_its_first_field_is_the_answer() -> None:
    form = {"type": "object", "properties": {"count": {"type": "integer"}, "why": {"type": "string"}}}
    context = ScriptedContext(answers=[{"count": 3, "why": "seen"}])
    outputs = await run_bench(ask, {"question": "How many?"}, {"form": form}, context)
    assert outputs == {"answer": "3", "answers": {"count": 3, "why": "seen"}}
    assert context.forms[0].schema == form


async def test_a_form_left_empty_gives_an_empty_answer() -> None:
    assert (await run_bench(ask, {"question": "?"}, {}, ScriptedContext(answers=[{}])))["answer"] == ""
