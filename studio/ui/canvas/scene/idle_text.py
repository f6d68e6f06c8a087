"""What an idle card says of its node: the first line of its prompt, or of the setting that matters."""

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import on_one_line
from studio.flow.records import Json, Node
from studio.ui.canvas.document import KindLook

translate = QCoreApplication.translate

_FIRST = (
    *("instructions", "template", "text", "rule", "formula", "query", "code", "url", "command", "folder"),
    *("file", "path", "flow", "goal", "persona", "description", "request", "help", "label", "type"),
    *("name", "default"),
)
"""Settings that tell what a node does, the most telling first."""
_QUIET = frozenset({"profile", "color"})
"""Settings that a card shows elsewhere, or that say nothing of what its node does."""
MOST = 2
"""Settings that are named with their values where none speaks for itself."""


def telling_of(node: Node, look: KindLook | None, *, is_installed: bool = True) -> str:
    """A few lines of what was set, the kind where nothing was; or what is wrong with the kind itself.

    A kind is left out where the title says it already.
    """
    if not is_installed:
        unknown, unread = (
            translate("card", "{0} is not installed"),
            translate("card", "{0} cannot read its settings"),
        )
        return (unknown if look is None else unread).format(node.kind)
    given = {name: value for name, value in node.settings.items() if name not in _QUIET and _says(value)}
    for name in _FIRST:
        value = given.get(name)
        if isinstance(value, str):
            return _opening(value)
    lines = {name: value for name, value in given.items() if isinstance(value, str) and " " in value.strip()}
    if lines:
        return _opening(max(lines.values(), key=len))
    labels = [one for value in given.values() if isinstance(value, list) for one in _labels(value)]
    if labels:
        return ", ".join(labels)
    if given:
        return _listed(given)
    kind = look.title if look is not None and look.category != "io" else ""
    return "" if kind == node.title else kind


def _says(value: Json) -> bool:
    return value is not None and value is not False and value not in ("", [], {})


def _labels(cases: Sequence[Json]) -> Iterator[str]:
    """What the criteria or cases in a setting are called."""
    for case in cases:
        if isinstance(case, Mapping) and isinstance(label := case.get("label"), str):
            yield label


def _opening(text: str) -> str:
    """Its first line that is not blank, and the rest of that paragraph."""
    return on_one_line(text.strip().partition("\n\n")[0])


def _listed(given: Mapping[str, Json]) -> str:
    """`rounds 3, agreed 0.7`."""
    plain = [(name, value) for name, value in given.items() if isinstance(value, str | int | float)]
    return ", ".join(
        name.replace("_", " ") if value is True else f"{name.replace('_', ' ')} {on_one_line(value)}"
        for name, value in plain[:MOST]
    )
