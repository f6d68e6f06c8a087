"""The random flows of the engine's tests as scripts: their node types, and how one is run."""

import asyncio
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

from httpx2 import URL
from openai.types.chat import ChatCompletion

from studio.app.exporting import export_flow
from studio.flow.calls import GivenFlows
from studio.sdk.node import node_types_in
from studio.sdk.registry import Registry
from tests.export.in_process import Run, play
from tests.export.scripts import Scripted
from tests.reference import probes
from tests.reference.clock import run_virtually
from tests.reference.generator import Case
from tests.reference.probes import WORLD, World, replied

LIFTED = {"stepwire_probes": "lifted_probes.py", "stepwire_memories": "lifted_memories.py"}
"""What the modules of the node types are called, for only such ones of outside are lifted."""


def _lifted_module(name: str, file: str) -> ModuleType:
    path = Path(__file__).with_name(file)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.setdefault(name, importlib.util.module_from_spec(spec))
    spec.loader.exec_module(module)
    return module


_OWN = [kind for one in LIFTED.items() for kind in node_types_in(_lifted_module(*one))]
KINDS = Registry([*_OWN, *(kind for kind in probes.PROBES if kind.kind not in {one.kind for one in _OWN})])
"""The library, and the kinds of the engine's tests in a form that scripts can carry."""


@dataclass(frozen=True)
class Followed:
    """How a script of a random flow ended."""

    ended: Scripted
    world: World

    @property
    def error(self) -> str:
        """What it says of the error that ended it: its class, its message, its hint."""
        return f"\n{self.ended.err}".partition("\nerror: ")[2]


def script_of(case: Case) -> str:
    """The flow as a script."""
    registry = KINDS.with_flows(GivenFlows(case.flows))
    return export_flow(case.flow, registry=registry, name="random")


def follow(case: Case, run: Run = run_virtually) -> Followed:
    """Run a flow's script as its command line would, in a time of its own."""
    world = World()
    WORLD.set(world)
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in case.given.items()]
    given = {"AsyncOpenAI": Answering, "LONGEST_ANSWER": None}
    return Followed(play(script_of(case), arguments, given=given, run=run), world)


class Answering:
    """What a script knows as the client of its language model: it answers as that of the engine's tests."""

    def __init__(self, **_options: object) -> None:
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))
        self.base_url = URL("https://nowhere.example/v1")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Nothing to release."""

    def with_options(self, **_options: object) -> Self:
        """Itself, whatever is asked."""
        return self

    async def _create(self, *, messages: list[dict[str, Any]], **_options: object) -> ChatCompletion:
        question = str(messages[-1]["content"])
        word, seconds = replied(question)
        await asyncio.sleep(seconds)
        WORLD.get().bought.append(question)
        message = {"role": "assistant", "content": word}
        return ChatCompletion.model_validate(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "scripted",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}],
                "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
            }
        )
