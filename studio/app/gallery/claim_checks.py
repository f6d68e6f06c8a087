"""Whether what a system claims is seen in its runs: one run for all claims about the same flow and inputs."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, cast

import jmespath

from studio.app.gallery.claims import Claim, Expectation
from studio.flow.records import Json
from studio.ids import StepId
from studio.trace.events import Entry
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState

_CALL = re.compile(r"#(tool|chat|embed)\.\d+")
SHOWN = 200
"""So many letters of what was seen are told of a claim that does not hold."""


@dataclass
class SeenRun:
    """A run as claims look at it: its state, and its entries in the order in which they came."""

    state: RunState
    entries: Sequence[Entry] = field(repr=False)

    @cached_property
    def names(self) -> Mapping[StepId, str]:
        """Each step as claims name it: with the tool or member in the place of its number."""
        return {step: _CALL.sub(self._called, step) for step in self.state.order}

    @cached_property
    def spans(self) -> Mapping[StepId, tuple[int, int]]:
        """The places of the first and the last entry of each step."""
        found: dict[StepId, tuple[int, int]] = {}
        for place, entry in enumerate(self.entries):
            first, _ = found.get(entry.step, (place, place))
            found[entry.step] = (first, place)
        return found

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The run as `plain_run` gives it."""
        return plain_run(self)

    def fitting(self, pattern: str) -> list[StepState]:
        """The steps and calls of a name, in order of appearance."""
        return [
            self.state.steps[step]
            for step, name in self.names.items()
            if fnmatchcase(name, pattern) or fnmatchcase(step, pattern)
        ]

    def _called(self, found: re.Match[str]) -> str:
        call = self.state.steps.get(StepId(found.string[: found.end()]))
        return f":{call.tool}" if call is not None and call.tool else f":{found[1]}"


def failures(claim: Claim, run: SeenRun) -> Iterator[str]:
    """Say for each expectation that is not met what was seen instead."""
    error = run.state.error
    if claim.fails and (error is None or claim.fails not in error.message):
        ended = "did not fail" if error is None else f"failed: {error.message}"
        yield f"the run was to fail with {_short(claim.fails)}; it {ended}"
    if error is not None and not claim.fails:
        yield f"the run failed: {error.message}"
        return
    for one in claim.expects:
        try:
            seen = _seen(one, run)
        except LookupError as error:
            yield f"{_place(one)}: {error.args[0]}"
            continue
        if words := _misses(one, seen):
            yield f"{_place(one)} {words}; it is {_short(seen)}"


def plain_run(run: SeenRun) -> dict[str, Any]:
    """Give a run as JSON: `outputs`, `chats`, `tokens`, and `steps`, a list in order of appearance.

    A step has `name` as claims name it, `step` as the trace does, `under` (the name of the step that called
    it), `tool`, `status`, `text`, `asked`, `arguments`, `inputs`, `outputs`, `remembered` (what it kept in
    memories), and `parts`: what it made as it went, each with `part`, `status`, `of`, `after`, `text` and
    `detail`.
    """
    state = run.state
    return {
        "outputs": {name: shown.data for name, shown in state.outputs.items()},
        "chats": sum(one.request is not None for one in state.steps.values()),
        "tokens": state.tokens,
        "steps": [_plain_step(state.steps[step], run.names) for step in state.order],
    }


def _plain_step(step: StepState, names: Mapping[StepId, str]) -> dict[str, Any]:
    return {
        "name": names[step.id],
        "step": str(step.id),
        "under": names.get(step.parent, ""),
        "tool": step.tool,
        "status": str(step.status),
        "text": step.text,
        "asked": _asked(step),
        "arguments": step.arguments,
        "inputs": {name: shown.data for name, shown in step.inputs.items()},
        "outputs": {name: shown.data for name, shown in step.outputs.items()},
        "remembered": [one.item.data for one in step.remembered],
        "parts": [
            {"part": name, "status": one.status, "of": one.of, "after": list(one.after), "text": one.text}
            | {"detail": dict(one.detail)}
            for name, one in step.parts.items()
        ],
    }


def _asked(step: StepState) -> str:
    """The words that went to a call: the messages of a chat, the arguments of a tool, inputs of a node."""
    if step.request is not None:
        request: Any = step.request
        return "\n".join(_words(one.get("content")) for one in request.get("messages", ()))
    if step.arguments is not None:
        return _words(step.arguments)
    return "\n".join(_words(shown.data) for shown in step.inputs.values())


def _words(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(map(_words, cast("Mapping[str, object]", value).values()))
    if isinstance(value, list | tuple):
        return "\n".join(map(_words, cast("Sequence[object]", value)))
    return json.dumps(value, ensure_ascii=False)


def _seen(one: Expectation, run: SeenRun) -> Json:
    """What is there to be compared; raises `LookupError` that says what is not there at all."""
    match one.subject:
        case "output":
            return _output(one, run)
        case "speak":
            return _spoken(one, run)
        case "count":
            return len(run.fitting(one.count or ""))
        case "order":
            return _is_in_order([run.fitting(pattern) for pattern in one.order or ()], run)
        case "at_once":
            return _are_at_once([step for each in one.at_once or () for step in _some(each, run)], run)
        case "value":
            return _found(one.value or "", run.plain)
        case _:
            pattern = one.asked or one.said or ""
            steps = _some(pattern, run)
            if len(steps) < one.nth:
                raise LookupError(f"only {len(steps)} steps are called so")
            step = steps[one.nth - 1]
            return _asked(step) if one.asked else step.text


def _found(query: str, plain: object) -> Json:
    ask: Any = jmespath  # not typed; it gives what JSON can say
    try:
        return ask.search(query, plain)
    except ask.exceptions.JMESPathError as error:
        raise LookupError(f"the query failed: {' '.join(str(error).split())}") from error


def _output(one: Expectation, run: SeenRun) -> Json:
    shown = run.state.outputs.get(one.output or "")
    if shown is None:
        raise LookupError("the run gave no such output")
    return shown.data


def _spoken(one: Expectation, run: SeenRun) -> Json:
    parents = {step.id for step in _some(one.speak or "", run)}
    calls = (run.state.steps[step] for step in run.state.order)
    return [step.tool for step in calls if step.tool and step.parent in parents]


def _some(pattern: str, run: SeenRun) -> list[StepState]:
    found = run.fitting(pattern)
    if not found:
        raise LookupError("no step is called so")
    return found


def _is_in_order(rows: Sequence[Sequence[StepState]], run: SeenRun) -> bool:
    ended = -1
    for steps in rows:
        later = [run.spans[step.id] for step in steps if run.spans[step.id][0] > ended]
        if not later:
            return False
        ended = min(later)[1]
    return True


def _are_at_once(steps: Sequence[StepState], run: SeenRun) -> bool:
    spans = [run.spans[step.id] for step in steps]
    return len(spans) > 1 and max(first for first, _ in spans) < min(last for _, last in spans)


def _misses(one: Expectation, seen: Json) -> str:
    """Say what of an expectation is not met; empty where all is."""
    if one.subject in {"order", "at_once"}:
        return "" if seen is True else "does not hold"
    if "exactly" in one.model_fields_set and not _is_same(seen, one.exactly):
        return f"is not {_short(one.exactly)}"
    within = seen if isinstance(seen, list) else _words(seen)
    if missing := next((text for text in one.all_has if text not in within), None):
        return f"has no {_short(missing)}"
    if found := next((text for text in one.all_lacks if text in within), None):
        return f"has {_short(found)}"
    if one.least is None and one.most is None:
        return ""
    if isinstance(seen, bool) or not isinstance(seen, int | float):
        return "is no number"
    if one.least is not None and seen < one.least:
        return f"is less than {one.least:g}"
    return f"is more than {one.most:g}" if one.most is not None and seen > one.most else ""


def _is_same(seen: Json, wanted: Json) -> bool:
    return seen == wanted and isinstance(seen, bool) == isinstance(wanted, bool)


def _place(one: Expectation) -> str:
    named = getattr(one, one.subject)
    each = cast("Sequence[str]", named) if isinstance(named, tuple) else (named,)
    words = ", ".join(f"`{name}`" for name in each)
    return f"{one.subject} {words}" + (f", number {one.nth}," if one.nth > 1 else "")


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
