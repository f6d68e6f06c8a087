"""What Python is given of a step's values, and what it gives as the values of the next."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from studio.errors import ValueTypeError
from studio.llm.client import Message
from studio.runtime.values import ABSENT, Failed, Resolved, Value, apart
from studio.script.no_value import Failure, Misfit, Nothing, failed_of, nothing
from studio.sdk.values import convert, to_plain


class Outputs(dict[str, Any]):
    """What a step gave, by output: `verdict["accepted"]` or `verdict.accepted`; `nothing` without a value."""

    def __getattr__(self, name: str) -> Any:
        """The value of an output; raises `AttributeError` for one that the step does not have."""
        try:
            return self[name]
        except KeyError:
            message = (
                f"The step has no output `{name}`, but {', '.join(f'`{one}`' for one in self) or 'none'}."
            )
            raise AttributeError(message) from None


class FailedOutputs(Outputs):
    """What a call gave that failed and gives its error; all else that its function gives is missing."""

    def __missing__(self, key: str) -> Nothing:
        return nothing


def as_given(value: Resolved, labels: frozenset[str]) -> tuple[Any, frozenset[str]]:
    """What Python is given for a value, with the labels that its lane has then."""
    if isinstance(value, Value):
        # The very same set as long as nothing new comes to it: what is the same is told by a glance.
        return apart(value.data), labels if value.labels <= labels else labels | value.labels
    if isinstance(value, Failed):
        return Failure(value), labels | value.labels
    return nothing, labels


def as_resolved(data: object, labels: frozenset[str]) -> Resolved:
    """What Python gives at an input, as the engine has it: one value, nothing, or a failure."""
    if data is nothing:
        return ABSENT
    if isinstance(data, Failure):
        failed = failed_of(data)
        return Failed(failed.error, failed.step, failed.node, failed.labels | labels)
    return Value(data, labels)


def as_returned(value: object, labels: frozenset[str]) -> Resolved:
    """What a function gave, as the engine has it; of what JSON cannot say, no more than that it is there.

    Raises `ValueTypeError` for what was converted and does not fit.
    """
    if value is nothing or isinstance(value, Failure):
        return as_resolved(value, labels)
    if isinstance(value, Misfit):
        return Value(convert(value.value, value.source, value.target), labels)
    try:
        return Value(as_data(value), labels)
    except ValueTypeError:
        return Value(repr(value), labels)


_TYPED = (Message, Path)


def as_data(value: object) -> object:
    """What Python made as values of the engine are; raises `ValueTypeError` for what JSON cannot say."""
    if type(value) is str or isinstance(value, _TYPED):  # a text is what most values are
        return value
    is_list = isinstance(value, list)
    several = cast("list[object]", value) if is_list else []
    return several if several and isinstance(several[0], Message) else to_plain(value)


def first_failure(values: Sequence[object]) -> Failure | Misfit | None:
    """The first of some elements that is a failure, or does not fit."""
    return next((one for one in values if isinstance(one, Failure | Misfit)), None)
