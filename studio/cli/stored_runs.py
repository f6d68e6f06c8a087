"""Which stored run is meant: by id, beginning or `latest` in a project, or by the path of a bundle."""

from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import ProjectError

if TYPE_CHECKING:
    from studio.ids import RunId
    from studio.store.reader import RunStore

RUN_HELP = "an id, a unique prefix, latest, or the path of a bundle"


def find_run(project: Path, wanted: str) -> "tuple[RunStore, RunId]":
    """Find a run; raises `UsageError`, `ProjectError`, and `StoreError` for a bad bundle."""
    from studio.store.bundle import SUFFIX

    path = Path(wanted).expanduser()
    if path.suffix == SUFFIX or (len(path.parts) > 1 and path.is_file()):
        from studio.app.runs.bundles import open_bundle
        from studio.store.reader import RunStore
        from studio.workspace.private_folder import private_folder

        folder, run = open_bundle(path)
        return RunStore(private_folder(folder)), run
    store = store_of(project)
    return store, store.find(wanted)


def store_of(path: Path) -> "RunStore":
    """Give the store of the project that `path` is, belongs to, or stands in."""
    from studio.store.reader import RunStore
    from studio.workspace.private_folder import private_folder
    from studio.workspace.project import Project

    target = path.expanduser().resolve()
    for folder in (target, *target.parents):
        if (folder / "project.json").is_file() or private_folder(folder).is_dir():
            return RunStore(private_folder(folder))
    try:
        return RunStore(Project.open(target).private)
    except ProjectError as error:
        hint = "Pass the project: `--project PATH`." if path == Path() else error.hint
        raise ProjectError(error.message, hint=hint) from error
