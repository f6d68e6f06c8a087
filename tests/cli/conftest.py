"""The command line called in this process, and small projects to call it with."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studio.__main__ import main
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project


@dataclass(frozen=True)
class Called:
    """What a call of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


Call = Callable[..., Called]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call `stepwire` with arguments, with no key and no setting of the environment."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "STEPWIRE_CHAT"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object) -> Called:
        code = main([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return Called(code, out, err)

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that asks once and answers from a script."""
    return write_project(tmp_path / "trial", flow=chain(), script=SCRIPT)
