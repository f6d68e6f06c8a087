"""How steps of a script are called: what is kept of a call for the next one, and what is refused."""

import asyncio
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from studio.errors import WaitingError
from studio.kit import Tools
from studio.script import nodes
from studio.script.calls import call
from studio.script.flow import Flow, RunFailedError
from studio.script.items import each
from studio.script.nodes import agent, parse_json, template, text_search
from studio.script.regions import region
from studio.script.scopes import gather, rounds
from studio.workspace.catalog import builtin_files
from tests.documents import document
from tests.script.test_scripts import Body, written
from tests.trusted import HERE


async def outputs_of(folder: Path, body: Body) -> dict[str, Any]:
    """What a script gives that asks nobody."""
    return await written(folder, body).run(tools=Tools("made-up", environ=HERE))


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


async def test_a_function_says_the_same_of_itself_before_its_first_call_and_after(tmp_path: Path) -> None:
    fresh = nodes.template
    before = signature(fresh)

    async def main() -> dict[str, Any]:
        plain = await fresh("plain", template="{{it}}", it="one")
        return {"found": [plain, await fresh.on(retries=1)("again", template="{{it}}", it="two")]}

    assert await outputs_of(tmp_path, main) == {"found": ["one", "two"]}
    assert signature(fresh) == before
    assert fresh.__name__ == "template"


async def test_a_loop_without_a_round_is_refused(tmp_path: Path) -> None:
    async def main() -> dict[str, Any]:
        return {"found": list(rounds("rounds", 0))}

    with pytest.raises(RunFailedError, match='`rounds\\("rounds", 0\\)` allows no round') as failed:
        await outputs_of(tmp_path, main)
    assert "rounds" not in failed.value.state.steps


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

    tools = Tools("made-up", environ=HERE)
    found = await asyncio.gather(*(flow.run(tools=tools, word=one) for one in "abc"))
    assert [one["word"] for one in found] == ["a!!!", "b!!!", "c!!!"]


LONGER = document(
    "Longer",
    {
        "word": {"kind": "io.flow_input", "settings": {"type": "text"}},
        "longer": {"kind": "text.template", "settings": {"template": "{{word}}!"}},
        "said": "io.flow_output",
    },
    "word.value -> longer.word",
    "longer.text -> said.value",
)


async def test_a_region_has_no_step_of_a_name_that_is_there_already(tmp_path: Path) -> None:
    async def again() -> dict[str, Any]:
        await region(LONGER, word="a")
        return {"word": (await region(LONGER, word="b")).said}

    async def after_a_step() -> dict[str, Any]:
        await template("longer", template="x")
        return {"word": (await region(LONGER, word="b")).said}

    async def in_rounds() -> dict[str, Any]:
        await template("word", template="x")  # what a region is given is no step of the script's
        return {"word": [(await region(LONGER, word=str(one))).said for one in rounds("rounds", 2)]}

    for body in (again, after_a_step):
        with pytest.raises(RunFailedError, match="Two steps are called `longer`"):
            await outputs_of(tmp_path, body)
    assert await outputs_of(tmp_path, in_rounds) == {"word": ["1!", "2!"]}


async def test_what_gathers_the_items_has_a_name_of_its_own(tmp_path: Path) -> None:
    async def shout(word: str) -> str:
        return str(await template("loud", template="{{word}}!", word=word))

    async def main() -> dict[str, Any]:
        await each("some", shout, ["a"], collected="found")
        return {"found": await each("others", shout, ["b"], collected="found")}

    with pytest.raises(RunFailedError, match="Two steps are called `found`"):
        await outputs_of(tmp_path, main)


async def test_of_lanes_that_fail_the_first_error_is_kept_and_loops_in_others_are_cancelled(
    tmp_path: Path,
) -> None:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError("the first")

    async def wait() -> None:
        for _ in rounds("rounds", 2):
            try:
                await asyncio.sleep(60)
            finally:
                raise WaitingError("the second")

    async def go_round() -> None:
        for _ in rounds("others", 2):
            await asyncio.sleep(60)

    async def main() -> dict[str, Any]:
        await gather(wait(), go_round(), call("failing", fail))
        return {}

    with pytest.raises(RunFailedError, match="the first") as failed:
        await outputs_of(tmp_path, main)
    steps = {str(step.id): str(step.status) for step in failed.value.state.steps.values()}
    assert steps == {"rounds": "failed", "others": "cancelled", "failing": "failed"}


@pytest.mark.process
def test_to_list_the_functions_of_nodes_loads_none_of_them() -> None:
    shown = "import sys; import stepwire_kit.nodes as n; print(*dir(n)); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", shown], check=True, capture_output=True, text=True)  # noqa: S603
    names, modules = map(str.split, told.stdout.splitlines())
    assert {"agent", "template", "tools_files"} <= set(names)
    assert not [one for one in modules if one.startswith("nodes.") and one.count(".") > 1]


@pytest.mark.process
def test_help_loads_nothing_of_what_runs_steps(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from stepwire_kit import Flow, call, each, gather, lanes, nothing, region, rounds\n"
        "from stepwire_kit.nodes import agent, text_search\n"
        "flow = Flow('Ask', limits={'calls': 3})\n\n"
        "@flow\nasync def ask(word: str = 'owl') -> dict:\n    return {}\n\n"
        "try:\n    flow.main()\nfinally:\n"
        "    print({'pydantic', 'networkx', 'openai', 'jinja2', 'orjson'} & set(sys.modules))\n",
        "utf-8",
    )
    command = [sys.executable, str(script), "--help"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert "--word VALUE" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "set()"


def test_what_python_has_words_for_is_no_function() -> None:
    structures = {"collect", "flow_input", "flow_output", "for_each", "loop", "race", "subflow"}
    files = builtin_files()
    assert {kind for kind in files if files[kind].structure in structures} == nodes.IN_PYTHON
