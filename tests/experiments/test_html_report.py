"""The report is one file that fetches and runs nothing, whatever stands in the data."""

import json
import re
from html.parser import HTMLParser

import pytest

from studio.experiments.html_report import html_report
from studio.experiments.report import report_of
from tests.experiments.builders import experiment_project, opened
from tests.experiments.running import run

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """Notes the elements of a page and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    root = tmp_path_factory.mktemp("page")
    path = experiment_project(root / "p", 6, repeats=2)
    document = {**json.loads(path.read_text("utf-8")), "name": f"A {HOSTILE} name"}
    path.write_text(json.dumps(document), "utf-8")
    problems = root / "p" / "data" / "problems.jsonl"
    rows = [json.loads(line) for line in problems.read_text("utf-8").splitlines()]
    rows[0]["id"] = HOSTILE
    problems.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    one = opened(path)
    table = run(path)
    return Page(html_report(one, table, report_of(one, table)))


def test_what_stands_in_the_data_is_text(page: Page) -> None:
    assert not {"script", "img", "iframe", "link", "a"} & set(page.tags)
    assert page.text.count(HOSTILE) == 3  # the title twice, and a row
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert page.open == []  # every element is closed


def test_it_fetches_nothing_and_forbids_the_browser_to(page: Page) -> None:
    values = [value or "" for _, value in page.attributes]
    assert not [one for one in values if re.search("https?:|//", one)]
    assert any("default-src 'none'" in one for one in values)


def test_it_shows_bars_and_scatter_and_histograms_with_their_words(page: Page) -> None:
    assert page.tags.count("svg") == 3
    words = [value for name, value in page.attributes if name == "aria-label" and value]
    assert [one.partition(",")[0].partition(" over")[0] for one in words] == [
        "Score by right",
        "Score by right",
        "Rows by score",
    ]


def test_it_lists_every_row_with_what_went_wrong(page: Page) -> None:
    assert page.tags.count("td") >= 6 * 3
    assert "“voting”" in page.text
    assert re.search(r"(0|50) %", page.text)
