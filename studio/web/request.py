"""What is asked of the network, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reach:
    """How far requests may go.

    `hosts` are the names that are allowed: `api.example.org`, `*.example.org` for all below it, with `:port`
    where that is not the usual one. `is_private` allows addresses of this machine and of private networks.
    """

    hosts: tuple[str, ...] = ()
    is_private: bool = False


@dataclass(frozen=True, slots=True)
class WebRequest:
    """One request. In `keys`, headers by name, `{NAME}` stands for the environment variable of that name."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    reach: Reach = field(default_factory=Reach)
    seconds: float = 30.0
    most: int = 1_000_000
    """Bytes of the answer that are read."""


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """What came back, from `url` after redirects; `is_cut` where there was more."""

    status: int
    url: str
    headers: Mapping[str, str]
    text: str
    is_cut: bool = False


class Web(Protocol):
    """Sends requests."""

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Send it, and wait for the answer, whatever its status; raises `ToolError` where there is none."""
        ...
