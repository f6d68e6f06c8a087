"""What exported scripts do between their steps as the studio's runtime does: convert, try again, collect.

Lifted into scripts as it stands, and only what a script uses.
"""

import asyncio
import inspect
import json
import random
import sys
from argparse import ArgumentTypeError
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, TypeVar, cast

from studio.errors import CalledFlowError, StepError, TimeLimitError, ValueTypeError
from studio.llm.client import Message, message_from_json
from studio.sdk.prelude.misfits import misfit
from studio.sdk.tool import Tool

R = TypeVar("R")


class Nothing:
    """What stands in the place of a value when an item gave none."""


NOTHING: Final = Nothing()


@dataclass(frozen=True)
class Failure:
    """What stands in the place of a value when the steps of an item failed."""

    error: Exception


class Travelling(Exception):  # noqa: N818  # it carries an error, and is none to be caught by name
    """Carries a failure out of a loop or map, past what catches other errors there."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


async def tolerated(call: Callable[[], Awaitable[R]]) -> R | Failure:
    """Run the steps of one item; when they fail, the others go on."""
    try:
        return await call()
    except Exception as error:  # noqa: BLE001  # whatever it was, it is kept
        return Failure(error)


def collected(
    outcomes: Sequence[Any],
    failed: Literal["fail", "drop", "keep"] = "fail",
    absent: Literal["drop", "null", "fail"] = "drop",
) -> tuple[list[Any], list[int]]:
    """Gather what came of each item, in order, and at which places of the list the kept ones stood."""
    values: list[Any] = []
    kept: list[int] = []
    for index, outcome in enumerate(outcomes):
        value = outcome
        if isinstance(outcome, Failure):
            if failed == "fail":
                raise outcome.error
            if failed == "drop":
                continue
            value = told(outcome.error)
        elif isinstance(outcome, Nothing):
            if absent == "fail":
                hint = "Let `collect` drop absent items, or wire every case."
                raise StepError(f"Item {index} has no value.", hint=hint)
            if absent == "drop":
                continue
            value = None
        values.append(value)
        kept.append(index)
    return values, kept


def named_apart(tools: Sequence[Tool]) -> Sequence[Tool]:
    """Give the tools that are lent to somebody; raises `StepError` for two of one name."""
    names = [tool.name for tool in tools]
    for name in names:
        if names.count(name) > 1:
            message = f"Two tools are named `{name}`."
            raise StepError(message, hint="Rename one of them, or set a prefix, in its settings.")
    return tools


def side_by_side(
    lists: Mapping[str, Sequence[Any]], travelling: type[Travelling] | None = None
) -> Sequence[tuple[Any, ...]]:
    """Pair the elements of lists that have to be equally long; what raises an error may carry it out."""
    if len({len(one) for one in lists.values()}) > 1:
        lengths = ", ".join(f"`{name}` has {len(one)}" for name, one in lists.items())
        hint = "Pass lists that belong together, element by element."
        error = StepError(f"The lists have different lengths: {lengths}.", hint=hint)
        raise travelling(error) if travelling else error
    return list(zip(*lists.values(), strict=True))


def deeper(depth: int, most: int, step: str) -> int:
    """Count a call that stands in `depth` others; raises `StepError` where the step allows no more."""
    if depth >= most:
        message = f"This would be nested call {depth + 1}, and `{step}` allows {most}."
        raise StepError(message, hint="Let the flow end sooner, or allow more nested calls.")
    return depth + 1


class Together(asyncio.TaskGroup):
    """Steps that take place at the same time: the first that fails stops the others, and is raised."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await super().__aexit__(kind, error, trace)
        except BaseExceptionGroup as errors:
            _, others = errors.split(Exception)
            raise (others or errors).exceptions[0] from None


async def first_value(*calls: Callable[[], Any]) -> Any:
    """Run steps side by side until one gives a value, and stop the others.

    Who fails or gives nothing is passed over; when nobody is left, the first failure is raised.
    """
    tasks = [asyncio.create_task(limited(call, None)) for call in calls]
    waiting = set(tasks)
    try:
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task in done and not isinstance(task.exception(), Exception) and task.result() is not None:
                    return task.result()
        for task in tasks:
            task.result()
        return None
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def attempted(call: Callable[[], Any], *, retries: int = 0, time_limit: float | None = None) -> Any:
    """Run a step, again when it fails, each time no longer than `time_limit` seconds."""
    for attempt in range(1, retries + 1):
        try:
            return await limited(call, time_limit)
        except Exception as error:  # noqa: BLE001  # whatever it was
            print(f"again after attempt {attempt}: {error}", file=sys.stderr)
            await asyncio.sleep(min(30.0, 0.5 * 2**attempt) * random.uniform(0.5, 1.0))  # noqa: S311
    return await limited(call, time_limit)


@asynccontextmanager
async def no_longer_than(
    seconds: float, travelling: type[Travelling] | None = None
) -> AsyncGenerator[None, None]:
    """Stop what stands inside when it takes longer, with a `TimeLimitError` that something may carry out."""
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            yield
    except TimeoutError as error:
        if not timer.expired():
            raise
        message = f"It took longer than its time limit of {seconds:g} s."
        late = TimeLimitError(message, hint="Raise the limit in the run settings.")
        raise (travelling(late) if travelling else late) from error


async def limited(call: Callable[[], Any], time_limit: float | None) -> Any:
    """Run a step that may or may not have to be waited for; raises `TimeLimitError`."""
    timer = asyncio.timeout(time_limit)
    try:
        async with timer:
            result = call()
            return await result if inspect.isawaitable(result) else result
    except TimeoutError as error:
        if not timer.expired():
            raise
        message = f"It took longer than its time limit of {time_limit:g} s."
        raise TimeLimitError(message, hint="Raise the limit in the run settings.") from error


def told(error: BaseException) -> dict[str, Any]:
    """Describe an error as a value."""
    kind, hint = type(error).__name__, str(getattr(error, "hint", ""))
    message = str(getattr(error, "message", "")) or f"{kind}: {error}".rstrip(": ")
    return {"error": kind, "message": message, "hint": hint}


def flow_failed(name: str, error: Exception) -> CalledFlowError:
    """Say that a flow failed that a tool ran."""
    said = told(error)
    return CalledFlowError(f"`{name}` failed: {said['message']}", hint=said["hint"])


def json_or_text(text: str) -> Any:
    """Read an argument of the command line as JSON, or else as the text it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def argument(expect: Callable[[Any], Any]) -> Callable[[str], Any]:
    """Make what reads an argument of the command line, and refuses one that does not fit."""

    def read(text: str) -> Any:
        try:
            return expect(json_or_text(text))
        except ValueTypeError as error:
            raise ArgumentTypeError(str(error)) from error

    return read


def expect_text(value: Any) -> str:
    """Give a value that has to be a text; raises `ValueTypeError`."""
    if isinstance(value, Path):
        return value.as_posix()
    if not isinstance(value, str):
        raise misfit(value, "text")
    return value


def expect_number(value: Any) -> float:
    """Give a value that has to be a number; raises `ValueTypeError`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise misfit(value, "number")
    return value


def expect_flag(value: Any) -> bool:
    """Give a value that has to be true or false; raises `ValueTypeError`."""
    if not isinstance(value, bool):
        raise misfit(value, "flag")
    return value


def expect_list(value: Any, wanted: str) -> list[Any]:
    """Give a value that has to be a list; raises `ValueTypeError`, which says what is `wanted`."""
    if not isinstance(value, list | tuple):
        raise misfit(value, wanted)
    return [*cast("Sequence[Any]", value)]


def there(value: R | None) -> R:
    """Give what is there in this case, though its type does not say so."""
    if value is None:
        raise StepError("A required value is missing.")
    return value


def elements_of(value: Any) -> list[Any]:
    """Give the elements of a list; anything else is one."""
    return [*cast("list[Any]", value)] if isinstance(value, list) else [value]


def expect_message(value: Any) -> Message:
    """Give a value that has to be a message, or describe one; raises `ValueTypeError`."""
    if isinstance(value, Message):
        return value
    if not isinstance(value, Mapping):
        raise misfit(value, "message")
    try:
        return message_from_json(cast("Mapping[str, object]", value))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueTypeError(f"This is no message: {error}.") from error


def expect_file(value: Any) -> Path:
    """Give a value that has to be a path; raises `ValueTypeError`."""
    if not isinstance(value, str | Path):
        raise misfit(value, "file")
    return Path(value)
