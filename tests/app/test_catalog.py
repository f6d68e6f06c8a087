"""The library of nodes: what is there is known from the files, and each is imported when it is asked for."""

import sys
from pathlib import Path

import pytest

from studio.flow.checks.check import check
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from studio.workspace.catalog import NodeFiles, builtin_files
from tests.runtime.bench import flow_of

JOIN = '''"""Adds a dot."""

from typing import Annotated

from studio.sdk import In, Out, node


@node(kind="{kind}", title="Dot")
def dot(text: Annotated[str, In("Text", "")]) -> Annotated[str, Out("Text", "")]:
    """Adds a dot."""
    return text + "."
'''


def library(folder: Path, name: str, **files: str) -> NodeFiles:
    """The node types of a package of its own, in whose folder `text` the files are."""
    inner = folder / name / "text"
    inner.mkdir(parents=True)
    for each in (inner.parent, inner):
        (each / "__init__.py").touch()
    for kind, source in files.items():
        (inner / f"{kind}.py").write_text(source, "utf-8")
    return NodeFiles([str(inner.parent)], name)


def test_a_package_is_one_node_type_whatever_else_stands_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    inner = tmp_path / "own_d" / "text" / "dot"
    inner.mkdir(parents=True)
    for each in (inner.parent.parent, inner.parent):
        (each / "__init__.py").touch()
    needs_another = (
        JOIN.format(kind="text.dot")
        .replace('"."', "MARK")
        .replace("from studio.sdk", "from own_d.text.dot.marks import MARK\nfrom studio.sdk")
    )
    (inner / "__init__.py").write_text(needs_another, "utf-8")
    (inner / "marks.py").write_text('"""Marks."""\n\nMARK = "."\n', "utf-8")
    files = NodeFiles([str(tmp_path / "own_d")], "own_d")
    assert list(files) == ["text.dot"]
    assert files["text.dot"].title == "Dot"


def test_every_node_type_stands_where_its_name_says() -> None:
    files = builtin_files()
    assert [one.kind for one in files.values()] == list(files)
    alone, packages = Path("nodes").glob("*/[!_]*.py"), Path("nodes").glob("*/*/__init__.py")
    assert len([*alone, *packages]) == len(files)


def test_a_node_type_is_imported_when_it_is_first_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    registry = Registry(library(tmp_path, "own_a", dot=JOIN.format(kind="text.dot"), broken="1 / 0"))
    assert "text.dot" in registry
    assert "own_a.text.dot" not in sys.modules
    assert registry.require("text.dot").title == "Dot"
    assert registry.get("text.none") is None


def test_a_broken_file_is_told_where_its_node_is_used_or_all_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    registry = Registry(library(tmp_path, "own_b", dot=JOIN.format(kind="text.dot"), broken="1 / 0"))
    assert isinstance(registry.get("text.dot"), NodeType)
    with pytest.raises(ZeroDivisionError):
        list(registry)
    with pytest.raises(ZeroDivisionError):
        check(flow_of({"broken": "text.broken"}, []), registry)


def test_a_file_that_declares_another_node_type_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    registry = Registry(library(tmp_path, "own_c", dot=JOIN.format(kind="text.full_stop")))
    with pytest.raises(ValueError, match=r"`own_c.text.dot` is to declare the node type `text.dot`"):
        registry.get("text.dot")
