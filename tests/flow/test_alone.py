"""A node alone, between its inputs and outputs, is a flow without problems that means what it meant."""

import pytest

from studio import places
from studio.errors import EditRefusedError
from studio.flow.checks.check import check, errors_of
from studio.flow.subflows.alone import step_alone, why_not_alone
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from tests.runtime.bench import flow_of

REGISTRY = builtin_registry()
EXAMPLES = sorted(one.parent for one in places.projects().glob("*/project.json"))


def test_it_goes_with_those_who_lend_to_it_and_with_no_other() -> None:
    flow = flow_of(
        {
            "question": "io.flow_input",
            "files": "tools.files",
            "agent": "llm.agent",
            "other": "llm.chat",
        },
        ["question.value -> agent.prompt", "files.tools -> agent.tools", "agent.reply -> other.prompt"],
    )
    alone = step_alone(flow, NodeId("agent"), ["prompt"], REGISTRY)
    kinds = sorted(record.kind for record in alone.flow.nodes.values())
    assert kinds == ["io.flow_input", *["io.flow_output"] * len(alone.outputs), "llm.agent", "tools.files"]
    assert alone.flow.nodes[NodeId("agent")] == flow.nodes[NodeId("agent")]
    assert set(alone.inputs) == {"prompt"}


def test_a_value_that_is_given_stands_in_the_place_of_one_that_was_typed() -> None:
    flow = flow_of({"join": ("text.template", {"template": "{{ a }}"}, {"a": "typed"})}, [])
    alone = step_alone(flow, NodeId("join"), ["a"], REGISTRY)
    assert not alone.flow.nodes[NodeId("join")].inputs
    assert not errors_of(check(alone.flow, REGISTRY))


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("control.loop", "nodes around"),
        ("io.flow_input", "nodes around"),
        ("tools.files", "is not a step"),
        ("never.heard", "The ports"),
    ],
)
def test_what_means_nothing_alone_is_refused_with_the_reason(kind: str, why: str) -> None:
    flow = flow_of({"it": kind}, [])
    with pytest.raises(EditRefusedError, match=why):
        step_alone(flow, NodeId("it"), [], REGISTRY)


@pytest.mark.parametrize("project", EXAMPLES, ids=lambda one: one.name)
def test_every_step_of_the_examples_that_stands_alone_makes_a_flow_without_errors(project: object) -> None:
    opened = Project.open(places.projects() / str(project))
    registry = project_registry(opened, REGISTRY)
    for path in opened.flows:
        flow = read_flow(path).flow
        for node, record in flow.nodes.items():
            signature = registry.signature(record)
            if signature is None or why_not_alone(flow, node, registry):
                continue
            given = [one.name for one in signature.inputs]
            alone = step_alone(flow, node, given, registry)
            assert not errors_of(check(alone.flow, registry)), f"{path.name}: {node}"
