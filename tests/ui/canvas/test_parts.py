"""Ready parts come from the palette, as kinds of nodes do."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPoint

from studio.app.documents.history import History
from studio.app.documents.selection import Selection
from studio.flow.records import Flow
from studio.ui.canvas.document import KindLook
from studio.ui.viewmodels.flow.canvas_document import SessionDocument
from studio.workspace.catalog import builtin_registry
from tests.ui.canvas.builders import LOOKS, chain
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
LOOK = KindLook("part.chain", "A chain", "part", "Three nodes in a row", (), "Ready parts")


def test_a_part_is_put_in_one_step_selected_and_in_view(hand: Open) -> None:
    h = hand(Flow())
    put(h, QPoint(300, 300))
    assert set(h.flow.nodes) == {"question", "upper", "writer"}
    assert h.wires == ["question.value -> upper.text"]
    assert h.selected == {"question", "upper", "writer"}
    assert len(h.undo_steps) == 1
    assert h.view.furniture.minimap() is None, "all of it is in view"


def test_a_part_lies_on_nothing_that_stands(hand: Open) -> None:
    h = hand(chain())
    put(h, h.at("upper"))
    scene = h.view.board.scene
    fresh = set(scene.ids) - {"question", "upper", "writer"}
    assert len(fresh) == 3
    for node in fresh:
        for other in set(scene.ids) - {node}:
            assert not scene.rect(node).meets(scene.rect(other))


def test_the_palette_of_a_project_offers_them_after_what_a_flow_begins_with(hand: Open) -> None:
    h = hand(Flow())
    document = SessionDocument(History(Flow()), Selection(), builtin_registry())
    palette = h.view.adding.palette
    palette._document = document  # pyright: ignore[reportPrivateUsage]  # the real library in its place
    palette.open_at(QPoint(10, 10), (0, 0))
    titles = [look.title for look in palette.offered]
    assert titles[:3] == ["Flow input", "Agent", "Flow output"]
    assert "Draft until a judge accepts" in titles[3:8]
    palette.search("vote of")
    assert palette.offered[0].title == "Vote of three"
    assert palette.offered[0].group == "Ready parts"


def put(h: Hand, at: QPoint) -> None:
    h.doc.looks = (*LOOKS, replace(LOOK))
    h.view.adding.search(at)
    h.view.adding.palette.search("A chain")
    h.view.adding.palette.choose()
