"""What collecting garbage costs the window, kept off the hand that edits."""

import gc
import sys

MANY = 2_000_000
"""Blocks of memory, which are told at once; with fewer, the collector is quick enough by itself."""


def set_apart(many: int = MANY) -> None:
    """Have the collector leave alone what is there by now, once it has looked at all of it.

    A flow of 10,000 nodes is some million blocks that live as long as it is open. To look at them again
    and again, as every fifth edit would have it, takes a tenth of a second each time. What was set apart
    before and has become garbage since goes now: this is for when flows are opened and closed. A window of
    small flows is not looked at for it.
    """
    gc.unfreeze()
    if sys.getallocatedblocks() >= many:
        gc.collect()
        gc.freeze()
