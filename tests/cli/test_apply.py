"""Edits of an exported script go into its flow from the command line, after they were shown."""

import io
import os
import shutil
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from studio.app.scripts.edits import files
from studio.export.versions import version_of
from studio.flow.records import Flow
from studio.ids import NodeId
from studio.places import projects
from studio.terminal import people
from studio.workspace.files import save_flow
from studio.workspace.problems import read_flow
from tests.app.written_scripts import CHAPTERS, NOTES
from tests.cli.conftest import Call

OLD, NEW = "Accept only what the notes say.", "Accept only what the notes say,\\nword for word."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the field notes, with the script of its flow as it was exported."""
    folder = tmp_path / "notes"
    shutil.copytree(projects() / "field_notes", folder, ignore=shutil.ignore_patterns(".stepwire", "out"))
    write_script(folder, NOTES.script)
    return folder


def write_script(folder: Path, script: str) -> None:
    version = version_of(read_flow(folder / "flow.json").flow)
    (folder / "answer.py").write_text(script.replace("8e150c163e9b", version), "utf-8")


def edit_script(folder: Path, old: str, new: str) -> None:
    script = (folder / "answer.py").read_text("utf-8")
    assert old in script
    (folder / "answer.py").write_text(script.replace(old, new), "utf-8")


def edit_flow(folder: Path, node: str, **settings: object) -> None:
    flow = read_flow(folder / "flow.json").flow
    record = flow.nodes[NodeId(node)]
    changed = record.model_copy(update={"settings": {**record.settings, **settings}})
    nodes = {**flow.nodes, NodeId(node): changed}
    save_flow(folder / "flow.json", Flow(flow.name, flow.description, nodes, flow.wires, (), flow.layout))


def settings_of(folder: Path, node: str, file: str = "flow.json") -> dict[str, object]:
    return dict(read_flow(folder / file).flow.nodes[NodeId(node)].settings)


def test_a_script_without_edits_changes_nothing(call: Call, folder: Path) -> None:
    before = (folder / "flow.json").read_bytes()
    called = call("apply", folder / "answer.py", "--yes")
    assert (called.code, called.out) == (0, "The script and the flow have the same texts and settings.\n")
    assert (folder / "flow.json").read_bytes() == before


def test_a_difference_is_shown_line_by_line_and_saved_with_yes(call: Call, folder: Path) -> None:
    edit_script(folder, OLD, NEW)
    shown = call("apply", folder / "answer.py")
    assert shown.code == 0
    assert shown.out.splitlines() == [
        "line 28: Instructions of “Critic”",
        "  - You are strict. Accept only what the notes say.",
        "  + You are strict. Accept only what the notes say,",
        "  + word for word.",
        "    Question: {{question}}",
        "    Every claim needs a citation such as [may.txt:7], and the day it was seen.",
    ]
    assert "`--yes` saves the edits" in shown.err
    assert "word for word" not in str(settings_of(folder, "critic"))
    saved = call("apply", folder / "answer.py", "--yes")
    assert saved.code == 0
    assert "word for word" in str(settings_of(folder, "critic"))
    again = call("apply", folder / "answer.py", "--yes")
    assert "the same texts and settings" in again.out


@pytest.mark.parametrize(("answer", "most"), [("y\n", 6), ("n\n", 4), ("", 4)])
def test_a_person_at_a_terminal_is_asked(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, most: int
) -> None:
    edit_script(folder, "MOST = 4", "MOST = 6")
    monkeypatch.setattr(people, "terminal", lambda: 0)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    called = call("apply", folder / "answer.py")
    assert "Apply this edit to the flow? [y/N]" in called.err
    assert (called.code, settings_of(folder, "rounds")["max_rounds"]) == (0, most)


def test_a_called_flow_is_saved_to_its_own_file(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "chapters"
    shutil.copytree(projects() / "chapters", folder, ignore=shutil.ignore_patterns(".stepwire", "out"))
    version = version_of(read_flow(folder / "summary.json").flow)
    write_script(folder, CHAPTERS.script.replace("8e150c163e9c", version).replace("ROUNDS = 3", "ROUNDS = 2"))
    before = (folder / "flow.json").read_bytes()
    called = call("apply", folder / "answer.py", "--yes")
    assert called.code == 0, called.err
    assert "summary.json, line" in called.out
    assert settings_of(folder, "rounds", "summary.json")["max_rounds"] == 2
    assert (folder / "flow.json").read_bytes() == before


def test_what_was_edited_on_both_sides_is_a_conflict_and_stays(call: Call, folder: Path) -> None:
    edit_script(folder, "MOST = 4", "MOST = 6")
    edit_script(folder, "out/answer.md", "out/reply.md")
    edit_flow(folder, "rounds", max_rounds=5)
    edit_flow(folder, "text_search", limit=9)
    called = call("apply", folder / "answer.py", "--yes")
    assert called.code == 0
    assert "was edited since the script was exported" in called.out
    assert "not applied: It was edited in the flow as well. `--force` applies it." in called.out
    assert settings_of(folder, "rounds")["max_rounds"] == 5
    assert settings_of(folder, "save")["path"] == "out/reply.md"
    assert settings_of(folder, "text_search")["limit"] == 9, "what the flow alone edited stays"
    alone = call("apply", folder / "answer.py", "--yes")
    assert alone.code == 1, "there is a conflict, and nothing was applied"
    assert call("apply", folder / "answer.py", "--yes", "--force").code == 0
    assert settings_of(folder, "rounds")["max_rounds"] == 6
    assert settings_of(folder, "text_search")["limit"] == 9


def test_where_the_exported_version_is_not_kept_nothing_is_taken_unasked(call: Call, folder: Path) -> None:
    edit_script(folder, "MOST = 4", "MOST = 6")
    edit_flow(folder, "text_search", limit=9)
    shutil.rmtree(folder / ".stepwire")
    called = call("apply", folder / "answer.py", "--yes")
    assert called.code == 1
    assert "the exported version is not kept" in called.out
    assert settings_of(folder, "rounds")["max_rounds"] == 4


def test_what_cannot_be_applied_is_said_and_gives_one(call: Call, folder: Path) -> None:
    edit_script(folder, 'PATH = "out/answer.md"', "import os\nPATH = os.environ['PLACE']")
    called = call("apply", folder / "answer.py", "--yes")
    assert called.code == 1
    assert "“File” of “Save” is computed in Python." in called.out


def test_wires_that_go_with_a_placeholder_are_told(call: Call, folder: Path) -> None:
    edit_script(folder, '    "Question: {{question}}\\n"\n', "")
    edit_script(
        folder,
        "answer_schema=CRITIC_ANSWER_SCHEMA,\n            question=question,",
        "answer_schema=CRITIC_ANSWER_SCHEMA,",
    )
    called = call("apply", folder / "answer.py")
    assert "Then: Removes the wire “Question” value → “Critic” question." in called.out


def test_the_result_is_json_where_it_is_asked_for(call: Call, folder: Path) -> None:
    edit_script(folder, "MOST = 4", "MOST = 6")
    told = cast("dict[str, Any]", call("apply", folder / "answer.py", "--json").json)
    (edit,) = told["edits"]
    assert (edit["node"], edit["name"], edit["before"], edit["after"]) == ("rounds", "max_rounds", 4, 6)
    assert not edit["applied"]
    told = cast("dict[str, Any]", call("apply", folder / "answer.py", "--json", "--yes").json)
    assert told["edits"][0]["applied"]


def test_what_cannot_be_read_or_found_gives_two(call: Call, folder: Path, tmp_path: Path) -> None:
    assert call("apply", tmp_path / "nothing.py").code == 2
    (tmp_path / "broken.py").write_text("def (")
    assert "Line 1 of the script is not Python" in call("apply", tmp_path / "broken.py").err
    away = tmp_path / "away" / "answer.py"
    away.parent.mkdir()
    away.write_text(NOTES.script, "utf-8")
    called = call("apply", away)
    assert called.code == 2
    assert "--into" in called.err
    assert call("apply", away, "--into", folder).code == 0


def test_a_script_that_names_a_file_outside_finds_none(call: Call, folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (inner / "answer.py").write_text(NOTES.script.replace("from flow.json", "from ../flow.json"), "utf-8")
    assert call("apply", inner / "answer.py").code == 2
    (inner / "answer.py").write_text(NOTES.script, "utf-8")
    assert str(files.open_offer(inner / "answer.py").path("")) == os.fspath(folder / "flow.json")


def test_a_flow_that_changes_in_the_meantime_is_not_overwritten(folder: Path) -> None:
    edit_script(folder, "MOST = 4", "MOST = 6")
    offer = files.open_offer(folder / "answer.py")
    edit_flow(folder, "text_search", limit=9)
    before = (folder / "flow.json").read_bytes()
    with pytest.raises(files.UsageError):
        offer.save(offer.found.clear)
    assert (folder / "flow.json").read_bytes() == before


def test_edits_that_would_leave_errors_are_saved_only_by_force(call: Call, folder: Path) -> None:
    edit_script(folder, "answer_schema=CRITIC_ANSWER_SCHEMA", "anwser_schema=CRITIC_ANSWER_SCHEMA")
    before = (folder / "flow.json").read_bytes()
    called = call("apply", folder / "answer.py", "--yes")
    assert (called.code, (folder / "flow.json").read_bytes()) == (1, before)
    assert "could not run with these edits" in called.err
    assert call("apply", folder / "answer.py", "--yes", "--force").code == 0
    assert (folder / "flow.json").read_bytes() != before


@pytest.fixture
def exported(call: Call, folder: Path) -> Path:
    """The script of the field notes as this Stepwire exports it."""
    assert call("export", folder, "-o", folder / "answer.py", "--kit", "--force").code == 0
    return folder / "answer.py"


def test_what_is_no_text_and_no_setting_is_named_line_by_line(
    call: Call, folder: Path, exported: Path
) -> None:
    assert call("apply", exported).out == "The script and the flow have the same texts and settings.\n"
    edit_script(
        folder, 'flow = Flow("Answer a question from notes")', 'flow = Flow("Notes", limits={"calls": 3})'
    )
    edit_script(folder, "    for _ in rounds(", "    # a few tries\n    for _ in rounds(")
    edit_script(folder, '"rounds", 4)', '"rounds", 3)')
    edit_script(folder, "            rounds_value,\n", '            rounds_value + "!",\n')
    edit_script(folder, "    await write_file", '    print("done")\n    await write_file')
    lines = (folder / "answer.py").read_text("utf-8").splitlines()

    def line(text: str) -> int:
        return next(number for number, one in enumerate(lines, 1) if text in one)

    others = call("apply", exported, "--yes").out.partition("cannot be applied:\n")[2].splitlines()
    limits = "`limits=` of `Flow(…)` is not applied: limits of a run are set in the project."
    assert others == [
        f"  line {line('flow = Flow')}: {limits}",
        f"  line {line('a few tries')}: This comment is no part of the flow: `# a few tries`",
        f"  line {line('writer = await')}: This Python is no part of the flow: `writer = await agent(`",
        f'  line {line("print(")}: This Python is no part of the flow: `print("done")`',
    ]
    assert settings_of(folder, "rounds")["max_rounds"] == 3
    refused = call("export", folder, "-o", exported, "--kit")
    assert (refused.code, f"`stepwire apply {exported}`" in refused.err) == (2, True)


def test_differences_stand_in_the_order_of_the_lines_and_conflicts_name_force(
    call: Call, folder: Path, exported: Path
) -> None:
    edit_script(folder, "You are strict.", "You are kind.")
    edit_script(folder, '"rounds", 4)', '"rounds", 3)')
    edit_script(folder, "out/answer.md", "out/reply.md")
    edit_flow(folder, "rounds", max_rounds=5)
    told = [one for one in call("apply", exported).out.splitlines() if one.startswith(("line", "  not"))]
    assert [one.partition(": ")[2].partition(" of ")[0] for one in told] == [
        "Instructions",
        "Max. rounds",
        "It was edited in the flow as well. `--force` applies it.",
        "File",
    ]


def test_a_script_whose_edits_the_flow_has_is_written_over(call: Call, folder: Path, exported: Path) -> None:
    edit_script(folder, "You are strict.", "You are kind.")
    edit_script(
        folder,
        '    await write_file("save", rounds_result, path="out/answer.md")',
        "    await write_file.on(retries=2)(\n        'save', rounds_result, path='out/a.md')",
    )
    assert call("export", folder, "-o", exported, "--kit").code == 2
    assert call("apply", exported, "--yes").code == 0
    again = call("export", folder, "-o", exported, "--kit")
    assert again.code == 0, again.err
    edit_script(folder, "    await write_file", "    # mine\n    await write_file")
    assert call("export", folder, "-o", exported, "--kit").code == 2
