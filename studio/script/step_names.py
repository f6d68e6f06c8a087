"""What a step of a script may be called, and what is said where it cannot be called as it was."""

from functools import lru_cache

from studio.errors import StepError
from studio.ids import NodeId, is_identifier


class CallError(StepError):
    """A step cannot be called as it was; `{}` in the words stands for what people call its node."""

    def __init__(self, node: str, words: str, *, hint: str) -> None:
        super().__init__(words.format(f"`{node}`"), hint=hint)
        self.node = NodeId(node)
        self._words = words

    def call_it(self, title: str) -> None:
        """Say the title in the place of the id."""
        self.message = self._words.format(f"`{title}`")


@lru_cache(1024)
def require_name(name: str) -> None:
    """Raise `StepError` for what no node can be called."""
    if not is_identifier(name):
        raise StepError(
            f"`{name}` is no name for a step.", hint="Use lower-case letters, digits and underscores."
        )
