"""An attendant in this process, in the place of the one that a window begins."""

import queue
from collections.abc import Mapping
from typing import Any

from studio.app.documents.session import Session
from studio.app.experiments.attendance import Say
from studio.app.experiments.case_runs import CaseRuns
from studio.experiments.attendant import Attendant
from studio.experiments.executors import InProcess
from tests.patience import patience
from tests.trusted import HERE


class HereLink:
    """Implements `Link` with the attendant itself, on a thread of this process."""

    def __init__(self, say: Say, environ: Mapping[str, str] | None = None) -> None:
        self._attendant = Attendant(say, environ or HERE, lambda: InProcess({}))

    def tell(self, kind: str, **message: Any) -> None:
        self._attendant.hear({"kind": kind, **message})

    def close(self) -> None:
        self._attendant.close()


class CasesHere(CaseRuns):
    """Cases of a session whose messages are taken here, as the window's thread takes them."""

    def __init__(self, session: Session) -> None:
        self.said: queue.Queue[tuple[str, Mapping[str, Any]]] = queue.Queue()
        super().__init__(session, HereLink, lambda kind, message: self.said.put((kind, message)))

    def wait(self) -> None:
        while self.is_busy:
            self.take(*self.said.get(timeout=patience()))

    @property
    def reasons(self) -> Mapping[str, tuple[str, ...]]:
        return {name: verdict.reasons for (_, name), verdict in self.verdicts.items()}
