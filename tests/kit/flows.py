"""Flows that are values, for runs without any folder."""

import json
from collections.abc import Mapping
from typing import Annotated

from studio.flow.files import codec
from studio.flow.records import Flow
from studio.sdk import Context, In, Out, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_types


@node("trial.dice", title="Dice")
async def throw(
    context: Context, question: Annotated[str, In("What it is thrown for")]
) -> Annotated[int, Out("points", "What it shows")]:
    """Throw a die of a million sides."""
    del question
    return context.random().randrange(1_000_000)


WITH_DICE = Registry([*builtin_types(), node_type_of(throw)])


def flow_of(document: Mapping[str, object]) -> Flow:
    """Read a flow from what stands in its file."""
    return codec.loads(json.dumps(document)).flow


def dice() -> Flow:
    """Throw once, and give what the die shows."""
    return flow_of(
        {
            "format": "stepwire.flow",
            "version": 1,
            "name": "Throw once",
            "nodes": {
                "dice": {"kind": "trial.dice", "inputs": {"question": "?"}},
                "answer": {"kind": "io.flow_output"},
            },
            "wires": ["dice.points -> answer.value"],
        }
    )
