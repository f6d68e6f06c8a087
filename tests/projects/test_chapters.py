"""The third example hands each chapter to a flow of its own, which shortens until it is short enough."""

import ast
from pathlib import Path

import pytest

from studio.ids import StepId
from studio.trace.fold.state import RunState
from tests.export.gallery import named
from tests.projects.running import copied, ran, steps


def said(state: RunState, step: str, port: str) -> object:
    found = state.steps[StepId(step)].outputs
    assert found is not None
    return found[port].data


async def test_each_chapter_has_drafts_of_its_own(tmp_path: Path) -> None:
    state = await ran(copied("chapters", tmp_path))
    assert state.status == "finished"
    drafts = [said(state, f"each.{item}/summarise", "drafts") for item in range(4)]
    assert drafts == [1, 2, 2, 2]
    assert "each.0/summarise/rounds.2/writer" not in state.steps
    assert "each.1/summarise/rounds.2/writer" in steps(state)


@pytest.mark.parametrize("words", ["9", "30"])
async def test_no_summary_is_longer_than_asked(words: str, tmp_path: Path) -> None:
    state = await ran(copied("chapters", tmp_path), {"words": int(words)})
    for item in range(4):
        summary = str(said(state, f"each.{item}/summarise", "summary"))
        assert 0 < len(summary.split()) <= int(words)


async def test_another_document_is_summarised_in_its_own_words(tmp_path: Path) -> None:
    project = copied("chapters", tmp_path)
    (project.root / "data" / "other.md").write_text("# Owls\nAn owl called.\n\n# Moths\nNone came.\n")
    state = await ran(project, {"document": "data/other.md"})
    assert state.outputs["summary"].data == (
        "# Owls\n\nAn owl called.\n\n*Drafts: 1*\n\n# Moths\n\nNone came.\n\n*Drafts: 1*"
    )
    saved = (project.root / "out" / "summary.md").read_text("utf-8")
    assert saved == f"{state.outputs['summary'].data}\n"


def test_its_script_calls_the_second_flow_for_each_item() -> None:
    tree = ast.parse(named("chapters/flow").text)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.AsyncFunctionDef)}
    main = functions["summarise_a_document_by_chapters"]
    one = next(node for node in main.body if isinstance(node, ast.AsyncFunctionDef))
    called = {ast.unparse(node) for node in ast.walk(one) if isinstance(node, ast.Name)}
    assert "summary_of_a_chapter" in called
    inner = functions["summary_of_a_chapter"]
    assert ast.unparse(inner.args).startswith("chapter: str, words: float=")
    assert any(isinstance(node, ast.For) for node in ast.walk(inner))
