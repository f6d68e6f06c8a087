"""Endpoints that others serve on this machine: looked for only when a person asks for that."""

import http.client
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from studio.llm.presets import ALL, Preset
from studio.llm.profiles import is_loopback

KINDS = ("ollama", "lmstudio", "llamacpp", "vllm")
SECONDS = 2.0
"""How long one may take to answer."""

LARGEST = 1 << 20
"""Bytes of an answer that are read."""

MOST = 40
"""How many language models of one endpoint are listed."""


@dataclass(frozen=True, slots=True)
class LocalEndpoint:
    """One that answers at its usual port, with the names of its language models."""

    preset: Preset
    llms: tuple[str, ...]


def usual_places() -> tuple[Preset, ...]:
    """The endpoints that are looked for, all of them at loopback addresses."""
    return tuple(ALL[kind] for kind in KINDS)


def find_endpoints(presets: Iterable[Preset] | None = None) -> list[LocalEndpoint]:
    """Ask each for its language models, all at once; those that do not answer so are left out."""
    asked = [one for one in (presets or usual_places()) if is_loopback(one.base_url)]
    with ThreadPoolExecutor(max(len(asked), 1)) as pool:
        found = pool.map(_llms_of, asked)
        return [LocalEndpoint(preset, llms) for preset, llms in zip(asked, found, strict=True) if llms]


def _llms_of(preset: Preset) -> tuple[str, ...]:
    """Give the names of its language models; none where nobody answers, or somebody else does."""
    url = urlsplit(preset.base_url)
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=SECONDS)
    try:
        connection.request("GET", f"{url.path}/models", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        plain: object = json.loads(answer.read(LARGEST)) if answer.status == http.client.OK else None
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return ()
    finally:
        connection.close()
    listed = cast("dict[str, object]", plain).get("data") if isinstance(plain, dict) else None
    rows = cast("Sequence[object]", listed) if isinstance(listed, list) else ()
    names = [cast("dict[str, object]", one).get("id") for one in rows if isinstance(one, dict)]
    return tuple(one for one in names if isinstance(one, str) and one and one.isprintable())[:MOST]


class BackgroundSearch:
    """Looks for them in a thread of its own; ask it with `poll`."""

    def __init__(self, find: Callable[[], list[LocalEndpoint]] = find_endpoints) -> None:
        """Start it."""
        self._found: list[LocalEndpoint] = []
        self._find = find
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def poll(self) -> list[LocalEndpoint] | None:
        """Give what was found; None while it is being looked for."""
        return None if self._thread.is_alive() else self._found

    def _work(self) -> None:
        self._found = self._find()
