r"""Shell: named programs as tools (not available until programs can be isolated).

Each line under *Commands* is one that is allowed, split as a shell does, without one: `git status`,
`git log *` for one argument of any kind that is no option, `ls ...` for any more arguments. What is in no
line is refused.

Programs need an isolation that there is not yet: a clean environment, limits, and a view of one folder only.
Until it is there, nothing is started, a flow with this node does not run, and is not exported. Lend a Python
function, files, or a server of tools instead; a server starts once a person has allowed its command.

```json
{
  "settings": {"commands": ["git status", "git log *"]},
  "calls": [
    {"tool": "shell", "arguments": {"command": ["git", "push"]}},
    {"tool": "shell", "arguments": {"command": ["git", "log", "--output=x"]}}
  ],
  "outputs": {"tool": [
    "`git push` is not one of the allowed commands: `git status`, `git log *`.",
    "`git log --output=x` is not one of the allowed commands: `git status`, `git log *`."
  ]}
}
```
"""

import shlex
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, cast

from pydantic import AfterValidator

from studio.building_blocks.settings.tools import ToolName
from studio.sdk import BoxMissingError, Effect, Setting, Tool, ToolError, Yields, binding

ONE, MORE = "*", "..."
"""Stand in an allowed command for one argument that is no option, and at its end for any more arguments."""

MISSING = (
    "Programs can't be isolated yet, so none is started; use a Python function, files, or a "
    "tool server instead."
)
PARAMETERS: dict[str, object] = {
    "type": "object",
    "properties": {
        "command": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "The program and its arguments, one by one; there is no shell",
        }
    },
    "required": ["command"],
    "additionalProperties": False,
}


def command_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Validate allowed commands; raises `ValueError`."""
    for line in lines:
        parts = shlex.split(line)
        if not parts or parts[0] in {ONE, MORE}:
            raise ValueError(f"`{line}` names no program: start with its name, such as `git status`")
        if MORE in parts[:-1]:
            raise ValueError(f"`{line}` has `{MORE}` in the middle; it must be at the end")
    return lines


@binding(
    "tools.shell",
    title="Shell",
    effect=Effect.SIDE_EFFECT,
    accesses={"programs": ""},
    keywords=("command", "program", "terminal", "bash", "process", "git"),
    unavailable=MISSING,
)
async def shell(
    *,
    name: ToolName = "shell",
    commands: Annotated[
        tuple[str, ...],
        Setting("Commands", editor="list", help="Such as git log *, one per line"),
        AfterValidator(command_lines),
    ] = (),
) -> Yields[Tool]:
    """Lend the programs."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Look at the command; one that is allowed is not started either, for want of isolation."""
        given = [str(part) for part in cast("Sequence[object]", arguments["command"])]
        if not any(is_allowed(given, shlex.split(line)) for line in commands):
            named = ", ".join(f"`{line}`" for line in commands) or "none is"
            raise ToolError(f"`{shlex.join(given)}` is not one of the allowed commands: {named}.")
        raise BoxMissingError(MISSING)

    told = f"Run one of these commands: {', '.join(commands) or 'none'}."
    yield Tool(name, told, PARAMETERS, run, Effect.SIDE_EFFECT)


def is_allowed(command: Sequence[str], allowed: Sequence[str]) -> bool:
    """Tell whether a command is what one line allows."""
    if allowed[-1] == MORE:
        allowed, command = allowed[:-1], command[: len(allowed) - 1]
    pairs = zip_longest(command, allowed)
    return all(part == wanted or (wanted == ONE and is_plain(part)) for part, wanted in pairs)


def is_plain(part: str | None) -> bool:
    """Tell whether an argument is there, and no option."""
    return part is not None and not part.startswith("-")
