"""What comes back from other machines: outcomes with the files of their runs, each named by its hash.

A shard is Parquet where the sender has `pyarrow`, and otherwise a ZIP of the same columns as JSON lines and
files; who reads it looks at its first bytes.
"""

import hashlib
import io
import sqlite3
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, cast

import orjson

from studio.errors import StoreError
from studio.experiments.trials import Outcome
from studio.experiments.wire import outcome_of, plain_outcome
from studio.ids import RunId
from studio.store.images import IMAGES, ImageFolder
from studio.store.reader import RunStore

PARQUET = b"PAR1"
MEMBER = "shard.jsonl"


class Piece(NamedTuple):
    """A file that belongs to an outcome: of a run, by its name, or a picture that runs sent (no name)."""

    run: str
    sha256: str
    data: bytes


class Shard(NamedTuple):
    """Outcomes, and the files of their runs."""

    outcomes: Sequence[Outcome]
    pieces: Sequence[Piece]


def piece_of_run(store: RunStore, run: str) -> Piece | None:
    """Read the file of a run whole, with what its journal holds; None where there is none."""
    path = store.path(RunId(run))
    if not path.is_file():
        return None
    data = path.read_bytes()
    if Path(f"{path}-wal").exists():
        with closing(sqlite3.connect(path)) as file, closing(sqlite3.connect(":memory:")) as whole:
            file.backup(whole)
            data = whole.serialize()
    return Piece(run, hashlib.sha256(data).hexdigest(), data)


def pieces_of_images(root: Path, sent: set[str]) -> list[Piece]:
    """Read the pictures below a folder of runs that were not `sent` yet, and add them to that."""
    folder = root / IMAGES
    names = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    fresh = sorted(one for one in names if not one.startswith(".") and one not in sent)
    sent |= set(fresh)
    return [Piece("", name, (folder / name).read_bytes()) for name in fresh]


def keep_pieces(store: RunStore, pieces: Iterable[Piece]) -> None:
    """Put files where runs are; raises `StoreError` where one arrived damaged, or cannot be written.

    What is there under the name of a run is replaced: it is the same run, of which more is known now.
    """
    images = ImageFolder(store.root / IMAGES)
    for one in pieces:
        if hashlib.sha256(one.data).hexdigest() != one.sha256:
            raise StoreError(f"The run `{one.run}` arrived damaged.", hint="Run the experiment again.")
        if not one.run:
            images.keep(one.sha256, one.data)
            continue
        path = store.new_run_path(RunId(one.run))
        fresh = Path(f"{path}.new")
        try:
            fresh.write_bytes(one.data)
            for beside in ("-wal", "-shm"):  # of what is replaced: they would be taken for its own
                Path(f"{path}{beside}").unlink(missing_ok=True)
            fresh.replace(path)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise StoreError(
                f"The run `{one.run}` can't be stored in `{path.parent}`: {error.strerror or error}.",
                hint="Make the folder writable, and check whether the disk is full.",
            ) from error


def packed(shard: Shard) -> bytes:
    """Write a shard."""
    rows: list[dict[str, Any]] = [
        {"outcome": orjson.dumps(plain_outcome(one)).decode(), "run": "", "sha256": "", "data": b""}
        for one in shard.outcomes
    ]
    rows += [{"outcome": "", **one._asdict()} for one in shard.pieces]
    if find_spec("pyarrow") is not None:
        import pyarrow  # type: ignore[import-untyped]  # noqa: ICN001  # spelled out
        from pyarrow import parquet  # type: ignore[import-untyped]

        file = io.BytesIO()
        cast("Any", parquet).write_table(cast("Any", pyarrow).Table.from_pylist(rows), file)
        return file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as plain:
        plain.writestr(MEMBER, b"\n".join(orjson.dumps({**one, "data": None}) for one in rows))
        for one in shard.pieces:
            plain.writestr(one.sha256, one.data)
    return file.getvalue()


def unpacked(data: bytes) -> Shard:
    """Read a shard."""
    rows: list[dict[str, Any]]
    if data.startswith(PARQUET):
        from pyarrow import parquet  # type: ignore[import-untyped]

        rows = cast("Any", parquet).read_table(io.BytesIO(data)).to_pylist()
    else:
        with zipfile.ZipFile(io.BytesIO(data)) as plain:
            told: list[dict[str, Any]] = [orjson.loads(line) for line in plain.read(MEMBER).splitlines()]
            rows = [{**one, "data": plain.read(one["sha256"]) if one["sha256"] else b""} for one in told]
    outcomes = [outcome_of(orjson.loads(one["outcome"])) for one in rows if one["outcome"]]
    pieces = [Piece(one["run"], one["sha256"], one["data"]) for one in rows if not one["outcome"]]
    return Shard(outcomes, pieces)
