"""What the user has allowed flows to start and to reach; it lies where no project reaches."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from studio.servers.grants import Grant
from studio.workspace.stored_documents import Kept
from studio.workspace.user_folder import config_folder

FILE = "grants.json"
ALLOWED = "allowed"

MOST = 50
"""How many states of one subject stay allowed; two flows may want the same with other variables."""


class KeptGrants:
    """Implements `Grants`."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    @cached_property
    def _kept(self) -> Kept:
        return Kept(config_folder(self._environ) / FILE)

    def has(self, grant: Grant) -> bool:
        """Tell whether just this was allowed, as it is."""
        return grant.fingerprint in self._states(grant)

    def before(self, grant: Grant) -> Mapping[str, str] | None:
        """Give what was seen when the same subject was last allowed."""
        found = self._allowed().get(grant.key)
        seen = found.get("seen") if found is not None else None
        return cast("Mapping[str, str]", seen) if isinstance(seen, dict) else None

    def add(self, grant: Grant) -> None:
        """Keep that it is allowed."""
        states = [one for one in self._states(grant) if one != grant.fingerprint]
        plain = {
            "kind": grant.kind,
            "subject": grant.subject,
            "states": [*states, grant.fingerprint][-MOST:],
            "seen": dict(grant.seen),
        }
        self._kept.write({ALLOWED: {**self._allowed(), grant.key: plain}})

    def remove(self, grant: Grant) -> None:
        """Have all of the subject asked about again, in whatever state it is."""
        left = {key: one for key, one in self._allowed().items() if key != grant.key}
        self._kept.write({ALLOWED: left})

    def _states(self, grant: Grant) -> list[str]:
        found = self._allowed().get(grant.key, {}).get("states")
        return [str(one) for one in cast("list[object]", found)] if isinstance(found, list) else []

    def _allowed(self) -> dict[str, dict[str, Any]]:
        found = self._kept.read().get(ALLOWED)
        if not isinstance(found, dict):
            return {}
        pairs = cast("dict[str, object]", found).items()
        return {key: cast("dict[str, Any]", one) for key, one in pairs if isinstance(one, dict)}
