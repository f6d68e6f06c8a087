"""A server of tools for tests: `python birds.py`, or `python birds.py http PORT`."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated

from mcp.server.mcpserver import Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp_types import ToolAnnotations
from pydantic import BaseModel

server = MCPServer("birds", log_level="CRITICAL")
stopped = asyncio.Event()


class Place(BaseModel):
    place: str


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def count(bird: str) -> str:
    """Count a bird."""
    if bird == "dodo":
        message = "There are none left."
        raise ValueError(message)
    return f"2 {bird}s"


@server.tool()
def surroundings() -> list[str]:
    """Tell where it runs, and what it was given."""
    return [str(Path.cwd()), os.environ.get("BIRD_KEY", ""), os.environ.get("OTHER_KEY", "")]


@server.tool()
async def watch(context: Context) -> str:
    """Watch for a moment, and tell how far it has come."""
    await context.report_progress(1, 2, "half")
    return "seen"


@server.tool()
async def wait() -> str:
    """Wait until nobody wants it any more."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        stopped.set()
        raise
    return ""


@server.tool()
async def stops() -> str:
    """Tell what was stopped."""
    await stopped.wait()
    return "wait"


def where() -> Elicit[Place]:
    return Elicit("Where?", Place)


@server.tool()
async def ask(place: Annotated[ElicitationResult[Place], Resolve(where)]) -> str:
    """Ask the person where."""
    return f"at the {place.data.place}" if place.action == "accept" else place.action


@server.tool()
def die() -> str:
    """End at once."""
    sys.stderr.write("I am tired")
    sys.stderr.flush()
    os._exit(3)


@server.resource("birds://{name}")
def about(name: str) -> str:
    """Tell of a bird."""
    return f"A {name} is a bird."


@server.resource("birds://list/all")
def everything() -> str:
    """Tell of all birds."""
    return "wren, owl"


@server.prompt()
def describe(bird: str) -> str:
    """Have a bird described."""
    return f"Describe a {bird}."


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run()
