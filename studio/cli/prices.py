"""Show what tokens cost, and which file overrides it."""

import argparse
import os
from typing import TYPE_CHECKING

from studio.terminal.output import print_json, say, write_line

if TYPE_CHECKING:
    from studio.llm.prices import Price

EXAMPLE = (
    "Put your own prices there, in US dollars per million tokens; they take precedence:\n  "
    '[[price]]\n  llm = "my-model*"\n  input = 0.50\n  cached = 0.05\n  output = 1.50'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire prices`."""
    parser.add_argument("llm", nargs="?", default="", metavar="NAME", help="a model (default: all of them)")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Show the table, the user's prices first, as they count."""
    from studio.workspace.prices import load_prices, shipped_prices, user_file, user_prices

    own, shipped = user_prices(os.environ), shipped_prices()
    path = user_file(os.environ)
    if arguments.llm:
        found = load_prices(os.environ).find(arguments.llm)
        if arguments.json:
            print_json({"llm": arguments.llm, "price": None if found is None else _plain(found)})
        else:
            write_line(f"{arguments.llm}: {'no price is known' if found is None else _said(found)}")
    elif arguments.json:
        rows = [{**_plain(one), "from": "user"} for one in own.entries]
        rows += [{**_plain(one), "from": "stepwire"} for one in shipped.entries]
        print_json({"file": str(path), "prices": rows})
    else:
        for mark, prices in (("*", own), (" ", shipped)):
            for one in prices.entries:
                write_line(f"{mark} {', '.join(one.names)}: {_said(one)}")
    say(f"Your own prices{' (marked *)' if own.entries else ''}: {path}")
    if not own.entries:
        say(EXAMPLE)
    return 0


def _said(price: "Price") -> str:
    said = (
        f"${price.input:g} input, ${price.cached:g} cached input, ${price.output:g} output, per "
        "million tokens"
    )
    return f"{said}, as of {price.as_of}" if price.as_of else said


def _plain(price: "Price") -> dict[str, object]:
    dollars = {"input": price.input, "cached": price.cached, "output": price.output}
    return {"llm": list(price.names), **dollars, "as_of": price.as_of or None}
