"""Where those who plan, call tools or choose never slip, the tools of a system answer its problems."""

from pathlib import Path

from studio.app.measuring import Measured, measure
from studio.places import projects

PROJECTS = projects()


def measured(project: str, *flows: str, chat: str = "no_slips") -> list[Measured]:
    """Each problem of a project given once to each flow."""
    folder = Path(PROJECTS / project)
    problems = folder / "data/problems.jsonl"
    return [*measure([folder / one for one in flows], problems, environ={}, chat=chat).flows]


def missed(one: Measured) -> list[str]:
    """The problems that were not answered rightly."""
    assert [each.failed for each in one.trials if each.failed] == []
    return [each.problem for each in one.trials if not each.is_right]


def test_a_routine_is_done_by_plan_and_by_who_decides_as_it_goes() -> None:
    plan, free = measured("routine", "flow.json", "free.json")
    assert (missed(plan), missed(free)) == ([], [])
    assert (plan.mean("chats"), free.mean("chats")) == (1, 5.4)
