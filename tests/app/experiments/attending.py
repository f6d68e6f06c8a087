"""An attendant in this process, in the place of the one that a window begins."""

from collections.abc import Mapping
from typing import Any

from studio.app.experiments.attendance import Say
from studio.experiments.attendant import Attendant
from studio.experiments.executors import InProcess


class HereLink:
    """Implements `Link` with the attendant itself, on a thread of this process."""

    def __init__(self, say: Say, environ: Mapping[str, str] | None = None) -> None:
        self._attendant = Attendant(say, environ or {}, lambda: InProcess({}))

    def tell(self, kind: str, **message: Any) -> None:
        self._attendant.hear({"kind": kind, **message})

    def close(self) -> None:
        self._attendant.close()
