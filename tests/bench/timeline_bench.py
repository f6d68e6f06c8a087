"""The timeline under load: `python -m tests.bench.timeline_bench [STEPS]`.

A loop with a step in each round, three entries each, in a window of 1,400 x 400 without a display. Time that
the process was busy, so that what else the machine does counts little.
"""

import os
import sys
from collections.abc import Callable, Sequence
from statistics import quantiles
from time import process_time, time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from studio.flow.records import Flow
from studio.ids import RunId, StepId
from studio.trace.events import (
    ChatAnswered,
    ChatRequested,
    Entry,
    Event,
    RunFinished,
    RunStarted,
    StepFinished,
    StepReady,
    StepStarted,
)
from studio.trace.events.values import Shown
from studio.trace.fold.moments import Moments
from studio.trace.fold.state import RunState, fold
from studio.trace.timeline.critical_path import critical_path, wired
from studio.trace.timeline.lanes import Grouping
from studio.ui.look import Look
from studio.ui.panels.timeline import TimelinePanel
from studio.ui.theme.tokens import load_theme

RATE = 20_000
"""Entries a second while the run goes on."""
FRAME = RATE // 60


def main() -> None:
    """Print the table."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 33_000
    QApplication(sys.argv[:1])
    entries = history(steps)
    print(f"{len(entries):,} entries, {steps:,} steps; median / 95 % / worst, in ms")  # noqa: T201
    state = fold(entries)
    panel = shown(state)
    row("opened: lanes of the whole run, first picture", [opened(state) for _ in range(3)])
    for grouping in Grouping:
        panel.group(grouping)
        row(f"lanes by {grouping}: made anew, painted", [seconds(lambda g=grouping: regroup(panel, g))])
        row("  the whole run painted", each(30, lambda _: paint(panel)))
        panel.view.zoom(200.0)
        row("  panned at 200 x", each(120, lambda _: pan(panel, 37.0, 0.0)))
        row("  scrolled", each(120, lambda turn: pan(panel, 0.0, -60.0 if turn < 60 else 60.0)))
        panel.view.follow()
    panel.group(Grouping.NODE)
    ended = (state.ended or 0.0) - (state.started or 0.0)
    panel.view.choose_part((0.0, ended))
    row("part chosen: totals", each(30, lambda _: panel.add_up()))
    panel.view.choose_part(None)
    row(
        "critical path found",
        each(3, lambda _: critical_path(state, wired(Flow(), None), state.ended or 0.0)),
    )
    row("live: a frame of new entries, painted", live(entries))
    travel(entries)


def history(steps: int) -> list[Entry]:
    """A loop of many rounds, of each of which an agent answers; every tenth step asks and pays."""
    told: list[tuple[str, str, Event]] = [("", "", RunStarted("bench", "{}")), ("rounds", "", StepStarted())]
    values = {"reply": Shown("a short text", ("user",))}
    for number in range(steps):
        step = f"rounds.{number}/{'writer' if number % 3 else 'critic'}"
        told += [(step, "rounds", StepReady()), (step, "rounds", StepStarted(values))]
        if not number % 10:
            told += [(f"{step}#chat.1", step, ChatRequested("p", {"messages": []}))]
            told += [(f"{step}#chat.1", step, ChatAnswered({"content": "Yes"}, "stop", 90, 9, 0, 0.001))]
        told.append((step, "rounds", StepFinished(values)))
    told += [("rounds", "", StepFinished()), ("", "", RunFinished())]
    run, began = RunId("bench"), time() - len(told) / RATE
    return [
        Entry(run, number, StepId(step), StepId(parent), began + number / RATE, event)
        for number, (step, parent, event) in enumerate(told, start=1)
    ]


def shown(state: RunState) -> TimelinePanel:
    """A panel that shows a run."""
    panel = TimelinePanel(Look(load_theme("dark"), QApplication.instance()))
    panel.resize(1400, 400)
    panel.show()
    panel.show_run(state, Flow())
    paint(panel)
    return panel


def opened(state: RunState) -> float:
    """How long it takes until the first picture of a run is there."""
    panel = TimelinePanel(Look(load_theme("dark"), QApplication.instance()))
    panel.resize(1400, 400)
    panel.show()
    begin = process_time()
    panel.show_run(state, Flow())
    paint(panel)
    took = process_time() - begin
    panel.deleteLater()
    return took


def regroup(panel: TimelinePanel, grouping: Grouping) -> None:
    """Make other lanes and paint them."""
    panel.group(grouping)
    paint(panel)


def paint(panel: TimelinePanel) -> None:
    """Paint all that is seen, now."""
    port = panel.view.viewport()
    image = QImage(port.size(), QImage.Format.Format_RGB32)
    port.render(image)


def pan(panel: TimelinePanel, across: float, down: float) -> None:
    """Move everything and paint it."""
    panel.view.pan(across, down)
    paint(panel)


def live(entries: Sequence[Entry]) -> list[float]:
    """What each frame costs of a run that goes on at full speed: fold, lanes, picture."""
    state = RunState()
    state.apply(entries[0])
    panel = shown(state)
    took: list[float] = []
    for first in range(1, len(entries), FRAME):
        begin = process_time()
        touched = dict.fromkeys(state.apply(entry) for entry in entries[first : first + FRAME])
        panel.touch(touched)
        paint(panel)
        took.append(process_time() - begin)
    return took


def travel(entries: Sequence[Entry]) -> None:
    """What it costs to get ready to go back in time, and to be at another moment."""
    moments = Moments()
    begin = process_time()
    moments.add(entries)
    row("ready to scrub: all folded once more, in slices of 8 ms", [process_time() - begin])
    count = len(entries)
    row("playhead dragged to the left", each(200, lambda turn: moments.state(count - turn * count // 200)))
    row("playhead dragged to the right", each(200, lambda turn: moments.state(turn * count // 200)))
    row("playhead put anywhere", each(200, lambda turn: moments.state(turn * 7919 % count)))


def each(times: int, work: Callable[[int], object]) -> list[float]:
    """Time some goes of `work`, each told its number."""
    return [seconds(lambda turn=turn: work(turn)) for turn in range(times)]


def seconds(work: Callable[[], object]) -> float:
    """Time one go."""
    begin = process_time()
    work()
    return process_time() - begin


def row(what: str, took: Sequence[float]) -> None:
    """Print one line of the table."""
    ms = sorted(one * 1e3 for one in took)
    if len(ms) < 20:
        said = f"{ms[len(ms) // 2]:8.1f}"
    else:
        cuts = quantiles(ms, n=20)
        said = f"{cuts[9]:8.1f} {cuts[18]:8.1f} {ms[-1]:8.1f}"
    print(f"{what:<58}{said}")  # noqa: T201


if __name__ == "__main__":
    main()
