import json
from pathlib import Path

import pytest

from studio.app.gallery.records import exhibits, read_exhibits
from studio.errors import ProjectError
from studio.places import projects
from tests.app.written_projects import write_flow, write_project

RECORD: dict[str, object] = {
    "system": "S068",
    "title": "Debate",
    "paper": "Improving Factuality and Reasoning through Debate",
    "mechanisms": ["debate", "voting"],
    "state": "works",
    "baselines": [{"flow": "single.json", "title": "One agent"}],
    "test": "tests/projects/gallery/test_debate.py",
    "measure": {"problems": "data/problems.jsonl", "chat": "solvers", "runs": 20},
}


def write_exhibit(root: Path, **changed: object) -> Path:
    write_project(root)
    write_flow(root / "single.json")
    (root / "data").mkdir()
    (root / "data" / "problems.jsonl").write_text("", "utf-8")
    (root / "gallery.json").write_text(json.dumps({**RECORD, **changed}), "utf-8")
    return root


def test_the_record_of_a_project_says_which_system_it_is(tmp_path: Path) -> None:
    [exhibit] = read_exhibits(write_exhibit(tmp_path / "debate"))
    assert (exhibit.slug, exhibit.record.system) == ("debate", "S068")
    assert exhibit.record.mechanisms == ["debate", "voting"]
    assert [one.flow for one in exhibit.record.baselines] == ["single.json"]
    assert exhibit.record.measure is not None
    assert exhibit.record.measure.runs == 20


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"system": "68"}, "system"),
        ({"mechanisms": ["dancing"]}, "mechanisms"),
        ({"mechanisms": []}, "mechanisms"),
        ({"mechanisms": ["debate", "debate"]}, "named twice"),
        ({"state": "partly"}, "what is missing"),
        ({"missing": "a web browser"}, "what is missing"),
        ({"baselines": []}, "needs a baseline"),
        ({"baselines": [{"flow": "../flow.json", "title": "One"}]}, "a file of the project"),
        ({"baselines": [{"flow": "/flow.json", "title": "One"}]}, "a file of the project"),
        ({"baselines": [{"flow": "none.json", "title": "One"}]}, "`none.json`"),
        ({"measure": {"problems": "data/none.jsonl"}}, "`data/none.jsonl`"),
        ({"measure": {"problems": "data/problems.jsonl", "runs": 0}}, "measure.runs"),
        ({"stars": 5}, "stars"),
        ({"test": ""}, "`claims` says"),
        ({"claims": [{"says": "So.", "flow": "x.json", "expects": [{"count": "a", "is": 1}]}]}, "`x.json`"),
    ],
)
def test_a_wrong_record_is_refused_with_what_is_wrong_in_it(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    with pytest.raises(ProjectError, match=said) as refused:
        read_exhibits(write_exhibit(tmp_path / "debate", **changed))
    assert "gallery.json" in str(refused.value)


def test_several_systems_share_one_project_and_each_has_a_flow_of_its_own(tmp_path: Path) -> None:
    root = write_exhibit(tmp_path / "debate")
    other = {"system": "S069", "title": "One agent", "flow": "single.json"}
    both = [RECORD, RECORD | other]
    (root / "gallery.json").write_text(json.dumps({"records": both}), "utf-8")
    first, second = exhibits(tmp_path)
    assert (first.slug, second.slug) == ("debate", "debate")
    assert (first.place, second.place) == (root, root / "single.json")
    assert [one.record.system for one in (first, second)] == ["S068", "S069"]


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([], "line 2: records: "),
        ([{**RECORD, "sate": "works"}], r"line 24: records\[0\].sate: "),
        ([RECORD, {**RECORD, "flow": "none.json"}], r"line 4\d: records\[1\].flow: there is no `none.json`"),
        ([{**RECORD, "flow": "../x.json"}], "a file of the project"),
    ],
)
def test_what_is_wrong_in_one_of_several_is_named_by_its_line(
    tmp_path: Path, records: list[dict[str, object]], said: str
) -> None:
    root = write_exhibit(tmp_path / "debate")
    (root / "gallery.json").write_text(json.dumps({"records": records}, indent=1), "utf-8")
    with pytest.raises(ProjectError, match=said):
        read_exhibits(root)


def test_a_record_that_is_no_json_is_refused_by_name(tmp_path: Path) -> None:
    folder = write_exhibit(tmp_path / "debate")
    (folder / "gallery.json").write_text("{", "utf-8")
    with pytest.raises(ProjectError, match="could not be read"):
        read_exhibits(folder)


def test_the_gallery_is_every_project_with_a_record_by_name(tmp_path: Path) -> None:
    for name in ("vote", "debate"):
        write_exhibit(tmp_path / name)
    write_project(tmp_path / "example")
    assert [one.slug for one in exhibits(tmp_path)] == ["debate", "vote"]


def test_every_record_that_is_shipped_names_files_that_are_there() -> None:
    root = projects().parent
    shown = list(exhibits(projects()))
    assert [one.slug for one in shown if one.record.test and not (root / one.record.test).is_file()] == []
    systems = [one.record.system for one in shown]
    assert len(set(systems)) == len(systems)
