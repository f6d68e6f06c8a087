"""One message: who speaks, what is said, and the tools it calls; a stream only ever grows at its end."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent, QPainter, QPaintEvent, QPen, QTextCursor
from PySide6.QtWidgets import QFrame, QWidget

from studio.ui.buttons import push_button
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.messages.spoken_text import SpokenText
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.json_tree import JsonTree
from studio.ui.panels.widgets.picture import FindsImages, NoImages, pictures_of
from studio.ui.panels.widgets.short_label import ShortLabel
from studio.ui.removal import take_out
from studio.ui.viewmodels.messages.conversation import Words
from studio.ui.viewmodels.messages.segments import Segment, segments_of

LONG = 2_400
"""Characters from which on a text is folded."""
SHOWN = 1_200
"""Characters of a folded text that are shown, about."""
TREE = 8
"""Lines from which on JSON is shown as a tree."""


class Bubble(QFrame):
    """A message's card with a bar in its speaker's colour; its signals tell the call in which it was said."""

    origin_asked = Signal(str)
    chosen = Signal(str)

    def __init__(
        self, look: Look, words: Words, parent: QWidget | None = None, images: FindsImages | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._words = words
        self._segments: list[Segment] = []
        self._bodies: list[SpokenText] = []
        self._tree: JsonTree | None = None
        self._is_open = False
        self._is_chosen = False
        self._wants_text = False
        self.setProperty("card", True)
        small = look.length("space.small")
        rows = column_layout(self, (small * 2, small - 1, small, small), look.length("space.tight"))
        head = row_layout(spacing=0)
        self._heading = ShortLabel(words.heading, self)
        self._heading.setProperty("type", "label")
        head.addWidget(self._heading, 1)
        # Each button takes a while to make, and there are many messages.
        self._turn = self.origin = None
        if words.is_json:
            self._turn = icon_button(
                self._look, "debugger", self.tr("Show as tree or text"), self, self._turn_json, "size.row"
            )
        if words.step:
            self.origin = icon_button(
                self._look,
                "step_out",
                self.tr("Where does this come from?"),
                self,
                self._ask_origin,
                "size.row",
            )
        self.copy = icon_button(self._look, "copy", self.tr("Copy the message"), self, self._copy, "size.row")
        for button in (self._turn, self.origin, self.copy):
            if button is not None:
                head.addWidget(button)
        rows.addLayout(head)
        self._said = column_layout(spacing=look.length("space.tight"))
        rows.addLayout(self._said)
        self.more = push_button("", self, self._turn_fold, is_plain=True)
        rows.addWidget(self.more, alignment=Qt.AlignmentFlag.AlignLeft)
        for picture in pictures_of(words.images, images or NoImages(), self):
            rows.addWidget(picture)
        look.changed.connect(self._color)
        self._color()
        self.show_words(words)

    @property
    def words(self) -> Words:
        """What it shows."""
        return self._words

    @property
    def texts(self) -> list[str]:
        """What stands there, block by block; nothing of what is shown as a tree."""
        return [one.toPlainText() for one in self._bodies]

    @property
    def is_tree(self) -> bool:
        """Whether it shows JSON as a tree."""
        return self._tree is not None

    @property
    def is_chosen(self) -> bool:
        """Whether it was said in the step that is selected."""
        return self._is_chosen

    def choose(self, *, is_chosen: bool) -> None:
        """Mark it as said in the selected step, or not."""
        if is_chosen != self._is_chosen:
            self._is_chosen = is_chosen
            self.update()

    def fits(self, words: Words) -> bool:
        """Whether it can go on to show `words` without being made again."""
        mine = self._words
        return (words.is_json, words.images, bool(words.step)) == (
            mine.is_json,
            mine.images,
            bool(mine.step),
        )

    def show_words(self, words: Words) -> None:
        """Show these words; a longer text grows."""
        if words.heading != self._heading.text():
            self._heading.setText(words.heading)
        recolored = words.color != self._words.color
        self._words = words
        if recolored:
            self._color()
        about = self.tr("Click to select this step everywhere") if words.step else ""
        self._heading.setToolTip("\n".join(filter(None, (words.heading, words.about, about))))
        self._show_body()

    @property
    def selected_text(self) -> str:
        """What is selected of it."""
        return next((found for one in self._bodies if (found := one.textCursor().selectedText())), "")

    def mark(self, word: str) -> None:
        """Select a word in what is said, which is shown as text and unfolded for that."""
        self._wants_text, self._is_open = True, True
        self._show_body()
        for body in self._bodies:
            body.moveCursor(QTextCursor.MoveOperation.Start)
            if body.find(word):
                return

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.color(self._words.color))
        tight = self._look.length("space.tight")
        painter.drawRoundedRect(QRectF(1, tight * 2, 3, self.height() - tight * 4), 1.5, 1.5)
        if self._is_chosen:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._look.color("accent.focus"), 1.5))
            radius = self._look.length("radius.field")
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
        painter.end()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click beside the text selects the step in which it was said, everywhere."""
        super().mouseReleaseEvent(event)
        if self._words.step and event.button() is Qt.MouseButton.LeftButton:
            self.chosen.emit(self._words.step)

    # ---------------------------------------------------------------- what is said

    def _show_body(self) -> None:
        words = self._words
        can_be_tree = words.is_json and words.body.count("\n") >= TREE
        if self._turn is not None:
            self._turn.setVisible(can_be_tree)
        if can_be_tree and not self._wants_text:
            self._show_tree()
            return
        if self._tree is not None:
            self._drop_tree()
        is_long = len(words.body) > LONG and not words.is_streaming
        text = words.body if self._is_open or not is_long else _cut(words.body)
        self._show_segments(_segments(words, text))
        self.more.setVisible(is_long)
        if is_long:
            count = f"{len(words.body):,}"
            all_of_it = self.tr("Show all {count} characters").format(count=count)
            self.more.setText(self.tr("Show less") if self._is_open else all_of_it)

    def _show_segments(self, segments: list[Segment]) -> None:
        """Let the last block grow where those before it are as they were; else make all anew."""
        kinds = [one.language for one in segments]
        if kinds != [one.language for one in self._segments] or len(self._bodies) != len(segments):
            for body in self._bodies:
                self._drop(body)
            self._bodies = [self._body(segment) for segment in segments]
        self._segments = segments
        for body, segment in zip(self._bodies, segments, strict=True):
            body.grow(segment.text)
            body.setVisible(bool(segment.text))

    def _body(self, segment: Segment) -> SpokenText:
        body = SpokenText(self._look, self._words.heading, self, language=segment.language)
        self._said.addWidget(body)
        return body

    def _show_tree(self) -> None:
        if self._tree is not None and self._tree.text == self._words.body:
            return
        self._drop_tree()
        for body in self._bodies:
            self._drop(body)
        self._bodies, self._segments = [], []
        self._tree = JsonTree(self._look, self._words.heading, self._words.body, self)
        self._said.addWidget(self._tree)
        self.more.hide()

    def _drop_tree(self) -> None:
        if self._tree is not None:
            self._drop(self._tree)
            self._tree = None

    def _drop(self, widget: QWidget) -> None:
        take_out(self._said, widget)

    # ---------------------------------------------------------------- what is done with it

    def _turn_json(self) -> None:
        self._wants_text = not self._wants_text
        self._show_body()

    def _turn_fold(self) -> None:
        self._is_open = not self._is_open
        self._show_body()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._words.body)

    def _ask_origin(self) -> None:
        self.origin_asked.emit(self._words.step)

    def _color(self) -> None:
        palette = self._heading.palette()
        name = self._look.theme.color(self._words.color)
        palette.setColor(palette.ColorRole.WindowText, name)
        self._heading.setPalette(palette)
        self._heading.setStyleSheet(f"color: {name}; font-weight: {self._look.theme.value('type.strong')};")
        self.update()


def _segments(words: Words, text: str) -> list[Segment]:
    """The blocks of a text; one that still comes is not taken apart, as each of its pieces would be again."""
    if words.is_json:
        return [Segment(text, "json")]
    return [Segment(text)] if words.is_streaming else segments_of(text)


def _cut(text: str) -> str:
    """The beginning of a long text, up to the end of a line."""
    end = text.find("\n", SHOWN)
    return f"{text[: end if 0 <= end < SHOWN * 2 else SHOWN].rstrip()} …"
