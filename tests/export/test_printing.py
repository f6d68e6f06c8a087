"""A script takes each of its inputs, and prints what it was paid for, wherever it goes to."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.export.scripts import call, export
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


def test_inputs_that_are_called_as_an_option_and_as_what_keeps_it_apart_stay_two(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "model": "io.flow_input",
        "input_model": "io.flow_input",
        "both": ("text.template", {"template": "{{a}} {{b}}"}),
        "out": "io.flow_output",
    }
    wires = ["model.value -> both.a", "input_model.value -> both.b", "both.text -> out.value"]
    export(flow_of(nodes, wires), tmp_path / "script.py")
    ended = call(tmp_path / "script.py", ["--input.model=one", "--input-model=two"])
    assert ended.outputs == {"out": "one two"}
