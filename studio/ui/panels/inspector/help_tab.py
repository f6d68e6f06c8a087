"""What a node type does, and what its ports carry: a sentence of it, and all of it on demand."""

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from studio.flow.ports import Port, Signature
from studio.sdk.node import NodeType
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.result.rendered_text import RenderedText
from studio.ui.slots import of_flag

_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*`])")
"""Where a sentence ends and another one begins."""


class HelpTab(QWidget):
    """The page of one node type."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self._found: NodeType | None = None
        self._signature: Signature | None = None
        self._page = RenderedText(look, self.tr("Help"), self, grows=False, apart="space.small")
        self._page.document().setDocumentMargin(look.length("space.normal"))
        rows = column_layout(self, 0)
        rows.addWidget(self._page)
        self.more = QPushButton(self)
        self.more.setCheckable(True)
        self.more.setProperty("plain", True)
        self.more.toggled.connect(of_flag(lambda _: self._show()))
        rows.addWidget(self.more, alignment=Qt.AlignmentFlag.AlignLeft)

    @property
    def text(self) -> str:
        """What stands there, as it is read."""
        return self._page.toPlainText()

    def show_type(self, found: NodeType | None, signature: Signature | None) -> None:
        """Show a node type, with the ports that this node has."""
        self._found, self._signature = found, signature
        self._show()

    def _show(self) -> None:
        found, signature = self._found, self._signature
        whole = _without_examples(found.help) if found is not None else ""
        first = _first_sentence(whole)
        self.more.setVisible(first != whole)
        self.more.setText(self.tr("Less") if self.more.isChecked() else self.tr("More about this node type"))
        if found is None:
            self._write(self.tr("This node type is not installed."))
            return
        parts = [f"**{found.summary}**", whole if self.more.isChecked() else first]
        if signature is not None:
            parts += self._ports(self.tr("Inputs"), signature.inputs)
            parts += self._ports(self.tr("Outputs"), signature.outputs)
        self._write("\n\n".join(part for part in parts if part))

    def _write(self, text: str) -> None:
        if text != self._shown:
            self._shown = text
            self._page.show_markdown(text)

    def _ports(self, title: str, ports: Sequence[Port]) -> list[str]:
        if not ports:
            return []
        rows = [
            f"- **{port.label or port.name}** ({port.type}{self._optional(port)}) {port.help}"
            for port in ports
        ]
        return [f"**{title}**", "\n".join(rows)]

    def _optional(self, port: Port) -> str:
        return "" if port.required else self.tr(", optional")


def _first_sentence(text: str) -> str:
    return _END.split(text.partition("\n\n")[0], maxsplit=1)[0]


def _without_examples(text: str) -> str:
    """Leave out the blocks that are meant for the test bench."""
    kept: list[str] = []
    is_inside = False
    for line in text.splitlines():
        if line.startswith("```"):
            is_inside = not is_inside
        elif not is_inside:
            kept.append(line)
    return "\n".join(kept).strip()
