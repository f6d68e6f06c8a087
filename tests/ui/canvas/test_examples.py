"""The examples as they are drawn."""

from itertools import combinations
from pathlib import Path

import pytest

from studio import places
from studio.sdk.registry import Registry
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.regions import regions_of
from studio.ui.canvas.scene.scene import Scene
from studio.ui.canvas.scene.wires import points_on
from studio.ui.viewmodels.flow.canvas_document import SessionDocument
from studio.workspace.catalog import builtin_types
from studio.workspace.files import load_flow

RECORDS = {"project.json", "gallery.json"}
FLOWS = sorted(file for file in places.projects().glob("*/*.json") if file.name not in RECORDS)
EXAMPLES = [file for file in FLOWS if file.parent in set(places.example_projects())]
"""Where ten tools are lent to one agent, as in systems of the gallery, some wires run beneath a card."""


def meet(one: Rect, other: Rect) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


@pytest.mark.parametrize("file", FLOWS, ids=[f"{file.parent.name}/{file.stem}" for file in FLOWS])
def test_no_card_of_an_example_covers_another(file: Path) -> None:
    flow = load_flow(file).flow
    document = SessionDocument.of_flow(flow, Registry(builtin_types()))
    scene = Scene(flow, document.library, document.describe, lambda text: 6.5 * len(text), regions_of)
    cards = {node: scene.rect(node) for node in flow.nodes if scene.area_of(node) is None}
    covered = [pair for pair in combinations(cards, 2) if meet(cards[pair[0]], cards[pair[1]])]
    assert not covered


@pytest.mark.parametrize("file", EXAMPLES, ids=[f"{file.parent.name}/{file.stem}" for file in EXAMPLES])
def test_no_wire_of_an_example_runs_beneath_a_card(file: Path) -> None:
    flow = load_flow(file).flow
    document = SessionDocument.of_flow(flow, Registry(builtin_types()))
    scene = Scene(flow, document.library, document.describe, lambda text: 6.5 * len(text), regions_of)
    cards = {node: scene.rect(node) for node in flow.nodes if scene.area_of(node) is None}
    hidden: list[str] = []
    for row, wire in enumerate(scene.wires):
        ends = {wire.source.node, wire.target.node}
        for x, y in points_on(scene.curves[scene.pieces(row)], 60).reshape(-1, 2).tolist():
            hidden += [
                f"{wire.sort_key} {node}"
                for node, card in cards.items()
                if card.grown(-4 if node in ends else 4).contains(x, y)
            ]
    assert not hidden
