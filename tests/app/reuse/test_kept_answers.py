"""Answers of a run kept as a script: the same run again, from a file that anybody can edit."""

from pathlib import Path
from typing import Any

import pytest

from studio.app.reuse.kept_answers import can_keep, keep_as_script
from studio.errors import UsageError
from studio.runtime.resources.people import People
from studio.store.reader import RunStore
from studio.trace.events import ChatAnswered, Entry
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.runtime.test_by_hand import Answering
from tests.trusted import HERE

QUESTION = "Why do herons wait at the weir?"


async def ran(project: Project, profile: str, people: People | None = None) -> tuple[RunState, list[Entry]]:
    flow = read_flow(project.main_flow).flow
    inputs = {"question": QUESTION}
    materials = prepare(
        project, flow, builtin_registry(), environ=HERE, inputs=inputs, profile=profile, pace=0
    )
    state = await run_here(materials, people=people)
    return state, list(RunStore(project.private).entries(materials.spec.run))


def said(entries: list[Entry]) -> list[tuple[str, Any, Any]]:
    """What was answered in each chat, but for the ids of calls."""
    found = [(one.step, one.event.message) for one in entries if isinstance(one.event, ChatAnswered)]
    return [
        (
            str(step),
            plain.get("content"),
            [(call["name"], call["arguments"]) for call in plain.get("tool_calls", ())],
        )
        for step, plain in found  # type: ignore[union-attr]
    ]


def searching() -> dict[str, object]:
    """A flow whose agent is lent a search, and whose judge sends its draft back once."""
    flow: dict[str, Any] = chain(kind="llm.agent")
    nodes = {
        **flow["nodes"],
        "notes": {"kind": "tools.text_search", "settings": {"folder": "notes"}},
        "judge": {"kind": "check.judge"},
        "ok": {"kind": "io.flow_output"},
    }
    wires = [
        *flow["wires"],
        "notes.tool -> writer.tools[0]",
        "writer.reply -> judge.value",
        "judge.ok -> ok.value",
    ]
    return {**flow, "nodes": nodes, "wires": wires}


async def test_made_up_answers_kept_as_a_script_make_the_same_run(tmp_path: Path) -> None:
    root = write_project(tmp_path / "own", flow=searching())
    (root / "notes").mkdir()
    (root / "notes" / "weir.txt").write_text("Herons wait for {{ fish }} there.", "utf-8")
    state, entries = await ran(Project.open(root), "made-up")
    assert can_keep(entries)
    project, name = keep_as_script(Project.open(root), entries)
    assert project.profiles[name].provider == "scripted"
    assert (root / project.profiles[name].script).is_file()
    again, others = await ran(project, name)
    assert said(others) == said(entries)
    assert len(said(entries)) == 3
    assert {n: one.data for n, one in again.outputs.items()} == {
        n: one.data for n, one in state.outputs.items()
    }
    assert again.made_up == 0, "a script is a script"
    assert not can_keep(others)


async def test_what_a_person_typed_answers_again_word_for_word(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path / "own", flow=chain()))
    text = "{% raw %} of fish:\n- 1\n- {{ 2 }}\n"
    _, entries = await ran(project, "person", Answering({"answer": text}))
    project, name = keep_as_script(project, entries)
    again, _ = await ran(project, name)
    assert again.outputs["answer"].data == text


async def test_another_script_of_the_project_answers_as_before(tmp_path: Path) -> None:
    project = Project.open(
        write_project(tmp_path / "own", flow=chain(), script='rules: [{reply: "as before"}]')
    )
    _, entries = await ran(project, "made-up")
    project, name = keep_as_script(project, entries)
    second, other = keep_as_script(project, entries)
    assert (name, other) == ("kept_1", "kept_2")
    before, scripted = await ran(second, "scripted")
    assert before.outputs["answer"].data == "as before"
    with pytest.raises(UsageError, match="No answers were made up"):
        keep_as_script(second, scripted)
