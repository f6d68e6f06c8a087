"""What grew in a run, told in words on the command line."""

from studio.ids import StepId
from studio.terminal.part_lines import growth_lines, plain_parts
from studio.terminal.trace import step_line
from studio.trace.fold.state import RunState, fold
from tests.ui import growing


def test_a_run_that_is_shown_tells_what_grew_as_a_tree() -> None:
    assert list(growth_lines(fold(growing.entries()))) == [
        "  grew     team · done",
        "  grew       Look for birds · done · A dunnock.",
        "  grew         Guess · dropped · score 0.12 · reason Guessing tells nothing.",
        "  grew       Ask who sang · done",
        "  grew       expert · done",
    ]


def test_a_run_in_which_nothing_grew_tells_nothing_of_it() -> None:
    assert not list(growth_lines(fold(growing.entries(growing.BEGINS[:3]))))


def test_a_run_that_goes_on_tells_of_each_part_as_it_changes() -> None:
    state, lines = RunState(), list[str]()
    for entry in growing.entries([*growing.BEGINS, *growing.GOES_ON[:5]]):
        state.apply(entry)
        line = step_line(entry, state)
        lines += [line] if line is not None and "part" in line else []
    assert lines == [
        "  part     team: Look for birds · running",
        "  part     team: Ask who sang · waiting",
        "  part     team: Look for birds · done · A dunnock.",
    ]


def test_programs_are_given_all_of_a_part() -> None:
    look, ask, guess = plain_parts(fold(growing.entries()).steps[StepId("team")])
    assert (look["status"], look["node"], look["settings"]) == ("done", "llm.chat", growing.LOOK)
    assert ask["after"] == ["look"]
    assert (guess["of"], guess["detail"]) == ("look", {"score": 0.12, "reason": "Guessing tells nothing."})
