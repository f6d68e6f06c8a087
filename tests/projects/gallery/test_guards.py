"""Whoever answers, a run comes to an end in words of its own: no system relies on its scripted answers."""

import asyncio
from pathlib import Path

import pytest

from studio import errors
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.projects.gallery.systems import SYSTEMS, copied
from tests.trusted import HERE

MOST_CALLS = 40
"""Enough for most systems to end; the others say that they would go on."""


@pytest.mark.parametrize("folder", SYSTEMS, ids=[one.name for one in SYSTEMS])
def test_answers_that_only_fit_what_is_asked_bring_it_to_an_end(folder: Path, tmp_path: Path) -> None:
    project = copied(folder, tmp_path)
    registry = project_registry(project, builtin_registry())
    flow = load_flow(project.main_flow).flow
    materials = prepare(
        project, flow, registry, environ=HERE, profile="made-up", pace=0, limits={"calls": MOST_CALLS}
    )
    state = asyncio.run(run_here(materials))
    assert state.made_up > 0
    if state.error is not None:
        assert issubclass(getattr(errors, state.error.error, type(None)), errors.StepwireError), state.error
    else:
        assert state.outputs
