"""The node that calls a flow."""

import json

import nodes.control.subflow as module
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.sdk.testing import example_of
from tests.runtime.bench import flow_of, run


def flows_of_the_example() -> dict[str, Flow]:
    example = example_of(module.subflow)
    return {name: codec.loads(json.dumps(plain)).flow for name, plain in example.flows.items()}


async def test_the_example_of_its_help_page_gives_what_it_says() -> None:
    example = example_of(module.subflow)
    (name,) = example.outputs
    flow = flow_of(
        {"call": ("control.subflow", example.settings, example.inputs), name: "io.flow_output"},
        [f"call.{name} -> {name}.value"],
    )
    assert (await run(flow, flows=flows_of_the_example())).outputs == example.outputs


async def test_a_muted_call_calls_nothing_and_a_bypassed_one_passes_on_what_fits() -> None:
    for state, given in (("muted", {}), ("bypassed", {"gist": "owl"})):
        flow = flow_of(
            {
                "call": ("control.subflow", {"flow": "summary.json"}, {"text": "owl"}, {"state": state}),
                "gist": "io.flow_output",
            },
            ["call.gist -> gist.value"],
        )
        ran = await run(flow, flows=flows_of_the_example())
        assert ran.outputs == given
        assert not [step for step in ran.state.steps if "/" in step]
