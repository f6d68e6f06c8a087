"""The classes of a script that is played, made of plain JSON."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter


class Types:
    """The classes of a script, by the names that its annotations have for them."""

    def __init__(self, module: ModuleType) -> None:
        self._names = vars(module)

    def returned(self, function: Callable[..., Any]) -> Any:
        """What a function says that it gives."""
        said = getattr(function, "__annotations__", {}).get("return", Any)
        return eval(said, self._names) if isinstance(said, str) else said  # noqa: S307  # the script's own

    def made(self, kind: Any, given: Any) -> Any:
        """Make a script's value of plain JSON."""
        return TypeAdapter[Any](kind).validate_python(given) if kind is not None else None
