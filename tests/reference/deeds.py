"""What each kind of step does with its inputs, and how many seconds one attempt of it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.errors import StepError, StepwireError, TimeLimitError
from studio.flow.records import Node
from tests.reference.document import CATCH, RACE
from tests.reference.probes import act, conduct, elements, gifts, replied, say


class Absent:
    """What stands at a socket that gave nothing."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


@dataclass(frozen=True)
class Deed:
    """What an attempt came to."""

    outputs: dict[str, Any]
    seconds: float = 0
    error: StepError | None = None


def do(node: Node, inputs: Mapping[str, Any], lenders: list[Node]) -> Deed:
    """All attempts of one step, its error policy left aside."""
    settings: Any = node.settings
    done = _attempt(node, inputs, lenders)
    limit = node.run.time_limit
    if limit is not None and done.seconds > limit:
        words = f"It took longer than its time limit of {limit:g} s."
        done = Deed({}, limit, TimeLimitError(words, hint="Raise the limit in the run settings."))
    flaky = int(settings.get("flaky", 0))
    if flaky and flaky > node.run.retries:
        done = Deed({}, done.seconds, StepError("Not yet."))
    attempts = 1 + (node.run.retries if done.error is not None else flaky)
    return Deed(done.outputs, attempts * done.seconds, done.error)


def _attempt(node: Node, inputs: Mapping[str, Any], lenders: list[Node]) -> Deed:  # noqa: C901, PLR0912  # one arm a kind
    settings: Any = node.settings
    match node.kind:
        case "control.merge":
            every = settings.get("gives") == "all"
            return Deed({"value": inputs["values"]}) if every else _first(inputs["values"])
        case kind if kind == RACE:
            return _first(inputs["values"])
        case kind if kind == CATCH:
            caught = "value" if "value" in inputs else "error"
            return Deed({caught: inputs[caught]})
        case "control.branch":
            is_deeper = str(settings["cases"][0]["when"]).startswith("not")
            last = str(inputs["value"])[-1:]
            lucky = last != "4" if is_deeper else last in {*"01234"}
            return Deed({"yes" if lucky else "no": inputs["value"]})
        case "control.delay":
            return Deed({"value": inputs["value"]}, settings["seconds"])
        case "io.flow_output":
            return Deed({})
        case "test.scatter":
            return Deed({"texts": elements(inputs["one"], int(settings.get("most", 3)))})
        case "test.giver":
            return Deed(dict(vars(gifts(inputs["one"]))))
        case "test.taker":
            return Deed({"text": _taken(settings["name"], inputs)})
        case "test.asker":
            return _asked(settings, inputs, lenders)
        case "control.retry":
            return _retried(settings, inputs["input"], lenders)
        case "test.writer":
            return Deed({"text": say(settings["name"], inputs["one"])})
        case _:
            return _probed(settings, inputs)


def _first(values: list[Any]) -> Deed:
    if not values:  # somebody took them all away
        return Deed({}, 0, StepError("There is no value to take."))
    return Deed({"value": values[0]})


def _probed(settings: Any, inputs: Mapping[str, Any]) -> Deed:
    read = (inputs["one"], inputs.get("two"), inputs.get("said", ""), inputs.get("parts", []))
    fails, nothing = (int(settings.get(one, 0)) for one in ("fails", "gives_nothing"))
    seconds = settings.get("seconds", 0)
    try:
        text = act(str(settings["name"]), read, fails, nothing)
    except StepError as error:
        return Deed({}, seconds, error)
    return Deed({"text": ABSENT if text is None else text}, seconds)


def _taken(name: str, inputs: Mapping[str, Any]) -> str:
    defaults = {"text": "", "number": 0, "flag": False, "json": None, "texts": []}
    read = [inputs.get(port, default) for port, default in defaults.items()]
    message = inputs.get("message", {"role": "user", "content": ""})
    return say(name, *read, message, inputs.get("last"))


def _asked(settings: Any, inputs: Mapping[str, Any], lenders: list[Node]) -> Deed:
    word, seconds = say(settings["name"], inputs["one"]), 0.0
    for number in range(int(settings.get("asks", 1))):
        word, took = replied(f"{number} {word}")
        seconds += took
    said: list[str] = []
    for one in lenders:
        text, how = lent(one, word)
        if how == "breaks":
            return Deed({}, seconds, StepError(text))
        said.append(text)
    return Deed({"text": say(word, *said)}, seconds)


def _retried(settings: Any, word: str, lenders: list[Node]) -> Deed:
    attempts, pause = int(settings.get("attempts", 1)), float(settings.get("pause", 0))
    said: list[str] = []
    for number, one in enumerate(lenders):
        text, how = lent(one, word)
        if how == "answers":
            return Deed(
                {"result": text, "used": one.settings["name"]},
                number * (attempts - 1) * pause,
            )
        said.append(f"`{one.settings['name']}`: {text}")
    seconds = len(lenders) * (attempts - 1) * pause
    return Deed({}, seconds, StepError(f"All tools failed. {' '.join(said)}"))


def lent(lender: Node, word: str) -> tuple[str, str]:
    """What a lent tool says, and whether it answers, says no, or breaks."""
    settings: Any = lender.settings
    how = conduct(word, settings["name"], int(settings.get("fails", 0)))
    return (say(settings["name"], word) if how == "answers" else f"Not {word}."), how


def told_error(error: StepwireError) -> dict[str, Any]:
    """An error as a value."""
    return {"error": type(error).__name__, "message": error.message, "hint": error.hint}
