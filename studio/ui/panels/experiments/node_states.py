"""What cards on the canvas say of many trials: how often their node worked, how it went, what it took."""

from collections.abc import Mapping
from typing import Any

from studio.ui.canvas.document import NodeState
from studio.ui.viewmodels.experiments.page_words import node_words


def states_of(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, NodeState]:
    """Give the state of each node from its figures (`node_figures`); one that failed anywhere says so."""
    return {node: _state(figures) for node, figures in nodes.items()}


def _state(figures: Mapping[str, Any]) -> NodeState:
    text, spent = node_words(figures)
    return NodeState("failed" if figures["failed"] else "done", text, note=spent)
