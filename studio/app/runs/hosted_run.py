"""A run host as the window uses it: what it is asked, what it said, and the one run in it."""

from collections import deque
from dataclasses import dataclass, field

from studio.app.runs.live_run import LiveRun
from studio.errors import HostError
from studio.host.client import HostClient
from studio.host.protocol import Asked, Entries, Said
from studio.supervisor import GRACE

SLICE = 200
"""Entries of one run that are folded between two looks at the clock, and at the other runs."""


@dataclass(slots=True)
class Hosted:
    """A host process, the requests that wait until it has loaded, and its run."""

    client: HostClient
    waiting: list[Asked]
    run: LiveRun | None = None
    heard: deque[Said] = field(default_factory=deque["Said"])
    """What it said, as far as that is still to be taken in."""
    stopped: float | None = None
    """Since when its run has been told to stop."""
    due: float | None = None
    """When its run is to be over, or held at its limit."""
    is_killed: bool = False

    def end_if_deaf(self, now: float) -> None:
        """Kill a host whose run has not stopped in time: a step may let it hear of nothing.

        What it said and nobody took in yet may be that the run is over: a busy window looks at that first.
        """
        if self.run is None or not self.run.is_stopping:
            self.stopped = None
        elif self.stopped is None:
            self.stopped = now
        if self.heard or self.client.has_unread:
            return
        since = [one for one in (self.stopped, self.due) if one is not None]
        if since and now - min(since) > GRACE and not self.is_killed:
            self.is_killed = True
            self.client.kill()

    def ask(self, asked: Asked) -> None:
        """Have it do something, once it has loaded."""
        # A host reads nothing while it loads, and a socket that nobody reads would make the window wait.
        self.waiting.append(asked)
        self.send()

    def send(self) -> None:
        """Send what waits, where it has loaded."""
        if not self.client.is_ready:
            return
        while self.waiting:
            try:
                self.client.ask(self.waiting.pop(0))
            except HostError:
                self.waiting.clear()  # the loss itself is told by `drain`

    def listen(self) -> None:
        """Hear on once all is taken in that was heard, so that a host is read as fast as it is shown."""
        if not self.heard:
            self.heard.extend(self.client.drain())

    def next(self) -> Said:
        """Give what comes next of what was heard; of many entries, some."""
        said = self.heard.popleft()
        if isinstance(said, Entries) and len(said.entries) > SLICE:
            self.heard.appendleft(Entries(said.run, said.entries[SLICE:]))
            return Entries(said.run, said.entries[:SLICE])
        return said
