"""How long tests wait for other processes: what an idle machine does in two seconds may take a minute."""

import os

MOST = 150.0
"""Seconds, below those after which pytest ends a test."""


def patience(seconds: float = 30.0) -> float:
    """Seconds after which what is waited for never comes: more where cores have several things to do."""
    return min(MOST, seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
