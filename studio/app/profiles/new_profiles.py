"""Chat profiles that are added beside those of a project, and used at once."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from studio.app.profiles.local_endpoints import LocalEndpoint
from studio.app.profiles.profile_edits import save_profiles
from studio.errors import UsageError
from studio.llm.client import ChatProfile
from studio.llm.presets import preset_of
from studio.llm.profiles import BUILT_IN
from studio.workspace.profiles import profile_names
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets


def profile_of_endpoint(found: LocalEndpoint, llm: str) -> ChatProfile:
    """Make the profile of an endpoint that was found on this machine."""
    preset = found.preset
    return ChatProfile(preset.kind, base_url=preset.base_url, llm=llm, kind=preset.kind)


def profile_with_key(kind: str, base_url: str, llm: str) -> ChatProfile:
    """Make the profile of an endpoint whose key is kept in the keyring; raises `UsageError`."""
    if not llm:
        raise UsageError(
            "Enter the name of the model.", hint="The endpoint's documentation lists its models."
        )
    if not base_url:
        raise UsageError("Enter the base URL of the endpoint.", hint="Most end with `/v1`.")
    name = kind if kind not in ("openai", "other") else "own"
    return ChatProfile(name, base_url=base_url, llm=llm, kind=preset_of(kind).kind, key_from="keyring")


def add_profile(
    project: Project, profile: ChatProfile, secrets: Secrets | None = None, key: str = ""
) -> tuple[Project, str]:
    """Write a profile beside those that are there, under a name that is free; gives that name as well.

    It is the default where the project has none. A `key` is kept for its base URL by `secrets`. Raises
    `UsageError`, `ProjectError`, and `SecretsError` where the keyring takes no key.
    """
    same = next((one for one in project.profiles.values() if _is_same(one, profile)), None)
    name = same.name if same is not None else _free(profile.name, [*profile_names(project), *BUILT_IN])
    if key and secrets is not None:
        secrets.keep(profile.base_url, key)
    if same is not None:
        return project, name
    profiles = [*project.profiles.values(), _named(profile, name)]
    return save_profiles(project, profiles, project.default_profile or name), name


def _free(name: str, taken: Sequence[str]) -> str:
    if name not in taken:
        return name
    return next(one for number in count(2) if (one := f"{name} {number}") not in taken)


def _is_same(one: ChatProfile, other: ChatProfile) -> bool:
    return _named(one, "") == _named(other, "")


def _named(profile: ChatProfile, name: str) -> ChatProfile:
    return replace(profile, name=name)
