"""Files that have only what differs from another flow: saved as such, and renamed with it."""

import json
from pathlib import Path

import pytest

from studio.app.documents.journal_writer import JournalWriter
from studio.app.documents.session import Session
from studio.app.projects.file_changes import FileChanges
from studio.app.projects.flow_files import create_variant, duplicate_flow, rename_flow, variants_of
from studio.errors import FlowFileError, UsageError
from studio.flow.edits import set_title
from studio.flow.files.codec import dumps
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import SaveError, load_flow, save_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import ProjectFlows
from tests.app.flows import chain
from tests.app.written_projects import write_project

REGISTRY = builtin_registry()
WRITER = NodeId("writer")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.open(write_project(tmp_path / "trial", flow=chain()))


@pytest.fixture
def variant(project: Project) -> Path:
    path = project.root / "brief.json"
    told = {"set": {"writer": {"settings": {"instructions": "One word."}}}}
    path.write_text(json.dumps({"format": "stepwire.flow", "version": 1, "of": "flow.json", **told}))
    return path


def told_by(path: Path) -> dict[str, object]:
    return json.loads(path.read_text("utf-8"))


@pytest.mark.usefixtures("variant")
def test_a_variant_follows_what_is_saved_in_its_base(project: Project) -> None:
    base = load_flow(project.main_flow).flow
    flows = ProjectFlows(project)
    assert flows.flow("brief.json").nodes[WRITER].settings["instructions"] == "One word."
    save_flow(project.main_flow, set_title(base, WRITER, "Author").applied_to(base))
    assert flows.refresh() == {"brief.json"}
    assert flows.flow("brief.json").nodes[WRITER].title == "Author"


def test_an_edited_variant_is_saved_as_what_differs(variant: Path) -> None:
    session = Session.open(variant, REGISTRY)
    assert session.variant_of == "flow.json"
    session.history.do(set_title(session.flow, WRITER, "Brief"))
    session.save()
    assert told_by(variant)["set"] == {
        "writer": {"title": "Brief", "settings": {"instructions": "One word."}}
    }
    assert not session.has_changed_on_disk()
    assert load_flow(variant).flow == session.flow
    session.history.do(set_title(session.flow, WRITER, "Briefer"))
    session.save()


def test_a_variant_under_another_name_is_a_flow_of_its_own(project: Project, variant: Path) -> None:
    session = Session.open(variant, REGISTRY)
    session.save_as(project.root / "alone.json")
    assert (project.root / "alone.json").read_text("utf-8") == dumps(session.flow)
    assert session.variant_of == ""


def test_edits_of_a_variant_come_back_after_a_kill(variant: Path) -> None:
    writer = JournalWriter()
    session = Session.open(variant, REGISTRY)
    session.keep_journal(writer)
    session.history.do(set_title(session.flow, WRITER, "Brief"))
    edited = session.flow
    session.close()
    again = Session.open(variant, REGISTRY)
    again.keep_journal(writer)
    assert again.recovered.edits
    assert not again.recovered.changed_on_disk
    assert again.flow == edited
    writer.close()


def test_a_base_that_cannot_be_read_is_named_and_nothing_is_written(project: Project, variant: Path) -> None:
    flow = load_flow(variant).flow
    before = variant.read_bytes()
    project.main_flow.write_text("{")
    with pytest.raises(FlowFileError, match=r"flow\.json`: The file is not JSON"):
        load_flow(variant)
    with pytest.raises(SaveError, match=r"brief\.json` could not be saved: .*flow\.json"):
        save_flow(variant, flow)
    assert variant.read_bytes() == before


def test_variants_that_lead_in_a_circle_are_refused(project: Project, variant: Path) -> None:
    project.main_flow.write_text(variant.read_text().replace("flow.json", "brief.json"))
    with pytest.raises(FlowFileError, match="is a variant of itself"):
        load_flow(variant)
    flows = ProjectFlows(project)
    for name in flows.names():
        with pytest.raises(UsageError, match="is a variant of itself"):
            flows.flow(name)
    assert not flows.refresh()
    variant.write_text(json.dumps(chain()))
    assert flows.refresh() == {"brief.json", "flow.json"}
    assert flows.flow("flow.json").nodes[WRITER].settings["instructions"] == "One word."


def test_a_long_row_of_variants_is_refused(project: Project, variant: Path) -> None:
    for number in range(20):
        following = project.root / f"v{number + 1}.json" if number < 19 else variant
        (project.root / f"v{number}.json").write_text(
            variant.read_text().replace("flow.json", following.name)
        )
    with pytest.raises(FlowFileError, match="the most"):
        load_flow(project.root / "v0.json")


def test_a_variant_of_a_variant_is_read(project: Project, variant: Path) -> None:
    path = project.root / "briefer.json"
    path.write_text(variant.read_text().replace("flow.json", "brief.json").replace("One word.", "None."))
    assert load_flow(path).flow.nodes[WRITER].settings["instructions"] == "None."


def test_a_new_variant_and_a_copy_of_one_have_only_what_differs(project: Project, variant: Path) -> None:
    changes = FileChanges(project.root)
    changes.do(create_variant(project, project.main_flow, load_flow(project.main_flow).flow))
    made = told_by(project.root / "flow_variant.json")
    assert list(made) == ["format", "version", "of", "name"]
    changes.do(duplicate_flow(project, variant, load_flow(variant).flow))
    assert told_by(project.root / "brief_copy.json")["of"] == "flow.json"
    assert variants_of(project, project.main_flow) == ["brief.json", "brief_copy.json", "flow_variant.json"]


def test_a_renamed_base_takes_its_variants_along_and_undo_brings_all_back(
    project: Project, variant: Path
) -> None:
    before = load_flow(variant).flow
    changes = FileChanges(project.root)
    changes.do(rename_flow(project, project.main_flow, "long", REGISTRY))
    assert told_by(variant)["of"] == "long.json"
    assert load_flow(variant).flow == before
    changes.jump(0)
    assert told_by(variant)["of"] == "flow.json"


def test_a_variant_that_moves_away_from_its_base_is_written_whole(project: Project, variant: Path) -> None:
    before = load_flow(variant).flow
    (project.root / "parts").mkdir()
    FileChanges(project.root).do(rename_flow(project, variant, "parts/brief", REGISTRY))
    assert (project.root / "parts" / "brief.json").read_text("utf-8") == dumps(before)
