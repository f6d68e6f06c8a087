"""What a script was paid for is printed, wherever it goes to."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.export.scripts import export
from tests.runtime.bench import flow_of

NODES: dict[str, Any] = {"said": ("io.flow_input", {"type": "json"}), "out": "io.flow_output"}


@pytest.mark.parametrize(("encoding", "said"), [("cp1252", "池"), ("ascii", "größer"), ("utf-8", "\ud800")])
def test_letters_that_cannot_be_written_are_escaped(
    encoding: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(flow_of(NODES, ["said.value -> out.value"]), tmp_path / "script.py")
    out = io.TextIOWrapper(io.BytesIO(), encoding, write_through=True)
    scope: dict[str, Any] = {"__name__": "script", "__file__": str(tmp_path / "script.py")}
    exec((tmp_path / "script.py").read_text(), scope)  # noqa: S102  # our own
    monkeypatch.setattr(sys, "argv", ["script.py", f"--said={json.dumps(said)}"])
    monkeypatch.setattr(sys, "stdout", out)
    code = scope["main"]()
    out.seek(0)
    assert (code, json.loads(out.read())) == (0, {"out": said})
