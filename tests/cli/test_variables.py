"""Run variables and races as the command line runs, stores, shows and replays them."""

import json
from pathlib import Path

from studio.flow.files import codec
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.trace.differences.compare import first_difference
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.runtime.bench import flow_of

NODES = {
    "list": ("value.json", {"value": [3, 1, 2]}),
    "each": ("control.for_each", {"at_once": 3}),
    "slow": ("control.delay", {"seconds": 9}),
    "quick": ("control.delay", {"seconds": 0.01}),
    "first": "control.race",
    "note": ("value.state_set", {"name": "seen", "how": "append"}),
    "all": "control.collect",
    "get": ("value.state_get", {"name": "seen"}),
    "out": "io.flow_output",
}
WIRES = [
    "list.value -> each.items",
    "each.item -> slow.value",
    "each.item -> quick.value",
    "slow.value -> first.values[0]",
    "quick.value -> first.values[1]",
    "first.value -> note.value",
    "note.value -> all.value",
    "all.then -> get.after",
    "get.value -> out.value",
]


def test_variables_are_stored_shown_and_the_same_in_a_replay(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=json.loads(codec.dumps(flow_of(NODES, WIRES))))
    assert call("run", project).code == 0
    assert "  variable seen: [3, 1, 2]\n" in call("runs", "show", "latest", "--project", project).out
    (first,) = [one["run"] for one in call("runs", "list", "--project", project, "--json").json]
    assert call("replay", first, "--project", project).code == 0
    again = call("runs", "show", "latest", "--project", project, "--json").json
    assert again["run"] != first
    assert again["variables"]["seen"]["data"] == [3, 1, 2]
    store = RunStore(project / ".stepwire")
    entries = [list(store.entries(RunId(run))) for run in (first, again["run"])]
    assert first_difference(*entries) is None
