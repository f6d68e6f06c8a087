from studio.app.documents.history import Done, History, Jumped, Move, Saved
from studio.flow.change import Change
from studio.flow.edits import set_title
from studio.ids import NodeId
from tests.flow.builders import review

WRITER = NodeId("writer")


def _history(*titles: str) -> History:
    history = History(review(), clock=iter(range(100)).__next__)
    for title in titles:
        history.do(set_title(history.flow, WRITER, title).labelled("Rename"))
    return history


def test_a_jump_leads_to_the_flow_as_it_was_and_back_in_one_change() -> None:
    history = _history("One", "Two", "Three")
    after = history.flow
    heard: list[Change] = []
    history.on_change(heard.append)
    history.jump(0)
    assert history.flow == review()
    assert (history.position, len(history.steps)) == (0, 3)
    history.jump(3)
    assert history.flow == after
    assert len(heard) == 2


def test_a_jump_to_nowhere_does_nothing() -> None:
    history = _history("One")
    assert [history.jump(place) for place in (-1, 1, 2)] == [None, None, None]


def test_a_new_edit_after_a_jump_forgets_what_was_undone_and_is_a_step_of_its_own() -> None:
    history = _history("One", "Two")
    history.jump(1)
    history.do(set_title(history.flow, WRITER, "Other").labelled("Rename"), merge=True)
    assert [step.at for step in history.steps] == [0, 2]


def test_the_same_moves_make_the_same_history() -> None:
    history = History(review(), clock=iter(range(100)).__next__)
    twin = History(review())
    moves: list[Move] = []
    history.on_move(moves.append)
    history.do(set_title(history.flow, WRITER, "A"), merge=True)
    history.do(set_title(history.flow, WRITER, "A").labelled("Nothing"))
    history.do(set_title(history.flow, WRITER, "AB").labelled("Rename Writer to A"), merge=True)
    history.mark_saved()
    history.do(set_title(history.flow, WRITER, "C"))
    history.jump(0)
    assert [type(move) for move in moves] == [Done, Done, Saved, Done, Jumped]
    for move in moves:
        twin.repeat(move)
    assert twin.snapshot == history.snapshot
