"""How steps of a script are called: what is kept of a call for the next one, and what is refused."""

import asyncio
from pathlib import Path
from typing import Any

from studio.kit import Tools
from studio.script.calls import call
from studio.script.flow import Flow
from studio.script.nodes import agent, parse_json, template, text_search
from studio.script.scopes import rounds
from tests.script.test_scripts import Body, written


async def outputs_of(folder: Path, body: Body) -> dict[str, Any]:
    """What a script gives that asks nobody."""
    return await written(folder, body).run(tools=Tools("made-up", environ={}))


async def test_a_step_whose_settings_of_the_run_differ_each_time_keeps_to_those_of_its_call(
    tmp_path: Path,
) -> None:
    async def main() -> dict[str, Any]:
        found: list[Any] = []
        for number in rounds("rounds", 20):
            careful = parse_json.on(on_error="default", default={"round": number})
            found.append((await careful("parsed", "no JSON"))["round"])
        return {"found": found}

    assert await outputs_of(tmp_path, main) == {"found": list(range(1, 21))}


async def test_a_step_gives_what_fits_its_input_whatever_it_was_given_before(
    tmp_path: Path,
) -> None:
    async def main() -> dict[str, Any]:
        found: list[Any] = []
        for number in rounds("rounds", 4):
            given: Any = ("one", 2, {"three": 3}, ["four"])[number - 1]
            found.append(await template("shown", template="{{it}}", it=given))
        return {"found": found}

    assert await outputs_of(tmp_path, main) == {"found": ["one", "2", '{"three": 3}', '["four"]']}


async def test_functions_that_are_called_by_one_name_each_lend_what_is_theirs(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "birds.txt").write_text("A heron.")

    async def ask(question: str) -> str:
        notes = text_search("notes", folder="notes")
        return str((await agent("said", question, tools=[notes])).reply)

    async def ask_again(question: str) -> str:
        return await ask(question)

    async def main() -> dict[str, Any]:
        functions = zip(rounds("rounds", 2), (ask, ask_again), strict=True)
        return {"found": [await call("asked", one, "Why?") for _, one in functions]}

    assert len((await outputs_of(tmp_path, main))["found"]) == 2


async def test_runs_at_the_same_time_of_one_script_keep_apart(tmp_path: Path) -> None:
    flow = Flow("Side by side", project=tmp_path / "script.py")
    (tmp_path / "script.py").touch()

    @flow
    async def main(word: str) -> dict[str, Any]:
        for _ in rounds("rounds", 3):
            word = await template("longer", template="{{word}}!", word=word)
        return {"word": word}

    tools = Tools("made-up", environ={})
    found = await asyncio.gather(*(flow.run(tools=tools, word=one) for one in "abc"))
    assert [one["word"] for one in found] == ["a!!!", "b!!!", "c!!!"]
