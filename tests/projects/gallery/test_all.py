"""What holds for every system of the gallery: it runs, steps, replays, is its script, keeps its claims."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from studio.app.documents.session import Session
from studio.app.gallery.claims import Claim
from studio.app.gallery.gallery_runs import SystemRuns
from studio.app.gallery.records import Exhibit, exhibits
from studio.experiments.cases.case_files import read_cases
from studio.past.replays import Terms, prepare_replay
from studio.places import projects
from studio.trace.differences.compare import first_difference
from studio.trace.events import ChatAnswered, Entry, StepHeld, StepReleased
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.runs import run_here
from tests.app.checked_scripts import verified_here
from tests.app.experiments.attending import CasesHere
from tests.export.gallery import exported
from tests.projects.gallery.systems import System, copied, ran
from tests.trusted import HERE

EXHIBITS = list(exhibits(projects()))
every_system = pytest.mark.parametrize(
    "exhibit",
    EXHIBITS,
    ids=[one.place.relative_to(projects()).as_posix() for one in EXHIBITS],
    scope="module",
)
"""All tests of one system follow one another: whoever has one of them has its run, and its script."""


@pytest.fixture(scope="module")
def runs_of() -> Iterator[Callable[[Exhibit], SystemRuns]]:
    """The runs of a system, each made once for all tests that look at it, that of its main flow first."""
    exhibit_at = {one.place: one for one in EXHIBITS}
    with ExitStack() as stack, ThreadPoolExecutor(1) as aside:

        @cache
        def made(place: Path) -> SystemRuns:
            runs = SystemRuns(exhibit_at[place])
            stack.callback(runs.close)
            aside.submit(runs.seen).result()  # a test that waits may be the first
            return runs

        yield lambda exhibit: made(exhibit.place)


@pytest.fixture
def runs(exhibit: Exhibit, runs_of: Callable[[Exhibit], SystemRuns]) -> SystemRuns:
    return runs_of(exhibit)


@pytest.fixture
def system(runs: SystemRuns) -> System:
    """A system, and the run of its main flow."""
    seen, flow = runs.seen(), load_flow(runs.main_flow).flow
    own = runs.exhibit.record.flow or ""
    return System(runs.exhibit.folder, runs.project, flow, runs.registry, seen.state, seen.entries, own)


@every_system
def test_it_runs_on_its_scripted_answers(system: System) -> None:
    assert system.state.error is None
    assert system.state.outputs
    assert any(isinstance(one.event, ChatAnswered) for one in system.entries)
    assert system.state.unpriced == 0 or system.state.profile == "scripted"


@every_system
async def test_stepping_through_it_changes_nothing(system: System, tmp_path: Path) -> None:
    at_once, stepped = system, await ran(system.source, tmp_path, is_stepped=True, file=system.file)
    assert sum(isinstance(one.event, StepHeld) for one in stepped.entries) > 3
    assert stepped.state.outputs == at_once.state.outputs
    left = [one for one in stepped.entries if not isinstance(one.event, StepHeld | StepReleased)]
    assert kinds_by_step(left) == kinds_by_step(at_once.entries)


def kinds_by_step(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """What kinds of events there are, of each step."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        found.setdefault(entry.step, []).append(entry.event.kind)
    return {step: sorted(kinds) for step, kinds in found.items()}


@every_system
async def test_a_replay_asks_nobody_and_is_the_same(system: System) -> None:
    again: list[Entry] = []
    materials = prepare_replay(system.old, system.registry, Terms(HERE))
    state = await run_here(materials, listener=lambda batch, _: again.extend(batch))
    assert state.outputs == system.state.outputs
    assert first_difference(system.entries, again) is None


@pytest.mark.script
@every_system
def test_its_script_does_what_its_run_did(system: System, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(exported(system.source / (system.file or "flow.json")).text, "utf-8")
    found = verified_here(script, system.old, system.flow, system.registry)
    assert (found.difference, found.notes) == (None, ())
    assert found.compared >= 3


@every_system
def test_its_cases_pass(exhibit: Exhibit, tmp_path: Path) -> None:
    session = Session.open(copied(exhibit.folder, tmp_path).root, builtin_registry())
    runs = CasesHere(session)
    runs.begin(read_cases(session.project))
    runs.wait()
    runs.close()
    session.close()
    assert runs.reasons
    assert {name: why for name, why in runs.reasons.items() if why} == {}


# --- what is claimed of its mechanism -----------------------------------------------------------------


def _claims() -> Iterator[object]:
    for exhibit in EXHIBITS:
        for claim in exhibit.record.claims:
            yield pytest.param(exhibit, claim, id=f"{exhibit.slug}: {claim.says}")


@pytest.mark.parametrize(("exhibit", "claim"), list(_claims()))
def test_what_it_claims_is_seen_in_its_runs(runs: SystemRuns, claim: Claim) -> None:
    assert runs.failures(claim) == []


def test_every_system_says_what_is_to_be_seen() -> None:
    for one in EXHIBITS:
        test = one.record.test
        assert one.record.claims or test, one.slug
        assert not test or "def test_" in (projects().parent / test).read_text("utf-8")
