"""Chat profiles written into `project.json`, which never holds a key."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from studio.errors import ProjectError, UsageError
from studio.flow.files.file_text import json_text
from studio.llm.client import ChatProfile
from studio.llm.limits import TimeLimits
from studio.llm.solvers.solver import SolverProfile
from studio.workspace.profiles import profile_names
from studio.workspace.project import FILE, FORMAT, VERSION, Project
from studio.workspace.secrets import Secrets
from studio.workspace.whole_file import write_whole


@dataclass(frozen=True, slots=True)
class DraftKeys:
    """The user's keys as they would be once a profile is saved; implements `Keys`."""

    secrets: Secrets
    url: str
    key: str = ""
    """A key that was typed for `url`, and is not in the keyring yet."""
    variable: str = ""
    """A variable whose key the user lets go to `url`."""

    @property
    def pairs(self) -> frozenset[str]:
        """What is kept, and what was allowed just now."""
        fresh = {f"{self.variable}={self.url}"} if self.variable else set[str]()
        return self.secrets.pairs | fresh

    def key_for(self, url: str, /) -> str:
        """Give the key that was typed for a base URL, or the one that is kept."""
        return self.key if self.key and url == self.url else self.secrets.key_for(url)


def check_profiles(project: Project, profiles: Sequence[ChatProfile]) -> dict[int, str]:
    """Say what is wrong with each profile, by its place in the row; those that are right are left out."""
    names = [one.name for one in profiles]
    built_in = [name for name in profile_names(project) if name not in project.profiles]
    wrong: dict[int, str] = {}
    for place, one in enumerate(profiles):
        said = _wrong_with(one, [*names, *built_in])
        if not said and names.count(one.name) > 1:
            said = f"There are two profiles named `{one.name}`."
        if said:
            wrong[place] = said
    return wrong


def _wrong_with(profile: ChatProfile, known: Sequence[str]) -> str:
    if not profile.name:
        return "A profile needs a name."
    parts = urlsplit(profile.base_url)
    if profile.base_url and (parts.scheme not in {"http", "https"} or not parts.hostname):
        return "The base URL must start with `https://` or `http://`; most end with `/v1`."
    if parts.username or parts.password or parts.query:
        return "A base URL can't contain a user, password or query, because projects may be shared."
    missing = next((name for name in profile.fallback if name not in known), None)
    if missing is not None:
        return f"There is no profile `{missing}` to fall back on."
    if profile.name in profile.fallback:
        return "A profile can't fall back on itself."
    try:
        if profile.provider == "simulated":
            SolverProfile.read(profile.solver, profile.name)
        TimeLimits.from_mapping(profile.time_limits)
    except UsageError as error:
        return str(error)
    return ""


def save_profiles(project: Project, profiles: Sequence[ChatProfile], default: str) -> Project:
    """Write the profiles and which is the default, and give the project as it is then.

    All else in the file stays as it stands there now; where there is none, there will be. Raises
    `UsageError` for a profile that is wrong, `ProjectError` where the file can't be written.
    """
    for said in check_profiles(project, profiles).values():
        raise UsageError(said)
    path = project.root / FILE
    plain = _plain_file(path, project)
    plain["chat"] = {"default": default, "profiles": {one.name: _to_json(one) for one in profiles}}
    try:
        write_whole(path, json_text(plain).encode())
    except OSError as error:
        message = f"`{path}` could not be written: {error.strerror or error}."
        raise ProjectError(message, hint="The chat profiles are unchanged.") from error
    return Project.open(project.main_flow)


def _plain_file(path: Path, project: Project) -> dict[str, object]:
    if path.exists():
        Project.open(path)  # what can't be read is not written over
        return cast("dict[str, object]", json.loads(path.read_text("utf-8")))
    main = project.main_flow.relative_to(project.root).as_posix()
    return {"format": FORMAT, "version": VERSION, "name": project.name, "main": main}


def _to_json(profile: ChatProfile) -> dict[str, object]:
    """Give what differs from a new profile, so that files stay short."""
    usual: Mapping[str, object] = asdict(ChatProfile(profile.name))
    mine: Mapping[str, object] = asdict(profile)
    return {
        name: list(cast("tuple[object]", value)) if isinstance(value, tuple) else value
        for name, value in mine.items()
        if name != "name" and (value != usual[name] or name == "provider")
    }
