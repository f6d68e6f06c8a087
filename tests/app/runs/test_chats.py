"""The chat clients of runs: what shares a profile shares its turns."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

from studio.llm.client import ChatRequest, Message
from studio.llm.rate_limits.queue import ChatQueues
from studio.trace.fold.state import RunStatus
from studio.workspace.catalog import builtin_registry
from studio.workspace.chats import Chats
from studio.workspace.problems import read_flow
from studio.workspace.profiles import find_profile
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.runtime.bench import flow_of
from tests.trusted import HERE

SCRIPT = "rules:\n  - reply: yes, {{ last }}\n"


def project(root: Path, **profile: object) -> Project:
    document = {
        "format": "stepwire.project",
        "version": 1,
        "chat": {"default": "slow", "profiles": {"slow": {"provider": "scripted", **profile}}},
    }
    (root / "project.json").write_text(json.dumps(document), "utf-8")
    (root / "flow.json").write_text('{"format": "stepwire.flow"}', "utf-8")
    (root / "scripts").mkdir()
    (root / "scripts" / "answers.yaml").write_text(SCRIPT, "utf-8")
    return Project.open(root)


async def test_two_runs_ask_a_profile_no_more_often_at_a_time_than_it_bears(tmp_path: Path) -> None:
    opened = project(tmp_path, at_once=2)
    profile = find_profile(opened, "slow")
    queues = ChatQueues()
    queue = queues.of(profile)
    runs = [Chats(opened, profile, {}, pace=0, queues=queues) for _ in range(2)]
    most: list[int] = []

    async def ask(number: int) -> str:
        request = ChatRequest((Message("user", str(number)),))
        answer = await runs[number % 2]("").answer(request, on_text=lambda _: most.append(queue.working))
        return answer.message.content

    said = await asyncio.gather(*map(ask, range(8)))
    assert said == [f"yes, {number}" for number in range(8)]
    assert max(most) == 2
    for run in runs:
        await run.close()


async def test_a_profile_that_says_nothing_of_it_is_asked_at_will(tmp_path: Path) -> None:
    opened = project(tmp_path)
    assert find_profile(opened, "slow").at_once == 0


async def test_the_chat_client_is_loaded_before_a_step_begins_to_count_its_time(tmp_path: Path) -> None:
    opened = Project.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    flow = read_flow(opened.main_flow).flow
    materials = prepare(opened, flow, builtin_registry(), environ=HERE, inputs={"question": "a"})
    assert materials.ready is not None
    silent = flow_of({"text": ("text.template", {"template": "a"})}, [])
    assert prepare(opened, silent, builtin_registry(), environ=HERE).ready is None
    seen: list[str] = []
    stands: list[set[str]] = []
    load = materials.ready

    async def ready() -> None:
        stands.append(set(seen))
        await load()
        stands.append(set(seen))

    state = await run_here(
        replace(materials, ready=ready),
        listener=lambda entries, _: seen.extend(one.event.kind for one in entries),
    )
    assert state.status is RunStatus.FINISHED
    assert "step_started" in seen
    assert all(kinds <= {"run_started"} for kinds in stands)
