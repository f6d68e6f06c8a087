"""A sandbox on a clock that jumps."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from studio.flow.records import Json
from studio.runtime.virtual_clock import VirtualLoop
from studio.sdk.code import CodeBox, CodeCall, GrantedTool


@dataclass(frozen=True, slots=True)
class TimelessBox:
    """A box whose work takes no simulated time, for solvers alone have a stated one."""

    box: CodeBox

    async def run(
        self,
        call: CodeCall,
        *,
        tools: Mapping[str, GrantedTool] | None = None,
        on_line: Callable[[str], None] = lambda _: None,
        on_progress: Callable[[float, float, str], None] = lambda _done, _total, _what: None,
    ) -> Json:
        """As the box does."""
        with cast("VirtualLoop", asyncio.get_running_loop()).outside():
            return await self.box.run(call, tools=tools, on_line=on_line, on_progress=on_progress)
