from studio.ids import StepId
from studio.ui.viewmodels.words import count_words
from tests.ui.builders import a_flow


def test_a_step_in_a_loop_is_named_with_its_round() -> None:
    assert count_words.step_title(a_flow(), StepId("rounds.2/writer#chat.1")) == "Writer, round 2"


def test_a_step_at_the_root_is_named_by_its_node_alone() -> None:
    assert count_words.step_title(a_flow(), StepId("question")) == "Question"
