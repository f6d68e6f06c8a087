"""The trajectory of a trial, read from its run: which tools it called, and how often it did what.

`given` names these as `trace.NAME`, for checks, flows and judges alike. A scorer of the family `trajectory`
holds one of them against what is expected: calls of tools as Vertex AI and `agentevals` match trajectories,
all else against the most that there should be.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.building_blocks.agents.made_calls import Called, calls_in
from studio.building_blocks.agents.wanted_calls import calls_score, is_wanted
from studio.errors import StepError, UsageError
from studio.experiments.scores import UNSCORED, Score
from studio.flow.records import Json
from studio.ids import step_parts
from studio.llm.log_probabilities import confidence, tokens_from_json
from studio.trace.events import (
    ChatAnswered,
    Entry,
    StepReady,
    StepRetried,
    StepStarted,
    ToolAnswered,
    ToolCalled,
)

SAID = 3
"""How many faults are said at once."""

Read = Callable[[Sequence[Entry]], Json]


def tool_calls(entries: Iterable[Entry]) -> list[Mapping[str, Any]]:
    """All calls of tools in their order, each with its `name` and `arguments`."""
    made = (one.event for one in entries)
    return [{"name": one.tool, "arguments": one.arguments} for one in made if isinstance(one, ToolCalled)]


def rounds(entries: Iterable[Entry]) -> int:
    """The most rounds that a loop took; items of maps, which begin at 0, are none."""
    seen: dict[str, set[int]] = {}
    for entry in entries:
        if isinstance(entry.event, StepReady | StepStarted):
            segments = step_parts(entry.step)[0].split("/")
            for place, segment in enumerate(segments):
                name, _, index = segment.partition(".")
                if index.isdecimal():
                    seen.setdefault("/".join((*segments[:place], name)), set()).add(int(index))
    return max((max(found) for found in seen.values() if 0 not in found), default=0)


def repeated_calls(entries: Iterable[Entry]) -> int:
    """Calls of a tool with arguments with which it was called before."""
    made = Counter(orjson.dumps(one, option=orjson.OPT_SORT_KEYS) for one in tool_calls(entries))
    return sum(count - 1 for count in made.values())


def token_confidence(entries: Iterable[Entry]) -> float | None:
    """The geometric mean of the probabilities of all tokens of answers for which they were told."""
    made = (one.event for one in entries)
    told = (one.log_probabilities[:1] for one in made if isinstance(one, ChatAnswered))
    return confidence([token for listed in told for one in listed for token in tokens_from_json(one)])


def _count(*kinds: type) -> Read:
    return lambda entries: sum(type(one.event) in kinds for one in entries)


def _steps(entries: Sequence[Entry]) -> int:
    started = {one.step for one in entries if type(one.event) is StepStarted}
    return sum(not step_parts(step)[2] for step in started)


def _failed_calls(entries: Sequence[Entry]) -> int:
    return sum(isinstance(one.event, ToolAnswered) and one.event.is_error for one in entries)


COUNTS: Mapping[str, Read] = {
    "steps": _steps,
    "chats": _count(ChatAnswered),
    "calls": _count(ToolCalled),
    "failed_calls": _failed_calls,
    "repeated_calls": repeated_calls,
    "retries": _count(StepRetried),
    "rounds": rounds,
}
"""What is counted: steps of nodes, answers of models, calls of tools, those that gave an error, those with
arguments of before, attempts after a failed one, and the rounds of the longest loop."""

CALLS = "tool_calls"
CONFIDENCE = "token_confidence"

TRACE: Mapping[str, Read] = {
    CALLS: lambda entries: cast("Json", tool_calls(entries)),
    CONFIDENCE: token_confidence,
    **COUNTS,
}
"""All that `trace.NAME` can name."""

Match = Literal["exact", "in order", "any order", "same calls", "subset"]


class _CallsSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    match: Match = "in order"
    """`exact`: these calls in this order, and no other. `in order`, `any order`: these, and perhaps others.
    `same calls`: these in any order, and no other. `subset`: no other, though perhaps not all of these."""
    arguments: bool = True
    """Whether arguments that are expected have to be given, or only the names of tools are looked at."""


class _CountSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    most: Annotated[float, Field(ge=0)] | None = None


class _SureSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    least: Annotated[float, Field(ge=0, le=1)] | None = None
    """The confidence from which on it passes; None: it is a score alone."""


_SETTINGS: Mapping[str, tuple[type[BaseModel], str]] = {
    CALLS: (_CallsSettings, "wanted"),
    CONFIDENCE: (_SureSettings, "least"),
}
"""The settings of a metric, and what it is given; counts have theirs."""


def reader(
    metric: str, settings: Mapping[str, Json], given: Iterable[str]
) -> Callable[[Mapping[str, Json]], Score]:
    """Make what scores one metric, from what it is given by name; raises `UsageError` where it means nothing.

    It is given its metric by its own name, and `wanted` calls, the `least` confidence, or the `most` that
    there should be.
    """
    kind, takes = _SETTINGS.get(metric, (_CountSettings, "most"))
    if metric not in TRACE:
        known = ", ".join(f"`{one}`" for one in TRACE)
        raise UsageError(f"there is no trajectory metric `{metric}`. There are {known}.")
    try:
        chosen = kind.model_validate(settings)
    except ValidationError as error:
        raise UsageError("; ".join(_words(error))) from error
    for name in given:
        if name != takes:
            raise UsageError(f"`{metric}` has no input `{name}`. It has `{takes}`.")
    if isinstance(chosen, _CallsSettings):
        if takes not in given:
            raise UsageError("nothing is given to its input `wanted`: name a column with the expected calls.")
        return lambda told: _calls_score(chosen, told[CALLS], told.get(takes))
    if isinstance(chosen, _SureSettings):
        return lambda told: _sure_score(told.get(CONFIDENCE), told.get(takes, chosen.least))
    most = cast("_CountSettings", chosen).most
    if takes not in given and most is None:
        raise UsageError(f"say in `settings` or `given` how many {metric} there should be at the `most`.")
    return lambda told: _count_score(metric, told[metric], told.get(takes, most))


def _calls_score(settings: _CallsSettings, made: Json, wanted: Json) -> Score:
    try:
        is_, want = calls_in(made), calls_in([] if wanted is None else wanted)
        if not settings.arguments:
            want = [Called(one.name) for one in want]
        if settings.match == "subset":
            others = [one.name for one in is_ if not any(is_wanted(one, goal, 0) for goal in want)]
            share = 1 - len(others) / len(is_) if is_ else 1.0
            faults = [f"`{one}` was called, but is not expected." for one in others]
        else:
            share, faults = calls_score(
                is_,
                want,
                in_order=settings.match in ("exact", "in order"),
                extra_calls=settings.match in ("in order", "any order"),
            )
    except StepError as error:
        return Score(None, None, f"{UNSCORED}{error.message}")
    return Score(share, share >= 1, " ".join(faults[:SAID]))


def _sure_score(found: Json, least: Json) -> Score:
    """Score the confidence itself; one that nobody told is none."""
    if not isinstance(found, float):
        return Score(None, None, f"{UNSCORED}no log-probabilities were asked for, or told.")
    if least is None:
        return Score(found, None)
    if isinstance(least, bool) or not isinstance(least, int | float):
        return Score(None, None, f"{UNSCORED}`least` is no number.")
    return Score(found, found >= least, f"token confidence {found:.3f}, {least:g} at least expected.")


def _count_score(metric: str, found: Json, most: Json) -> Score:
    """Score 1 for no more than there should be, and above that the share of what there is."""
    if isinstance(most, bool) or not isinstance(most, int | float):
        return Score(None, None, f"{UNSCORED}`most` is no number.")
    count = cast("int", found)
    said = f"{metric.replace('_', ' ')}: {count}, at most {most:g} expected."
    return Score(1.0 if count <= most else most / count, count <= most, said)


def _words(error: ValidationError) -> Iterator[str]:
    for one in error.errors():
        yield f"`settings.{'.'.join(map(str, one['loc']))}`: {one['msg'][:1].lower()}{one['msg'][1:]}"
