"""Where those who plan, call tools or choose never slip, the tools of a system answer its problems."""

from pathlib import Path

from studio.app.measurements.measurement import Measured, measure
from studio.places import projects
from tests.trusted import HERE

PROJECTS = projects()


def measured(project: str, *flows: str, chat: str = "no_slips") -> list[Measured]:
    """Each problem of a project given once to each flow."""
    folder = Path(PROJECTS / project)
    problems = folder / "data/problems.jsonl"
    return [*measure([folder / one for one in flows], problems, environ=HERE, chat=chat).flows]


def missed(one: Measured) -> list[str]:
    """The problems that were not answered rightly."""
    assert not one.why_failed
    return [*one.missed]


def test_a_routine_is_done_by_plan_and_by_who_decides_as_it_goes() -> None:
    plan, free = measured("routine", "flow.json", "free.json")
    assert (missed(plan), missed(free)) == ([], [])
    assert (plan.mean("chats"), free.mean("chats")) == (1, 5.4)


def test_who_is_shown_few_tools_does_all_as_who_is_shown_all_of_them() -> None:
    few, many = measured("tinyagent", "flow.json", "all_tools.json")
    assert (missed(few), missed(many)) == ([], [])
    assert many.mean("tokens") > few.mean("tokens")


def test_tools_that_are_not_needed_distract_the_more_the_more_of_them_are_shown() -> None:
    few, many = measured("tinyagent", "flow.json", "all_tools.json", chat="distracts_4")
    assert len(missed(many)) > len(missed(few)) >= 1


def test_volunteers_and_a_master_who_knows_all_find_what_each_of_the_problems_takes() -> None:
    board, master = measured("blackboard", "flow.json", "master_slave.json")
    assert (missed(board), missed(master)) == ([], [])
    assert board.mean("chats") > 2 * master.mean("chats")


def test_a_master_who_does_not_know_whose_data_are_whose_takes_more_turns_and_errs() -> None:
    [knowing] = measured("blackboard", "master_slave.json")
    [guessing] = measured("blackboard", "master_slave.json", chat="knows_20")
    assert guessing.mean("chats") > knowing.mean("chats")
    assert missed(guessing)


def test_code_and_calls_one_by_one_find_the_same_fares_and_code_takes_fewer_chats() -> None:
    code, calls = measured("codeact", "flow.json", "tool_calls.json")
    assert (missed(code), missed(calls)) == ([], [])
    assert code.mean("chats") == 3
    assert calls.mean("chats") == 5
