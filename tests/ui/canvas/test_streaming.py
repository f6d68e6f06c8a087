"""Nodes that stream leave most of each frame to the hand, and none of them is passed over."""

from collections.abc import Callable, Iterator
from itertools import count

from pytestqt.qtbot import QtBot

from studio.flow.records import Flow
from studio.ids import NodeId
from studio.ui.canvas.document import NodeState
from studio.ui.canvas.run_overlay import SHARE, Streaming
from tests.ui.canvas.builders import grid_flow, notes_flow
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]
NODES = [NodeId(f"n{place}") for place in range(9)]


def slow(h: Hand, each: float) -> Streaming:
    """Streaming on a clock by which every look takes `each` seconds."""
    ticks: Iterator[float] = (turn * each for turn in count())
    return Streaming(h.view, h.view.board, h.view.looking, h.view._layer, lambda: next(ticks))


def told(round_: int) -> dict[NodeId, NodeState]:
    return {node: NodeState("running", f"Round {round_}") for node in NODES}


def shown(h: Hand) -> list[str]:
    states = h.view.board.cards.shown.states
    return [states[node].text if node in states else "" for node in NODES]


def test_what_there_is_no_time_for_follows_and_is_not_lost(hand: Open, qtbot: QtBot) -> None:
    h = hand(grid_flow(9))
    streaming = slow(h, SHARE / 2.5)
    streaming.tell(told(1))
    streaming.show_waiting()
    assert shown(h).count("Round 1") == 2
    assert len(streaming.waiting) == 7
    qtbot.waitUntil(lambda: not streaming.waiting)
    assert shown(h) == ["Round 1"] * 9


def test_who_has_waited_longest_comes_first_and_says_its_latest(hand: Open) -> None:
    h = hand(grid_flow(9))
    streaming = slow(h, SHARE / 2.5)
    for round_ in (1, 2, 3):
        streaming.tell(told(round_))
        streaming.show_waiting()
    assert shown(h) == ["Round 1"] * 2 + ["Round 2"] * 2 + ["Round 3"] * 2 + [""] * 3


def test_another_run_is_not_told_what_the_one_before_said(hand: Open) -> None:
    h = hand(grid_flow(9))
    h.view.update_nodes(told(1))
    h.view.show_run({})
    h.view.streaming.show_waiting()
    assert shown(h) == [""] * 9


def test_screen_readers_hear_of_the_nodes_that_were_shown(hand: Open) -> None:
    h = hand(grid_flow(9))
    heard: list[list[NodeId]] = []
    h.view.board.told_anew.subscribe(lambda nodes: heard.append(list(nodes)))
    streaming = slow(h, SHARE / 2.5)
    streaming.tell(told(1))
    streaming.show_waiting()
    assert heard == [NODES[:2]]


def test_what_an_area_says_waits_a_little_and_the_nodes_in_it_do_not(hand: Open, qtbot: QtBot) -> None:
    h = hand(notes_flow())
    rounds, writer = NodeId("rounds"), NodeId("writer")
    states = h.view.board.cards.shown
    for round_ in (1, 2):
        said = f"Round {round_}"
        h.view.update_nodes({rounds: NodeState("running", said), writer: NodeState("running", said)})
        h.view.streaming.show_waiting()
    assert states.states[writer].text == "Round 2"
    assert states.states[rounds].text == "Round 1", "all is drawn anew for it"
    qtbot.waitUntil(lambda: states.states[rounds].text == "Round 2")
