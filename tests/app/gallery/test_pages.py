"""The pages of the gallery's projects, written from records, flows and the list of systems."""

import json
import re
from pathlib import Path

import pytest

from studio.app.gallery.pages import WIDTH, pages
from studio.app.gallery.systems import CLAIMS, all_entries
from studio.errors import FlowFileError
from tests.app.flows import chain
from tests.app.gallery.test_gallery import RECORD, write_exhibit
from tests.app.gallery.test_systems import SYSTEMS
from tests.app.written_projects import write_flow


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    resources = tmp_path / "resources"
    resources.mkdir()
    (resources / "systems.tsv").write_text(SYSTEMS, "utf-8")
    claims = "S068\treproducible\t\nS069\tstand-in\ta town of text\nS070\timpossible\ta way to train\n"
    (resources / CLAIMS).write_text(f"id\tclaim\twhy\n{claims}", "utf-8")
    (tmp_path / "projects").mkdir()
    return tmp_path / "projects"


def page_of(shown: Path) -> str:
    [page] = pages(all_entries(shown, shown.parent / "resources")).values()
    return page


def test_the_pages_that_ship_are_those_that_the_records_give() -> None:
    written = pages(all_entries())
    others = [path.parent.name for path, page in written.items() if path.read_text("utf-8") != page]
    assert not others, "`stepwire gallery --write-page` writes them anew"


def test_a_page_says_what_the_paper_claims_what_is_shown_and_what_not(shown: Path) -> None:
    claims = [
        {"says": "All speak.", "expects": [{"count": "a", "is": 3}]},
        {"says": "One is wrong.", "flow": "single.json", "expects": [{"count": "a", "is": 1}]},
    ]
    table = ["| a | b |", "|---|---|", f"| {'long ' * 40}| 2 |"]
    words = {"about": ["Three " * 60], "shown": ["They agree."], "measured": ["Figures:", table]}
    root = write_exhibit(
        shown / "debate", claims=claims, not_shown=[["- No weights.", "- " + "No scores. " * 30]], **words
    )
    flow = chain(default="Who?")
    flow["nodes"]["question"]["settings"]["example"] = "Who's there?"
    write_flow(root / "flow.json", flow)
    write_flow(root / "single.json", {**chain(), "description": "Asked once."})
    page = page_of(shown)
    assert page.startswith("# Debate (S068)\n\n*Improving Factuality and Reasoning through Debate*\n")
    assert "State: works. Claim: reproducible.\n" in page
    assert "## What the paper claims\n\n+1\n" in page
    assert "They agree.\n\nLooked for in its runs" in page
    assert "- All speak.\n- One is wrong. (`single.json`)\n" in page
    assert "| `single.json` | One agent | Asked once. |\n" in page
    assert """stepwire run projects/debate --input question='Who'"'"'s there?'\n""" in page
    assert "stepwire gallery S068 --measure\n" in page
    assert table[2] in page.splitlines()
    assert "\n  No scores." in page
    assert max(len(line) for line in page.splitlines() if not line.startswith("|")) <= WIDTH
    told = re.findall("^## (.*)", page, re.MULTILINE)
    assert told[:4] == ["What the paper claims", "What the flow shows", "Its flows", "Run it"]
    assert told[4:] == ["Measured", "What it does not show"]


def test_several_systems_of_one_project_stand_on_one_page(shown: Path) -> None:
    root = write_exhibit(shown / "debate")
    other = {"system": "S069", "title": "Alone", "flow": "single.json", "baselines": [], "measure": None}
    first = {**RECORD, "baselines": [], "measure": None}
    (root / "gallery.json").write_text(json.dumps({"records": [first, {**first, **other}]}), "utf-8")
    page = page_of(shown)
    assert "- Debate (S068)\n- Alone (S069)\n" in page
    assert "## Debate (S068)\n" in page
    assert "### Run it\n\n```sh\nstepwire run projects/debate/single.json\n" in page
    assert "Its flows" not in page, "the flow of the other one is told of by itself"


def test_a_flow_that_cannot_be_read_is_named(shown: Path) -> None:
    root = write_exhibit(shown / "debate")
    broken = {"format": "stepwire.flow", "version": 1, "of": "flow.json", "set": {"nobody": {"title": "x"}}}
    (root / "single.json").write_text(json.dumps(broken, indent=1), "utf-8")
    with pytest.raises(FlowFileError, match=r"single\.json") as refused:
        page_of(shown)
    assert "line 6: set.nobody: the base has no node `nobody`" in str(refused.value)
