"""Runs as the window sees them: those that happen in run hosts now, and old ones read from the store.

Nothing here waits. The window calls `pump` once a frame; entries that came since are folded in and told.
"""

import os
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Literal

from studio.app.documents.session import Session
from studio.app.listeners import Listeners
from studio.app.runs.followed_runs import RunsElsewhere
from studio.app.runs.hosted_run import Hosted
from studio.app.runs.live_run import LiveRun
from studio.app.runs.old_runs import OldRuns
from studio.errors import HostError, ProfileError, StepwireError, UsageError
from studio.flow.files import codec
from studio.flow.records import Flow, Json
from studio.flow.subflows.calls import reachable
from studio.host.client import HostClient
from studio.host.protocol import (
    Answering,
    Attached,
    BreakpointsHit,
    Entries,
    Fork,
    Holding,
    HostLost,
    HostReady,
    Replay,
    Resume,
    RunDue,
    RunEnded,
    RunRefused,
    Said,
    StartRun,
)
from studio.host.spare import Spare
from studio.ids import RunId, StepId
from studio.past.fork_wishes import Setting
from studio.runtime.gates.faults import Fault, faults_to_json, placed
from studio.store.reader import RunStore
from studio.store.run_ids import new_run_id
from studio.trace.events.run import RunStarted
from studio.workspace.inputs import check_inputs
from studio.workspace.problems import refuse_errors
from studio.workspace.trust import require_trust


class LiveRuns:
    """Starts runs, one to a host at a time, and keeps a warm host for the next."""

    def __init__(
        self,
        spawn: Callable[[], HostClient] = HostClient.spawn,
        clock: Callable[[], float] = time.time,
        environ: Mapping[str, str] = os.environ,
        *,
        is_warmed: bool = True,
    ) -> None:
        """Make them; unless they are `is_warmed`, a host is started only when a run needs it."""
        self._is_warmed = is_warmed
        self._environ = environ
        self._spare = Spare(spawn)
        self._clock = clock
        self._hosts: list[Hosted] = []
        self._closing: list[threading.Thread] = []
        self._notices: Listeners[StepwireError] = Listeners()
        self._ended: Listeners[LiveRun] = Listeners()
        self._old = OldRuns(self._notices.tell)
        self.elsewhere = RunsElsewhere(environ, self._notices.tell, self._ended.tell)
        """Runs of other processes that are followed."""

    @property
    def running(self) -> list[LiveRun]:
        """The runs that happen now."""
        here = [host.run for host in self._hosts if host.run is not None]
        return here + self.elsewhere.running

    @property
    def is_busy(self) -> bool:
        """Whether a run happens, or an old one is being read."""
        return bool(self._old.is_busy or self.running)

    @property
    def is_reading(self) -> bool:
        """Whether an old run is being read."""
        return self._old.is_busy

    def on_notice(self, listener: Callable[[StepwireError], None]) -> Callable[[], None]:
        """Hear what went wrong with hosts and runs; returns the function that ends it."""
        return self._notices.subscribe(listener)

    def on_end(self, listener: Callable[[LiveRun], None]) -> Callable[[], None]:
        """Hear each run that ended, however it did; returns the function that ends it."""
        return self._ended.subscribe(listener)

    def warm(self) -> None:
        """Have a host ready for the next run; call it when the window has nothing better to do."""
        if not self._is_warmed or any(host.run is None for host in self._hosts):
            return
        try:
            self._spare.warm()
        except HostError as error:
            self._notices.tell(error)

    def start(
        self,
        session: Session,
        inputs: Mapping[str, Json],
        *,
        profile: str = "",
        offline: bool = False,
        hold_first: bool = False,
        hold_at: str = "",
        is_batch: bool = False,
        is_kept: bool = True,
        faults: Sequence[Fault] = (),
    ) -> LiveRun:
        """Run the session's flow as it is now, saved or not; a batch lets the calls of other runs go first.

        With `hold_at`, the next step of that node is held once. Inputs are offered the next time if kept.
        `faults` go wrong in it on purpose.

        Raises `FlowProblemsError`, `UnapprovedError` and `UsageError` at once; what only the host can find (a
        missing key) becomes the run's `refusal`. Raises `HostError` when no host can be started.
        """
        flows = self._checked_flows(session, session.flow)
        given = check_inputs(session.flow, session.registry, inputs)
        placed(faults, session.flow, session.registry, reachable(session.flow, session.registry))
        if is_kept:
            session.keep_inputs(given)
        host, live = self._new_run(session.flow)
        host.ask(
            StartRun(
                live.run,
                _place(session),
                codec.dumps(session.flow),
                given,
                flows,
                session.pins.everywhere(flows),
                answering=Answering(profile, offline, "batch" if is_batch else "interactive"),
                holding=Holding(session.breakpoints.everywhere, hold_first, hold_at),
                faults=faults_to_json(faults),
            )
        )
        return live

    def go_back(
        self,
        session: Session,
        origin: RunId,
        how: Literal["replay", "fork"],
        *,
        step: str = "",
        inputs: Mapping[str, Json] | None = None,
        profile: str = "",
        is_live: bool = True,
        hold: bool = False,
        values: Sequence[Setting] = (),
        edited: Flow | None = None,
    ) -> LiveRun:
        """Execute a run of the session's project again: the same, or with the flow as it is now.

        A fork starts at `step`, with `values` at steps and on the flow as it was `edited` for it alone. What
        of the flow was edited since, and inputs that are others, are done again with all that depends on
        them. With `hold`, the step is held first. Raises as `start`.
        """
        holding = Holding(session.breakpoints.everywhere, at=step if hold else "")
        if how == "replay":
            self._require_trust(session, origin)
            host, live = self._new_run(Flow())
            asked = StartRun(live.run, _place(session), past=Replay(origin, is_live))
        else:
            flows = self._checked_flows(session, session.flow)
            flow = edited or session.flow
            refuse_errors(flow, session.registry)
            if edited is not None:
                require_trust(session.project, (flow,), session.registry, self._environ)
            host, live = self._new_run(flow)
            settings = tuple((one.step, one.port, one.value) for one in values)
            asked = StartRun(
                live.run,
                _place(session),
                codec.dumps(flow),
                inputs or {},
                flows,
                session.pins.everywhere(flows),
                past=Fork(origin, step, settings, is_live),
            )
        host.ask(replace(asked, answering=Answering(profile), holding=holding))
        return live

    def resume(
        self,
        session: Session,
        run: RunId,
        *,
        limits: Mapping[str, float] | None = None,
        repeated: Collection[str] = (),
        happened: Collection[str] = (),
        answers: Mapping[StepId, Mapping[str, object]] | None = None,
    ) -> LiveRun:
        """Go on with a run of the session's project that ended too early; what it did is read first.

        What people are asked in the steps of `answers` they have answered.

        Side effects in doubt are done again in the steps `repeated`, and count as done in those that
        `happened`. Raises `UsageError` where it goes on already, `StoreError`, and `HostError` when no host
        can be started.
        """
        if any(live.run == run for live in self.running):
            raise UsageError("The run is already running.", hint="Select it in the list of runs to see it.")
        self._require_trust(session, run)
        live = self.open_old(session.project.private, run)
        host = self._free_host()
        host.run = live
        asked = StartRun(
            run,
            _place(session),
            limits=limits or {},
            holding=Holding(session.breakpoints.everywhere),
            past=Resume(run, tuple(repeated), tuple(happened), answers or {}),
        )

        def go_on() -> None:
            live.attach(host.ask, host.client.kill)
            host.ask(asked)

        self._old.then(live, go_on)
        return live

    def open_old(self, project_private: Path, run: RunId) -> LiveRun:
        """Read an old run from the store of a project; its entries come with the next calls of `pump`.

        Raises `StoreError` when it cannot be read.
        """
        return self._old.open(project_private, run)

    def show(self, session: Session, run: RunId) -> LiveRun:
        """Give a run of the session's project to look at: one that goes on, or what is stored of it.

        One that another process executes is followed from now on, and held at the session's breakpoints.
        Raises `StoreError` when it cannot be read.
        """
        for live in self.running:
            if live.run == run:
                return live
        store = RunStore(session.project.private)
        if store.summary(run).status.is_final:
            return self.open_old(session.project.private, run)
        return self.elsewhere.follow(store, run, session.breakpoints.everywhere)

    def pump(self, seconds: float = inf, reading: float = inf) -> None:
        """Take in what hosts said since the last call. Once a frame; never waits.

        After so many `seconds` of work the rest is left for the next call; old runs are read for `reading`.
        """
        ends = time.thread_time() + seconds  # a busy machine makes a frame longer, and takes no less in
        self.elsewhere.pump()
        busy = self._hosts
        while busy:
            for host in tuple(busy):
                host.send()
                host.listen()
                if host.heard:
                    self._hear(host, host.next())
            if time.thread_time() > ends:
                break
            busy = [host for host in self._hosts if host.heard]
        for host in self._hosts:
            host.end_if_deaf(time.monotonic())
        self._old.pump(reading)

    def close(self) -> None:
        """End every host; runs that still go are cancelled, and recorded as such."""
        self.elsewhere.close()
        for host in self._hosts:
            self._close_host(host)
        self._hosts.clear()
        self._spare.close()
        for thread in self._closing:
            thread.join()

    def _checked_flows(self, session: Session, flow: Flow) -> dict[str, str]:
        """The texts of the flows that `flow` may call.

        Raises `FlowProblemsError` where one cannot run, and `UnapprovedError` where nobody has approved it.
        """
        flows = reachable(flow, session.registry)
        for one in (flow, *flows.values()):
            refuse_errors(one, session.registry)
        require_trust(session.project, (flow, *flows.values()), session.registry, self._environ)
        return {name: codec.dumps(one) for name, one in flows.items()}

    def _require_trust(self, session: Session, run: RunId) -> None:
        """Raise `UnapprovedError` where nobody has approved what a stored run executes, once it goes on."""
        first = next(iter(RunStore(session.project.private).entries(run))).event
        if isinstance(first, RunStarted) and first.source is None:  # whose script is asked about elsewhere
            flows = [codec.loads(text).flow for text in (first.flow, *first.flows.values())]
            require_trust(session.project, flows, session.registry, self._environ)

    def _new_run(self, flow: Flow) -> tuple[Hosted, LiveRun]:
        """Give a host, and the run of `flow` that it is to be asked for."""
        host = self._free_host()
        host.run = LiveRun(new_run_id(self._clock), flow, ask=host.ask, kill=host.client.kill)
        return host, host.run

    def _free_host(self) -> Hosted:
        for host in self._hosts:
            if host.run is None and not host.client.is_lost:
                return host
        host = Hosted(self._spare.take(), [])
        self._hosts.append(host)
        return host

    def _hear(  # noqa: C901  # one arm for each message
        self, host: Hosted, said: Said
    ) -> None:
        live = host.run
        match said:
            case Entries():
                if live is not None and live.run == said.run:
                    live.take(said.entries)
            case BreakpointsHit():
                if live is not None and live.run == said.run:
                    live.count(said.hits)
            case RunDue():
                if live is not None and live.run == said.run:
                    host.due = None if said.left is None else time.monotonic() + said.left
            case RunRefused():
                self._refuse(live, said)
            case RunEnded():
                if live is not None and live.run == said.run:
                    self._end(host, live)
            case HostLost():
                self._lose(host, said)
            case HostReady() | Attached():
                pass

    def _refuse(self, live: LiveRun | None, said: RunRefused) -> None:
        if live is not None and live.run == said.run:
            live.refuse(said)
        if said.error != ProfileError.__name__:  # which is asked about where the run was begun
            self._notices.tell(StepwireError(said.message, hint=said.hint))

    def _end(self, host: Hosted, live: LiveRun) -> None:
        host.run, host.due = None, None
        live.end()
        self._ended.tell(live)

    def _lose(self, host: Hosted, lost: HostLost) -> None:
        self._hosts.remove(host)
        self._close_host(host)
        if host.run is not None:
            live = host.run
            self._end(host, live)
            reason = (
                "It did not stop by itself, so its run host was ended." if host.is_killed else lost.reason
            )
            self._notices.tell(
                HostError(
                    f"{reason} The run `{live.flow.name}` is interrupted.",
                    hint="Finished steps are kept; resume it or run it again: a new host is ready.",
                )
            )
        self.warm()

    def _close_host(self, host: Hosted) -> None:
        # To close a host is to wait until its process is gone, which may take a moment.
        thread = threading.Thread(target=host.client.close, name="stepwire-host-closing")
        thread.start()
        self._closing = [one for one in self._closing if one.is_alive()] + [thread]


def _place(session: Session) -> str:
    """The project of a session as hosts open it."""
    return str(session.project.root if session.project.is_folder else session.path)
