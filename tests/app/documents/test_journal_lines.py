"""What is written down of a history is read back; what is cut off or damaged costs only what came later."""

import json
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from studio.app.documents.history import History, Move, Snapshot
from studio.app.documents.journal_lines import joined, move_line, read_lines, snapshot_lines
from studio.flow.change import difference
from studio.flow.edits import set_title
from studio.flow.files.codec import loads
from studio.flow.records import Flow
from studio.ids import NodeId
from tests.app.flows import chain
from tests.examples import examples
from tests.flow.strategies import flows

WRITER = NodeId("writer")


@settings(max_examples=examples(40))
@given(flows(), st.lists(flows(), min_size=1, max_size=4), st.data())
def test_what_is_written_down_is_read_back(first: Flow, later: list[Flow], data: st.DataObject) -> None:
    history = History(first, clock=lambda: 1.5)
    whole = joined(snapshot_lines(history.snapshot, 10**7).all)
    lines = [whole]
    history.on_move(lambda move: lines.append(move_line(move)))
    for flow in later:
        history.do(difference(history.flow, flow, "Edit"), merge=data.draw(st.booleans()))
        if data.draw(st.booleans()):
            history.undo()
        if data.draw(st.booleans()):
            history.mark_saved()
    read, is_whole = read_lines(b"".join(lines))
    assert is_whole
    assert read == history.snapshot
    anew, is_whole = read_lines(joined(snapshot_lines(history.snapshot, 10**7).all))
    assert is_whole
    assert anew == history.snapshot


def _written() -> tuple[bytes, list[Snapshot]]:
    """A journal, and what the history was after each of its lines."""
    history = History(loads(json.dumps(chain())).flow, clock=lambda: 1.5)
    lines = [joined(snapshot_lines(history.snapshot, 10**7).all)]
    states = [history.snapshot]

    def write(move: Move) -> None:
        lines.append(move_line(move))

    history.on_move(write)
    for title in ("One", "Two", "Three"):
        history.do(set_title(history.flow, WRITER, title))
        states.append(history.snapshot)
    for act in (history.undo, history.mark_saved, history.redo):
        act()
        states.append(history.snapshot)
    return b"".join(lines), states


JOURNAL, STATES = _written()


@settings(max_examples=examples(200))
@given(st.integers(0, len(JOURNAL)))
def test_wherever_a_journal_is_cut_off_the_history_before_is_found(length: int) -> None:
    found, _ = read_lines(JOURNAL[:length])
    whole = JOURNAL[:length].count(b"\n")
    assert found == (STATES[whole - 1] if whole else None)


@settings(max_examples=examples(200))
@given(st.integers(0, len(JOURNAL) - 1), st.integers(0, 7))
@example(JOURNAL.index(b" "), 0)
def test_whichever_bit_is_flipped_the_history_before_is_found_and_the_damage_seen(
    place: int, bit: int
) -> None:
    data = bytearray(JOURNAL)
    data[place] ^= 1 << bit
    found, is_whole = read_lines(bytes(data))
    whole = JOURNAL[:place].count(b"\n")
    assert found == (STATES[whole - 1] if whole else None)
    assert not is_whole or place == len(JOURNAL) - 1


@pytest.mark.parametrize("text", [b"[" * 200_000, b"{", b"\xff"])
def test_a_line_that_cannot_be_read_though_its_sum_is_right_ends_what_is_known(text: bytes) -> None:
    history = History(loads(json.dumps(chain())).flow)
    whole = joined(snapshot_lines(history.snapshot, 10**7).all)
    found, is_whole = read_lines(whole + b"%08x %s\n" % (zlib.crc32(text), text))
    assert found == history.snapshot
    assert not is_whole
