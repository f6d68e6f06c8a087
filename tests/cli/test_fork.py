"""Forks of runs on the command line: with another flow, other settings, another chat profile."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.store.reader import RunStore
from tests.app.stored import cut_before
from tests.app.written_projects import write_flow, write_project
from tests.cli.conftest import Call
from tests.cli.test_resume import looping

SCRIPT = """
rules:
  - name: kind
    when: {instructions: Be kind}
    reply: "{{ last }}, well done"
  - name: whatever
    reply: "{{ last }}+"
"""


def flow(critic: str = "critic", then: str = "text", **settings: object) -> dict[str, object]:
    """Describe a writer, a critic, somebody aside, and a file that is written when all is over."""
    return {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Review",
        "nodes": {
            "word": {"kind": "io.flow_input", "settings": {"default": "a"}},
            "writer": {"kind": "llm.chat"},
            critic: {"kind": "llm.chat", "settings": settings},
            "aside": {"kind": "llm.chat"},
            "save": {"kind": "io.write_file", "settings": {"path": "out.txt", "append": True}},
            "out": {"kind": "io.flow_output"},
        },
        "wires": [
            "word.value -> writer.prompt",
            f"writer.reply -> {critic}.prompt",
            f"{critic}.reply -> out.value",
            "word.value -> aside.prompt",
            f"aside.reply -> save.{then}",
        ],
    }


@pytest.fixture
def ran(call: Call, tmp_path: Path) -> Path:
    """A project in which the flow has run once."""
    project = write_project(tmp_path / "trial", flow=flow(), script=SCRIPT)
    assert call("run", project).code == 0
    return project


def bought(project: Path) -> list[str]:
    """The chats of the latest run that were really asked."""
    store = RunStore(project / ".stepwire")
    entries = list(store.entries(store.runs()[0].run))
    reused = {one.step for one in entries if one.event.kind == "answer_reused"}
    return [str(one.step) for one in entries if one.event.kind == "chat_requested" and one.step not in reused]


def test_a_fork_with_another_setting_asks_what_depends_on_it(call: Call, ran: Path) -> None:
    setting = 'critic.instructions="Be kind."'
    called = call("replay", "latest", "--project", ran, "--setting", setting, "--live")
    assert (called.code, called.out) == (0, "a+, well done\n")
    assert bought(ran) == ["critic#chat.1"]
    assert (ran / "out.txt").read_text("utf-8") == "a+\n"


def test_a_fork_on_an_edited_flow_does_again_what_was_edited(call: Call, ran: Path) -> None:
    edited = flow(instructions="Be kind.")
    nodes, wires = edited["nodes"], edited["wires"]
    assert isinstance(nodes, dict)
    assert isinstance(wires, list)
    nodes["judge"] = {"kind": "llm.chat"}
    wires[2:3] = ["critic.reply -> judge.prompt", "judge.reply -> out.value"]
    file = write_flow(ran / "edited.json", edited)
    called = call("replay", "latest", "--project", ran, "--flow", file, "--live")
    assert (called.code, called.out) == (0, "a+, well done+\n")
    assert bought(ran) == ["critic#chat.1", "judge#chat.1"]


def test_a_fork_of_a_fork_on_another_flow_goes_back_to_the_fork(call: Call, ran: Path) -> None:
    setting = 'critic.instructions="Be kind."'
    call("replay", "latest", "--project", ran, "--setting", setting, "--live")
    called = call("replay", "latest", "--project", ran, "--set", 'writer.reply="b"', "--live")
    assert (called.code, called.out) == (0, "b, well done\n")
    assert bought(ran) == ["critic#chat.1"]


def test_a_renamed_node_finds_its_answer_and_its_effect(call: Call, ran: Path) -> None:
    edited = json.loads(json.dumps(flow("judge")).replace('"save', '"keep').replace("save.", "keep."))
    file = write_flow(ran / "edited.json", edited)
    called = call("replay", "latest", "--project", ran, "--flow", file)
    assert (called.code, called.out) == (0, "a++\n")
    assert bought(ran) == []
    assert (ran / "out.txt").read_text("utf-8") == "a+\n"


def test_a_changed_side_effect_is_not_repeated_unasked(call: Call, ran: Path) -> None:
    options = ("replay", "latest", "--project", ran, "--setting", 'aside.instructions="Be kind."', "--live")
    called = call(*options)
    assert called.code == 4
    assert "--repeat-in-doubt" in called.err
    assert (ran / "out.txt").read_text("utf-8") == "a+\n"
    origin = RunStore(ran / ".stepwire").runs()[1].run
    assert call("replay", origin, *options[2:], "--repeat-in-doubt").code == 0
    assert (ran / "out.txt").read_text("utf-8") == "a+\na, well done\n"


def test_another_chat_profile_is_asked_again_from_where_the_fork_starts(call: Call, ran: Path) -> None:
    document = json.loads((ran / "project.json").read_text("utf-8"))
    document["chat"] = {"profiles": {"other": {"provider": "scripted"}}}
    (ran / "project.json").write_text(json.dumps(document), "utf-8")
    called = call("replay", "latest", "--project", ran, "--from", "critic", "--live", "--chat", "other")
    assert (called.code, bought(ran)) == (0, ["critic#chat.1"])
    assert RunStore(ran / ".stepwire").runs()[0].profile == "other"


def test_vectors_of_another_language_model_are_asked_for_anew(call: Call, tmp_path: Path) -> None:
    nodes = {
        "words": {"kind": "value.json", "settings": {"value": ["moss", "wren"]}},
        "embed": {"kind": "llm.embed", "settings": {"dimensions": 2}},
        "out": {"kind": "io.flow_output"},
    }
    wires = ["words.value -> embed.texts", "embed.vectors -> out.value"]
    plain = {"format": "stepwire.flow", "version": 1, "name": "Near", "nodes": nodes, "wires": wires}
    project = write_project(tmp_path / "near", flow=plain, script=SCRIPT)
    document = json.loads((project / "project.json").read_text("utf-8"))
    document["chat"] = {
        "default": "one",
        "profiles": {name: {"provider": "scripted"} for name in ("one", "two")},
    }
    (project / "project.json").write_text(json.dumps(document), "utf-8")
    assert call("run", project).code == 0
    for profile, reused in (("one", ["embed#embed.1"]), ("two", [])):
        options = ("--from", "embed", "--live", "--chat", profile)
        assert call("replay", "latest", "--project", project, *options).code == 0
        store = RunStore(project / ".stepwire")
        entries = store.entries(store.runs()[0].run)
        taken = [str(one.step) for one in entries if one.event.kind == "answer_reused"]
        assert [step for step in taken if "#" in step] == reused


def test_a_new_input_of_the_edited_flow_has_to_be_given(call: Call, ran: Path) -> None:
    edited = flow()
    nodes, wires = edited["nodes"], edited["wires"]
    assert isinstance(nodes, dict)
    assert isinstance(wires, list)
    nodes["more"] = {"kind": "io.flow_input"}
    wires[0] = "more.value -> writer.prompt"
    file = write_flow(ran / "edited.json", edited)
    options = ("replay", "latest", "--project", ran, "--flow", file, "--live")
    assert "`more` is missing" in call(*options).err
    called = call(*options, "--set", 'more.value="b"')
    assert (called.code, called.out) == (0, "b++\n")


def test_the_ports_that_can_be_set_are_named_instead_of_one_that_cannot(call: Call, ran: Path) -> None:
    called = call("replay", "latest", "--project", ran, "--set", "critic.nosuch=1")
    assert called.code == 2
    assert "`prompt`" in called.err
    assert "`reply`" in called.err


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("nobody.instructions=1", "no node `nobody`"),
        ("summary.json:writer.instructions=1", "`--flow`"),
        ("critic.instructions=3", "critic"),
        ("critic", "NODE.NAME"),
    ],
)
def test_a_setting_that_cannot_be_is_explained(call: Call, ran: Path, setting: str, says: str) -> None:
    called = call("replay", "latest", "--project", ran, "--setting", setting)
    assert called.code == 2
    assert says in called.err


def test_forks_form_a_tree_that_lists_and_shows_their_origin(call: Call, ran: Path) -> None:
    store = RunStore(ran / ".stepwire")
    call("replay", "latest", "--project", ran, "--set", 'writer.reply="b"', "--live")
    call("replay", "latest", "--project", ran, "--set", 'writer.reply="c"', "--live")
    second, first, root = (one.run for one in store.runs())
    lines = call("runs", "list", "--project", ran).out.splitlines()
    found = [line.split("  finished")[0] for line in lines if "  finished" in line]
    assert found == [root, f"  {first}", f"    {second}"]
    told = call("runs", "show", first, "--project", ran)
    assert f"from     {root}, forked at writer" in told.out
    assert f"child    {second}" in told.out
    plain = call("runs", "show", first, "--project", ran, "--json").json
    assert isinstance(plain, dict)
    assert plain["children"] == [second]


def test_two_runs_are_compared_step_by_step(call: Call, ran: Path) -> None:
    store = RunStore(ran / ".stepwire")
    call("replay", "latest", "--project", ran, "--set", 'writer.reply="b"', "--live")
    second, first = (one.run for one in store.runs())
    told = call("runs", "compare", first, second, "--project", ran)
    assert told.code == 1
    assert "step critic\n" in told.out
    assert "step aside\n" not in told.out
    plain: Any = call("runs", "compare", first, second, "--project", ran, "--json").json
    critic = next(one for one in plain["steps"] if one["step"] == "critic")
    assert critic["differing"] == ["inputs.prompt", "outputs.reply", "outputs.messages"]
    assert critic["second"]["things"]["outputs.reply"] == "b+"


def test_a_fork_that_died_goes_on_with_its_edits_and_buys_nothing_again(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "loop", flow=looping(), script=SCRIPT)
    call("run", project)
    place = 'rounds.3/writer.reply="b"'
    whole = call("replay", "latest", "--project", project, "--set", place, "--live", "--repeat-in-doubt")
    assert whole.code == 0
    needed = bought(project)
    written = (project / "out.txt").read_text("utf-8")
    cut_before(project / ".stepwire", "rounds.2/writer", "step_finished")
    resumed = call("resume", "latest", "--project", project, "--repeat-in-doubt")
    assert (resumed.code, resumed.out) == (0, whole.out)
    assert bought(project) == needed
    assert (project / "out.txt").read_text("utf-8").startswith(written)
