"""Names of runs: sortable by start time, unique on this machine, short enough to type."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime

from studio.ids import RunId


def new_run_id(clock: Callable[[], float]) -> RunId:
    """Name a run that starts now, such as `20261121-014455-7f3a2c1`; `clock` gives seconds since the epoch.

    Date and time are in UTC. Of the last group, three digits are 4096ths of the second, so that two runs of
    one second sort in their order, and four are random, so that two of one moment differ.
    """
    now = clock()
    moment = datetime.fromtimestamp(int(now), UTC)
    return RunId(f"{moment:%Y%m%d-%H%M%S}-{int(now % 1 * 4096):03x}{secrets.randbits(16):04x}")
