"""What a node type does, and what its ports carry."""

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.flow.ports import Port, Signature
from studio.sdk.node import NodeType
from studio.ui.look import Look
from studio.ui.panels.result.rendered import RenderedText


class HelpTab(QWidget):
    """The page of one node type."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self._page = RenderedText(look, self.tr("Help"), self, grows=False, apart="space.small")
        self._page.document().setDocumentMargin(look.length("space.normal"))
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self._page)

    def show_type(self, found: NodeType | None, signature: Signature | None) -> None:
        """Show a node type, with the ports that this node has."""
        if found is None:
            self._write(self.tr("This node type is not installed."))
            return
        parts = [f"**{found.summary}**", _without_examples(found.help)]
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
