"""How hard the random tests try: a little on every build, harder when STEPWIRE_EXAMPLES says so."""

import os

from hypothesis import HealthCheck, Phase, settings

EXAMPLES = int(os.environ.get("STEPWIRE_EXAMPLES", "60"))

PHASES = (Phase.explicit, Phase.reuse, Phase.generate, *([Phase.shrink] if EXAMPLES > 60 else []))
"""Shrinking a flow takes longer than a build may; whoever looks for defects asks for more examples."""

random_flows = settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
