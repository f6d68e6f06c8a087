"""Keeps one warm host ready, so that a run starts at once."""

from collections.abc import Callable

from studio.host.client import HostClient


class Spare:
    """A host that waits for its first run; `take` hands it out and starts the next one."""

    def __init__(self, spawn: Callable[[], HostClient] = HostClient.spawn) -> None:
        self._spawn = spawn
        self._waiting: HostClient | None = None

    def warm(self) -> None:
        """Start a host if none waits."""
        if self._waiting is not None and self._waiting.is_lost:
            self.close()  # its process is over, and wants to be buried
        if self._waiting is None:
            self._waiting = self._spawn()

    def take(self) -> HostClient:
        """Give the waiting host, or a new one; raises `HostError` when none can be started."""
        self.warm()
        taken, self._waiting = self._waiting, None
        if taken is None:
            message = "a spare that was just warmed is gone"
            raise AssertionError(message)
        return taken

    def close(self) -> None:
        """End the waiting host at once, even while it still loads: no run is in it."""
        if self._waiting is not None:
            self._waiting.kill()
            self._waiting.close()
            self._waiting = None
