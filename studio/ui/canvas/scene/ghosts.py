"""What a step makes as it goes, beside its node: where these ghosts stand, and which is at a point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from studio.flow.records import Wire
from studio.ids import NodeId
from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.ghost_layout import HEAD, HEIGHT, WIDTH, Ghost, Laid, lay_out
from studio.ui.canvas.scene.scene import Ints, Scene

APART = 32
"""Scene units between a node and its ghosts, and between these and other nodes."""
FOLDED = 248
"""How wide the line is that stands for ghosts that are folded."""
TRIES = 64
"""Places that are tried before ghosts lie over something."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The ghosts of one node, in scene units; folded, there is its line alone."""

    node: NodeId
    rect: Rect
    laid: Laid
    is_folded: bool = False

    @property
    def head(self) -> Rect:
        """The line above the ghosts, which folds and unfolds them."""
        return Rect(self.rect.x, self.rect.y, FOLDED, HEAD)

    @property
    def rects(self) -> Floats:
        """Where each ghost stands."""
        if self.is_folded:
            return np.empty((0, 4))
        return self.laid.rects + np.array([self.rect.x, self.rect.y + HEAD + APART / 4, 0, 0])

    @property
    def curves(self) -> Floats:
        """The wires among them: four control points each."""
        if self.is_folded:
            return np.empty((0, 8))
        return self.laid.curves + np.tile([self.rect.x, self.rect.y + HEAD + APART / 4], 4)


@dataclass(frozen=True, slots=True)
class GhostHit:
    """A ghost by its key, or the line above those of a node (no key)."""

    node: NodeId
    key: str = ""


@dataclass(frozen=True, slots=True)
class Delegation:
    """Along which wire a member of a team was given turns, how many, and whether one goes on."""

    wire: Wire
    count: int
    is_running: bool = False


@dataclass(slots=True)
class Ghosts:
    """All ghosts of a canvas; they go along with their nodes."""

    scene: Scene
    told: Mapping[NodeId, Sequence[Ghost]] = field(default_factory=dict[NodeId, Sequence[Ghost]])
    delegations: Sequence[Delegation] = ()
    """Who was given turns."""
    chosen: str = ""
    """The key of the ghost whose work is shown everywhere."""
    folded: set[NodeId] = field(default_factory=set[NodeId])
    _laid: dict[NodeId, tuple[Sequence[Ghost], Laid]] = field(
        default_factory=dict[NodeId, tuple[Sequence[Ghost], Laid]]
    )
    _clusters: Sequence[Cluster] = ()
    _seen: tuple[object, ...] | None = None

    def tell(self, told: Mapping[NodeId, Sequence[Ghost]]) -> bool:
        """Take what there is now; gives whether it is something else than it was."""
        if told == self.told:
            return False
        self.told, self._seen = told, None
        self._laid = {node: laid for node, laid in self._laid.items() if node in told}
        return True

    def turn(self, node: NodeId) -> None:
        """Fold the ghosts of a node, or unfold them."""
        self.folded ^= {node}
        self._seen = None

    @property
    def clusters(self) -> Sequence[Cluster]:
        """The ghosts of each node that has any, where nothing else stands."""
        seen = (self.scene.generation, len(self.scene.ids))
        if seen != self._seen:
            self._seen, self._clusters = seen, self._place()
        return self._clusters

    def hit(self, x: float, y: float) -> GhostHit | None:
        """What is at a scene point."""
        for cluster in self.clusters:
            if not cluster.rect.contains(x, y):
                continue
            if cluster.head.contains(x, y):
                return GhostHit(cluster.node)
            left, top, wide, high = cluster.rects.T if len(cluster.rects) else np.empty((4, 0))
            rows: Ints = np.nonzero((x >= left) & (x <= left + wide) & (y >= top) & (y <= top + high))[0]
            if len(rows):
                return GhostHit(cluster.node, cluster.laid.ghosts[int(rows[-1])].key)
        return None

    def ghost(self, hit: GhostHit | None) -> Ghost | None:
        """The ghost that was hit."""
        told = self.told.get(hit.node, ()) if hit is not None else ()
        return next((one for one in told if hit is not None and one.key == hit.key), None)

    def rect_of(self, key: str) -> Rect | None:
        """Where a ghost stands; None where there is no such one, or it is folded away."""
        for cluster in self.clusters:
            for row, ghost in enumerate(cluster.laid.ghosts):
                if ghost.key == key and not cluster.is_folded:
                    return Rect(*cluster.rects[row].tolist())
        return None

    def extent(self) -> Rect | None:
        """The rectangle around all of them."""
        found: Rect | None = None
        for cluster in self.clusters:
            found = found.united(cluster.rect) if found is not None else cluster.rect
        return found

    # ---------------------------------------------------------------- placing

    def _place(self) -> Sequence[Cluster]:
        found: list[Cluster] = []
        scene = self.scene
        nodes = [node for node in self.told if node in scene.row and self.told[node]]
        for node in sorted(nodes, key=lambda one: (scene.rect(one).y, scene.rect(one).x, one)):
            laid = self._lay(node)
            is_folded = node in self.folded
            wide = FOLDED if is_folded else max(laid.width, FOLDED)
            high = HEAD if is_folded else HEAD + APART / 4 + laid.height
            around = scene.rect(node)
            at = self._free(Rect(around.x, self._below(node) + APART, wide, high), found)
            found.append(Cluster(node, at, laid, is_folded))
        return found

    def _below(self, node: NodeId) -> float:
        """Where a node ends, and what is lent to it: its wires come from there."""
        scene = self.scene
        lent = (
            scene.rect(wire.source.node).bottom
            for wire in (scene.wires[row] for row in scene.wires_at([node]))
            if wire.target.node == node
            and (kind := scene.signatures.get(wire.source.node))
            and kind.is_binding
        )
        return max(scene.rect(node).bottom, *lent, scene.rect(node).bottom)

    def _lay(self, node: NodeId) -> Laid:
        known, told = self._laid.get(node), self.told[node]
        if known is None or known[0] is not told:
            known = self._laid[node] = told, lay_out(told)
        return known[1]

    def _free(self, wanted: Rect, others: Sequence[Cluster]) -> Rect:
        """The place straight below a wanted one where nothing stands."""
        scene = self.scene
        stand = [Rect(*one) for one in scene.rects[scene.has_card].tolist()]
        stand += [area.rect for area in scene.areas.values()] + [one.rect for one in others]
        stand.sort(key=lambda one: one.y)
        for _ in range(TRIES):
            around = wanted.grown(APART / 2)
            over = next((one for one in stand if one.meets(around)), None)
            if over is None:
                break
            wanted = Rect(wanted.x, over.bottom + APART, wanted.width, wanted.height)
        return wanted


__all__ = ["HEIGHT", "WIDTH", "Cluster", "Delegation", "Ghost", "GhostHit", "Ghosts"]
