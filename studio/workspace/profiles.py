"""Which chat profile a run uses, and what each name means.

The order is `commands.md`'s: the one asked for; the project's default; `STEPWIRE_CHAT`; the scripted answers
that the project ships. Offline, only scripted answers remain.
"""

from collections.abc import Mapping
from pathlib import Path

from studio.errors import ProfileError, UsageError
from studio.ids import MADE_UP, PERSON
from studio.llm.client import ChatProfile
from studio.llm.profiles import BUILT_IN
from studio.workspace.project import Project

SCRIPTED = "scripted"
OPENAI = "openai"
ALWAYS = (MADE_UP, PERSON)
"""The profiles that every project has and that need nothing."""

CHAT_VARIABLE = "STEPWIRE_CHAT"

SET_UP = (
    f"Set OPENAI_API_KEY and OPENAI_MODEL and pass `--chat {OPENAI}` (or set "
    f"{CHAT_VARIABLE}={OPENAI}), or add a profile to `project.json` under `chat`."
)


def profile_names(project: Project) -> list[str]:
    """The profiles that a run of this project may choose from: its own first, then those built in."""
    built_in = [*([SCRIPTED] * (project.scripts is not None)), OPENAI, *ALWAYS]
    return [*project.profiles, *(name for name in built_in if name not in project.profiles)]


def find_profile(project: Project, name: str) -> ChatProfile:
    """Give the profile called `name`; raises `UsageError` where there is none or it has nothing to say."""
    found = project.profiles.get(name) or BUILT_IN.get(name)
    if found is None:
        known = ", ".join(f"`{one}`" for one in profile_names(project))
        raise UsageError(f"There is no chat profile `{name}`.", hint=f"There are {known}.")
    if (
        found.provider == SCRIPTED
        and not found.base_url
        and script_of(project, found) is None
        and project.scripts is None
    ):
        raise ProfileError(
            f"The chat profile `{name}` gives scripted answers, and the project has none.",
            hint="Put some into `scripts/`, or choose another profile with `--chat`.",
        )
    return found


def choose_profile(
    project: Project, wanted: str, environ: Mapping[str, str], *, offline: bool = False
) -> ChatProfile | None:
    """Give the profile of a run, None where nothing says which; `wanted` is empty when nobody chose.

    Raises `UsageError` for a profile that does not exist, and for one that `offline` forbids.
    """
    if offline and not wanted:
        return _offline_profile(project)
    name = wanted or project.default_profile or environ.get(CHAT_VARIABLE, "")
    if not name and project.scripts is not None:
        name = SCRIPTED
    if not name:
        return None
    found = find_profile(project, name)
    if offline and found.provider == OPENAI:
        raise ProfileError(
            f"The chat profile `{name}` needs the network, which `--offline` forbids.",
            hint=f"Drop one of the two, or use `--chat {SCRIPTED}`.",
        )
    return found


def missing_profile(*, offline: bool) -> ProfileError:
    """The error for a flow that asks a language model when nothing says which."""
    if offline:
        return ProfileError(
            "The flow calls a model, and the project has no scripted answers to use offline.",
            hint="Put some into `scripts/`, or run it without `--offline`.",
        )
    return ProfileError("The flow calls a model, and no chat profile is configured.", hint=SET_UP)


def _offline_profile(project: Project) -> ChatProfile | None:
    default = project.profiles.get(project.default_profile)
    if default is not None and default.provider != OPENAI:
        return find_profile(project, default.name)
    return find_profile(project, SCRIPTED) if project.scripts is not None else None


def script_of(project: Project, profile: ChatProfile) -> Path | None:
    """Give the one script that a profile answers from; None where it takes all of the project.

    Raises `UsageError` for one that lies outside of the project, or is not there.
    """
    if not profile.script:
        return None
    path = (project.root / profile.script).resolve()
    if not path.is_relative_to(project.root.resolve()) or not path.is_file():
        message = (
            f"The chat profile `{profile.name}` answers from `{profile.script}`, which is not in the project."
        )
        raise ProfileError(message, hint="Choose another profile, or restore the file.")
    return path
