"""What comes back from other machines is what was there, with and without Parquet."""

import sys
from pathlib import Path

import pytest

from studio.errors import StoreError, UsageError
from studio.experiments import shards
from studio.experiments.ray_cluster import RayCluster
from studio.experiments.shards import (
    Piece,
    Shard,
    keep_pieces,
    packed,
    piece_of_run,
    pieces_of_images,
    unpacked,
)
from studio.experiments.trials import Outcome
from studio.ids import RunId
from studio.store.images import IMAGES
from studio.store.reader import RunStore
from tests.experiments.builders import experiment_project
from tests.experiments.running import run
from tests.test_extras import Refusal


@pytest.fixture
def there(tmp_path: Path) -> tuple[RunStore, Shard]:
    """A store, and all that two trials left in it."""
    table = run(experiment_project(tmp_path / "p", count=1))
    store = RunStore(tmp_path / "p" / ".stepwire")
    outcomes = [Outcome(one, {"right": table.scores[key, "right"]}) for key, one in table.trials.items()]
    pieces = [piece for one in outcomes if (piece := piece_of_run(store, one.trial.run)) is not None]
    assert len(pieces) == len(outcomes) == 2
    return store, Shard(outcomes, pieces)


def test_a_shard_is_the_same_with_and_without_parquet(
    there: tuple[RunStore, Shard], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    _, shard = there
    columns = packed(shard)

    def nothing(_: str) -> None:
        """No library is there."""

    monkeypatch.setattr(shards, "find_spec", nothing)
    plain = packed(shard)
    assert columns.startswith(b"PAR1")
    assert not plain.startswith(b"PAR1")
    assert unpacked(columns) == unpacked(plain) == shard


def test_runs_and_pictures_that_arrive_are_runs_of_the_project(
    there: tuple[RunStore, Shard], tmp_path: Path
) -> None:
    store, shard = there
    store.images.keep("a" * 64, b"none")  # is not what its name says, and is refused where it arrives
    sent: set[str] = set()
    (picture,) = pieces_of_images(store.root, sent)
    assert (picture.sha256, sent, pieces_of_images(store.root, sent)) == ("a" * 64, {"a" * 64}, [])
    here = RunStore(tmp_path / "q" / ".stepwire")
    keep_pieces(here, shard.pieces)
    for one in shard.pieces:
        assert list(here.entries(RunId(one.run))) == list(store.entries(RunId(one.run)))
    with pytest.raises(StoreError, match="arrived damaged"):
        keep_pieces(here, [picture])
    assert not (here.root / IMAGES).exists()


def test_a_run_that_is_damaged_on_its_way_is_refused(there: tuple[RunStore, Shard], tmp_path: Path) -> None:
    _, shard = there
    first = shard.pieces[0]
    with pytest.raises(StoreError, match="arrived damaged"):
        keep_pieces(RunStore(tmp_path / "q"), [Piece(first.run, first.sha256, first.data[:-1])])


def test_without_ray_it_is_said_which_line_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [Refusal("ray"), *sys.meta_path])
    for module in [one for one in sys.modules if one.partition(".")[0] == "ray"]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(UsageError, match="Ray cluster need a library") as raised:
        RayCluster()
    assert "[ray]" in raised.value.hint or "ray" in raised.value.hint.split()[-1]
