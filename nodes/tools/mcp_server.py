r"""MCP server: the tools of an MCP (Model Context Protocol) server.

The server is a command on this machine (`npx -y @modelcontextprotocol/server-memory`, split as a shell does,
without one), or an address on the web. It is started, or connected to, when its tools are first wanted, and
ends with the run. A command starts only after a person has looked at it, at its folder, at the names of the
environment variables that it is given and at the scripts that it names, and is asked about again when any of
these changes, or what stands in the scripts; what was allowed is kept outside of the project. `stepwire
grants` shows it, and allows it beforehand. Beside what is named, a command is given no more of the
environment than it takes to start. When a server describes its tools otherwise than when they were first
seen, a person is shown how, and asked whether they may be used; so are private addresses.

Keys for an address stand in the environment: under *Headers with keys*, `{NAME}` stands for the variable
NAME, and goes only where STEPWIRE_TRUSTED_URLS says that it may.

Progress is shown at the step, a question of the server is asked of a person, and what the server says is
never taken for more than words. With *Resources and prompts*, three more tools name and read the resources of
the server, and get its prompts. The tools are taken to change something, unless the server says that they
only read. Characters of their names that endpoints refuse become `_`; of two that would be called the same,
the second is called `NAME_2`.

```json
{
  "settings": {"command": "birds-server", "only": ["count"]},
  "served": [
    {"name": "count", "argument": "bird", "answers": "2 wrens"},
    {"name": "feed", "argument": "bird", "answers": "done"}
  ],
  "calls": [{"tool": "count", "arguments": {"bird": "wren"}}],
  "outputs": {"tool": ["2 wrens"]}
}
```
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator

from studio.building_blocks.settings.tools import PrivateNetworks
from studio.sdk import (
    Context,
    Effect,
    Reach,
    ServedTool,
    Server,
    ServerAddress,
    Setting,
    StepError,
    Tool,
    ToolServer,
    Yields,
    binding,
    command_of,
)

NAME = re.compile(r"[^A-Za-z0-9_-]")
BESIDE = "server."
"""Begins the names of what is made of resources and prompts."""

LONGEST = 64
"""Characters that the name of a tool may have at most endpoints."""

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
HEADER = re.compile(r"[A-Za-z0-9-]+:[ \t]*[^\r\n\0]*")


def command_text(text: str) -> str:
    """Validate a command; raises `ValueError`."""
    if text.strip():
        command_of(command=text)
    return text


def variable_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Validate names of environment variables; raises `ValueError`."""
    for name in names:
        if not VARIABLE.fullmatch(name):
            raise ValueError(f"`{name}` is not a variable name; its value comes from the environment")
    return names


def header_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Validate headers; raises `ValueError`."""
    for line in lines:
        if not HEADER.fullmatch(line):
            raise ValueError(f"`{line}` is not a header: write `Name: value`")
    return lines


@binding(
    "tools.mcp_server",
    title="MCP server",
    effect=Effect.SIDE_EFFECT,
    accesses={"programs": "over=command", "network": "over=address"},
    keywords=("model context protocol", "server", "tools", "stdio", "npx", "remote"),
)
async def mcp_server(
    context: Context,
    *,
    over: Annotated[Literal["command", "address"], Setting("Transport")] = "command",
    command: Annotated[
        str,
        Setting("Command", help="Such as npx -y @modelcontextprotocol/server-memory"),
        AfterValidator(command_text),
    ] = "",
    variables: Annotated[
        tuple[str, ...],
        Setting("Environment variables", editor="list", help="Names of the variables to pass to the command"),
        AfterValidator(variable_names),
    ] = (),
    folder: Annotated[str, Setting("Folder", editor="folder", help="Working folder of the command")] = "",
    url: Annotated[str, Setting("Address", help="Such as https://example.org/mcp")] = "",
    private: PrivateNetworks = False,
    keys: Annotated[
        tuple[str, ...],
        Setting("Headers with keys", editor="list", help="Authorization: Bearer {API_KEY}"),
        AfterValidator(header_lines),
    ] = (),
    only: Annotated[tuple[str, ...], Setting("Only these tools", editor="list", help="Empty: all")] = (),
    resources: Annotated[
        bool, Setting("Resources and prompts", help="Also provide its resources and prompts")
    ] = False,
    prefix: Annotated[str, Setting("Prefix", help="Prepended to the names of its tools")] = "",
    seconds: Annotated[
        float, Setting("Timeout, s", minimum=0.1, maximum=3600, help="To start, and for each answer")
    ] = 60,
) -> Yields[Sequence[Tool]]:
    """Lend the tools of the server."""
    if over == "address":
        server: Server = address_of(url, keys, private=private)
    elif command.strip():
        server = command_of(command=command, variables=variables, folder=folder)
    else:
        raise StepError("There is no command to start the server.", hint="Set it in the settings.")
    async with context.server(server, seconds=float(seconds)) as served:
        found = await served.tools()
        missing = set(only) - {one.name for one in found}
        if missing:
            raise StepError(f"The server has no tool `{min(missing)}`.", hint="Correct the list of tools.")
        chosen = [
            one
            for one in found
            if (resources or not one.name.startswith(BESIDE)) and (not only or one.name in only)
        ]
        yield [lent(one, served, name) for name, one in told_apart(chosen, prefix, context)]


def address_of(url: str, keys: Sequence[str], *, private: bool) -> ServerAddress:
    """Make the address of a server; only its own host is spoken to."""
    place = urlsplit(url)
    pairs = (line.partition(":") for line in keys)
    headers = tuple((name.strip(), value.strip()) for name, _, value in pairs)
    return ServerAddress(url, Reach((place.netloc.rpartition("@")[2],), private), headers)


def told_apart(tools: Sequence[ServedTool], prefix: str, context: Context) -> list[tuple[str, ServedTool]]:
    """Name the tools as endpoints take it, each otherwise; of two of one name, one stays."""
    by_name: dict[str, ServedTool] = {}
    for tool in tools:
        if by_name.setdefault(tool.name, tool) is not tool:
            context.log(f"The server has two tools named `{tool.name}`; the second is ignored.")
    wanted = {one: NAME.sub("_", f"{prefix}{one}")[:LONGEST] for one in by_name}
    # A tool whose name can stay as it is keeps it, wherever it stands.
    taken = {name: one for one, name in wanted.items() if name == f"{prefix}{one}"}
    numbers: dict[str, int] = {}
    for one, name in wanted.items():
        free = name
        while taken.setdefault(free, one) != one:
            numbers[name] = number = numbers.get(name, 1) + 1
            free = f"{name[: LONGEST - len(str(number)) - 1]}_{number}"
        if free != name:
            context.log(f"The tool `{one}` is called `{free}` here, because another one is named `{name}`.")
            wanted[one] = free
    return [(wanted[one], tool) for one, tool in by_name.items()]


def lent(tool: ServedTool, served: ToolServer, name: str) -> Tool:
    """Make a tool of the server one that an agent can call under a name."""
    effect = Effect.PAID_READ if tool.only_reads else Effect.SIDE_EFFECT
    return Tool(name, tool.description, tool.parameters, caller(tool, served), effect)


def caller(tool: ServedTool, served: ToolServer) -> Callable[[Mapping[str, object]], Awaitable[str]]:
    """Make the function that calls one tool."""

    async def call(arguments: Mapping[str, object]) -> str:
        """Call it."""
        return await served.call(tool.name, arguments)

    return call
