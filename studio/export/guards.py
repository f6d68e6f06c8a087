"""What a project lets a run spend, and what its language models cost, as a script is told them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.export.lifter import Lifter
from studio.export.literals import literal
from studio.llm.prices import Prices

LIMITS = "studio.export.script_limits"
PRICES = "studio.llm.prices"


@dataclass(frozen=True, slots=True)
class Guards:
    """The limits of a project by their names, and the prices that somebody asks for."""

    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    prices: Prices = field(default_factory=Prices)

    def option(self, lifter: Lifter) -> str:
        """The argument of the command line by which the limits are others."""
        known = ", ".join(f"{name}={number:g}" for name, number in sorted(self.limits.items()))
        return (
            f'parser.add_argument("--limit", metavar="NAME=NUMBER", type={lifter.use(LIMITS, "limit")}, '
            f'action="append", default=[], help="tokens, cost (in dollars), seconds, steps or calls; '
            f'otherwise {known}")'
        )

    def account(self, lifter: Lifter) -> str:
        """The account of the run, as the command line sets it up."""
        known = ", ".join(f'"{name}": {float(number)!r}' for name, number in sorted(self.limits.items()))
        return f'{lifter.use(LIMITS, "Account")}("The run", {{{known}, **dict(arguments.limit)}})'

    def price_list(self, lifter: Lifter) -> str:
        """The prices as the script carries them."""
        price = lifter.use(PRICES, "Price")
        entries = [
            f"{price}({literal(one.names, lifter.use)}, input={one.input!r}, output={one.output!r}, "
            f"cached={one.cached!r}, as_of={one.as_of!r})"
            for one in self.prices.entries
        ]
        return f"{lifter.use(PRICES, 'Prices')}(({', '.join(entries)},))"
