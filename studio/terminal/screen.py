"""What a run shows at a terminal while it goes on: its steps as they end, its questions, and who holds it."""

import asyncio
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from studio.terminal.output import OutputLostError, for_terminal, say, write_line
from studio.terminal.trace import step_line
from studio.trace.events import Entry, MemoryUnsaved, entry_to_json
from studio.trace.fold.state import RunState

if TYPE_CHECKING:
    from studio.terminal.runs import News


WINDOWS: Mapping[str, str] = {
    "came": "  window   follows the run and can pause it",
    "left": "  window   has left; what it paused continues",
    "answered": "  window   has answered the question",
}
"""What is said of windows, by the news of them."""


class Watcher:
    """Shows entries as they come, on the writer's thread; when nobody reads them any more, ends the run."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        task: "asyncio.Task[RunState] | None",
        screen: "Screen",
        *,
        events: bool,
    ) -> None:
        self._loop = loop
        self._task = task
        self._screen = screen
        self._events = events
        self.lost: BrokenPipeError | OutputLostError | None = None
        """Why nothing can be shown any more."""
        self._told = set[MemoryUnsaved]()
        """What could not be kept, which every write meets anew."""

    def see(self, entries: Sequence[Entry], state: RunState) -> None:
        """Print a batch."""
        if self.lost is not None:
            return
        try:
            for entry in entries:
                if self._events:
                    write_line(entry_to_json(entry).decode(), exact=True)
                elif self._is_new(entry) and (line := step_line(entry, state)) is not None:
                    self._screen.say(line)
        except (BrokenPipeError, OutputLostError) as error:
            self.lost = error
            if self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    def _is_new(self, entry: Entry) -> bool:
        """Whether it is not the trouble of a memory that was told before, as in each round of a loop."""
        if not isinstance(entry.event, MemoryUnsaved):
            return True
        is_new = entry.event not in self._told
        self._told.add(entry.event)
        return is_new


class Screen:
    """The terminal, shared by progress and questions: while somebody types an answer, progress waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[str] | None = None

    def say(self, line: str) -> None:
        """Print a line of progress, now or after the answer."""
        with self._lock:
            if self._waiting is None:
                say(line)
            else:
                self._waiting.append(line)

    def tell(self, news: "News") -> None:
        """Say what windows do with the run."""
        self.say(WINDOWS[news])

    @contextmanager
    def held(self) -> Generator[None, None, None]:
        """Keep progress back; a question that nobody answers ends its line."""
        with self._lock:
            self._waiting = []
        try:
            yield
        except BaseException:
            say("")
            raise
        finally:
            with self._lock:
                waiting, self._waiting = self._waiting, None
            for line in waiting:
                say(line)


def prompt(text: str) -> None:
    """Print a question, with what is typed behind it."""
    sys.stderr.write(for_terminal(text))
    sys.stderr.flush()
