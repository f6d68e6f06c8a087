"""What was asked of each chat profile is told as its endpoint counted it, with what came from its cache."""

import asyncio
from pathlib import Path
from typing import Any, cast

from studio.llm.scripted_answers.server import serve
from studio.trace.events import ChatAnswered, ChatRequested
from studio.trace.fold.chat_use import total
from studio.trace.fold.state import RunState, fold
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.llm.builders import book_of
from tests.trace.builders import numbered
from tests.trusted import HERE


def ran_twice(root: Path) -> RunState:
    """Ask an endpoint with a prefix cache the same twice, in two runs; gives the second."""

    async def run() -> RunState:
        async with await serve(book_of(SCRIPT), pace=0, cache=8) as server:
            here = {"provider": "scripted", "base_url": server.base_url}
            write_project(root, flow=chain(), chat={"default": "here", "profiles": {"here": here}})
            project = Project.open(root)
            flow = read_flow(project.main_flow).flow
            inputs = {"question": "owl " * 200}
            await run_here(prepare(project, flow, builtin_registry(), environ=HERE, inputs=inputs))
            return await run_here(prepare(project, flow, builtin_registry(), environ=HERE, inputs=inputs))

    return asyncio.run(run())


def test_the_share_that_came_from_the_cache_is_told_by_run_and_profile(call: Call, tmp_path: Path) -> None:
    state = ran_twice(tmp_path)
    use = state.uses["here"]
    assert (use.answers, use.input + use.output, use.cached) == (1, state.tokens, state.cached)
    assert use.cached == use.input > 200
    told = cast("dict[str, Any]", call("runs", "show", "latest", "--project", tmp_path, "--json").json)
    (profile,) = told["profiles"]
    assert (profile["profile"], profile["cached_share"], told["cached_tokens"]) == ("here", 1.0, use.cached)
    shown = call("runs", "show", "latest", "--project", tmp_path).out
    assert f"chats    here: 1 answer · {use.input:,} tokens in" in shown
    assert f"{use.cached:,} of {use.input:,} input tokens (100 %) from the provider's cache" in shown


def test_answers_that_nobody_counted_are_told() -> None:
    silent = ChatAnswered({"role": "assistant", "content": "x"}, "stop", llm="house")
    state = fold(numbered(("writer#chat.1", ChatRequested("local", {})), ("writer#chat.1", silent)))
    assert (state.uses["local"].answers, state.uses["local"].uncounted) == (1, 1)


def test_the_uses_of_several_profiles_add_up() -> None:
    answered = ChatAnswered({"role": "assistant", "content": "x"}, "stop", 100, 20, 64, None, "house")
    state = fold(
        numbered(
            *((f"{profile}#chat.1", ChatRequested(profile, {})) for profile in "xy"),
            *((f"{profile}#chat.1", answered) for profile in "xy"),
        )
    )
    whole = total(state.uses.values())
    assert (whole.answers, whole.input, whole.output, whole.cached) == (2, 200, 40, 128)
    assert (whole.unpriced, whole.cached_share) == (state.unpriced, 0.64)
