"""Servers that others have written, where they are installed: `.ci/setup dev` does so where there is npm.

By hand: `npm install --prefix FOLDER @modelcontextprotocol/server-everything` and so on, and
`STEPWIRE_MCP_SERVERS=FOLDER/node_modules/.bin`.
"""

import json
import os
from pathlib import Path

import pytest

from studio.errors import ToolError
from studio.servers.connection import Connection, McpServers
from studio.servers.records import ServerCommand
from tests.servers.running import Listener

SET_UP = Path(__file__).parents[2] / ".venv" / "servers" / "node_modules" / ".bin"
FOLDER = os.environ.get("STEPWIRE_MCP_SERVERS") or (str(SET_UP) if SET_UP.is_dir() else "")
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not FOLDER, reason="STEPWIRE_MCP_SERVERS names no folder of servers"),
    pytest.mark.timeout(120),
]


def opened(root: Path, name: str, *arguments: str, listener: Listener | None = None) -> Connection:
    command = ServerCommand((str(Path(FOLDER) / f"mcp-server-{name}"), *arguments))
    return McpServers(root).open(command, (listener or Listener()).listening, 60)


async def test_everything_answers_tells_progress_and_asks(tmp_path: Path) -> None:
    listener = Listener({"name": "Wren", "check": True})
    async with opened(tmp_path, "everything", listener=listener) as server:
        names = {tool.name for tool in await server.tools()}
        assert {"echo", "get-sum", "trigger-elicitation-request"} <= names
        assert await server.call("echo", {"message": "wren"}) == "Echo: wren"
        await server.call("trigger-long-running-operation", {"duration": 0.1, "steps": 2})
        assert [done for done, _, _ in listener.progressed] == [1, 2]
        assert "Wren" in await server.call("trigger-elicitation-request", {})
        assert "image/png" in await server.call("get-tiny-image", {})
        assert "demo://" in await server.call("server.list_resources", {})
        assert "simple-prompt" in await server.call("server.get_prompt", {})
        assert json.loads(await server.call("get-structured-content", {"location": "New York"}))


async def test_the_filesystem_stays_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "birds.txt").write_text("wren", "utf-8")
    async with opened(tmp_path, "filesystem", str(tmp_path)) as server:
        assert await server.call("read_text_file", {"path": str(tmp_path / "birds.txt")}) == "wren"
        with pytest.raises(ToolError, match="denied"):
            await server.call("read_text_file", {"path": "/etc/hosts"})


async def test_the_memory_remembers(tmp_path: Path) -> None:
    entity = {"name": "wren", "entityType": "bird", "observations": ["sings"]}
    async with opened(tmp_path, "memory") as server:
        await server.call("create_entities", {"entities": [entity]})
        assert "sings" in await server.call("search_nodes", {"query": "wren"})
