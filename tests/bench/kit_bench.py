"""What a run through the kit takes: `python -m tests.bench.kit_bench [--runs N]`.

A flow of one question, two chats one after the other, and an answer. Milliseconds a run, medians of seven: of
the processor where a chat answers at once (prepared anew; as before, by a project's `prepare` and `run_here`,
with a file; through the kit), and of the clock where each chat takes 20 ms, alone and 50 runs at a time,
beside the same calls written by hand with asyncio, and by a script. The last lines are microseconds of the
processor for each of 1,000 pure steps in a loop, and for each of 1,000 items of a map that are one, drawn and
as a script.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from stepwire_kit import Flow as ScriptFlow
from stepwire_kit import Tools, load, rounds, run
from stepwire_kit import each as each_item
from stepwire_kit.nodes import chat, template
from studio.flow.records import Flow
from studio.llm.client import Caller, ChatAnswer, ChatRequest, Message
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.written_projects import write_project
from tests.documents import document
from tests.kit.flows import flow_of

ASKED = {"question": "Why?"}
DOCUMENT = document(
    "Two chats",
    {"question": "io.flow_input", "writer": "llm.chat", "critic": "llm.chat", "answer": "io.flow_output"},
    "question.value -> writer.prompt",
    "writer.reply -> critic.prompt",
    "critic.reply -> answer.value",
)


ROUNDS = 1000
LOOP = document(
    "Rounds",
    {
        "question": "io.flow_input",
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": ROUNDS}},
        "again": {"kind": "text.template", "settings": {"template": "{{text}}"}},
        "answer": "io.flow_output",
    },
    "question.value -> rounds.start",
    "rounds.value -> again.text",
    "again.text -> rounds.again",
    "rounds.result -> answer.value",
)

WORDS = [f"word {number}" for number in range(ROUNDS)]
MAP = document(
    "Items",
    {
        "question": "io.flow_input",
        "words": {"kind": "value.json", "settings": {"value": WORDS}},
        "each": "control.for_each",
        "again": {"kind": "text.template", "settings": {"template": "{{text}}"}},
        "all": "control.collect",
        "answer": "io.flow_output",
    },
    "words.value -> each.items",
    "each.item -> again.text",
    "again.text -> all.value",
    "all.values -> answer.value",
)


def scripts(folder: Path) -> tuple[ScriptFlow, ScriptFlow, ScriptFlow]:
    """The three flows, written."""
    file = folder / "script.py"
    file.touch()
    two, loop = ScriptFlow("Two chats", project=file), ScriptFlow("Rounds", project=file)
    items = ScriptFlow("Items", project=file)

    @two
    async def ask(question: str) -> dict[str, str]:
        written = await chat("writer", question)
        return {"answer": (await chat("critic", written.reply)).reply}

    @loop
    async def go_round(question: str) -> dict[str, str]:
        text = question
        for _ in rounds("rounds", ROUNDS):
            text = await template("again", template="{{text}}", text=text)
        return {"answer": text}

    @items
    async def go_through(question: str) -> dict[str, list[str]]:
        del question

        async def one(word: str) -> str:
            return await template("again", template="{{text}}", text=word)

        return {"answer": await each_item("each", one, WORDS, collected="all")}

    return two, loop, items


class Echo:
    """Answers what it is asked after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """Give the last message back."""
        del on_text, caller
        await asyncio.sleep(self._seconds)
        return ChatAnswer(Message("assistant", request.messages[-1].content))

    async def close(self) -> None:
        """Nothing is open."""


def each(count: int, at_once: int, clock: Callable[[], float], one: Callable[[], Awaitable[object]]) -> float:
    """Milliseconds of one of `count` runs, so many at once, the median of seven times."""

    async def go() -> float:
        began = clock()
        for _ in range(count // at_once):
            await asyncio.gather(*(one() for _ in range(at_once)))
        return (clock() - began) / (count // at_once) * 1000

    async def all_of_it() -> float:
        await go()
        return statistics.median([await go() for _ in range(7)])

    return asyncio.run(all_of_it())


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    runs = parser.parse_args().runs
    flow = flow_of(DOCUMENT)
    at_once, slow = Tools(Echo(0), environ={}), Tools(Echo(0.02), environ={})
    prepared = load(flow)
    client = Echo(0.02)

    async def by_hand() -> str:
        said = "Why?"
        for _ in range(2):
            answer = await client.answer(ChatRequest((Message("user", said),)))
            said = answer.message.content
        return said

    def anew() -> Awaitable[object]:
        return run(Flow(flow.name, "", flow.nodes, flow.wires), ASKED, at_once)

    with tempfile.TemporaryDirectory() as folder:
        two, loop, items = scripts(Path(folder))
        drawn_loop, drawn_map = load(flow_of(LOOP)), load(flow_of(MAP))
        project = Project.open(write_project(Path(folder) / "project", flow=DOCUMENT))

        async def before() -> None:
            registry = prepared.registry
            await run_here(prepare(project, flow, registry, environ={}, inputs=ASKED, client=at_once.client))

        lines = {
            "processor: prepared anew": each(runs, 1, time.process_time, anew),
            "processor: a project's prepare and run_here": each(runs, 1, time.process_time, before),
            "processor: through the kit": each(
                runs, 1, time.process_time, lambda: run(prepared, ASKED, at_once)
            ),
            "processor: as a script": each(
                runs, 1, time.process_time, lambda: two.run(tools=at_once, **ASKED)
            ),
        }
        for many in (1, 50):
            turns = [  # in turn, so that what else the machine does meets all
                [
                    each(many, many, time.perf_counter, one)
                    for one in (
                        by_hand,
                        lambda: run(prepared, ASKED, slow),
                        lambda: two.run(tools=slow, **ASKED),
                    )
                ]
                for _ in range(5)
            ]
            hand, kit, script = (statistics.median(one[side] for one in turns) for side in range(3))
            lines |= {
                f"clock, {many} at once: by hand": hand,
                f"clock, {many} at once: through the kit": kit,
                f"clock, {many} at once: its ratio": kit / hand,
                f"clock, {many} at once: as a script": script,
                f"clock, {many} at once: its ratio ": script / hand,
            }
        lines["a pure step, drawn"] = each(1, 1, time.process_time, lambda: run(drawn_loop, ASKED, at_once))
        lines["a pure step, in a script"] = each(
            1, 1, time.process_time, lambda: loop.run(tools=at_once, **ASKED)
        )
        lines["an item, drawn"] = each(1, 1, time.process_time, lambda: run(drawn_map, ASKED, at_once))
        lines["an item, in a script"] = each(
            1, 1, time.process_time, lambda: items.run(tools=at_once, **ASKED)
        )
    sys.stdout.writelines(f"{took:9.3f}  {what}\n" for what, took in lines.items())


if __name__ == "__main__":
    main()
