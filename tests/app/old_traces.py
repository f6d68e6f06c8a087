"""A trace of a script that was exported before scripts ran on the engine, as it was written; its flow."""

from pathlib import Path

from studio.flow.files import codec
from studio.flow.records import Flow
from studio.workspace.project import Project

TRACE = Path(__file__).with_name("traces") / "old_script.jsonl"
FLOW = codec.loads(TRACE.with_name("old_script_flow.json").read_text("utf-8")).flow
RUN = "20261126-114916-500f750"


def project_of(flow: Flow, folder: Path) -> Project:
    """A project with one flow."""
    (folder / "project.json").write_text('{"format": "stepwire.project", "version": 1, "name": "bench"}\n')
    (folder / "flow.json").write_text(codec.dumps(flow))
    return Project.open(folder)
