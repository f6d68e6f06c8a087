"""Who answers, by content: two trials are equal only where the same would be asked in the same way."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

from studio.llm.client import ChatProfile
from studio.llm.profiles import url_of
from studio.workspace.profiles import script_of
from studio.workspace.project import Project

_IRRELEVANT = ("name", "at_once", "requests_per_minute", "tokens_per_minute", "key_env", "key_from", "kind")
"""What of a profile changes no answer: its name, its key, and how much it is asked at a time."""


def identity_of(project: Project, profile: ChatProfile, environ: Mapping[str, str]) -> object:
    """Tell as JSON who answers: endpoint and model, or the text of what a profile answers from in process."""
    told: dict[str, object] = {name: one for name, one in asdict(profile).items() if name not in _IRRELEVANT}
    told["time_limits"] = dict(profile.time_limits)
    told["fallback"] = list(profile.fallback)
    if profile.provider == "openai":
        told["base_url"] = url_of(profile, environ)
        told["llm"] = profile.llm or environ.get("OPENAI_MODEL", "")
    else:
        told["texts"] = [_digest(path) for path in _files(project, profile)]
    return told


def _files(project: Project, profile: ChatProfile) -> list[Path]:
    if profile.provider == "simulated":
        rules = profile.solver.get("rules")
        names = [
            profile.solver.get("problems"),
            *(cast("list[object]", rules) if isinstance(rules, list) else []),
        ]
        return [project.root / str(name) for name in names if name]
    script = script_of(project, profile) if profile.provider == "scripted" else None
    if script is not None:
        return [script]
    return sorted(project.scripts.glob("*.yaml")) if project.scripts is not None else []


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""  # told by whoever opens the profile
