"""One run as the window sees it: while it happens in a run host, or read from the store afterwards."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from studio.app.listeners import Listeners
from studio.errors import FlowFileError
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.host.protocol import Asked, CancelRun, PutAside, RunAsked, RunRefused
from studio.ids import RunId
from studio.past.open_runs import Waiting
from studio.trace.events import Entry
from studio.trace.fold.state import RunState, RunStatus

Ask = Callable[[Asked], None]
"""Asks the host of a run to do something."""


class LiveRun:
    """One run, while it happens or afterwards; `state` is the fold over what is known of it."""

    def __init__(
        self, run: RunId, flow: Flow, *, ask: Ask | None = None, kill: Callable[[], None] | None = None
    ) -> None:
        self.run = run
        self.flow = flow
        self.state = RunState(run)
        self.refusal: RunRefused | None = None
        """Why the run could not start, or what the host last refused to do to it."""
        self._ask = ask
        self._kill = kill
        self._flows: tuple[Mapping[str, str], Mapping[str, Flow]] = ({}, {})
        self._is_stopping = False
        self._early: list[RunAsked] = []
        self.is_read = False
        """Whether it is being read from the store: there is more of it. `LiveRuns` sets it."""
        self.hits: Mapping[str, int] = {}
        """How often each breakpoint and catch would have held so far, by key; not kept with the run."""
        self._hit: Listeners[()] = Listeners()
        self._entries_came: Listeners[Sequence[Entry]] = Listeners()
        self._changed: Listeners[()] = Listeners()

    @property
    def flows(self) -> Mapping[str, Flow]:
        """The flows that it may call, by name, as they were when it began."""
        texts = self.state.flows
        if self._flows[0] is not texts:
            self._flows = texts, {name: _flow_of(text, name) for name, text in texts.items()}
        return self._flows[1]

    @property
    def status(self) -> RunStatus:
        """Where the run stands."""
        return self.state.status

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen in it."""
        return self._ask is None

    def on_entries(self, listener: Callable[[Sequence[Entry]], None]) -> Callable[[], None]:
        """Hear each batch, already folded into `state`; returns the function that ends it."""
        return self._entries_came.subscribe(listener)

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when the run ended or something was refused; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def on_hits(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when `hits` change; returns the function that ends it."""
        return self._hit.subscribe(listener)

    def ask(self, asked: RunAsked) -> None:
        """Have something done to it, once it has begun; nothing where it is over."""
        if self._ask is None:
            return
        if self.state.entries_count or isinstance(asked, CancelRun):
            self._ask(asked)
        else:
            self._early.append(asked)  # the run must have begun before anything can be done to it

    def cancel(self) -> None:
        """Stop the run; asked a second time, end its host, which a run that hangs does not survive."""
        if self._is_stopping and self._kill is not None and not self.is_over:
            self._kill()
            return
        self._is_stopping = True
        self.ask(CancelRun(self.run))

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to stop, and goes on."""
        return self._is_stopping and not self.is_over

    def put_aside(self) -> None:
        """End the run, for nobody is there any more; what it asks stays open, and all else is stopped."""
        if self.state.waiting:
            self.ask(PutAside(self.run))
        else:
            self.cancel()

    def take(self, entries: Sequence[Entry]) -> None:
        """Fold entries in and tell listeners; `LiveRuns` calls it."""
        for entry in entries:
            self.state.apply(entry)
        self.tell(entries)

    def tell(self, entries: Sequence[Entry]) -> None:
        """Tell listeners of entries that are folded in already; `LiveRuns` calls it."""
        if self.state.flow and not self.flow.nodes:
            self.flow = _flow_of(self.state.flow, self.state.flow_name)
        early, self._early = self._early, []
        for asked in early:
            self.ask(asked)
        self._entries_came.tell(entries)

    def count(self, hits: Mapping[str, int]) -> None:
        """Note how often breakpoints were hit; `LiveRuns` calls it."""
        self.hits = hits
        self._hit.tell()

    def refuse(self, refusal: RunRefused) -> None:
        """Note what the host would not do; `LiveRuns` calls it."""
        self.refusal = refusal
        self._changed.tell()

    def attach(self, ask: Ask, kill: Callable[[], None]) -> None:
        """Note that a host goes on with the run. `LiveRuns` calls it."""
        self._ask, self._kill, self._is_stopping = ask, kill, False
        self._changed.tell()

    def end(self) -> None:
        """Note that nothing more comes; a run without an end was interrupted. `LiveRuns` calls it."""
        self._ask = None
        self._kill = None
        if not self.state.status.is_final:
            self.state.interrupt()
        self._changed.tell()

    def leave(self) -> None:
        """Note that a run which goes on elsewhere is followed no longer. `LiveRuns` calls it."""
        self._ask = None
        self._kill = None
        self._changed.tell()


def _flow_of(text: str, name: str) -> Flow:
    """The flow of a text; empty where a newer studio wrote one that this one cannot read."""
    try:
        return codec.loads(text).flow
    except FlowFileError:
        return Flow(name=name)


def waiting_now(runs: Iterable[LiveRun]) -> list[Waiting]:
    """Name what runs ask that go on, in their order."""
    return [
        Waiting(run.run, run.flow.name, step, asked, 0.0, is_over=False, begun=run.state.started)
        for run in runs
        if not run.is_over
        for step, asked in run.state.waiting.items()
    ]
