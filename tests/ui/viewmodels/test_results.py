"""How what a run gives is shown."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.app.projects.named_files import finds_files
from studio.flow.records import Flow, Layout, Node, Point
from studio.ids import NodeId
from studio.trace.events import RunFinished, RunStarted
from studio.trace.events.values import Shown
from studio.trace.fold.state import fold
from studio.ui.viewmodels.run.results import Form, cell_of, columns_of, form_of, given_by, is_markdown
from tests.examples import examples
from tests.trace.builders import numbered

CELL = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)


def nowhere(_: str) -> None:
    """No text names a file."""


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("A dunnock.", Form.TEXT),
        ("One line\nand another, 3 * 4 and 5 * 6", Form.TEXT),
        ("snake_case and __init__", Form.TEXT),
        ("# Birds\n\n- wren", Form.MARKDOWN),
        ("It is **not** a wren.", Form.MARKDOWN),
        ("| a | b |\n|---|---|\n| 1 | 2 |", Form.MARKDOWN),
        ('{"verdict": true}', Form.TREE),
        (3.5, Form.TEXT),
        ([{"name": "wren", "count": 2}, {"name": "heron"}], Form.TABLE),
        ([{"name": {"de": "Zaunkönig"}}], Form.TREE),
        (["a", "b"], Form.TREE),
        ([], Form.TREE),
    ],
)
def test_a_value_is_shown_in_the_form_that_fits_it(value: object, form: Form) -> None:
    assert form_of(value, nowhere) is form


def test_only_files_of_the_project_are_taken_for_files(tmp_path: Path) -> None:
    root = tmp_path / "birds"
    (root / "out").mkdir(parents=True)
    (root / "out" / "list.csv").write_text("wren")
    (root / ".secret").write_text("key")
    (tmp_path / "outside.txt").write_text("no")
    find = finds_files(root)
    assert form_of("out/list.csv", find) is Form.FILES
    assert form_of(["out/list.csv", "out/list.csv"], find) is Form.FILES
    for other in (".secret", "../outside.txt", str(tmp_path / "outside.txt"), "out", "\0", "out/none.csv"):
        assert form_of(other, find) is Form.TEXT, other


def test_outputs_come_in_the_order_of_the_canvas_under_the_names_that_people_read() -> None:
    nodes = {
        NodeId("low"): Node(kind="io.flow_output", title="Low"),
        NodeId("high"): Node(kind="io.flow_output", title="High", settings={"label": "The answer"}),
        NodeId("none"): Node(kind="io.flow_output"),
    }
    flow = Flow(
        "f", "", nodes, (), layout=Layout({NodeId("low"): Point(0, 90), NodeId("high"): Point(0, 10)})
    )
    outputs = {"low": Shown(1), "high": Shown("x"), "gone": Shown("of a node that the flow has no more")}
    state = fold(numbered(RunStarted("f", ""), RunFinished(outputs)))
    assert [(one.name, one.shown.data) for one in given_by(state, flow)] == [
        ("gone", "of a node that the flow has no more"),
        ("The answer", "x"),
        ("Low", 1),
    ]


@settings(max_examples=examples(200))
@given(st.lists(st.dictionaries(st.text(max_size=3), CELL, max_size=5), max_size=6))
def test_a_table_has_all_fields_as_columns_and_a_text_in_each_cell(
    rows: list[dict[str, object]],
) -> None:
    columns = columns_of(rows)
    if columns:
        assert set(columns) == {name for row in rows for name in row}
        assert all(isinstance(cell_of(row.get(name)), str) for row in rows for name in columns)


@settings(max_examples=examples(100))
@given(st.text(alphabet="ab *_`#|-\n[]()>", max_size=40))
def test_looking_for_markdown_ends_whatever_the_text(text: str) -> None:
    assert is_markdown(text) in {True, False}
