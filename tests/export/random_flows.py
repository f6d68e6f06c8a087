"""The random flows of the engine's tests as scripts: their probes, and how one is run."""

import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from dataclasses import replace
from types import ModuleType
from typing import Annotated, Any
from unittest.mock import patch

from studio.export.script import export_script
from studio.export.script_context import Context as ScriptContext
from studio.flow.records import Flow, Node
from studio.sdk import Context, In, Out, Setting, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from tests.reference import probes
from tests.reference.generator import Case


@node("test.probe", title="Probe")
async def probe(
    one: Annotated[object, In("Needed")],
    context: Context,
    two: Annotated[object, In("Not needed")] = None,
    said: Annotated[str, In("A text, not needed")] = "",
    parts: Annotated[Sequence[object], In("A list, not needed")] = (),
    *,
    name: Annotated[str, Setting("Name")] = "",
    fails: Annotated[int, Setting("Fails, in percent of inputs")] = 0,
    gives_nothing: Annotated[int, Setting("Gives nothing, in percent of inputs")] = 0,
    flaky: Annotated[int, Setting("Attempts that fail before one goes well")] = 0,
    turns: Annotated[int, Setting("Turns it lets others have")] = 0,
    seconds: Annotated[float, Setting("Seconds that it takes")] = 0,
) -> Annotated[str | None, Out("text")]:
    """As the engine's probe, which cannot say that it may give nothing."""
    settings = {"name": name, "fails": fails, "gives_nothing": gives_nothing, "flaky": flaky}
    return await probes.probe(one, context, two, said, parts, **settings, turns=turns, seconds=seconds)


KINDS = Registry([node_type_of(probe), *(kind for kind in probes.PROBES if kind.kind != "test.probe")])
"""As the engine's tests have them."""
FOREIGN = {"test.giver", "test.taker"}
"""Kinds that use the studio's own classes, of which a script has copies."""


def without_world(case: Case) -> Case:
    """The case with probes in the place of what asks language models, uses tools or changes things."""
    flow = case.flow
    nodes = {
        name: Node(kind="test.probe", settings={"name": str(name)}, inputs=node.inputs, run=node.run)
        if node.kind in {"test.asker", "test.writer"}
        else node
        for name, node in flow.nodes.items()
        if node.kind != "test.lender"
    }
    wires = [one for one in flow.wires if one.target.port != "tools" and one.source.node in nodes]
    return replace(case, flow=replace(flow, nodes=nodes, wires=tuple(wires)))


def script_of(flow: Flow) -> str:
    """The flow as a script that imports its probes instead of carrying them."""
    return export_script(flow, KINDS, source_name="random")


async def follow(case: Case) -> tuple[dict[str, Any], str]:
    """Run a flow's script: its outputs, and the message of the error that ended it."""
    source = script_of(case.flow)
    probes.WORLD.set(probes.World())
    module = ModuleType("random_script")
    space = module.__dict__
    with patch.dict(sys.modules, {"random_script": module}):
        exec(compile(source, "script.py", "exec"), space)  # noqa: S102  # it is what is tested
    if "Context" in space:
        space["Context"].sleep = ScriptContext.sleep  # the probes use it, and are not lifted
    context = [space["Context"]()] if "context: Context" in source.partition("# --- The steps")[0] else []
    try:
        with redirect_stderr(io.StringIO()):
            return await space["random"](*context, *case.given.values()), ""
    except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
        return {}, str(getattr(error, "message", error)) or type(error).__name__
