"""What grows in the shown run, brought to the tree, and from there to everything else."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

from studio.app.documents.selection import Selected
from studio.app.reuse.kept_parts import Keeping, can_keep, keep_parts
from studio.errors import EditRefusedError
from studio.flow.records import Point
from studio.ids import NodeId, StepId
from studio.trace.events.parts import PartTold
from studio.trace.growth import Grown, Growth
from studio.ui.canvas.scene.ghost_layout import ACROSS, DOWN, HEIGHT, WIDTH, lay_out
from studio.ui.canvas.scene.ghosts import Ghost, GhostHit
from studio.ui.slots import of_text
from studio.ui.viewmodels.run.ghosts import Grove, grove
from studio.ui.viewmodels.run.growth_rows import GrownRow, rows_in_words
from studio.ui.viewmodels.run.shown_run import Batch, drawn_flow, node_of
from studio.ui.window.workspace import Workspace

GAP = 64
"""Scene units between what stands on the canvas and the nodes that are kept."""
CARD_WIDE, CARD_HIGH = 288, 264
"""The room of a node that is kept."""
SOON = 100
"""Milliseconds after something grew before it is shown."""


class FlowGrowth(QObject):
    """Follows the run of one open flow, at whichever moment it is shown."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work = workspace
        self._panel = workspace.growth
        self._growth = Growth()
        self._is_leading = False
        self._led = ""
        self._looked: StepId | None = None
        self._said: Sequence[GrownRow] = ()
        self._grove = Grove()
        self.rows: Sequence[Grown] = ()
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self.show)
        self._panel.chosen.connect(of_text(self.go))
        self._panel.came_up.connect(self._fill)
        self._panel.keep_asked.connect(of_text(self.keep))
        self._ends = (
            workspace.shown.on_batch(self._hear),
            workspace.session.selection.on_change(self._select),
            workspace.canvas.board.ghost_chosen.subscribe(self._take_ghost),
        )

    def close(self) -> None:
        """Stop listening."""
        self._soon.stop()
        for end in self._ends:
            end()

    def go(self, key: str) -> None:
        """Show everywhere what a row is about: its step, its bar in the timeline, what was said."""
        row = next((one for one in self.rows if one.key == key), None)
        if row is None:
            return
        self._is_leading, self._led = True, key
        self._work.show_step(row.place)
        self._stand(self._work.session.selection.now)
        self._is_leading, self._led = False, ""

    def show(self) -> None:
        """Show what has grown by the moment that is shown."""
        work, state = self._work, self._work.shown.state
        self.rows = self._growth.rows(state) if state is not None else ()
        run = work.shown.run
        flow = drawn_flow(run, work.session.flow)
        library = work.shown.library(work.session.registry)
        self._said = rows_in_words(self.rows, state, flow, library) if state is not None else ()
        self._show_ghosts()
        self._fill()

    def _show_ghosts(self) -> None:
        """Show on the canvas what belongs to the steps that are shown there."""
        work, state = self._work, self._work.shown.state
        chosen = work.session.selection.now.step
        self._grove = Grove()
        if state is not None and self._said:
            self._grove = grove(
                self._said,
                state,
                work.session.flow,
                work.session.registry,
                lambda node: work.shown.shown_step(node, chosen),
            )
        work.canvas.show_ghosts(self._grove.ghosts, self._grove.delegations)

    @property
    def can_keep_part(self) -> bool:
        """Whether the chosen row is a part that says what node it would be."""
        row = self._current
        return row is not None and row.told is not None and can_keep(row.told, self._work.session.registry)

    @property
    def can_keep_all(self) -> bool:
        """Whether any part of the chosen row's step does."""
        return bool(self._keepable())

    @property
    def can_fold(self) -> bool:
        """Whether anything stands beside a node that can be folded."""
        return bool(self._grove.ghosts)

    def keep(self, key: str = "") -> None:
        """Make the part with this key a node of the flow; with none, all parts of the chosen row's step."""
        rows = [row for row in self.rows if row.key == key] if key else self._keepable()
        work, flow = self._work, self._work.session.flow
        if not rows:
            return
        maker = node_of(rows[0].step)
        parts = [row.told for row in rows if row.told is not None]
        try:
            nodes, change = keep_parts(
                flow,
                Keeping(maker, list(zip(parts, self._places(maker, parts), strict=True))),
                work.session.registry,
            )
        except EditRefusedError as error:
            work.told.emit(error.message)
            return
        work.session.history.do(change)
        work.session.selection.select(nodes)
        work.canvas.fit()

    def keep_chosen(self) -> None:
        """Make the chosen part a node of the flow."""
        if self._current is not None:
            self.keep(self._current.key)

    def fold(self) -> None:
        """Fold what stands beside the nodes, or unfold it where all is folded."""
        ghosts = self._work.canvas.board.cards.ghosts
        nodes = self._grove.ghosts.keys()
        are_folded = nodes <= ghosts.folded
        for node in nodes:
            if (node in ghosts.folded) is are_folded:
                ghosts.turn(node)
        self._work.canvas.board.redrawn.tell()

    @property
    def _current(self) -> Grown | None:
        """The row that is shown everywhere, or else that stands chosen in the tree."""
        key = self._grove.rows.get(self._work.canvas.board.cards.ghosts.chosen, "")
        current = self._panel.current
        key = key or (current.row.key if current is not None else "")
        return next((row for row in self.rows if row.key == key), None)

    def _keepable(self) -> list[Grown]:
        """All parts that can be nodes and were not dropped, of the chosen row's step, else of the first."""
        registry = self._work.session.registry
        rows = [
            row
            for row in self.rows
            if row.told is not None and row.told.status != "dropped" and can_keep(row.told, registry)
        ]
        current = self._current
        steps = {row.step for row in rows}
        step = current.step if current is not None and current.step in steps else rows[0].step if rows else ""
        return [row for row in rows if row.step == step]

    def _places(self, maker: NodeId, parts: Sequence[PartTold]) -> list[Point]:
        """Where nodes stand below all others, in the order of the ghosts."""
        scene = self._work.canvas.board.scene
        extent = scene.extent()
        left = scene.rect(maker).x if maker in scene.row else extent.x if extent is not None else 0.0
        top = extent.bottom + GAP if extent is not None else 0.0
        rects = lay_out([Ghost(one.part, one.title, after=one.after) for one in parts]).rects
        places = (rects[:, :2] * (CARD_WIDE / (WIDTH + ACROSS), CARD_HIGH / (HEIGHT + DOWN))).tolist()
        return [Point(round((left + x) / 8) * 8, round((top + y) / 8) * 8) for x, y in places]

    def _hear(self, batch: Batch) -> None:
        shown = self._work.shown
        live = shown.live_state
        if batch.is_fresh:
            self._growth = Growth()
        steps = live.order if live is not None and batch.is_fresh else batch.steps
        is_other = live is not None and self._growth.update(live, steps)
        if batch.is_fresh:
            self.show()
        elif (is_other or batch.is_moved) and not batch.is_behind and not self._soon.isActive():
            self._soon.start()

    def _fill(self) -> None:
        if self._panel.isVisible():
            self._panel.show_rows(self._said)
            self._stand(self._work.session.selection.now)

    def _select(self, selected: Selected) -> None:
        """Show the ghosts of the step that is shown everywhere, and stand on its row."""
        if self._said and selected.step != self._looked:
            self._looked = selected.step
            self._show_ghosts()
        self._stand(selected)

    def _stand(self, selected: Selected) -> None:
        row = self.row_of(selected.step) if selected.step is not None else None
        if row is not None and not self._is_leading and self._panel.isVisible():
            self._panel.choose(row.key)
        key = self._led or (row.key if row is not None else "")
        ghost = next((one for one, found in self._grove.rows.items() if found == key), "")
        self._work.canvas.choose_ghost(ghost)

    def _take_ghost(self, hit: GhostHit) -> None:
        """Show everywhere what a ghost on the canvas is about."""
        key = self._grove.rows.get(hit.key)
        if key is None:
            self._work.raise_asked.emit("tree")
            return
        self.go(key)
        if self._panel.isVisible():
            self._panel.choose(key)

    def row_of(self, step: StepId) -> Grown | None:
        """The innermost row that a step works on, or happens in."""
        state = self._work.shown.state
        found = state.steps.get(step) if state is not None else None
        if state is None or found is None:
            return None
        by_step = {work: row for row in self.rows for work in (row.works or ())}
        return next((by_step[one.id] for one in (found, *state.ancestors(found)) if one.id in by_step), None)
