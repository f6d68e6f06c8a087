from pathlib import Path

import pytest

from studio import places
from studio.app.gallery.systems import CLAIMS, PAGE, Shown, Standing, all_entries, counted, page
from studio.errors import ProjectError
from tests.app.gallery.test_gallery import write_exhibit

SYSTEMS = (
    "id\tkind\tsystem\tpaper\tmechanism\twhat_the_studio_needs\theadline_result\n"
    "S068\tagent-system\t- (debate)\tA study\tdebate\trounds\t+1\n"
    "S069\tagent-system\tRoutine\tA plan\tplans\tsteps\t+2\n"
    "S070\ttraining\t-\tA | way\ttraining\tnothing\t+3\n"
)


@pytest.fixture
def resources(tmp_path: Path) -> Path:
    folder = tmp_path / "resources"
    folder.mkdir()
    (folder / "systems.tsv").write_text(SYSTEMS, "utf-8")
    claims = "S068\treproducible\t\nS069\tstand-in\ta town of text\nS070\timpossible\ta way to train\n"
    (folder / CLAIMS).write_text(f"id\tclaim\twhy\n{claims}", "utf-8")
    return folder


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    folder = tmp_path / "projects"
    folder.mkdir()
    return folder


def test_every_system_stands_somewhere_and_why(resources: Path, shown: Path) -> None:
    write_exhibit(shown / "debate", state="partly", missing="a judge")
    debate, routine, training = all_entries(shown, resources)
    assert (debate.standing, debate.why) == (Standing.PARTLY, "a judge")
    assert debate.exhibit is not None
    assert debate.exhibit.folder == shown / "debate"
    assert (routine.standing, routine.shown, routine.exhibit) == (Standing.NOT_YET, Shown.STAND_IN, None)
    assert (training.standing, training.why) == (Standing.IMPOSSIBLE, "a way to train")


def test_a_system_without_a_name_has_what_its_paper_calls_it_or_the_title(
    resources: Path, shown: Path
) -> None:
    assert [one.system.name for one in all_entries(shown, resources)] == ["debate", "Routine", "A | way"]


def test_the_page_has_a_line_for_each_and_the_project_where_there_is_one(
    resources: Path, shown: Path
) -> None:
    write_exhibit(shown / "debate")
    entries = all_entries(shown, resources)
    lines = page(entries).splitlines()
    assert "| S068 | debate | agent-system | works ([`debate`](../projects/debate)) | reproducible |" in lines
    assert "| S069 | Routine | agent-system | not yet | stand-in: a town of text |" in lines
    assert r"| S070 | A \| way | training | impossible | impossible: a way to train |" in lines
    assert counted(entries) == "1 working · 1 not yet · 1 impossible"


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        ({"debate": "S068", "another": "S068"}, "both S068"),
        ({"debate": "S404"}, "nothing of S404"),
        ({"debate": "S070"}, "of S070 that it is impossible"),
    ],
)
def test_what_disagrees_is_refused(resources: Path, shown: Path, systems: dict[str, str], said: str) -> None:
    for slug, system in systems.items():
        write_exhibit(shown / slug, system=system)
    with pytest.raises(ProjectError, match=said):
        all_entries(shown, resources)


def test_all_209_systems_are_told_of_once() -> None:
    entries = all_entries()
    assert [one.system.id for one in entries] == [f"S{number:03}" for number in range(1, 210)]
    assert all(
        one.why for one in entries if one.standing is Standing.PARTLY or one.shown is not Shown.REPRODUCIBLE
    )


def test_a_system_of_which_nothing_is_claimed_is_refused(resources: Path, shown: Path) -> None:
    (resources / CLAIMS).write_text("id\tclaim\twhy\nS068\treproducible\t\n", "utf-8")
    with pytest.raises(ProjectError, match="says nothing of S069, S070"):
        all_entries(shown, resources)


def test_the_page_that_ships_is_the_one_that_the_projects_give() -> None:
    shipped = (places.resources() / PAGE).read_text("utf-8")
    assert shipped == page(all_entries()), "`stepwire gallery --write-page` writes it anew"


def test_a_claim_that_there_is_not_is_named_by_file_and_line(resources: Path, shown: Path) -> None:
    (resources / CLAIMS).write_text("id\tclaim\twhy\nS068\treproducible\t\nS069\treproducable\t\n", "utf-8")
    with pytest.raises(ProjectError, match=r"systems-claims\.tsv`: line 3: `reproducable` is no claim"):
        all_entries(shown, resources)
