"""What the pages tell people to type is what the command line takes."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.cli.main import make_parser
from studio.places import projects, resources

ROOT = projects().parent
GUIDE = sorted((resources() / "guide").glob("*.md"))
ABOUT = [ROOT / "README.md", *GUIDE]
"""What is said of the studio itself."""
PAGES = [*ABOUT, *sorted(projects().glob("**/README.md"))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(page: Path) -> Iterator[list[str]]:
    """Each command of a page that has arguments, without what the shell would take."""
    joined = page.read_text("utf-8").replace("\\\n", " ")
    inline = re.findall(r"`(stepwire \w+\s[^`]*[-/=][^`]*)`", joined)  # others only name a command
    shown = re.findall(r"^(stepwire .+)$", joined, re.MULTILINE)
    for line in [*shown, *(one.replace("\n", " ") for one in inline)]:
        words = shlex.split(line, comments=True)[1:]
        if "…" not in line and words[0] != "picture":  # which needs Qt, and is added where that may be used
            yield words


def test_the_command_line_takes_what_the_pages_say(capsys: pytest.CaptureFixture[str]) -> None:
    parser = make_parser()
    refused, taken = list[str](), 0
    for page in PAGES:
        for words in commands(page):
            try:
                parser.parse_args(words)
                taken += 1
            except SystemExit:
                refused.append(f"{name(page)}: {' '.join(words)}: {capsys.readouterr().err}")
    assert refused == []
    assert taken > 40


@pytest.mark.parametrize("page", ABOUT, ids=name)
def test_each_command_that_a_page_names_is_one(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = make_parser()
    for command in set(re.findall(r"`stepwire ([a-z-]+)", page.read_text("utf-8"))):
        with pytest.raises(SystemExit) as ended:
            parser.parse_args([command, "--help"])
        assert ended.value.code == 0, f"stepwire {command}: {capsys.readouterr().err}"


@pytest.mark.parametrize("page", ABOUT, ids=name)
def test_every_link_and_path_on_a_page_leads_somewhere(page: Path) -> None:
    said = page.read_text("utf-8")
    linked = [page.parent / link for link in re.findall(r"\]\(([^):#]+)\)", said)]
    named = [
        ROOT / path for path in re.findall(r"`((?:projects|resources|studio|nodes|tests)/[\w./-]*)`", said)
    ]
    assert [str(path) for path in (*linked, *named) if not path.exists()] == []
    assert all(path.resolve().is_relative_to(resources() if page in GUIDE else ROOT) for path in linked)


def test_the_contents_of_the_guide_have_each_page_once_and_the_first_page_leads_there() -> None:
    contents = resources() / "guide" / "README.md"
    listed = re.findall(r"^\d+\. \[[^]]+\]\(([^)]+)\)", contents.read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == [page.name for page in GUIDE if page != contents]
    assert "(resources/guide/README.md)" in (ROOT / "README.md").read_text("utf-8")


def test_the_first_page_is_one_page() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 100


@pytest.mark.parametrize("page", GUIDE, ids=name)
def test_a_page_of_the_guide_begins_with_its_title(page: Path) -> None:
    assert re.match(r"# \S.*\n\n", page.read_text("utf-8"))
