"""What the pages tell people to type is what the command line takes."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.cli.main import make_parser
from studio.places import projects

ROOT = projects().parent
PAGES = [ROOT / "README.md", *sorted(projects().glob("**/README.md"))]


def commands(page: Path) -> Iterator[list[str]]:
    """Each command of a page that has arguments, without what the shell would take."""
    joined = page.read_text("utf-8").replace("\\\n", " ")
    inline = re.findall(r"`(stepwire \w+\s[^`]*[-/=][^`]*)`", joined)  # others only name a command
    shown = re.findall(r"^(stepwire .+)$", joined, re.MULTILINE)
    for line in [*shown, *(one.replace("\n", " ") for one in inline)]:
        words = shlex.split(line, comments=True)[1:]
        if "…" not in line and words[0] != "picture":  # which needs Qt, and is added where that may be used
            yield words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_the_command_line_takes_what_a_page_says(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = make_parser()
    for words in commands(page):
        try:
            parser.parse_args(words)
        except SystemExit:
            pytest.fail(f"{' '.join(words)}: {capsys.readouterr().err}")


def test_the_pages_have_commands() -> None:
    assert sum(1 for page in PAGES for _ in commands(page)) > 40
