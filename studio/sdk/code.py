"""Code that is not ours, and the box that runs it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from studio.flow.records import Json

MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """What one call may use: seconds of its own work (tools not counted) and bytes of memory."""

    seconds: float = 10.0
    memory: int = 256 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class CodeCall:
    """A call of `function` as `code` (Python source) defines it, with plain JSON for its arguments."""

    code: str
    function: str
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    limits: CodeLimits = field(default_factory=CodeLimits)


GrantedTool = Callable[[Mapping[str, Json]], Awaitable[str]]
"""Called with the arguments that the code gave; a `ToolError` is raised inside the box in the same words."""


class CodeBox(Protocol):
    """Runs code that nobody trusts."""

    async def run(
        self,
        call: CodeCall,
        *,
        tools: Mapping[str, GrantedTool] | None = None,
        on_line: Callable[[str], None] = lambda _: None,
        on_progress: Callable[[float, float, str], None] = lambda _done, _total, _what: None,
    ) -> Json:
        """Give what the function returned, as plain JSON.

        `on_line` is told what the code prints, `on_progress` (done, total, what) how far the box is made
        when it has to be made first. Cancelling ends the code at once. Raises `CodeError` for an error of
        the code, `CodeLimitError` when it used more than it may, and `BoxMissingError` where no box can be
        had: nothing is ever run unprotected.
        """
        ...
