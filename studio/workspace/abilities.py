"""What endpoints were found able to do, kept for this user from one *Test connection* to the next.

Kept by what was asked: base URL, language model and interface. A project can't say it, and sees none of it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from studio.llm.client import ChatProfile
from studio.llm.endpoints.probes import Capability, Finding, Verdict
from studio.llm.profiles import url_of
from studio.workspace.stored_documents import Kept
from studio.workspace.user_folder import config_folder

FILE = "abilities.json"


@dataclass(frozen=True, slots=True)
class Tested:
    """What was found of an endpoint, and when (seconds since 1970)."""

    at: float
    findings: tuple[Finding, ...]

    @property
    def date(self) -> str:
        """The day of the test, as ISO 8601 writes it."""
        return datetime.fromtimestamp(self.at, UTC).date().isoformat()

    def can(self, capability: Capability) -> bool | None:
        """Whether it can do something; None where the test could not tell."""
        verdicts = {finding.capability: finding.verdict for finding in self.findings}
        return {Verdict.YES: True, Verdict.NO: False}.get(verdicts.get(capability, Verdict.UNTRIED))


class Abilities:
    """The tests of one user; `folder` is that of the user's settings."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._kept = Kept(folder / FILE)
        self._clock = clock

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> "Abilities":
        """Those of the user whose environment it is."""
        return cls(config_folder(environ))

    def of(self, profile: ChatProfile, environ: Mapping[str, str]) -> Tested | None:
        """Give what was found when this profile was tested last; None where it never was."""
        if profile.is_in_process:
            return None
        return _read(self._kept.read().get(_key(profile, environ)))

    def keep(self, profile: ChatProfile, environ: Mapping[str, str], findings: Sequence[Finding]) -> bool:
        """Keep what a whole test found; nothing is learnt from an endpoint that could not be asked."""
        first = next(iter(findings), None)
        if first is None or first.verdict is not Verdict.YES or len(findings) < len(Capability):
            return False
        if profile.is_in_process:
            return False  # the project's scripted answers may say something else tomorrow
        plain = [[one.capability.value, one.verdict.value, one.words, one.hint] for one in findings]
        entry = {"at": self._clock(), "findings": plain}
        return self._kept.write({**self._kept.read(), _key(profile, environ): entry})


def _key(profile: ChatProfile, environ: Mapping[str, str]) -> str:
    llm = profile.llm or environ.get("OPENAI_MODEL", "")
    return " ".join((url_of(profile, environ).rstrip("/"), llm, profile.api))


def _read(entry: object) -> Tested | None:
    """Read what `keep` wrote; anything else counts as nothing."""
    fields = cast("Mapping[str, object]", entry if isinstance(entry, Mapping) else {})
    at, rows = fields.get("at"), fields.get("findings")
    if not isinstance(at, int | float) or not isinstance(rows, list):
        return None
    try:
        found = [_finding(cast("Sequence[object]", row)) for row in cast("list[object]", rows)]
    except (TypeError, ValueError):
        return None
    return Tested(at, tuple(found))


def _finding(row: Sequence[object]) -> Finding:
    capability, verdict, words, hint = row
    return Finding(Capability(str(capability)), Verdict(str(verdict)), str(words), str(hint))
