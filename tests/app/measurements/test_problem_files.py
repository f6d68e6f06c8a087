"""A file of problems that is made can be asked at once, and nothing that is there is written over."""

from pathlib import Path

from studio.app.measurements.problem_files import make_problems
from studio.llm.solvers.problems import Problems
from studio.workspace.project import Project
from tests.app.flows import chain
from tests.app.written_projects import write_project


def test_a_made_file_has_what_the_flow_asks_and_some_sums(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path / "own", flow=chain(default="How wide is the weir?")))
    first, second = make_problems(project), make_problems(project)
    assert (first, second) == ("data/problems.jsonl", "data/problems_2.jsonl")
    problems = Problems.load(project.root / first)
    assert problems.asked_in("Please: How wide is the weir?") is not None
    summed = problems.asked_in("What is 17 + 26?")
    assert summed is not None
    assert (summed.answer, summed.difficulty) == ("43", 0)
