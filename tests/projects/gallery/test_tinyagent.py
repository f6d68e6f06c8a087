"""TinyAgent: who is shown few tools reads less."""

from pathlib import Path

from studio.ids import StepId
from studio.places import projects
from tests.projects.gallery.systems import ran


async def test_with_all_tools_in_the_prompt_the_planner_takes_more_tokens(tmp_path: Path) -> None:
    few, all_ten = [
        (await ran(projects() / "tinyagent", tmp_path / file, file=file)).state
        for file in ("flow.json", "all_tools.json")
    ]
    used = [one.steps[StepId("planner#chat.1")].tokens for one in (few, all_ten)]
    assert used[1] > 1.15 * used[0]
    assert all_ten.outputs["answer"].data == few.outputs["answer"].data
