"""The project's experiments as a list, and what stands there while there are none."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.app.experiments.experiment_list import ListedExperiment
from studio.ui.look import Look
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.listing import ListRow
from studio.ui.viewmodels.experiments.page_words import variants_words

translate = QCoreApplication.translate


def rows_of(found: Sequence[ListedExperiment], current: str, going: Collection[str]) -> list[ListRow]:
    """Give a row for each experiment, marked where its file cannot be read; some are running."""
    return [
        ListRow(
            one.name,
            one.title,
            _about(one, is_going=one.name in going),
            "state.failed" if one.wrong else "",
            "\n".join(one.wrong or (one.title,)),
            is_current=one.name == current,
        )
        for one in found
    ]


def nothing_yet(look: Look, parent: QWidget) -> EmptyState:
    """Say what experiments are for."""
    title = translate("experiments", "No experiments yet")
    hint = translate(
        "experiments",
        "An experiment runs variants of a flow on the rows of a dataset, and says which is better.",
    )
    return EmptyState(look, "check", title, hint, parent)


def _about(one: ListedExperiment, *, is_going: bool) -> str:
    if one.wrong:
        return translate("experiments", "can’t be read")
    said = variants_words(one.variants)
    if is_going:
        return translate("experiments", "{variants}, running").format(variants=said)
    return (
        said if one.has_trials else translate("experiments", "{variants}, not run yet").format(variants=said)
    )
