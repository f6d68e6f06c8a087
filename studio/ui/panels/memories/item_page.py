"""One item of a memory as a page: its text and fields, who wrote it, and what recalled it and why."""

from html import escape

from PySide6.QtCore import QCoreApplication, QUrl, Signal
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from studio.flow.plain_text import pretty
from studio.flow.records import Json
from studio.ids import StepId
from studio.ui.look import Look
from studio.ui.viewmodels.memories.memory_facts import ItemFacts
from studio.ui.viewmodels.memories.memory_words import name_of_item, title_of_item, when

translate = QCoreApplication.translate

LONGEST = 20_000
"""Characters of a text that are shown."""
MOST = 20
"""Recalls that are told one by one."""


class ItemPage(QTextBrowser):
    """Shows the item; its links lead to steps and to other items."""

    step_chosen = Signal(str)
    item_chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._facts: ItemFacts | None = None
        self.setProperty("plain", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setAccessibleName(self.tr("Selected item"))
        self.anchorClicked.connect(self._follow)
        look.changed.connect(self._draw)

    def show_facts(self, facts: ItemFacts | None) -> None:
        """Show another item, or none."""
        if facts != self._facts:
            self._facts = facts
            self._draw()

    def _draw(self) -> None:
        facts = self._facts
        self.setHtml("" if facts is None else self._html(facts))

    def _html(self, facts: ItemFacts) -> str:
        item = facts.item
        name = name_of_item(facts.kind, item)
        rows = [self._heading(name)] if name else []
        rows.append(f"<p style='margin-top:0px; margin-bottom:8px'>{_lines(item.text[:LONGEST])}</p>")
        table = [self._row(escape(name), _value(value)) for name, value in item.data.items()]
        if not name:
            table.append(self._row(translate("memory", "id"), f"<code>{escape(item.id)}</code>"))
        if item.labels:
            table.append(self._row(translate("memory", "made from"), escape(", ".join(item.labels))))
        table.append(self._row(translate("memory", "written"), self._written(facts)))
        rows.append(f"<table cellspacing='0' cellpadding='2'>{''.join(table)}</table>")
        rows += self._tried(facts)
        rows += self._recalls(facts)
        rows += self._near(facts)
        return "".join(rows)

    def _written(self, facts: ItemFacts) -> str:
        item = facts.item
        parts = [escape(when(item.at))] if item.at else []
        if item.by:
            parts.append(translate("memory", "by {name}").format(name=escape(item.by)))
        if facts.wrote is not None:
            parts.append(translate("memory", "in {step}").format(step=self._step(facts, facts.wrote)))
        return ", ".join(parts) or "–"

    def _tried(self, facts: ItemFacts) -> list[str]:
        if not facts.tried:
            return []
        titles = (
            translate("memory", "Action"),
            translate("memory", "Tries"),
            translate("memory", "Mean"),
            translate("memory", "At least"),
        )
        head = "".join(f"<td style='padding-right:16px'>{self._muted(escape(one))}</td>" for one in titles)
        lines = [
            f"<tr><td style='padding-right:16px'>{escape(one.action)}</td><td>{one.tries}</td>"
            f"<td>{one.mean:.2f}</td><td>{one.least:.2f}</td></tr>"
            for one in facts.tried
        ]
        table = f"<table cellspacing='0' cellpadding='2'><tr>{head}</tr>{''.join(lines)}</table>"
        return [self._heading(translate("memory", "What worked in similar situations")), table]

    def _recalls(self, facts: ItemFacts) -> list[str]:
        if not facts.recalled:
            return []
        rows = [self._heading(translate("memory", "Recalled in this run"))]
        for one in facts.recalled[:MOST]:
            asked = f"“{escape(one.query)}”" if one.query else ""
            score = f"{one.score:.2f}" if one.score else ""
            head = " · ".join(part for part in (self._step(facts, one.step), asked, score) if part)
            why = f"<br>{self._muted(escape(one.why))}" if one.why else ""
            rows.append(f"<p style='margin-top:2px; margin-bottom:4px'>{head}{why}</p>")
        return rows

    def _near(self, facts: ItemFacts) -> list[str]:
        if not facts.near:
            return []
        rows = [self._heading(translate("memory", "Related"))]
        for what, one in facts.near:
            title = self._link(f"item:{one.id}", title_of_item(facts.kind, one))
            rows.append(
                f"<p style='margin-top:2px; margin-bottom:2px'>{title} {self._muted(escape(what))}</p>"
            )
        return rows

    def _step(self, facts: ItemFacts, step: StepId) -> str:
        return self._link(f"step:{step}", facts.titles.get(step, str(step)))

    def _link(self, target: str, words: str) -> str:
        color = self._look.color("accent.action").name()
        kind, _, name = target.partition(":")
        place = bytes(QUrl.toPercentEncoding(name).data()).decode()
        return f"<a href='{kind}:{place}' style='color:{color}'>{escape(words)}</a>"

    def _heading(self, words: str) -> str:
        return f"<p style='margin-top:12px; margin-bottom:2px'><b>{escape(words)}</b></p>"

    def _row(self, name: str, value: str) -> str:
        return (
            f"<tr><td valign='top' style='padding-right:12px'>{self._muted(name)}</td><td>{value}</td></tr>"
        )

    def _muted(self, html: str) -> str:
        return f"<span style='color:{self._look.color('text.muted').name()}'>{html}</span>"

    def _follow(self, url: QUrl) -> None:
        name = QUrl.fromPercentEncoding(url.path(QUrl.ComponentFormattingOption.FullyEncoded).encode())
        if url.scheme() == "step":
            self.step_chosen.emit(name)
        else:
            self.item_chosen.emit(name)


def _value(value: Json) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _lines(value if isinstance(value, str) else pretty(value))[:LONGEST]


def _lines(text: str) -> str:
    return escape(text).replace("  ", "&nbsp; ").replace("\n", "<br>")
