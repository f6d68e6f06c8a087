"""A script that does what a run did is found equal; a hand that changed it is found out."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.app.exporting import export_flow, save_script
from studio.app.verification import verify_script
from studio.flow.records import Flow
from studio.past.replays import OldRun
from studio.sdk.code import CodeCall
from studio.sdk.context import Form
from studio.servers.connection import McpServers
from studio.store.reader import RunStore
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.export.test_agents import RULES as AGENTS
from tests.export.test_agents import lent
from tests.export.test_equal import CAUGHT, FLOWS
from tests.export.verifying import edited, verified, verify
from tests.projects.running import SHOWN
from tests.runtime.bench import flow_of, run
from tests.runtime.called import OUT, UPPER, calls
from tests.runtime.lent import FLOWS as LENT
from tests.runtime.lent import calling_tool
from tests.runtime.test_code import FLOW as CODE
from tests.runtime.test_embedding import FLOW as VECTORS
from tests.runtime.test_served import flow as served_flow
from tests.servers.running import ENVIRON, Allowed, Person

RULES = "rules: [{reply: 'I heard {{ last }}'}]"
PROJECTS = SHOWN


def two_chats(instructions: str) -> Flow:
    return flow_of(
        {
            "word": "io.flow_input",
            "first": ("llm.chat", {"instructions": "You greet."}),
            "second": ("llm.chat", {"instructions": instructions}),
            "out": "io.flow_output",
        },
        ["word.value -> first.prompt", "first.reply -> second.prompt", "second.reply -> out.value"],
    )


TWO_CHATS = two_chats("You judge.")
READING = flow_of(
    {
        "read": ("io.read_file", {"file": "word.txt"}),
        "write": ("io.write_file", {"path": "a.txt"}),
        "out": "io.flow_output",
    },
    ["read.text -> write.text", "write.file -> out.value"],
)


@pytest.mark.parametrize("folder", PROJECTS, ids=[folder.name for folder in PROJECTS])
async def test_every_example_does_as_a_script_what_its_run_did(folder: Path, tmp_path: Path) -> None:
    home, script = tmp_path / "home", tmp_path / "script.py"
    shutil.copytree(folder, home, ignore=shutil.ignore_patterns(".stepwire", "out"))
    project = Project.open(home)
    flow, registry = load_flow(project.main_flow).flow, project_registry(project, builtin_registry())
    state = await run_here(prepare(project, flow, registry, environ={}, pace=0))
    assert state.error is None
    shutil.rmtree(home / "out")
    save_script(script, export_flow(project.main_flow))
    store = RunStore(project.private)
    old = OldRun.read(store, store.find("latest"))
    found = verify_script(script, old, flow, registry)
    assert (found.difference, found.notes) == (None, ())
    assert found.compared >= 5
    assert not (home / "out").exists()


@pytest.mark.parametrize(
    "name",
    [
        "a loop that is done",
        "a loop that fails at its limit",
        "a map in a loop",
        "a failed item kept",
        "a failed item that ends the run",
        "a race of missing.txt",
        "a race of word.txt",
        "an error as a value",
        "a default for what failed",
        "a failure",
        "muted and bypassed",
        "order without values",
        "json where a text is wanted",
        "inputs called as options are",
    ],
)
def test_what_shapes_a_flow_is_the_same(name: str, tmp_path: Path) -> None:
    nodes, wires, inputs = FLOWS[name]
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "word.txt").write_text("early")
    if name == "inputs called as options are":
        nodes = {**nodes, "model": ("io.flow_input", {"default": "m"})}
    found = verified(flow_of(nodes, wires), tmp_path, inputs)
    assert found.difference is None


def test_agents_and_their_tools_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "home" / "data").mkdir(parents=True)
    (tmp_path / "home" / "data" / "may.txt").write_text("A wren sang.")
    flow = lent({"turns": 3, "at_limit": "stop"}, "files.tool -> agent.tools[0]")
    found = verified(flow, tmp_path, {"word": "look"}, rules=AGENTS)
    assert (found.difference, found.compared) == (None, 6)


def test_flows_that_are_called_and_lent_are_the_same(tmp_path: Path) -> None:
    flow = flow_of(
        {"word": "io.flow_input", "sub": calls("upper.json"), "out": OUT},
        ["word.value -> sub.text", "sub.loud -> out.value"],
    )
    (tmp_path / "called").mkdir()
    (tmp_path / "lent").mkdir()
    assert verified(flow, tmp_path / "called", {"word": "a"}, flows={"upper.json": UPPER}).difference is None
    tool = calling_tool("loud.json", {"text": "owl"})
    assert verified(tool, tmp_path / "lent", flows=LENT).difference is None


class Somebody:
    """Answers every form."""

    async def ask(self, step: str, form: Form) -> Mapping[str, Any]:
        """Say the same always."""
        del step, form
        return {"answer": "the long one"}


def test_what_people_said_is_said_again(tmp_path: Path) -> None:
    flow = flow_of(
        {"ask": ("human.ask", {}, {"question": "Which hedge?"}), "out": OUT}, ["ask.answer -> out.value"]
    )
    (tmp_path / "same").mkdir()
    (tmp_path / "other").mkdir()
    assert verified(flow, tmp_path / "same", people=Somebody()).difference is None
    edit = edited("Which hedge?", "Which fence?")
    found = verified(flow, tmp_path / "other", people=Somebody(), edit=edit).difference
    assert found is not None
    assert (found.step, found.script, found.recording) == ("ask#ask.1", "Which fence?", "Which hedge?")


def test_a_refusal_of_the_endpoint_fails_alike(tmp_path: Path) -> None:
    refuses = "rules: [{error: {status: 400, message: not today}}]"
    assert verified(TWO_CHATS, tmp_path, {"word": "x"}, rules=refuses).difference is None


async def test_another_version_of_the_flow_is_told_beside_the_difference(tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text(RULES)
    ran = await run(TWO_CHATS, {"word": "x"}, script=answers)
    found = verify(two_chats("You jest."), ran, tmp_path, ran_flow=TWO_CHATS)
    assert found.difference is not None
    assert found.difference.step == "second#chat.1"
    assert found.notes[0].startswith("The run was made with another version of the flow")
    assert "You jest." in found.notes[0]


def test_a_caught_failure_is_caught_again(tmp_path: Path) -> None:
    nodes, _, inputs = FLOWS["a failure that is caught"]
    assert verified(flow_of(nodes, CAUGHT), tmp_path, inputs).difference is None


class Box:
    """Gives what no code in a script would give."""

    async def run(self, call: CodeCall, **more: Any) -> Any:
        """Say that it was called."""
        del more
        return f"{call.arguments['text']} from a box"


def test_vectors_code_and_servers_are_answered_from_the_recording(tmp_path: Path) -> None:
    asked = {"vectors": verified(VECTORS, tmp_path, rules=RULES), "code": verified(CODE, tmp_path, box=Box())}
    asked["server"] = verified(
        served_flow(),
        tmp_path,
        servers=McpServers(tmp_path, ENVIRON),
        people=Person({"allow": True}),
        grants=Allowed(),
    )
    found = {name: (one.difference, one.compared) for name, one in asked.items()}
    assert found == {"vectors": (None, 2), "code": (None, 1), "server": (None, 2)}


def test_a_hand_over_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "home" / "data").mkdir(parents=True)
    (tmp_path / "home" / "data" / "may.txt").write_text("A wren sang.")
    flow = lent({"name": "front", "instructions": "You greet."}, "expert.agent -> agent.colleagues[0]")
    found = verified(flow, tmp_path, {"word": "bird"}, rules=AGENTS)
    assert found.difference is None
    assert found.compared >= 3
