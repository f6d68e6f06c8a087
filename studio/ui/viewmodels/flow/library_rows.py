"""The node library as rows: categories in the order of a flow's making, and the kinds in them."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from studio.sdk.node import NodeType

translate = QCoreApplication.translate

ORDER = (
    *("io", "llm", "tools", "control", "memory", "team", "human"),
    *("text", "value", "plan", "environment", "check"),
)


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """A category (its `kind` is empty) or a kind of node."""

    title: str
    kind: str = ""
    summary: str = ""


def category_title(category: str) -> str:
    """What people call a folder of the node library; its own name where nobody has named it."""
    titles = {
        "io": translate("library", "Input and output"),
        "llm": translate("library", "Language models"),
        "tools": translate("library", "Tools"),
        "control": translate("library", "Control flow"),
        "memory": translate("library", "Memory"),
        "team": translate("library", "Teams"),
        "human": translate("library", "Human"),
        "text": translate("library", "Text"),
        "value": translate("library", "Values"),
        "plan": translate("library", "Planning"),
        "environment": translate("library", "Environments"),
        "check": translate("library", "Checks"),
        "part": translate("library", "Ready parts"),
    }
    return titles.get(category, category.replace("_", " ").capitalize())


def library_rows(types: Iterable[NodeType], search: str = "") -> list[LibraryRow]:
    """The rows whose kinds have every word of `search` in title, kind, summary or keywords."""
    words = search.casefold().split()
    groups: dict[str, list[NodeType]] = {}
    for one in types:
        if all(word in _said(one) for word in words):
            groups.setdefault(one.category, []).append(one)
    rows: list[LibraryRow] = []
    for category in sorted(groups, key=category_rank):
        rows.append(LibraryRow(category_title(category)))
        rows += [LibraryRow(one.title, one.kind, one.summary) for one in groups[category]]
    return rows


def category_rank(category: str) -> tuple[int, str]:
    """Where a category stands in the order of a flow's making."""
    return (ORDER.index(category) if category in ORDER else len(ORDER), category)


def _said(one: NodeType) -> str:
    return " ".join((one.title, one.kind, one.summary, *one.keywords)).casefold()
