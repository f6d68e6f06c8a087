"""Two conversations side by side: nothing of either is lost, and what is the same is not marked."""

from hypothesis import given
from hypothesis import strategies as st

from studio.trace.conversations.message_difference import (
    MessagePair,
    compare_messages,
    compare_words,
    text_of,
)
from studio.trace.conversations.messages import Called, Spoken

ROLES = st.sampled_from(["system", "user", "assistant", "tool"])
CONVERSATIONS = st.lists(st.builds(Spoken, ROLES, st.text("ab \n.", max_size=8)), max_size=8)


@given(st.text(), st.text())
def test_both_texts_can_be_read_from_what_differs(first: str, second: str) -> None:
    stretches = compare_words(first, second)
    assert "".join(one.text for one in stretches if one.change != "new") == first
    assert "".join(one.text for one in stretches if one.change != "gone") == second


@given(CONVERSATIONS, CONVERSATIONS)
def test_each_message_of_both_stands_in_one_pair_and_in_its_order(
    first: list[Spoken], second: list[Spoken]
) -> None:
    pairs = compare_messages(first, second)
    assert [pair.first for pair in pairs if pair.first is not None] == first
    assert [pair.second for pair in pairs if pair.second is not None] == second
    for pair in pairs:
        if pair.first is not None and pair.second is not None:
            assert pair.first.role == pair.second.role
            assert (pair.change == "same") == (text_of(pair.first) == text_of(pair.second))


@given(CONVERSATIONS)
def test_a_conversation_does_not_differ_from_itself(said: list[Spoken]) -> None:
    assert all(pair.change == "same" for pair in compare_messages(said, said))


def test_a_word_that_was_replaced_is_marked_and_no_other() -> None:
    (pair,) = compare_messages([Spoken("user", "Name a small bird.")], [Spoken("user", "Name a big bird.")])
    assert [(one.text, one.change) for one in pair.words] == [
        ("Name a ", "same"),
        ("small", "gone"),
        ("big", "new"),
        (" bird.", "same"),
    ]


def test_a_message_put_in_between_leaves_the_others_as_they_are() -> None:
    before = [Spoken("system", "Be brief."), Spoken("assistant", "Yes.")]
    after = [before[0], Spoken("user", "Is it?"), before[1]]
    assert [pair.change for pair in compare_messages(before, after)] == ["same", "new", "same"]


def test_other_arguments_of_a_tool_are_a_difference() -> None:
    def calling(query: str) -> Spoken:
        return Spoken("assistant", "", (Called("search", f'{{"query": "{query}"}}', "a"),))

    (pair,) = compare_messages([calling("owl")], [calling("wren")])
    assert pair == MessagePair(calling("owl"), calling("wren"), pair.words)
    assert {one.text for one in pair.words if one.change == "new"} == {"wren"}


def test_texts_without_an_end_are_compared_as_wholes_and_not_word_by_word() -> None:
    first, second = "a\n" * 5_000, "b\n" * 5_000
    assert [one.change for one in compare_words(first, second)] == ["gone", "new"]
