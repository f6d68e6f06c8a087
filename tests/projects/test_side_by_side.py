"""The second example asks three at once, and compares what they really said."""

from pathlib import Path

import pytest

from studio.runtime.gates.debug_gate import OpenGate, StepRef
from studio.runtime.values import Resolved
from tests.projects.running import copied, ran, steps

THREE = ("bold", "careful", "practical")


@pytest.mark.parametrize(
    "question",
    ["Should we move the team to a four-day week?", "How do we name it?", "Why?", "Which colour", "Who?"],
)
async def test_a_fourth_quotes_what_the_three_said(tmp_path: Path, question: str) -> None:
    project = copied("side_by_side", tmp_path)
    state = await ran(project, {"question": question})
    replies = [str(state.steps[name].outputs["reply"].data) for name in THREE]  # type: ignore[index]
    assert len(set(replies)) == 3
    report = str(state.outputs["comparison"].data)
    assert report.startswith(f"# {question}\n")
    for reply in replies:
        assert reply.partition(".")[0] in report
    shortest = min(zip(replies, THREE, strict=True), key=lambda pair: len(pair[0]))[1]
    assert state.outputs["verdict"].data["best"] == shortest
    assert (project.root / "out" / "comparison.md").read_text("utf-8") == f"{report}\n"


async def test_the_answers_depend_on_the_question(tmp_path: Path) -> None:
    project = copied("side_by_side", tmp_path)
    reports = {
        str((await ran(project, {"question": one})).outputs["comparison"].data) for one in ("Why?", "How?")
    }
    assert len(reports) == 2


class CountedGate(OpenGate):
    """Notices whose chats had begun before the first one ended."""

    is_open = False

    def __init__(self) -> None:
        self.started: list[str] = []
        self.at_first_end: list[str] | None = None

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Note a start."""
        if ref.node in THREE and ref.call:
            self.started.append(str(ref.node))
        return inputs

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Note the first end."""
        if ref.node in THREE and ref.call and self.at_first_end is None:
            self.at_first_end = list(self.started)
        return outputs


async def test_the_three_are_asked_at_once(tmp_path: Path) -> None:
    gate = CountedGate()
    state = await ran(copied("side_by_side", tmp_path), make_gate=lambda _: gate)
    assert sorted(gate.at_first_end or []) == sorted(THREE)
    assert steps(state, "failed") == []
