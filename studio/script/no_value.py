"""What Python is given where there is no value: nothing, or the failure of the step that was to give it.

Both pass through: a step that is given one at an input that it needs does not happen, and gives it on. What
does not fit is told from them: a step that happens fails of it.
Scripts import these with their other names, before any of the engine is needed.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from studio.flow.ports import PortType
    from studio.ids import StepId
    from studio.runtime.values import Failed


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
    """Stands for what a step was to give that failed, where it was called with `on_error="pass_on"`.

    Steps that are given it do not run, and give it on; `catch` takes it in. It has itself in every field.
    """

    __slots__ = ("_failed",)

    def __init__(self, failed: "Failed") -> None:
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
    def step(self) -> "StepId":
        """The step that failed."""
        return self._failed.step


class Misfit:
    """Stands for a value that cannot become what is wanted, until the step happens that is given it."""

    __slots__ = ("source", "target", "value")

    def __init__(self, value: object, source: "PortType", target: "PortType") -> None:
        self.value, self.source, self.target = value, source, target

    def __iter__(self) -> "Iterator[Misfit]":
        return iter((self,))

    def __repr__(self) -> str:
        return f"<no {self.target}: {self.value!r}>"


def _inside(whole: Any, name: str) -> Any:
    if name.startswith("__"):  # Python asks for these to learn what something can do
        raise AttributeError(name)
    return whole


def failed_of(failure: Failure) -> "Failed":
    """The failure as the engine has it."""
    return failure._failed  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # users see less
