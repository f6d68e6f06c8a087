"""What a fork would do, worked out on a thread of its own while a person edits it."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from PySide6.QtCore import QObject, QTimer, Signal

from studio.app.documents.session import Session
from studio.app.reuse.fork_plan import ForkPlan, plan_fork
from studio.errors import StepwireError
from studio.flow.records import Flow
from studio.ids import RunId
from studio.past.fork_wishes import Fork, Setting
from studio.past.replays import OldRun
from studio.runtime.plans.pinned_plan import Pins
from studio.store.reader import RunStore

PAUSE = 250
"""Milliseconds without an edit after which a plan is made."""


class ForkPlanning(QObject):
    """Plans forks of one run; `told` gives each `ForkPlan`, or the sentence that says why there is none."""

    told = Signal(object)
    _found = Signal(int, object)

    def __init__(self, session: Session, run: RunId, profile: str, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._run, self._profile = session, run, profile
        self._old: OldRun | None = None
        self._asked: Fork | None = None
        self._number = 0
        self._is_busy = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self._begin)
        self._found.connect(self._take)

    def plan(self, step: str, values: Sequence[Setting], flow: Flow, *, at_once: bool = False) -> None:
        """Plan a fork, as soon as nothing is edited any more; the last one that was asked for counts."""
        flows: Mapping[str, Flow] = self._session.called_flows()
        pins: Pins = self._session.pins.everywhere(flows)
        self._asked = Fork(step, values, flow, {}, flows, pins)
        self._number += 1
        if at_once:
            self._begin()
        else:
            self._pause.start()

    def _begin(self) -> None:
        if self._asked is None or self._is_busy:
            return  # whoever is busy begins again when he is done
        fork, self._asked = self._asked, None
        self._is_busy = True
        work = threading.Thread(target=self._work, args=(self._number, fork), name="plan", daemon=True)
        work.start()

    def _work(self, number: int, fork: Fork) -> None:
        found: ForkPlan | str
        try:
            if self._old is None:
                old = OldRun.read_whole(RunStore(self._session.project.private), self._run)
                is_script = old.started.source is not None
                self._old = old.on(self._session.flow, self._session.called_flows()) if is_script else old
            found = plan_fork(self._old, self._session.registry, fork, self._profile)
        except StepwireError as error:
            found = error.message
        except Exception as error:  # noqa: BLE001  # whatever it is, a person waits for an answer
            found = str(error)
        with suppress(RuntimeError):  # the window is gone
            self._found.emit(number, found)

    def _take(self, number: int, found: object) -> None:
        self._is_busy = False
        if number == self._number:
            self.told.emit(found)
        self._begin()
