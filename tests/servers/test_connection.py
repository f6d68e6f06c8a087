"""A real server over a pipe, and what can go wrong with one."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.errors import ToolError, WaitingError
from studio.servers.answers import LONGEST
from studio.servers.connection import Connection, McpServers
from studio.servers.records import ServerAddress, ServerCommand, command_of
from studio.web.request import Reach
from tests.servers.running import BIRDS, ENVIRON, SCRIPT, Listener
from tests.web.serving import page, serving

pytestmark = pytest.mark.timeout(120)


def opened(
    root: Path,
    command: ServerCommand | ServerAddress = BIRDS,
    listener: Listener | None = None,
    seconds: float = 60,
) -> Connection:
    return McpServers(root, ENVIRON).open(command, (listener or Listener()).listening, seconds)


async def test_its_tools_are_named_and_called_and_it_is_told_no_more_than_it_needs(tmp_path: Path) -> None:
    listener = Listener({"place": "pond"})
    async with opened(tmp_path, listener=listener) as birds:
        tools = {tool.name: tool for tool in await birds.tools()}
        assert tools["count"].description == "Count a bird."
        assert tools["count"].parameters["required"] == ["bird"]
        assert [tools["count"].only_reads, tools["watch"].only_reads] == [True, False]
        assert await birds.call("count", {"bird": "wren"}) == "2 wrens"
        said = (await birds.call("surroundings", {})).split("\n")
        assert said == [str(tmp_path), "two-wrens", ""], "where it runs, what it is given, what it is not"
        assert await birds.call("watch", {}) == "seen"
        assert listener.progressed == [(1, 2, "half")]
        assert await birds.call("ask", {}) == "at the pond"
        assert listener.asked == ["Where?"]
        with pytest.raises(ToolError, match="count"):
            await birds.call("count", {"bird": "dodo"})
        with pytest.raises(ToolError, match="Unknown tool"):
            await birds.call("nothing", {})


async def test_its_resources_and_prompts_are_tools_as_well(tmp_path: Path) -> None:
    async with opened(tmp_path) as birds:
        names = [tool.name for tool in await birds.tools() if tool.name.startswith("server.")]
        assert names == ["server.list_resources", "server.read_resource", "server.get_prompt"]
        assert (await birds.call("server.list_resources", {})).split("\n") == [
            "birds://list/all everything: Tell of all birds.",
            "birds://{name} about: Tell of a bird.",
        ]
        assert await birds.call("server.read_resource", {"uri": "birds://owl"}) == "A owl is a bird."
        assert json.loads(await birds.call("server.get_prompt", {})) == [
            {"name": "describe", "description": "Have a bird described.", "arguments": ["bird"]}
        ]
        said = await birds.call("server.get_prompt", {"name": "describe", "arguments": {"bird": "owl"}})
        assert said == "user: Describe a owl."
        for wrong in ({"uri": "birds://a/b/c"}, {"uri": "nothing"}):
            with pytest.raises(ToolError):
                await birds.call("server.read_resource", wrong)
        with pytest.raises(ToolError, match=r"no tool `server\.other`"):
            await birds.call("server.other", {})


async def test_a_long_prompt_is_cut_and_says_how_much_was_left_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as birds:
        asked = {"name": "describe", "arguments": {"bird": "o" * LONGEST}}
        said = await birds.call("server.get_prompt", asked)
        assert said[LONGEST:] == "\n… 18 more characters of the server's answer were left out."


async def test_a_call_that_is_cancelled_is_cancelled_at_the_server(tmp_path: Path) -> None:
    async with opened(tmp_path) as birds:
        await birds.tools()
        call = asyncio.create_task(birds.call("wait", {}))
        await birds.call("watch", {})
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        assert await birds.call("stops", {}) == "wait"


async def test_where_nobody_answers_its_question_the_run_waits(tmp_path: Path) -> None:
    async with opened(tmp_path) as birds:
        with pytest.raises(WaitingError):
            await birds.call("ask", {})


async def test_the_time_that_a_person_takes_does_not_count(tmp_path: Path) -> None:
    class Thinking(Listener):
        async def ask(self, question: str, schema: Mapping[str, object]) -> Mapping[str, object]:
            limits.extend(one.when() for one in birds._patience._left)
            return await super().ask(question, schema)

    limits: list[float | None] = []
    async with opened(tmp_path, listener=Thinking({"place": "pond"})) as birds:
        assert await birds.call("ask", {}) == "at the pond"
    assert limits == [None]


async def test_a_server_that_dies_says_why_and_is_started_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as birds:
        with pytest.raises(ToolError, match="I am tired"):
            await birds.call("die", {})
        assert await birds.call("count", {"bird": "owl"}) == "2 owls"


async def test_a_server_that_does_not_answer_in_time_is_given_up(tmp_path: Path) -> None:
    async with opened(tmp_path) as birds:
        await birds.tools()
        birds._patience.seconds = 0.05
        with pytest.raises(ToolError, match="within"):
            await birds.call("wait", {})


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (ServerCommand(("no-such-program",)), "No such file"),
        (ServerCommand((sys.executable, "-c", "raise SystemExit('no luck')")), "no luck"),
        (ServerCommand((sys.executable, str(SCRIPT)), ("NOT_SET",)), "NOT_SET"),
        (ServerAddress("http://127.0.0.1:1/mcp", Reach(("127.0.0.1:1",))), "could not be reached"),
        (
            ServerAddress("https://a.example/mcp", Reach(("a.example",)), (("X", "{K}"),)),
            "only the flow says",
        ),
    ],
)
async def test_a_server_that_cannot_be_had_is_an_error_in_words(
    command: ServerCommand | ServerAddress, said: str, tmp_path: Path
) -> None:
    async with opened(tmp_path, command) as birds:
        with pytest.raises(ToolError, match=said):
            await birds.tools()


async def test_nothing_starts_before_it_is_asked(tmp_path: Path) -> None:
    code = f"open({str(tmp_path / 'started')!r}, 'w')"
    async with opened(tmp_path, ServerCommand((sys.executable, "-c", code))):
        pass
    assert not (tmp_path / "started").exists()


async def test_what_is_no_server_of_tools_is_an_error_in_words() -> None:
    async with serving(lambda _: page("<html>", content_type="text/html")) as served:
        address = ServerAddress(served.url("/mcp"), Reach((served.host,), is_private=True))
        async with opened(Path(), address) as birds:
            with pytest.raises(ToolError, match="could not be reached"):
                await birds.tools()


async def test_it_is_spoken_to_over_the_web_as_well(unused_tcp_port: int, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SCRIPT), "http", str(unused_tcp_port), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await listening(unused_tcp_port)
        host = f"127.0.0.1:{unused_tcp_port}"
        address = ServerAddress(f"http://{host}/mcp", Reach((host,), is_private=True))
        listener = Listener({"place": "hedge"})
        async with opened(tmp_path, address, listener) as birds:
            assert "count" in {tool.name for tool in await birds.tools()}
            assert await birds.call("count", {"bird": "wren"}) == "2 wrens"
            assert await birds.call("watch", {}) == "seen"
            assert listener.progressed == [(1, 2, "half")]
            assert await birds.call("ask", {}) == "at the hedge"
    finally:
        process.kill()
        await process.wait()


async def listening(port: int) -> None:
    """Wait until something listens there; the test's own time limit ends it."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            await writer.wait_closed()
            return


def test_a_command_is_read_as_a_shell_reads_it() -> None:
    one = command_of(command="npx 'a b' c", variables=("A", "B"), folder="/f")
    assert one == ServerCommand(("npx", "a b", "c"), ("A", "B"), "/f")
    for wrong in ("", "a 'b"):
        with pytest.raises(ValueError, match=r"no command|quotation"):
            command_of(command=wrong)
