"""The memories that a window lists: those that last in the project, and those of the run that it shows."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from studio.trace import figures
from studio.ui.panels.widgets.listing import ListRow

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One memory, in the project or as a run has it; `trouble` says what is wrong with its file.

    `title` is that of the node that lends it, if the flow has one; `changes` counts what a run made of the
    items that it found there. `about` says more in one line, `help` is what the button says that helps, if
    one does.
    """

    place: Literal["project", "run"]
    name: str
    kind: str
    count: int
    bytes: int = 0
    trouble: str = ""
    about: str = ""
    help: str = ""
    title: str = ""
    changes: int = 0
    can_edit: bool = False

    @property
    def key(self) -> str:
        """Names it among all."""
        return f"{self.place}/{self.name}"

    def listed(self) -> ListRow:
        """The row in the list."""
        place = translate("memory", "project") if self.place == "project" else translate("memory", "this run")
        many = (
            translate("memory", "1 item")
            if self.count == 1
            else translate("memory", "{count} items").format(count=f"{self.count:,}")
        )
        if self.changes and self.count:
            changed = translate("memory", "{count} changed, {many} before")
            many = changed.format(many=many, count=f"{self.changes:,}")
        elif self.changes:
            many = translate("memory", "{count} changed").format(count=f"{self.changes:,}")
        parts = [place, many, self.kind.partition(".")[2] or self.kind]
        if self.bytes:
            parts.append(figures.size(self.bytes))
        color = "state.failed" if self.trouble else "category.memory"
        said = " · ".join(parts)
        return ListRow(self.key, self.title or self.name, said, color, self.trouble or f"{self.name}\n{said}")
