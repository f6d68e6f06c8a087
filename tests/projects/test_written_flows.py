"""The flows that ship are written as the window would write them, so that an edit changes what it edits."""

import json

from studio.flow.files.file_text import json_text
from studio.places import projects, resources
from studio.workspace.files import flow_text, load_flow
from studio.workspace.project import FLOW_MARK


def test_every_flow_is_written_as_the_window_writes_it() -> None:
    paths = [*projects().glob("*/*.json"), *(resources() / "parts").glob("*.json")]
    flows = [one for one in paths if FLOW_MARK in one.read_bytes()[:100]]
    assert len(flows) > 50
    others = [one for one in flows if flow_text(one, load_flow(one).flow) != one.read_text("utf-8")]
    assert not others, "Open and save these, or write them with `save_flow`."


def test_every_projects_own_file_is_written_as_the_window_writes_it() -> None:
    texts = [one.read_text("utf-8") for one in projects().glob("*/project.json")]
    assert texts
    assert [one for one in texts if json_text(json.loads(one)) != one] == []
