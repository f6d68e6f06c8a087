import json
import shutil
from pathlib import Path

import pytest

from studio import places
from studio.app.gallery.gallery_tests import Outcome, outcomes
from tests.app.flows import SCRIPT, chain
from tests.app.solving import solving_project
from tests.app.written_projects import write_flow, write_project
from tests.cli.conftest import Call

RECORD = {
    "system": "S068",
    "title": "Debate",
    "paper": "A study of debate",
    "mechanisms": ["debate", "voting"],
    "state": "works",
    "test": "tests/test_debate.py",
    "baselines": [{"flow": "single.json", "title": "One agent"}],
}

IMPOSSIBLE = "S001\timpossible\tno chart"


@pytest.fixture
def gallery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one system, with its test."""
    folder = tmp_path / "projects"
    root = write_project(folder / "debate", flow=chain(default="Who?"), script=SCRIPT)
    write_flow(root / "single.json", chain())
    (root / "gallery.json").write_text(json.dumps(RECORD), "utf-8")
    write_project(folder / "example", flow=chain(), script=SCRIPT)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_debate.py").write_text("def test_it(): assert True\n", "utf-8")
    shutil.copytree(
        places.resources(), tmp_path / "resources", ignore=shutil.ignore_patterns("fonts", "sandbox")
    )
    claims = places.resources() / "systems-claims.tsv"
    told = (
        claims.read_text("utf-8")
        .replace("impossible", "stand-in")
        .replace("S001\treproducible\t", IMPOSSIBLE)
    )
    (tmp_path / "resources" / "systems-claims.tsv").write_text(told, "utf-8")
    for name in ("projects", "resources"):
        monkeypatch.setattr(places, name, lambda name=name: tmp_path / name)
    return folder


def test_the_systems_that_are_built_are_listed_with_what_they_show(call: Call, gallery: Path) -> None:
    called = call("gallery")
    assert called.code == 0
    assert called.out == f"S068 Debate: debate, voting\n    works · reproducible\n    {gallery / 'debate'}\n"
    assert "209 systems: 1 working · 207 not yet · 1 impossible" in called.err


def test_all_systems_are_listed_with_why_they_are_not_built(call: Call, gallery: Path) -> None:
    listed = call("gallery", "--all").out
    assert "S001 FinAgent\n    impossible: no chart\n" in listed
    assert listed.count("    not yet · ") == 207
    assert f"    {gallery / 'debate'}\n" in listed
    told = call("gallery", "--all", "--json").json
    assert isinstance(told, list)
    assert len(told) == 209


def test_a_mechanism_chooses_among_them(call: Call, gallery: Path) -> None:
    assert "Debate" in call("gallery", "--mechanism", "voting").out
    assert call("gallery", "--mechanism", "memory").out == ""
    refused = call("gallery", "--mechanism", "dancing")
    assert refused.code == 2
    assert "There are debate, voting" in refused.err
    assert gallery.is_dir()


def test_one_is_copied_by_its_name_or_its_number(call: Call, gallery: Path, tmp_path: Path) -> None:
    copied = call("gallery", "debate", "--copy", tmp_path / "mine")
    assert (copied.code, copied.out) == (0, f"{tmp_path / 'mine' / 'debate'}\n")
    assert call("gallery", "S068", "--copy", tmp_path / "mine").out.endswith("debate-2\n")
    assert (gallery / "debate" / "flow.json").read_text("utf-8") == (
        tmp_path / "mine" / "debate" / "flow.json"
    ).read_text("utf-8")


@pytest.mark.parametrize(
    ("systems", "said"), [(["S999"], "no `S999`"), ([], "Name one"), (["S001"], "Name one")]
)
def test_what_cannot_be_copied_is_refused(
    call: Call, gallery: Path, tmp_path: Path, systems: list[str], said: str
) -> None:
    (gallery / "example" / "gallery.json").write_text(
        json.dumps({**RECORD, "system": "S069", "baselines": []}), "utf-8"
    )
    refused = call("gallery", *systems, "--copy", tmp_path / "mine")
    assert refused.code == 2
    assert said in refused.err
    assert not (tmp_path / "mine").exists()


@pytest.mark.process
def test_the_table_has_what_one_run_of_each_did_and_whether_its_test_passed(
    call: Call, gallery: Path
) -> None:
    called = call("gallery", "--table", "--json")
    assert called.code == 0
    assert isinstance(called.json, list)
    (row,) = called.json
    assert (row["system"], row["nodes"], row["steps"], row["chats"]) == ("S068", 3, 4, 1)
    assert row["tokens"] > 0
    assert 10 < row["lines"] < 250
    assert (row["test"], row["outcome"]) == ("tests/test_debate.py", "passed")
    assert not (gallery / "debate" / ".stepwire").exists()
    head, line = call("gallery", "--table").out.splitlines()
    assert head.endswith("baseline")
    assert line.startswith("S068 Debate")
    assert line.endswith("passed test_debate.py  One agent")


def test_the_table_says_which_claims_hold_and_what_is_seen_instead(call: Call, gallery: Path) -> None:
    claims = [
        {"says": f"It says {word}.", "expects": [{"output": "answer", "has": word}]} for word in ("e", "ß")
    ]
    record = {name: value for name, value in RECORD.items() if name != "test"}
    (gallery / "debate" / "gallery.json").write_text(json.dumps({**record, "claims": claims}), "utf-8")
    called = call("gallery", "--table")
    assert called.code == 1
    assert "1 of 2 claims" in called.out
    assert 'debate: It says ß. output `answer` has no "ß"; it is ' in called.err


@pytest.mark.process
def test_a_measured_table_says_by_how_much_a_system_is_better_than_each_baseline(
    call: Call, gallery: Path
) -> None:
    root = gallery / "debate"
    shutil.rmtree(root)
    solving_project(root, accuracy=1)
    flow = json.loads((root / "flow.json").read_text("utf-8"))
    flow["nodes"]["question"]["settings"] = {"default": "Who?"}
    (root / "flow.json").write_text(json.dumps(flow), "utf-8")
    (root / "scripts").mkdir()
    (root / "scripts" / "answers.yaml").write_text(SCRIPT, "utf-8")
    baselines = [{"flow": f"{one}.json", "title": one} for one in ("voting", "twice")]
    measure = {"problems": "data/problems.jsonl", "chat": "solvers", "runs": 2}
    record = {**RECORD, "baselines": baselines, "measure": measure}
    (root / "gallery.json").write_text(json.dumps(record), "utf-8")
    called = call("gallery", "--measure")
    assert called.code == 0, called.err
    _, first, second = called.out.splitlines()
    assert "voting" in first
    assert "100.0 % : 100.0 %  +0.0 points" in first
    assert first.endswith("× 0.33")
    assert second.strip().startswith("twice")
    told = call("gallery", "--measure", "--json").json
    assert isinstance(told, list)
    assert [one["baseline"] for one in told[0]["compared"]] == ["voting", "twice"]


@pytest.mark.process
def test_a_test_or_a_run_that_fails_gives_one(call: Call, gallery: Path) -> None:
    test = gallery.parent / "tests" / "test_debate.py"
    test.write_text("def test_it(): assert False\n", "utf-8")
    called = call("gallery", "--table")
    assert called.code == 1
    assert "failed test_debate.py" in called.out
    test.unlink()
    assert call("gallery", "--table").code == 0
    shutil.rmtree(gallery / "debate" / "scripts")
    called = call("gallery", "--table")
    assert called.code == 1
    assert "debate: " in called.err


@pytest.mark.process
def test_a_file_has_passed_only_when_a_test_in_it_has(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("def test_it(): pass\n", "utf-8")
    (tmp_path / "test_none.py").write_text("", "utf-8")
    (tmp_path / "test_broken.py").write_text("import nothing_of_that_name\n", "utf-8")
    found = outcomes(tmp_path, ["test_one.py", "test_none.py", "test_broken.py", "test_away.py"])
    assert list(found.values()) == [Outcome.PASSED, Outcome.NOT_RUN, Outcome.FAILED, Outcome.NOT_RUN]


def test_the_page_of_all_systems_is_written_from_the_projects(call: Call, gallery: Path) -> None:
    assert call("gallery", "--write-page").code == 0
    written = (gallery.parent / "resources" / "systems.md").read_text("utf-8")
    assert "works ([`debate`](../projects/debate))" in written
