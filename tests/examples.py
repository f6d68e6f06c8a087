"""How many random examples tests try: few in the loop, more in CI, many in `make test-long`."""

import os

from hypothesis import Phase, settings

USUAL = 60
"""The effort of CI, on which the numbers in the tests are given."""

FEW = 15
"""The effort of the loop: a quarter of that."""

EFFORT = int(os.environ.get("STEPWIRE_EXAMPLES") or (USUAL if os.environ.get("CI") else FEW))

ARE_MANY = EFFORT > USUAL
"""Whether somebody looks for defects, and takes all the time that it needs."""

ARE_FEW = EFFORT <= FEW
"""Whether somebody waits for the tests of what was just changed."""

PHASES = tuple(Phase) if ARE_MANY else (Phase.explicit, Phase.reuse, Phase.generate)
"""To shrink a flow takes longer than a build may."""


def examples(usual: int) -> int:
    """Scale the number that a test tries in CI to how many are asked for now."""
    return max(3, usual * EFFORT // USUAL)


def effort() -> float:
    """How many times as much as in the loop is tried."""
    return max(1.0, EFFORT / FEW)


def load_profile() -> None:
    """Let tests that say nothing else try as many; CI tries the same ones on every build."""
    is_ci = bool(os.environ.get("CI")) and not ARE_MANY
    settings.register_profile("asked", deadline=None, derandomize=is_ci, max_examples=examples(100))
    settings.load_profile("asked")
