"""Ready parts: each is without a problem, and runs from what it is given to what it gives."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.app.ready_parts import ready_parts
from studio.flow.checks.check import check
from studio.flow.files.codec import dumps
from studio.ids import StepId
from studio.places import resources
from studio.sdk import Form
from tests.runtime.bench import REGISTRY, run

PARTS = sorted(ready_parts())
SCRIPT = r"""
rules:
  - when: {node: writer, asked: 'not accepted'}
    reply: "A wren sang by the pond."
  - when: {node: writer}
    reply: "Something sang."
  - when: {node: judge, asked: 'wren'}
    reply: '{"reason": "Right.", "to_the_point": 5, "sound": 5, "clear": 5}'
  - when: {node: judge}
    reply: '{"reason": "It names no bird.", "to_the_point": 1, "sound": 2, "clear": 3}'
  - when: {node: agent, turn: 0}
    tool_calls: [{name: read, arguments: {path: may.txt}}]
  - when: {node: sort}
    reply: '{"case": "Question"}'
  - when: {instructions: 'Answer in JSON|JSON'}
    reply: '{"reason": "I heard it.", "answer": "A wren"}'
  - reply: "A wren sang by the pond."
"""


class Person:
    """Lets everything pass."""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Approve."""
        del step, form
        return {"decision": "approve"}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_has_no_problem_and_says_what_it_is(name: str) -> None:
    part = ready_parts()[name]
    assert [one.message for one in check(part, REGISTRY)] == []
    assert part.name
    assert 20 < len(part.description) < 100
    assert set(part.layout.nodes) == set(part.nodes)


@pytest.mark.parametrize("name", PARTS)
async def test_a_part_runs_to_its_output(name: str, tmp_path: Path) -> None:
    part = ready_parts()[name]
    (tmp_path / "answers.yaml").write_text(SCRIPT, "utf-8")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "may.txt").write_text("A wren sang by the pond.\n", "utf-8")
    given: dict[str, Any] = {
        node: "What sang?" for node, record in part.nodes.items() if record.kind == "io.flow_input"
    }
    ran = await run(part, given, script=tmp_path / "answers.yaml", root=tmp_path, people=Person())
    (said,) = ran.outputs.values()
    assert "wren" in str(said)


async def test_the_draft_is_mended_until_the_judge_accepts_it(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(SCRIPT, "utf-8")
    part = ready_parts()["draft_until_accepted"]
    ran = await run(part, {"task": "What sang?"}, script=tmp_path / "answers.yaml", root=tmp_path)
    assert ran.outputs == {"result": "A wren sang by the pond."}
    assert "rounds.2/judge" in ran.steps("step_finished")


def test_the_files_of_parts_are_as_the_studio_writes_them() -> None:
    for name, flow in ready_parts().items():
        assert (resources() / "parts" / f"{name}.json").read_text("utf-8") == dumps(flow)
