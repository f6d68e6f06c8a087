"""Long flows have scripts too."""

from itertools import pairwise
from pathlib import Path

from tests.export.scripts import call, export
from tests.runtime.bench import flow_of

LENGTH = 300


def test_a_chain_of_hundreds_of_steps_is_exported(tmp_path: Path) -> None:
    names = [f"step_{number:03}" for number in range(LENGTH)]
    nodes = {name: ("text.template", {"template": "{{x}}."}) for name in names}
    wires = [f"{one}.text -> {other}.x" for one, other in pairwise(names)]
    flow = flow_of(
        {"word": "io.flow_input", **nodes, "out": "io.flow_output"},
        [f"word.value -> {names[0]}.x", *wires, f"{names[-1]}.text -> out.value"],
    )
    path = tmp_path / "long.py"
    export(flow, path)
    assert call(path, ["--word", "a"]).outputs == {"out": "a" + "." * LENGTH}
