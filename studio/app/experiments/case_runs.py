"""Cases of a project as a window has them: tried by the process that runs experiments, and how they went."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from studio.app.documents.session import Session
from studio.app.experiments.attendance import Link, Say
from studio.app.listeners import Listeners
from studio.errors import StepwireError, UsageError
from studio.experiments.cases.case_files import Case, Verdict, line_of_case
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.flow.subflows.calls import reachable
from studio.ids import RunId
from studio.workspace.trust import require_trust

Key = tuple[str, str]
"""The flow and the name of a case."""


class CaseRuns:
    """Has the cases of one session's project tried, and keeps how they went while the window is open.

    `attend` begins the process, with the first case; `post` hands a message over to the thread of whoever
    made this, which calls `take` with it.
    """

    def __init__(self, session: Session, attend: Callable[[Say], Link], post: Say) -> None:
        self._session, self._attend, self._post = session, attend, post
        self._link: Link | None = None
        self._waiting: dict[Key, tuple[Case, str]] = {}
        self._under_way: dict[Key, Case] = {}
        self._verdicts: dict[Key, Verdict] = {}
        self._changed: Listeners[()] = Listeners()

    def close(self) -> None:
        """Cancel what runs, and let the process go: nobody would read how it went."""
        self._waiting.clear()
        if self._link is not None:
            self._link.close()
            self._link = None

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when cases begin or end; returns the function that ends it."""
        return self._changed.subscribe(listener)

    @property
    def is_busy(self) -> bool:
        """Whether a case runs or waits to."""
        return bool(self._under_way or self._waiting)

    def is_running(self, case: Case) -> bool:
        """Whether a case runs just now, or waits to."""
        return _key(case) in self._under_way or _key(case) in self._waiting

    def verdict(self, case: Case) -> Verdict | None:
        """How a case went when it ran last."""
        return self._verdicts.get(_key(case))

    @property
    def verdicts(self) -> Mapping[Key, Verdict]:
        """How cases went, by flow and name."""
        return dict(self._verdicts)

    def require_trust(self, cases: Iterable[Case], environ: Mapping[str, str]) -> None:
        """Raise `UnapprovedError` where the flows of cases would execute what nobody has approved."""
        session = self._session
        flows: dict[str, Flow] = {}
        for case in cases:
            with suppress(UsageError):  # that there is no such flow is how the case goes
                flows |= self._flows(case)
        require_trust(session.project, flows.values(), session.registry, environ)

    def begin(self, cases: Iterable[Case], profile: str = "") -> None:
        """Run these, with a chat profile; after those that are under way already."""
        self._waiting |= {_key(one): (one, profile) for one in cases if not self.is_running(one)}
        self._next()

    def stop(self) -> None:
        """Run no more of those that wait, and cancel those that run."""
        self._waiting.clear()
        if self._under_way and self._link is not None:
            self._link.tell("cancel")
        self._changed.tell()

    def take(self, kind: str, message: Mapping[str, Any]) -> None:
        """Take a message of the process."""
        match kind:
            case "tried":
                key = str(message["flow"]), str(message["name"])
                self._under_way.pop(key, None)
                reasons, remarks = tuple(message["reasons"]), tuple(message["remarks"])
                self._verdicts[key] = Verdict(RunId(message["run"]), reasons, remarks)
                self._changed.tell()
            case "refused":
                self._end(str(message["message"]))
            case "gone":
                self._link = None
                self._end("The process that ran it has ended.")
            case "ended":
                self._end()
            case _:
                pass

    def _end(self, why: str = "") -> None:
        """Go on with what waits; what has no verdict was cancelled, or kept from running for a reason."""
        if why:
            self._verdicts |= dict.fromkeys(self._under_way, Verdict(RunId(""), (why,)))
        self._under_way.clear()
        self._next()

    def _next(self) -> None:
        """Have those run that wait and have one chat profile, unless others are under way."""
        while self._waiting and not self._under_way:
            profile = next(iter(self._waiting.values()))[1]
            cases = [case for case, chosen in self._waiting.values() if chosen == profile]
            flows: dict[str, Flow] = {}
            for case in cases:
                del self._waiting[_key(case)]
                try:
                    flows |= self._flows(case)
                except StepwireError as error:
                    self._verdicts[_key(case)] = Verdict(RunId(""), (error.message,))
                else:
                    self._under_way[_key(case)] = case
            if self._under_way:
                self._tell(flows, profile)
        self._changed.tell()

    def _tell(self, flows: Mapping[str, Flow], profile: str) -> None:
        session = self._session
        if self._link is None:
            self._link = self._attend(self._post)
        self._link.tell(
            "cases",
            project=str(session.project.root if session.project.is_folder else session.path),
            cases=[line_of_case(one) for one in self._under_way.values()],
            flows={name: codec.dumps(one) for name, one in flows.items()},
            chat=profile,
        )

    def _flows(self, case: Case) -> dict[str, Flow]:
        """The flow that a case's node stands in, as it is edited just now, and those that it may call.

        Raises `UsageError`.
        """
        session = self._session
        flow = session.flow if case.flow == session.name else session.registry.flows.flow(case.flow)
        return {case.flow: flow, **reachable(flow, session.registry)}


def _key(case: Case) -> Key:
    return case.flow, case.name
