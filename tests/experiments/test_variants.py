"""A variant is a flow and typed edits of it; it is named by what of it decides a run."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ExperimentFileError
from studio.experiments.variants import OpenVariant
from studio.ids import NodeId
from tests.experiments.builders import experiment_project, opened

W = NodeId("w")


def variant(root: Path, *patch: dict[str, Any], **more: Any) -> OpenVariant:
    variants = {"one": {"flow": "flow.json", "patch": list(patch), **more}}
    return opened(experiment_project(root, count=1, variants=variants)).variants["one"]


def test_each_edit_changes_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    patch: list[dict[str, Any]] = [
        {"edit": "prompt", "node": "w", "text": "Be brief."},
        {"edit": "setting", "node": "w", "name": "temperature", "value": 0.5},
        {"edit": "profile", "node": "w", "profile": "solvers"},
        {"edit": "limits", "node": "w", "limits": {"tokens": 100}},
        {"edit": "run", "node": "w", "run": {"retries": 2}},
    ]
    flow = variant(tmp_path / "p", *patch).prepared.flow
    node, before = flow.nodes[W], variant(tmp_path / "q").prepared.flow
    assert node.settings == {"instructions": "Be brief.", "temperature": 0.5, "profile": "solvers"}
    assert (node.run.limits, node.run.retries) == ({"tokens": 100}, 2)
    assert flow.wires == before.wires
    assert {name: one for name, one in flow.nodes.items() if name != W} == {
        name: one for name, one in before.nodes.items() if name != W
    }


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            {"edit": "setting", "node": "w", "name": "temperature", "value": "hot"},
            "`Temperature`: input should be a valid number",
        ),
        ({"edit": "prompt", "node": "question", "text": "?"}, "has no setting `instructions`"),
        ({"edit": "input", "node": "w", "port": "prompt", "value": "?"}, "is wired"),
        ({"edit": "input", "node": "w", "port": "nothing", "value": "?"}, "has no input `nothing`"),
        ({"edit": "run", "node": "w", "run": {"retries": -1}}, "greater than or equal to 0"),
        ({"edit": "profile", "node": "w", "profile": "nobody"}, "no chat profile `nobody`"),
        ({"edit": "wish", "node": "w"}, "wish"),
    ],
)
def test_a_broken_edit_is_refused_with_what_is_wrong(tmp_path: Path, edit: dict[str, Any], said: str) -> None:
    with pytest.raises(ExperimentFileError) as caught:
        variant(tmp_path / "p", edit)
    assert said in str(caught.value)


def test_layout_and_title_do_not_make_another_flow_and_a_prompt_does(tmp_path: Path) -> None:
    first = variant(tmp_path / "p")
    path = tmp_path / "p" / "flow.json"
    document = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**document, "name": "New", "layout": {"nodes": {"w": [9, 9]}}}), "utf-8")
    again = opened(tmp_path / "p" / "experiments" / "trial.json").variants["one"]
    other = variant(tmp_path / "q", {"edit": "prompt", "node": "w", "text": "Be brief."})
    assert again.version == first.version != other.version


def test_who_answers_is_named_by_what_they_answer_from(tmp_path: Path) -> None:
    first = variant(tmp_path / "p")
    path = tmp_path / "p" / "project.json"
    path.write_text(path.read_text("utf-8").replace('"accuracy": 0.6', '"accuracy": 0.7'), "utf-8")
    other = opened(tmp_path / "p" / "experiments" / "trial.json").variants["one"]
    assert (other.version, other.answered != first.answered) == (first.version, True)
