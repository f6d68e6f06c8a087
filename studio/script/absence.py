"""What Python is given where there is no value: nothing, or the failure of the step that was to give it.

Both pass through: a step that is given one at an input that it needs does not happen, and gives it on.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from studio.ids import StepId
from studio.llm.client import Message
from studio.runtime.values import ABSENT, Failed, Resolved, Value, apart
from studio.sdk.values import to_plain


class Nothing:
    """Stands where a step gave no value: it was skipped, or has none at this output. There is one, `nothing`.

    It is false, has itself in every field, no elements, and equals None.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> "Nothing":
        return _inside(self, name)

    def __getitem__(self, key: object) -> "Nothing":
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return other is None or other is self

    def __hash__(self) -> int:
        return hash(None)

    def __repr__(self) -> str:
        return "nothing"


nothing: Final = Nothing()
"""No value. A step that needs an input and is given `nothing` there is skipped, and gives `nothing`."""


class Failure:
    """Stands for what a failed step was to give; a step that is called with `on_error="pass_on"` returns it.

    Steps that are given it do not run, and give it on; `catch` takes it in. It has itself in every field.
    """

    __slots__ = ("_failed",)

    def __init__(self, failed: Failed) -> None:
        self._failed = failed

    def __getattr__(self, name: str) -> "Failure":
        return _inside(self, name)

    def __getitem__(self, key: object) -> "Failure":
        return self

    def __iter__(self) -> "Iterator[Failure]":
        return iter((self,))

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<failure of {self.step}: {self.error}>"

    @property
    def error(self) -> Exception:
        """What the step raised."""
        return self._failed.error

    @property
    def step(self) -> StepId:
        """The step that failed."""
        return self._failed.step


def _inside(whole: Any, name: str) -> Any:
    if name.startswith("__"):  # Python asks for these to learn what something can do
        raise AttributeError(name)
    return whole


def failed_of(failure: Failure) -> Failed:
    """The failure as the engine has it."""
    return failure._failed  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # users see less


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


_TYPED = (Message, Path)


def as_data(value: object) -> object:
    """What Python made as values of the engine are; raises `ValueTypeError` for what JSON cannot say."""
    if type(value) is str or isinstance(value, _TYPED):  # a text is what most values are
        return value
    is_list = isinstance(value, list)
    several = cast("list[object]", value) if is_list else []
    return several if several and isinstance(several[0], Message) else to_plain(value)


def first_failure(values: object) -> Failure | None:
    """The first of some elements that is a failure."""
    if not isinstance(values, list | tuple):
        return None
    found = (one for one in cast("list[object]", values) if isinstance(one, Failure))
    return next(found, None)
