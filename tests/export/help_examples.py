"""The examples of help pages as flows, with the people, addresses and servers that they speak of."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from studio.flow.files import codec
from studio.flow.records import Flow
from studio.ids import StepId
from studio.llm.scripted_answers.response_parts import Served
from studio.sdk.context import Form
from studio.sdk.doubles import MemoryServer
from studio.sdk.node import NodeType
from studio.sdk.testing import Example, example_of
from studio.sdk.tool import Tool
from studio.servers.records import ToolServer
from tests.llm.builders import book_of
from tests.runtime.bench import flow_of
from tests.runtime.provider import Endpoint

OUT = "io.flow_output"


def flow_of_example(kind: NodeType) -> Flow:
    """The example as a flow whose node `it` is of the kind; its outputs are called after its ports."""
    example = example_of(kind)
    nodes: dict[str, Any] = {"it": (kind.kind, dict(example.settings), dict(example.inputs))}
    wires: list[str] = []
    for name, value in example.variables.items():
        nodes[f"set_{name}"] = ("value.state_set", {"name": name}, {"value": value})
        wires.append(f"set_{name}.then -> it.after")
    for port, tools in example.lent.items():
        for place, said in enumerate(tools):
            nodes[f"lent_{said['name']}"] = ("test.lent", dict(said))
            wires.append(f"lent_{said['name']}.tool -> it.{port}[{place}]")
    for place, said in enumerate(example.agents):
        nodes[said["name"]] = ("team.member", dict(said))
        wires.append(f"{said['name']}.agent -> it.agents[{place}]")
    for port, notes in example.memories.items():
        nodes[port] = "test.words"
        wires.append(f"{port}.memory -> it.{port}")
        if notes:
            nodes["step"] = ("test.notes", {"notes": [dict(one) for one in notes]})
            wires += [f"{port}.memory -> step.memory", "step.then -> it.after"]
    if kind.form != "binding":
        nodes |= {f"gives_{port}": OUT for port in example.outputs}
        wires += [f"it.{port} -> gives_{port}.value" for port in example.outputs]
    elif "agent" in example.outputs:
        nodes |= {"agent": ("llm.agent", {}, {"prompt": "What sang?"}), "said": OUT}
        wires += ["it.agent -> agent.colleagues[0]", "agent.reply -> said.value"]
    elif "memory" in example.outputs:
        nodes["step"] = ("test.notes", {"notes": [dict(one) for one in example.remember]})
        nodes |= {"asked": ("test.query", {"query": dict(example.recall)}), "gives_memory": OUT}
        wires += ["it.memory -> step.memory", "it.memory -> asked.memory", "step.then -> asked.after"]
        wires.append("asked.texts -> gives_memory.value")
    else:
        called, drawn = _calls(example)
        nodes |= called
        wires += drawn
    return flow_of(nodes, wires)


def _calls(example: Example) -> tuple[dict[str, Any], list[str]]:
    """A step for each call of a lent tool, one after the other."""
    nodes: dict[str, Any] = {}
    wires: list[str] = []
    for number, call in enumerate(example.calls):
        settings = {"tool_name": call["tool"]}
        nodes[f"call_{number}"] = ("control.call_tool", settings, {"arguments": call["arguments"]})
        nodes[f"said_{number}"] = OUT
        wires += [f"it.tool -> call_{number}.tool[0]", f"call_{number}.text -> said_{number}.value"]
        wires += [f"call_{number - 1}.then -> call_{number}.after"] if number else []
    return nodes, wires


def flows_of(example: Example) -> dict[str, Flow]:
    """The flows that it may call."""
    return {name: codec.loads(json.dumps(plain)).flow for name, plain in example.flows.items()}


def given_by(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the example says of the outputs of such a flow, in its own words."""
    said = [outputs[name] for name in sorted(outputs) if name.startswith("said_")]
    if said:
        return {"tool": [_json_or_text(one) for one in said]}
    return {name.removeprefix("gives_"): value for name, value in outputs.items()}


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def lay_out(example: Example, folder: Path) -> None:
    """Write the files of an example; those of a database say what is done to it."""
    for name, text in example.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".db":
            with closing(sqlite3.connect(path)) as made:
                made.executescript(text)
        else:
            path.write_text(text, "utf-8")


class SaidInTurn(Endpoint):
    """A language model that gives the answers of an example in turn, and the last one from then on."""

    def __init__(self, example: Example) -> None:
        said = ("{% raw %}" + one + "{% endraw %}" for one in example.chat or ("?",))
        self.books = [book_of(json.dumps({"rules": [{"reply": one}]})) for one in said]
        super().__init__("rules: [{reply: never}]")

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Served:
        """Answer the next request."""
        self._book = self.books[min(len(self.bodies), len(self.books) - 1)]
        return super().handle(method, path, headers, body)


@dataclass
class Somebody:
    """A person who gives the answers of an example in turn."""

    answers: list[Mapping[str, object]]

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Give the next."""
        assert step
        assert form.question
        return self.answers.pop(0)


@dataclass
class Pages:
    """A network with the pages of an example."""

    pages: Mapping[str, str]

    async def fetch(self, request: Any) -> Any:
        """Give what stands at the address."""
        text = self.pages[request.url]
        return SimpleNamespace(status=200, url=request.url, headers={}, text=text, is_cut=False)


@dataclass
class ServedTools:
    """A server with the tools of an example."""

    served: Sequence[Mapping[str, str]]
    root: Path = Path()

    def open(self, *_: object) -> AbstractAsyncContextManager[ToolServer]:
        """Give it."""
        return nullcontext(MemoryServer([_tool(one) for one in self.served]))


def _tool(said: Mapping[str, str]) -> Tool:
    async def run(_: Mapping[str, object]) -> str:
        return said["answers"]

    return Tool(said["name"], "", {"type": "object", "properties": {said["argument"]: {}}}, run)
