import json
from pathlib import Path

import pytest

from studio.app.gallery.gallery_measures import compared
from studio.app.gallery.records import Exhibit, read_exhibits
from studio.errors import ProjectError
from tests.app.gallery.test_gallery import RECORD
from tests.app.solving import solving_project


def exhibit_of(root: Path, **changed: object) -> Exhibit:
    """The vote of three, held against the one agent of the same project."""
    solving_project(root)
    project = json.loads((root / "project.json").read_text("utf-8"))
    (root / "project.json").write_text(json.dumps({**project, "main": "voting.json"}), "utf-8")
    baselines = [{"flow": "flow.json", "title": "One agent"}, {"flow": "twice.json", "title": "Two in turn"}]
    measure = {"problems": "data/problems.jsonl", "chat": "solvers", "runs": 60}
    record = {**RECORD, "baselines": baselines, "measure": measure, **changed}
    (root / "gallery.json").write_text(json.dumps(record), "utf-8")
    return read_exhibits(root)[0]


def test_a_system_is_held_against_each_of_its_baselines(tmp_path: Path) -> None:
    one, two = compared(exhibit_of(tmp_path / "vote"), {})
    assert (one.baseline, two.baseline) == ("One agent", "Two in turn")
    assert one.accuracy == two.accuracy > one.baseline_accuracy
    assert one.difference.value == pytest.approx(one.accuracy - one.baseline_accuracy)
    assert one.difference.low < one.difference.value < one.difference.high
    assert one.times_the_tokens == pytest.approx(3, rel=0.01)
    assert two.times_the_tokens == pytest.approx(1.5, rel=0.01)


def test_a_part_of_the_system_may_be_measured_in_the_place_of_its_main_flow(tmp_path: Path) -> None:
    measure = {"problems": "data/problems.jsonl", "chat": "solvers", "runs": 60, "flow": "flow.json"}
    one, two = compared(exhibit_of(tmp_path / "vote", measure=measure), {})
    assert one.accuracy == one.baseline_accuracy < two.baseline_accuracy
    assert one.times_the_tokens == 1


def test_a_part_to_be_measured_has_to_be_there(tmp_path: Path) -> None:
    measure = {"problems": "data/problems.jsonl", "flow": "gone.json"}
    with pytest.raises(ProjectError, match=r"there is no `gone\.json`"):
        exhibit_of(tmp_path / "vote", measure=measure)


def test_what_is_not_to_be_measured_is_not(tmp_path: Path) -> None:
    assert compared(exhibit_of(tmp_path / "vote", measure=None), {}) == []
