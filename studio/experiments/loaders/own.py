"""The project's own files as rows: a folder of files, a row a file; and recorded runs, a row a run."""

from collections.abc import Iterator
from datetime import UTC, datetime

from studio.errors import ExperimentFileError, StoreError
from studio.experiments.readers import Read, Source
from studio.flow.records import Json
from studio.store.reader import RunStore
from studio.trace.events import RunStarted
from studio.trace.events.values import Values

MOST_TEXT = 2**24
"""Bytes of a file that are given as a text; of a larger one only its path is."""

RUNS = "runs"


def read_files(source: Source) -> Iterator[Read]:
    """Read a folder: for each file `id`, `path` in the project, `name`, `ending`, `bytes`, and its `text`.

    `text` is None for what is no UTF-8, such as pictures, and for files above 16 MiB. Hidden files are left
    out.
    """
    if not source.path.is_dir():
        raise ExperimentFileError(
            f"`{source.path.name}` is not a folder.", hint="Name the folder of the files."
        )
    found = (one for one in source.path.rglob("*") if one.is_file())
    for path in sorted(found):
        inside = path.relative_to(source.path)
        if any(part.startswith(".") for part in inside.parts):
            continue
        size, text = 0, None
        try:
            size = path.stat().st_size
            text = path.read_text("utf-8-sig") if size <= MOST_TEXT else None
        except FileNotFoundError:  # it went while the others were read
            continue
        except UnicodeDecodeError:
            pass
        except OSError as error:
            source.fault(0, f"this cannot be read: {error.strerror or error}.", file=inside.as_posix())
        columns: dict[str, Json] = {
            "id": inside.as_posix(),
            "path": source.beside(f"{source.path.name}/{inside.as_posix()}"),
            "folder": inside.parent.as_posix(),
            "name": path.stem,
            "ending": path.suffix,
            "bytes": size,
            "text": text,
        }
        yield Read(columns, 0, inside.as_posix())


def read_runs(source: Source) -> Iterator[Read]:
    """Read the runs of a project, newest first, from its folder `.stepwire` or `.stepwire/runs`.

    `inputs` and `outputs` are objects; the other columns, such as `flow` and `status`, are to choose by. A
    run that cannot be read is left out.
    """
    root = source.path.parent if source.path.name == RUNS else source.path
    if not (root / RUNS).is_dir():
        raise ExperimentFileError(
            f"There are no recorded runs in `{source.path.name}`.",
            hint="Name the folder `.stepwire/runs` of the project.",
        )
    store = RunStore(root)
    for summary in store.runs():
        try:
            first = next(store.entries(summary.run), None)
            outputs = store.outputs(summary.run)
        except StoreError:
            continue
        started = (
            first.event if first is not None and isinstance(first.event, RunStarted) else RunStarted("", "")
        )
        at = datetime.fromtimestamp(summary.started, UTC).isoformat() if summary.started is not None else None
        columns: dict[str, Json] = {
            "id": summary.run,
            "flow": summary.flow_name,
            "status": summary.status.value,
            "profile": summary.profile,
            "started": at,
            "seconds": summary.worked,
            "cost": summary.cost,
            "tokens": summary.tokens,
            "steps": summary.steps,
            "made_up": summary.made_up,
            "error": summary.error,
            "inputs": _plain(started.inputs),
            "outputs": _plain(outputs),
        }
        yield Read(columns)


def _plain(values: Values) -> dict[str, Json]:
    return {name: one.data for name, one in values.items()}
