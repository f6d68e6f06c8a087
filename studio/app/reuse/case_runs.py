"""Running cases: each as a run of its step alone, one after the other, behind what somebody waits for."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping

from studio.app.documents.session import Session
from studio.app.listeners import Listeners
from studio.app.reuse.case_checks import Tried, flow_of_case
from studio.app.reuse.cases import Case, Verdict, judge
from studio.app.runs.live_run import LiveRun
from studio.app.runs.live_runs import LiveRuns
from studio.errors import StepwireError
from studio.flow.records import Flow, Json
from studio.ids import RunId


class CaseRuns:
    """Runs the cases of one session's project, and keeps how they went while the window is open."""

    def __init__(self, session: Session, runs: LiveRuns) -> None:
        self._session, self._runs = session, runs
        self._waiting: deque[tuple[Case, str]] = deque()
        self._now: tuple[Case, LiveRun, Tried] | None = None
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self._changed: Listeners[()] = Listeners()
        self._end = runs.on_end(self._ended)

    def close(self) -> None:
        """Begin no more, cancel the one that runs, and stop listening: nobody would read how it went."""
        self._end()
        self._waiting.clear()
        if self._now is not None:
            self._now[1].cancel()

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when a case begins or ends; returns the function that ends it."""
        return self._changed.subscribe(listener)

    @property
    def is_busy(self) -> bool:
        """Whether a case runs or waits to."""
        return self._now is not None or bool(self._waiting)

    def is_running(self, case: Case) -> bool:
        """Whether a case runs just now, or waits to."""
        now = self._now[0] if self._now is not None else None
        return now == case or any(one == case for one, _ in self._waiting)

    def verdict(self, case: Case) -> Verdict | None:
        """How a case went when it ran last."""
        return self._verdicts.get((case.flow, case.name))

    @property
    def verdicts(self) -> Mapping[tuple[str, str], Verdict]:
        """How cases went, by flow and name."""
        return dict(self._verdicts)

    def begin(self, cases: Iterable[Case], profile: str = "") -> None:
        """Run these after those that wait already, with a chat profile."""
        self._waiting.extend((one, profile) for one in cases if not self.is_running(one))
        self._next()

    def stop(self) -> None:
        """Run no more of those that wait, and cancel the one that runs."""
        self._waiting.clear()
        if self._now is not None:
            self._now[1].cancel()
        self._changed.tell()

    def _next(self) -> None:
        while self._now is None and self._waiting:
            case, profile = self._waiting.popleft()
            try:
                self._begin(case, profile)
            except StepwireError as error:
                self._verdicts[case.flow, case.name] = Verdict(RunId(""), (error.message,))
        self._changed.tell()

    def _begin(self, case: Case, profile: str) -> None:
        session = self._session
        flow = self._flow(case)
        tried = flow_of_case(case, flow, session.registry)
        inputs: dict[str, Json] = {str(name): case.inputs[port] for port, name in tried.inputs.items()}
        self._now = case, self._runs.start_beside(session, tried.flow, inputs, profile=profile), tried

    def _flow(self, case: Case) -> Flow:
        """The flow that the case's node stands in, as it is edited just now; raises `UsageError`."""
        session = self._session
        return session.flow if case.flow == session.name else session.registry.flows.flow(case.flow)

    def _ended(self, live: LiveRun) -> None:
        if self._now is None or live is not self._now[1]:
            return
        case, _, tried = self._now
        self._now = None
        verdict = judge(case, live.state, tried.outputs, tried.checks)
        if live.refusal is not None and live.state.started is None:
            verdict = Verdict(RunId(""), (live.refusal.message,))
        self._verdicts[case.flow, case.name] = verdict
        self._next()
