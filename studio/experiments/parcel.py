"""An experiment that is carried to another machine: its project as bytes, opened there as it was here."""

import io
import os
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from studio import __version__
from studio.errors import UsageError
from studio.experiments.opening import OpenExperiment, described, opened_again
from studio.experiments.scorers import ReadScorer
from studio.workspace.project import Project
from studio.workspace.runs import profiles_used

MANY = 1_000_000


class Parcel(NamedTuple):
    """What another machine needs to open the same experiment; it has the headless package already."""

    told: Mapping[str, Any]
    """What `described` tells of the experiment; its `project` is relative to the folder."""
    files: bytes
    share: int
    """Of what chat profiles bear, each machine may use one part of so many."""
    version: str = __version__


def carried(opened: OpenExperiment, share: int) -> Parcel:
    """Pack the project of an experiment, less what begins with a dot: keys, runs and environments."""
    root, file = opened.project.root, io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            for name in sorted(names):
                path = Path(folder) / name
                if not name.startswith(".") and path.is_file():
                    packed.write(path, path.relative_to(root))
    told = described(opened)
    place = Path(told["project"]).relative_to(root)
    return Parcel({**told, "project": str(place)}, file.getvalue(), share)


def open_carried(what: Parcel, folder: Path, environ: Mapping[str, str]) -> OpenExperiment:
    """Open it below a folder.

    Raises `StepwireError` where this machine has another version, or sees another experiment.
    """
    if what.version != __version__:
        raise UsageError(
            f"A worker has Stepwire {__version__}, and the experiment was started with {what.version}.",
            hint="Install the same version on all nodes.",
        )
    with zipfile.ZipFile(io.BytesIO(what.files)) as packed:
        packed.extractall(folder)
    project = _shared_out(Project.open(folder / what.told["project"]), what.share)
    found = opened_again(what.told, project, environ)
    if found is None:
        raise UsageError(
            "A worker sees another experiment than the one that was started.",
            hint="Give all nodes the same variables, such as STEPWIRE_CONFIG, and run it again.",
        )
    return found


def machines_at_most(opened: OpenExperiment) -> int:
    """On how many machines an experiment can run: each needs one call of every profile that is limited."""
    project = opened.project
    asked = [
        project.profiles[name]
        for one in (*opened.variants.values(), *opened.scorers.values())
        if not isinstance(one, ReadScorer)
        for flow in (one.prepared.flow, *one.prepared.flows.values())
        for name in profiles_used(flow, one.prepared.registry) | {one.profile.name if one.profile else ""}
        if name in project.profiles
    ]
    limits = [limit for one in asked for limit in (one.at_once, one.requests_per_minute) if limit]
    return min(limits, default=MANY)


def _shared_out(project: Project, share: int) -> Project:
    """Give a machine its part of what chat profiles bear: no file of turns is shared between them."""
    profiles = {
        name: replace(
            one,
            at_once=_part(one.at_once, share),
            requests_per_minute=_part(one.requests_per_minute, share),
            tokens_per_minute=_part(one.tokens_per_minute, share),
        )
        for name, one in project.profiles.items()
    }
    return replace(project, profiles=profiles)


def _part(limit: int, share: int) -> int:
    return max(limit // share, 1) if limit else 0
