"""Flows that are written in Python: what their runs are, beside the runs of drawn ones."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from studio.errors import AnswerMissingError, StepError, UsageError
from studio.ids import RunId, StepId
from studio.kit import Tools
from studio.script.calls import call
from studio.script.flow import Flow, RunFailedError
from studio.script.items import each
from studio.script.nodes import (
    agent,
    ask,
    chat,
    parse_json,
    state_get,
    state_set,
    template,
    text_search,
    write_file,
)
from studio.script.regions import region
from studio.script.scopes import gather, rounds
from studio.store.reader import RunStore
from studio.trace.events import ChatRequested, Entry, NodeMet
from studio.trace.fold.state import RunState, StepStatus, fold
from studio.workspace.project import Project
from tests.documents import document

Body = Callable[..., Any]


def tools(**given: Any) -> Tools:
    """What runs are given that ask nobody."""
    return Tools("made-up", environ={}, **given)


def written(folder: Path, body: Body, **given: Any) -> Flow:
    """A script's flow whose runs are kept in a folder."""
    script = folder / "script.py"
    script.touch()
    flow = Flow("A script", project=script, is_kept=True, **given)
    flow(body)
    return flow


def runs_in(folder: Path) -> list[list[Entry]]:
    """The entries of all runs of a folder, the first run first."""
    store = RunStore(Project.open(folder / "script.py").private)
    return [
        list(store.entries(RunId(one.run)))
        for one in sorted(store.runs(), key=lambda found: found.started or 0)
    ]


def state_of(folder: Path) -> RunState:
    """The only run of a folder."""
    (entries,) = runs_in(folder)
    return fold(entries)


HERE = str(Path(__file__).resolve())


async def test_a_call_is_a_step_and_gives_what_the_node_gives(tmp_path: Path) -> None:
    async def greet(name: str = "Ada") -> dict[str, Any]:
        greeting = await template("greeting", template="Hello {{name}}", name=name)
        parsed = await parse_json("parsed", '{"a": [1, 2]}')
        return {"greeting": greeting, "parsed": parsed}

    flow = written(tmp_path, greet)
    assert await flow.run(tools=tools()) == {"greeting": "Hello Ada", "parsed": {"a": [1, 2]}}
    assert (await flow.run(tools=tools(), name="Ben"))["greeting"] == "Hello Ben"
    first, second = map(fold, runs_in(tmp_path))
    assert [step.id for step in first.steps.values()] == ["greeting", "parsed"]
    assert first.source is not None
    assert first.source.path == HERE
    assert (first.inputs["name"].data, second.inputs["name"].data) == ("Ada", "Ben")


async def test_rounds_items_and_calls_name_the_steps_in_them(tmp_path: Path) -> None:
    async def shout(word: str) -> str:
        return str(await template("loud", template="{{word}}!", word=word))

    async def main() -> dict[str, Any]:
        word = "a"
        for number in rounds("again", 5):
            word = await template("longer", template="{{word}}b", word=word)
            if number == 3:
                break
        words = await each("words", shout, ["x", "y"])
        left, right = await gather(call("left", shout, "l"), call("right", shout, "r"))
        return {"said": [word, *words, left, right]}

    assert await written(tmp_path, main).run(tools=tools()) == {"said": ["abbb", "x!", "y!", "l!", "r!"]}
    state = state_of(tmp_path)
    assert {str(step.id) for step in state.steps.values()} == {
        "again",
        *(f"again.{number}/longer" for number in (1, 2, 3)),
        "words",
        "words.0/loud",
        "words.1/loud",
        "words_collected",
        "left",
        "left/loud",
        "right",
        "right/loud",
    }
    assert {step.status for step in state.steps.values()} == {StepStatus.DONE}
    assert state.steps[StepId("again.2/longer")].parent == "again"
    assert set(state.met) == {"again/longer", "words/loud", "left", "left/loud", "right", "right/loud"}


async def test_an_agent_calls_the_tool_that_it_is_lent(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "may.txt").write_text("A wren sang.\n", "utf-8")

    async def main(question: str) -> dict[str, Any]:
        notes = text_search("notes", folder="notes")
        first = await agent("first", question, tools=[notes])
        second = await agent("second", question, tools=[notes], instructions="Be short. {{tone}}", tone="dry")
        return {"replies": [first.reply, second.reply]}

    outputs = await written(tmp_path, main).run(tools=tools(), question="What sang?")
    assert all(isinstance(reply, str) and reply for reply in outputs["replies"])
    (entries,) = runs_in(tmp_path)
    state = fold(entries)
    assert {step.call.partition(".")[0] for step in state.steps.values()} == {"", "chat", "tool"}
    opened = [one for one in entries if one.event.kind == "binding_opened"]
    assert len(opened) == 1  # for both agents
    asked = next(one.event for one in entries if one.step == "second#chat.1" and _is_asked(one))
    assert isinstance(asked, ChatRequested)
    assert "Be short. dry" in str(asked)
    met = {one.event.node: one.event.type for one in entries if isinstance(one.event, NodeMet)}
    assert met == {"first": "llm.agent", "second": "llm.agent"}


def _is_asked(entry: Entry) -> bool:
    return isinstance(entry.event, ChatRequested)


async def test_what_fails_is_an_error_of_python_and_names_its_step(tmp_path: Path) -> None:
    async def main(text: str) -> dict[str, Any]:
        try:
            await parse_json("parsed", text)
        except StepError:
            spare = await parse_json.on(on_error="default", default={"value": "spare"})("again", text)
            return {"value": spare}
        for _ in rounds("rounds", 2):
            await parse_json("broken", "{")
        return {}

    flow = written(tmp_path, main)
    assert await flow.run(tools=tools(), text="{") == {"value": "spare"}
    with pytest.raises(RunFailedError) as failed:
        await flow.run(tools=tools(), text="1")
    state = failed.value.state
    assert state.error is not None
    assert state.error.step == "rounds.1/broken"
    assert re.match(r"`test_scripts.py`, line \d+: `broken` failed: The text is not", state.error.message)
    assert state.steps[StepId("rounds")].status is StepStatus.FAILED
    broken = state.steps[StepId("rounds.1/broken")].error
    assert broken is not None
    assert state.steps[StepId("rounds")].error == replace(broken, origin="rounds.1/broken")


async def test_failed_items_stop_the_others_are_left_out_or_kept(tmp_path: Path) -> None:
    async def parse(text: str) -> Any:
        return await parse_json("parsed", text)

    async def main(failed: str) -> dict[str, Any]:
        return {"found": await each("texts", parse, ["1", "{", "3"], failed=failed)}  # type: ignore[arg-type]

    flow = written(tmp_path, main)
    assert await flow.run(tools=tools(), failed="drop") == {"found": [1, 3]}
    kept = (await flow.run(tools=tools(), failed="keep"))["found"]
    assert (kept[0], kept[2]) == (1, 3)
    assert set(kept[1]) == {"error", "message", "hint"}
    with pytest.raises(RunFailedError, match="`parsed` failed"):
        await flow.run(tools=tools(), failed="fail")


async def test_items_see_the_variables_as_they_were_and_merge_in_order(tmp_path: Path) -> None:
    async def note(word: str) -> Any:
        seen = await state_get("seen", name="words", default=[])
        await state_set("noted", word, name="words", how="append")
        return seen

    async def main() -> dict[str, Any]:
        seen = await each("words", note, ["a", "b", "c"])
        return {"seen": seen, "after": await state_get("after", name="words", default=[])}

    assert await written(tmp_path, main).run(tools=tools()) == {
        "seen": [[], [], []],
        "after": ["a", "b", "c"],
    }


async def test_a_replay_executes_the_script_again_and_repeats_nothing(tmp_path: Path) -> None:
    async def main(question: str = "What sang?") -> dict[str, Any]:
        reply = await chat("writer", question)
        await write_file("save", str(reply), path="out.txt")
        return {"reply": str(reply)}

    flow = written(tmp_path, main)
    outputs = await flow.run(tools=tools())
    (tmp_path / "out.txt").unlink()
    (entries,) = runs_in(tmp_path)
    state = await flow.replay(entries[0].run, tools())
    assert {name: one.data for name, one in state.outputs.items()} == outputs
    assert not (tmp_path / "out.txt").exists()
    assert state.forked_from is not None
    assert state.forked_from.run == entries[0].run
    assert state.tokens == 0


async def test_a_script_that_changed_has_no_answers_in_the_record(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    flow = _loaded(script)
    flow.is_kept = True
    await flow.run(tools=tools())
    (entries,) = runs_in(tmp_path)
    script.write_text(SCRIPT.replace("Hello", "Bye"), "utf-8")
    with pytest.raises(AnswerMissingError, match="has changed since the run"):
        await _loaded(script).replay(entries[0].run, tools())


async def test_a_replay_that_asks_something_else_stops_and_names_the_line(tmp_path: Path) -> None:
    word = tmp_path / "word.txt"
    script = tmp_path / "script.py"
    script.write_text(ASKING.format(word=str(word)), "utf-8")
    word.write_text("owl")
    flow = _loaded(script)
    flow.is_kept = True
    await flow.run(tools=tools())
    (entries,) = runs_in(tmp_path)
    word.write_text("wren")
    state = await flow.replay(entries[0].run, tools())
    assert state.error is not None
    assert state.error.exit_code == 4
    assert "`script.py`, line 12: `writer` failed: The recording of the run" in state.error.message


async def test_rounds_of_a_run_that_is_cancelled_are_recorded_as_cancelled(tmp_path: Path) -> None:
    class Nobody:
        async def ask(self, step: str, form: Any) -> Mapping[str, Any]:
            del step, form
            asked.set()
            await asyncio.get_running_loop().create_future()
            return {}

    async def main() -> dict[str, Any]:
        for _ in rounds("rounds", 2):
            await ask("asked", "Why?")
        return {}

    asked = asyncio.Event()
    running = asyncio.create_task(written(tmp_path, main).run(tools=tools(people=Nobody())))
    await asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert state_of(tmp_path).steps[StepId("rounds")].status is StepStatus.CANCELLED


ASKING = """
from pathlib import Path

from studio.script.flow import Flow
from studio.script.nodes import chat

flow = Flow("Ask")

@flow
async def ask() -> dict:
    word = Path("{word}").read_text()
    reply = await chat("writer", word)
    return {{"reply": str(reply)}}
"""

SCRIPT = """
from studio.script.flow import Flow
from studio.script.nodes import template

flow = Flow("Greet")

@flow
async def greet(name: str = "Ada") -> dict:
    return {"greeting": await template("greeting", template="Hello {{name}}", name=name)}
"""


def _loaded(script: Path) -> Flow:
    made = spec_from_file_location("script_of_a_test", script)
    assert made is not None
    assert made.loader is not None
    module = module_from_spec(made)
    made.loader.exec_module(module)
    return module.flow


async def test_a_run_that_reached_a_limit_goes_on_and_asks_only_what_is_left(tmp_path: Path) -> None:
    async def main() -> dict[str, Any]:
        first = await chat("first", "one")
        second = await chat("second", "two")
        return {"both": [str(first), str(second)]}

    flow = written(tmp_path, main)
    with pytest.raises(RunFailedError) as failed:
        await flow.run(tools=tools(limits={"calls": 1}))
    state = await flow.resume(failed.value.state.run, tools(limits={"calls": 2}))
    assert len(state.outputs["both"].data) == 2  # type: ignore[arg-type]
    (entries,) = runs_in(tmp_path)
    assert [one.step for one in entries if _is_asked(one)].count(StepId("first#chat.1")) == 1


async def test_what_plain_python_makes_has_the_labels_of_all_that_it_could_read(tmp_path: Path) -> None:
    async def main(given: str = "x") -> dict[str, Any]:
        before = await template("before", template="{{given}}", given=given)
        reply = await chat("writer", before)
        return {"made": len(str(reply))}

    await written(tmp_path, main).run(tools=tools())
    state = state_of(tmp_path)
    assert "chat" not in state.steps[StepId("before")].outputs["text"].labels
    assert "chat" in state.outputs["made"].labels


async def test_a_lane_knows_nothing_of_what_the_other_reads(tmp_path: Path) -> None:
    async def asks() -> str:
        return str(await chat("asked", "one"))

    async def counts() -> str:
        return str(await template("counted", template="two"))

    async def main() -> dict[str, Any]:
        await gather(asks(), counts())
        return {"end": await template("end", template="three")}

    await written(tmp_path, main).run(tools=tools())
    state = state_of(tmp_path)
    assert "chat" not in state.steps[StepId("counted")].outputs["text"].labels
    assert "chat" in state.steps[StepId("end")].outputs["text"].labels


async def test_a_region_runs_a_drawn_flow_where_the_script_stands(tmp_path: Path) -> None:
    race = document(
        "Longer",
        {
            "word": {"kind": "io.flow_input", "settings": {"type": "text"}},
            "longer": {"kind": "text.template", "settings": {"template": "{{word}}!"}},
            "said": "io.flow_output",
        },
        "word.value -> longer.word",
        "longer.text -> said.value",
    )

    async def main() -> dict[str, Any]:
        word = "a"
        for _ in rounds("rounds", 2):
            word = (await region(race, word=word)).said
        return {"word": word}

    assert await written(tmp_path, main).run(tools=tools()) == {"word": "a!!"}
    state = state_of(tmp_path)
    assert state.steps[StepId("rounds.2/longer")].parent == "rounds"
    assert state.met["rounds/longer"].type == "text.template"


async def twice() -> None:
    await template("one", template="x")
    await template("one", template="x")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: template("Not a name", template="x"), "is no name for a step"),
        (lambda: call("Not a name", twice), "is no name for a step"),
        (lambda: template("one", template="x", other="y"), "has no input `other` with these settings"),
        (lambda: agent("one", "x", tools=["text"]), "takes what nodes lend"),
        (twice, "Two steps are called `one`"),
    ],
)
async def test_wrong_calls_are_told_in_a_sentence(
    tmp_path: Path, wrong: Callable[[], Any], said: str
) -> None:
    async def main() -> Mapping[str, Any]:
        await wrong()
        return {}

    with pytest.raises(RunFailedError, match=said):
        await written(tmp_path, main).run(tools=tools())


async def test_steps_outside_of_a_run_and_outputs_without_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="outside of a run"):
        await template("one", template="x")

    async def main() -> str:
        return "text"

    with pytest.raises(RunFailedError, match="gives its outputs by name"):
        await written(tmp_path, main).run(tools=tools())
    with pytest.raises(UsageError, match="has no input `other`"):
        await written(tmp_path, main).run(tools=tools(), other=1)
