"""Loop: repeat until a condition holds.

`value` is `start` in the first round, and in every later one what arrived at `again`. The loop ends when
something arrives at `done` (then that is the `result`), when nothing arrives at `again`, when the stop rule
holds, or after the last round allowed. The stop rule is an expression over `value`, `again` and `round`.
Steps that lead nowhere else, but are to run in every round, are wired into `also`.

`history` is gathered where somebody reads it, and may not become larger than 256 MiB. Rounds that hand on
what grows and grows can have only the last few of them in it.

A time limit holds for all rounds together. An error policy speaks for whatever fails inside: a default takes
the place of the `result`. To try again is for the steps inside.

```json
{
  "settings": {"max_rounds": 4, "stop_when": "len(again) > 200"},
  "ports": {
    "inputs": {"start": "T", "again": "T", "done": "T", "also": "any[]"},
    "outputs": {"value": "T", "round": "number", "result": "T", "history": "T[]"}
  }
}
```
"""

from typing import Annotated, Literal

from pydantic import AfterValidator

from studio.sdk import Port, PortName, Setting, Structure, parse_type, structural
from studio.sdk.expressions import expression_over

MOST_ROUNDS = 10_000


class LoopSettings:
    """What a loop is told."""

    max_rounds: Annotated[int, Setting("Max. rounds", minimum=1, maximum=MOST_ROUNDS)] = 10
    stop_when: Annotated[
        str,
        Setting(
            "Stop when", editor="expression", help="Expression over value, again and round; empty: never"
        ),
        AfterValidator(expression_over("value", "again", "round", optional=True)),
    ] = ""
    on_limit: Annotated[
        Literal["take the last", "fail"],
        Setting("At the round limit", help="Use the last value of “again” as the result, or fail"),
    ] = "take the last"
    rounds_kept: Annotated[
        int,
        Setting(
            "Rounds in history",
            minimum=0,
            maximum=MOST_ROUNDS,
            help="How many of the last rounds “history” contains",
        ),
    ] = MOST_ROUNDS


loop = structural(
    "control.loop",
    Structure.LOOP,
    title="Loop",
    inputs=(
        Port(PortName("start"), parse_type("T"), "start", "The value for the first round"),
        Port(PortName("again"), parse_type("T"), "again", "The value for the next round", required=False),
        Port(
            PortName("done"),
            parse_type("T"),
            "done",
            "Ends the loop with this result",
            required=False,
        ),
        Port(
            PortName("also"),
            parse_type("any[]"),
            "also",
            "Anything else that runs in every round",
            required=False,
            many=True,
        ),
    ),
    outputs=(
        Port(PortName("value"), parse_type("T"), "value", "The value for this round"),
        Port(PortName("round"), parse_type("number"), "round", "Number of the round, from 1"),
        Port(PortName("result"), parse_type("T"), "result", "The final result"),
        Port(PortName("history"), parse_type("T[]"), "history", "The value of “again” in each round"),
    ),
    settings=LoopSettings,
    keywords=("repeat", "while", "until", "round", "refine"),
)
