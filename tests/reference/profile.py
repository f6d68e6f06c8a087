"""How hard the tests of random flows try."""

from hypothesis import HealthCheck, settings

from tests.examples import PHASES, examples

random_flows = settings(max_examples=examples(60), phases=PHASES, suppress_health_check=list(HealthCheck))
