"""What each system of the gallery claims of its mechanism is seen in its runs."""

from collections.abc import Iterator

import pytest

from studio.app.gallery.claims import Claim
from studio.app.gallery.gallery_runs import SystemRuns
from studio.app.gallery.records import exhibits
from studio.places import projects

EXHIBITS = [one for one in exhibits(projects()) if one.record.claims]


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest) -> Iterator[SystemRuns]:
    """The runs of one system, each made once for all of its claims."""
    made = SystemRuns(request.param)
    yield made
    made.close()


def _claims() -> list[object]:
    return [
        pytest.param(exhibit, claim, id=f"{exhibit.slug}: {claim.says}")
        for exhibit in EXHIBITS
        for claim in exhibit.record.claims
    ]


@pytest.mark.parametrize(("runs", "claim"), _claims(), indirect=["runs"], scope="module")
def test_it_is_seen_in_its_runs(runs: SystemRuns, claim: Claim) -> None:
    assert runs.failures(claim) == []


def test_every_system_says_what_is_to_be_seen() -> None:
    for one in exhibits(projects()):
        assert one.record.claims or one.record.test, one.slug
