"""How breakpoints and catches are named, and what stands beneath their names."""

from PySide6.QtCore import QCoreApplication

from studio.app.documents.breakpoints import Breakpoint, place_parts
from studio.flow.records import Flow, title_of
from studio.ids import NodeId
from studio.runtime.gates.breakpoints import On
from studio.ui.canvas.document import BreakpointMark
from studio.ui.viewmodels.words.held_words import place_words

translate = QCoreApplication.translate


def mark_of(one: Breakpoint, *, is_on: bool) -> BreakpointMark:
    """The mark that tells what it does, at a glance."""
    if one.on != "step":
        return "catch" if is_on else "catch off"
    if one.log:
        return "log" if is_on else "log off"
    if one.condition or one.hits > 1:
        return "condition" if is_on else "condition off"
    return "on" if is_on else "off"


def break_title(flow: Flow, one: Breakpoint) -> str:
    """Name it: `Critic · reply`, `Tool “web_*” called`, `Error at Critic`."""
    if one.on == "step":
        return place_words(flow, one.place)
    said = caught_words(one)
    if not one.place:
        return said
    title = title_of(flow, NodeId(place_parts(one.place)[0]))
    return translate("breaks", "{what} at {title}").format(what=said, title=title)


def caught_words(one: Breakpoint) -> str:
    """Name what a catch waits for, wherever it is: `Error`, `Text “heron”`."""
    if one.on == "tool" and one.tool:
        return translate("breaks", "Tool “{name}” called").format(name=one.tool)
    if one.on == "text":
        sign = "/{text}/" if one.is_pattern else "“{text}”"
        return translate("breaks", "Text {text}").format(text=sign.format(text=one.text or "…"))
    return what_happens(one.on)


def what_happens(on: On) -> str:
    """Name what catches of a kind wait for."""
    words: dict[On, str] = {
        "step": translate("breaks", "Step"),
        "error": translate("breaks", "Error"),
        "tool": translate("breaks", "Tool called"),
        "policy": translate("breaks", "Policy decision"),
        "budget": translate("breaks", "Budget warning or limit"),
        "text": translate("breaks", "Text in a message"),
    }
    return words[on]


def break_detail(one: Breakpoint) -> str:
    """What it depends on, and what it does instead of holding; empty for one that just holds."""
    said: list[str] = []
    if one.caught:
        said.append(translate("breaks", "handled ones too"))
    if one.condition:
        said.append(translate("breaks", "when {condition}").format(condition=one.condition))
    if one.hits > 1:
        said.append(translate("breaks", "from hit {number} on").format(number=one.hits))
    if one.log:
        said.append(translate("breaks", "logs “{line}”").format(line=one.log))
    return ", ".join(said)


def count_words(hits: int) -> str:
    """How often it was met, short: `×12`, `×20k`."""
    if hits < 1:
        return ""
    return f"×{hits}" if hits < 10_000 else f"×{hits // 1000}k"
