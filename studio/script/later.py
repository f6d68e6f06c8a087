"""Functions of the kit that load what does their work when first called: `--help` needs none of it."""

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any


class Later:
    """Stands for a function, or for what is called like one; `load` gives it, once."""

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it; what is no function of Python's, it becomes then: a call more a step is time for all."""
        found = self.__wrapped__
        if not isinstance(found, FunctionType):
            self.__class__, self.__dict__ = type(found), vars(found)
        return found(*args, **kwargs)

    @cached_property
    def __wrapped__(self) -> Any:
        """What it stands for, as Python's `inspect` finds it."""
        return self._load()

    def __getattr__(self, name: str) -> Any:
        """All else that it has, such as `on`."""
        return getattr(self.__wrapped__, name)
