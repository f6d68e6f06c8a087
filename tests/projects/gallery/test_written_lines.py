"""What a system of the gallery costs in lines, all that they share included."""

from pathlib import Path

from studio.app.gallery.records import exhibits
from studio.app.gallery.written_lines import WrittenLines, written_lines
from studio.places import parts, projects
from tests.app.gallery.test_gallery import write_exhibit

MOST = 440
"""Lines of a system on average; 250 are aimed at."""


def test_a_system_costs_no_more_lines_on_average_than_was_agreed() -> None:
    shown = list(exhibits(projects()))
    checkout = projects().parent
    shared = [*parts().glob("*.json"), *Path(__file__).parent.glob("*.py")]
    own = written_lines(shown, checkout)
    tested = sum(one.tests for one in own.values())
    all_tests_and_parts = sum(len(one.read_text("utf-8").splitlines()) for one in shared)
    mean = (sum(one.all - one.tests for one in own.values()) + all_tests_and_parts) / len(shown)
    assert tested <= all_tests_and_parts
    assert mean <= MOST, f"{mean:.0f} lines of each of {len(shown)} systems"


def test_flows_answers_record_and_test_are_counted_once_for_each_project(tmp_path: Path) -> None:
    root = write_exhibit(tmp_path / "projects" / "debate", test="test_it.py")
    (tmp_path / "test_it.py").write_text("a\nb\n", "utf-8")
    (root / "scripts").mkdir(exist_ok=True)
    (root / "scripts" / "answers.yaml").write_text("a\nb\nc", "utf-8")
    [found] = written_lines([*exhibits(tmp_path / "projects")] * 2, tmp_path).values()
    flows = sum(len((root / f"{one}.json").read_text("utf-8").splitlines()) for one in ("flow", "single"))
    others = len((root / "project.json").read_text("utf-8").splitlines())
    assert found == WrittenLines(flows, 3, 1, 2, others)
    assert found.all == flows + 3 + 1 + 2 + others
