"""The door of a run that a window executes in its own host: others may stop it, and nothing else."""

import asyncio
from collections.abc import Mapping

from studio.host.doorway import Doorway
from studio.host.recorded_run import RunMaterials
from studio.host.run_in_hand import RunInHand


class HostDoor:
    """Serves a door until cancelled; the run belongs to its window, so nobody else may follow it there."""

    def __init__(self, materials: RunMaterials, hand: RunInHand) -> None:
        self._materials = materials
        self._hand = hand

    async def serve(self, environ: Mapping[str, str]) -> None:
        """Open the door, and leave it so."""
        async with Doorway(self._materials.store, environ, self._receive):
            await asyncio.Event().wait()

    def is_in(self, visit: object) -> bool:
        """Nobody is."""
        del visit
        return False

    def enter(self, visit: object) -> None:
        """Let nobody in."""
        del visit

    def leave(self, visit: object) -> None:
        """Nothing was held for anybody."""
        del visit

    def stop(self) -> None:
        """Stop the run."""
        if self._hand.task is not None:
            self._hand.task.cancel()

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from studio.host.visit import Visit

        await Visit(self, self._materials.spec.run, self._hand, writer).serve(reader)
