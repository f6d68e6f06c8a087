"""What a project lets a run spend, and what its language models cost, as a script is told them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.export.python.lifter import SCRIPT, Lifter
from studio.export.python.literals import literal, text_literal
from studio.llm.prices import Prices

LIMITS = "studio.export.lifted.limits"
PRICES = "studio.llm.prices"
TURNS = "studio.export.lifted.turns"


@dataclass(frozen=True, slots=True)
class Guards:
    """The limits of a project by their names, and the prices that somebody asks for."""

    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    prices: Prices = field(default_factory=Prices)
    turns: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """How many calls a chat profile bears at a time, and in a minute, by its name; 0 is any number."""
    usual: str = ""
    """The profile that the empty name stands for: both take their turns from the same."""

    def fields(self, lifter: Lifter) -> list[str]:
        """What a context is told of them."""
        asks = lifter.keeps(SCRIPT, "Context", "client")
        prices = [f"prices={self.price_list(lifter)}"] if asks and self.prices.entries else []
        rations = [f"rations={self.turn_table(lifter)}"] if asks and self.turns else []
        return [*prices, *rations, *(["accounts=(account,)"] if self.limits else [])]

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
        told = [f"{text_literal(name)}: {float(number)!r}" for name, number in sorted(self.limits.items())]
        limits = ", ".join([*told, "**dict(arguments.limit)"])
        return f'{lifter.use(LIMITS, "Account")}("The run", {{{limits}}})'

    def turn_table(self, lifter: Lifter) -> str:
        """What the profiles bear as the script carries it."""
        made = lifter.use(TURNS, "Turns")
        told = {
            name: [
                *([f"at_once={at_once}"] if at_once else []),
                *([f"a_minute={a_minute}"] if a_minute else []),
            ]
            for name, (at_once, a_minute) in sorted(self.turns.items())
        }
        made_of = {name: f"{made}({', '.join(parts)})" for name, parts in told.items()}
        entries: list[str] = []
        if self.usual and self.usual in made_of and "" in made_of:
            both = made_of.pop(""), made_of.pop(self.usual)
            entries.append(f'**dict.fromkeys(("", {text_literal(self.usual)}), {both[0]})')
        entries += [f"{text_literal(name)}: {one}" for name, one in made_of.items()]
        return f"{{{', '.join(entries)}}}"

    def price_list(self, lifter: Lifter) -> str:
        """The prices as the script carries them."""
        price = lifter.use(PRICES, "Price")
        entries = [
            f"{price}({literal(one.names, lifter.use)}, input={one.input!r}, output={one.output!r}, "
            f"cached={one.cached!r}, as_of={one.as_of!r})"
            for one in self.prices.entries
        ]
        return f"{lifter.use(PRICES, 'Prices')}(({', '.join(entries)},))"
