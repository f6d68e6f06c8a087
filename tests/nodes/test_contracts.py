"""What holds for every node type, written once."""

import importlib
import json

import pytest

from studio.building_blocks.testing import run_example
from studio.flow.checks.check import check
from studio.flow.files import codec
from studio.flow.records import Node
from studio.flow.subflows.calls import GivenFlows
from studio.sandbox.wasm import WasmBox
from studio.sdk.node import NodeType, node_types_in
from studio.sdk.ports import EDITORS
from studio.sdk.registry import Registry
from studio.sdk.testing import Example, example_of, ports_in
from studio.workspace.catalog import builtin_types
from tests.flow.builders import flow
from tests.runtime.bench import flow_of, run

TYPES = builtin_types()
LIBRARY = Registry(TYPES, GivenFlows({}))
IN_A_BOX = {
    "check.unit_tests",
    "control.python",
    "environment.environment",
    "tools.code_interpreter",
    "tools.python_function",
}
"""Those whose examples run code."""
every_node_type = pytest.mark.parametrize("node_type", TYPES, ids=[one.kind for one in TYPES])


async def run_in_a_flow(node_type: NodeType, example: Example) -> dict[str, object]:
    """Call the tool of a node that lends flows, which takes a run."""
    [call] = example.calls
    main = flow_of(
        {
            "call": ("control.call_tool", {"tool_name": call["tool"]}, {"arguments": call["arguments"]}),
            "lender": (node_type.kind, example.settings),
            "out": "io.flow_output",
        },
        ["lender.tool -> call.tool[0]", "call.text -> out.value"],
    )
    flows = {name: codec.loads(json.dumps(plain)).flow for name, plain in example.flows.items()}
    return {"tool": [(await run(main, flows=flows)).outputs["out"]]}


@pytest.mark.parametrize(
    "node_type",
    [pytest.param(one, id=one.kind, marks=[pytest.mark.box] * (one.kind in IN_A_BOX)) for one in TYPES],
)
async def test_it_does_what_its_example_says(node_type: NodeType) -> None:
    example = example_of(node_type)
    if node_type.function is None:
        flows = {name: codec.loads(json.dumps(plain)).flow for name, plain in example.flows.items()}
        record = Node(kind=node_type.kind, settings=example.settings)
        signature = Registry(TYPES, GivenFlows(flows)).signature(record)
        assert signature is not None
        assert ports_in(signature) == example.ports
        return
    if example.flows:
        outputs = await run_in_a_flow(node_type, example)
    else:
        async with WasmBox() as box:
            outputs = await run_example(node_type, box)
    assert {name: outputs[name] for name in example.outputs} == example.outputs
    assert example.outputs


@every_node_type
def test_its_settings_survive_a_round_trip(node_type: NodeType) -> None:
    for given in ({}, dict(example_of(node_type).settings)):
        read = node_type.complete_settings(given)
        written = {spec.name: spec.write(read[spec.name]) for spec in node_type.settings}
        assert node_type.complete_settings(written) == read
    assert node_type.signature(written) == node_type.signature(given)


@every_node_type
def test_its_file_declares_it_alone_and_under_its_own_name(node_type: NodeType) -> None:
    module = importlib.import_module(f"nodes.{node_type.kind}")
    assert node_types_in(module) == [node_type]


@every_node_type
def test_it_explains_itself(node_type: NodeType) -> None:
    assert node_type.summary.endswith("."), "the palette line is a sentence"
    assert node_type.summary[0].isupper()
    assert node_type.title
    assert node_type.keywords
    assert all(spec.label and spec.editor in EDITORS for spec in node_type.settings)
    signature = node_type.signature({})
    assert all(port.help for port in signature.inputs)


TO_BE_DRAWN = {
    "called-flow",
    "collect-without-map",
    "loop-without-return",
    "map-without-collect",
    "missing-input",
    "no-output",
}
"""What is said of a node that stands alone: what only a wire, or the flow that it calls, can put right."""


@every_node_type
def test_placed_before_anything_is_set_it_lacks_only_what_is_drawn(node_type: NodeType) -> None:
    said = {one.code for one in check(flow({"it": node_type.kind}), LIBRARY)}
    refused = {"settings"} if node_type.kind == "tools.shell" else set[str]()  # programs can't be isolated
    assert said - TO_BE_DRAWN == refused
