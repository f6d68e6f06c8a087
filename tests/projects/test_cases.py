"""The cases of the examples pass, each run alone as the window runs it, and say how good it was."""

from pathlib import Path

import pytest

from studio.app.documents.session import Session
from studio.experiments.cases.case_files import read_cases
from studio.workspace.catalog import builtin_registry
from tests.app.experiments.attending import CasesHere
from tests.projects.running import copied


@pytest.mark.parametrize(
    ("name", "remarked"),
    [("front_desk", ("`score`: 1.00",)), ("side_by_side", ("`data`: 1.00", "`because`: 1.00"))],
)
def test_the_cases_of_an_example_pass(name: str, remarked: tuple[str, ...], tmp_path: Path) -> None:
    session = Session.open(copied(name, tmp_path).root, builtin_registry())
    runs = CasesHere(session)
    runs.begin(read_cases(session.project))
    runs.wait()
    runs.close()
    session.close()
    assert len(runs.reasons) == 4
    assert {name: why for name, why in runs.reasons.items() if why} == {}
    assert remarked in [one.remarks for one in runs.verdicts.values()]
