"""Flows that are a world: they are told who acts, and for whom they observe."""

from pathlib import Path

from studio.runtime.replay.takeover import replayed
from studio.trace.differences.compare import first_difference
from studio.trace.events.calls import ChatRequested
from tests.nodes.environment.stories import FLOWS, RULES, story
from tests.runtime.bench import Ran, run
from tests.runtime.called import bound


async def told(folder: Path, **caller: str) -> Ran:
    path = folder / "answers.yaml"
    path.write_text(RULES, "utf-8")
    return await run(story(**caller), script=path, flows=FLOWS)


async def test_it_is_told_who_acts_and_tells_each_what_came_of_it(tmp_path: Path) -> None:
    log = (await told(tmp_path)).outputs["log"]
    assert [(one["name"], one["do"], one["came_of_it"]) for one in log] == [
        ("Ada", "act", "Ada does it: take the lamp."),
        ("Ben", "act", "Ben is too late."),
        ("Ada", "nothing", ""),
        ("Ben", "nothing", ""),
    ]


async def test_it_is_told_for_whom_it_observes_and_what_happened_before(tmp_path: Path) -> None:
    log = (await told(tmp_path)).outputs["log"]
    happened = '["Ada does it: take the lamp.","Ben is too late."]'
    assert [one["seen"].replace(", ", ",") for one in log] == [
        "Ada knows of []",
        "Ben knows of []",
        f"Ada knows of {happened}",
        f"Ben knows of {happened}",
    ]


async def test_nobody_who_acts_is_asked_who_it_is(tmp_path: Path) -> None:
    events = [one.event for one in (await told(tmp_path)).entries]
    asked = [one.request["messages"][-1]["content"] for one in events if isinstance(one, ChatRequested)]
    offered = [text for text in asked if "You may do one of these" in text]
    assert len(offered) == 4
    assert all("- act(action): Try it." in text for text in offered)


async def test_a_replay_tells_the_same_story(tmp_path: Path) -> None:
    first = await told(tmp_path)
    past = replayed(first.entries, story(), bound(FLOWS))
    again = await run(story(), past=past, flows=FLOWS)
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


async def test_an_input_that_the_flow_has_not_is_refused_by_name(tmp_path: Path) -> None:
    ran = await told(tmp_path, caller="player")
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert "has no input `player` for who calls" in ran.outcome.error.message
    assert "`actor`" in ran.outcome.error.hint
