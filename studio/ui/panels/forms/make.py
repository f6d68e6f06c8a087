"""The card for a question, as it asks to be answered."""

from PySide6.QtWidgets import QWidget

from studio.trace.events import ApprovalAsked
from studio.ui.look import Look
from studio.ui.panels.forms.approval import ApprovalCard, is_approval
from studio.ui.panels.forms.doubts import DoubtsAsked, DoubtsCard
from studio.ui.panels.forms.question import QuestionCard, QuestionForm
from studio.ui.panels.widgets.picture import FindsImages


def question_card(
    look: Look, who: str, asked: ApprovalAsked, parent: QWidget, images: FindsImages | None = None
) -> QuestionCard:
    """Make it; `who` asks."""
    if isinstance(asked, DoubtsAsked):
        return DoubtsCard(look, who, asked, parent)
    if is_approval(asked):
        return ApprovalCard(look, who, asked, parent, images)
    return QuestionForm(look, who, asked, parent)
