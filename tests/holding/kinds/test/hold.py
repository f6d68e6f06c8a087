"""Hold the process."""

import ctypes
import os
import re
import sys
from typing import Annotated, Any

from studio.sdk import In, Out, Setting, node
from tests.holding import HELD, HOLDING, LET_GO


@node("test.hold", title="Hold")
async def hold(
    value: Annotated[str, In("Value")] = "",
    *,
    way: Annotated[str, Setting("Way")] = "loop",
) -> Annotated[str, Out("value")]:
    """Give the value on, once the interpreter is let go, which it never is."""
    if LET_GO in os.environ:
        return value
    if HELD in os.environ:
        os.mkdir(os.environ[HELD])  # noqa: PTH102  # it blocks anyway
    else:
        sys.stderr.write(f"{HOLDING}\n")
        sys.stderr.flush()
    if way == "pattern":
        re.match("(a+)+$", "a" * 99 + "!")
    while way == "asleep":
        ctypes.PyDLL(None).sleep(600)  # in the interpreter, which it does not let go: it costs nothing
    one: list[Any] = []
    other: list[Any] = []
    for _ in range(99):
        one, other = [one, one], [other, other]
    while way == "loop" or one == other:
        pass
    return value
