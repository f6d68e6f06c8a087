"""The cases of the examples pass, each run alone as the window runs it, and say how good it was."""

from pathlib import Path

import pytest

from studio.app.compose import compose
from studio.app.reuse.case_runs import CaseRuns
from studio.app.reuse.cases import read_cases
from tests.app.pumping import ENVIRON, pump
from tests.forked_hosts import forked_host
from tests.projects.running import copied


@pytest.mark.parametrize(
    ("name", "remarked"),
    [("front_desk", ("`score`: 1.00",)), ("side_by_side", ("`data`: 1.00", "`because`: 1.00"))],
)
def test_the_cases_of_an_example_pass(name: str, remarked: tuple[str, ...], tmp_path: Path) -> None:
    project = copied(name, tmp_path)
    application = compose(ENVIRON, tmp_path / "config", spawn=forked_host)
    try:
        session = application.open(project.root)
        runs = CaseRuns(session, application.runs)
        cases = read_cases(session.project)
        runs.begin(cases)
        pump(application, lambda: not runs.is_busy)
        verdicts = {one.name: runs.verdict(one) for one in cases}
        runs.close()
    finally:
        application.close()
    assert len(verdicts) == 4
    assert {name: one.reasons for name, one in verdicts.items() if one is not None and one.reasons} == {}
    remarks = [one.remarks for one in verdicts.values() if one is not None]
    assert remarked in remarks
