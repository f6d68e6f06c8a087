"""A real server over a pipe, and what can go wrong with one."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.errors import ToolError, WaitingError
from studio.servers import connection
from studio.servers.answers import LONGEST
from studio.servers.connection import NOTES, Connection, McpServers
from studio.servers.records import ServerAddress, ServerCommand, command_of
from studio.web.request import Reach
from tests.servers.running import BIRDS, ENVIRON, SCRIPT, Listener, rude
from tests.web.serving import page, serving

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


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


async def test_without_mcp_it_says_which_line_installs_it_and_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "find_spec", lambda _: None)
    async with opened(tmp_path) as birds:
        with pytest.raises(ToolError, match="`mcp` is not installed") as raised:
            await birds.call("count", {"bird": "wren"})
    assert "install" in raised.value.hint
    assert "mcp<3,>=2.3" in raised.value.hint


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


@pytest.mark.parametrize("manners", ["surrogate", "nested", "cut", "nameless", "shape"])
async def test_an_answer_that_cannot_be_read_fails_its_call_at_once_and_no_other(
    manners: str, tmp_path: Path
) -> None:
    # The test's own limit is shorter than the wait for an answer.
    async with opened(tmp_path, rude(manners), seconds=3000) as server:
        assert [tool.name for tool in await server.tools()] == ["broken", "fine"]
        with pytest.raises(ToolError, match=r"rude\.py .* sent something that is not an answer") as raised:
            await server.call("broken", {})
        assert "jsonrpc" in raised.value.hint
        assert await server.call("fine", {}) == "called fine"


async def test_a_start_that_cannot_be_read_is_told_as_that(tmp_path: Path) -> None:
    async with opened(tmp_path, rude("wrong start"), seconds=3000) as server:
        with pytest.raises(ToolError, match="sent something that is not an answer"):
            await server.tools()


async def test_lines_beside_the_protocol_are_noted_and_the_calls_go_on(tmp_path: Path) -> None:
    listener = Listener()
    async with opened(tmp_path, rude("talkative"), listener) as server:
        await server.tools()
        assert await server.call("fine", {}) == "called fine"
        for _ in range(9):
            await server.call("fine", {})
    assert "sent a line that is not a message: Listening on stdio" in listener.noted[0]
    assert len(listener.noted) == NOTES, "the rest of the lines goes unsaid"


CALLS = """
import asyncio, sys
from pathlib import Path
from studio.errors import ToolError
from studio.servers.connection import McpServers
from tests.servers.running import Listener, rude

async def main():
    async with McpServers(Path()).open(rude(sys.argv[1]), Listener().listening, 3000) as server:
        for tool in ("fine", "broken"):
            try:
                print(await server.call(tool, {}))
            except ToolError as error:
                print(error.message)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("manners", "said"), [("talkative", "called broken"), ("surrogate", "is not an answer")]
)
def test_nothing_of_what_cannot_be_read_is_printed(manners: str, said: str) -> None:
    """In a process of its own: here, the log goes to pytest."""
    command = [sys.executable, "-c", CALLS, manners]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert first == "called fine"
    assert said in second


async def test_an_answer_over_the_web_that_cannot_be_read_is_told_as_that() -> None:
    def respond(_: str) -> bytes:
        said = json.loads(served.requests[-1].partition("\r\n\r\n")[2])
        if said["method"] == "initialize":
            version = said["params"]["protocolVersion"]
            info = {"name": "rude", "version": "1"}
            result: dict[str, object] = {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": info,
            }
            whole = json.dumps({"jsonrpc": "2.0", "id": said["id"], "result": result})
            return page(whole, content_type="application/json")
        return page('{"jsonrpc": "2.0", "id": 1, "result": "\\ud800', content_type="application/json")

    async with serving(respond) as served:
        address = ServerAddress(served.url("/mcp"), Reach((served.host,), is_private=True))
        async with opened(Path(), address, seconds=3000) as server:
            with pytest.raises(ToolError, match="sent something that is not an answer"):
                await server.tools()


async def test_a_server_that_never_answers_is_waited_for_as_long_as_is_set_and_that_is_told(
    tmp_path: Path,
) -> None:
    listener = Listener()
    async with opened(tmp_path, rude("silent"), listener, seconds=1.5) as server:
        with pytest.raises(ToolError, match=r"not there after 1\.5 seconds") as raised:
            await server.tools()
    assert "raise the timeout" in raised.value.hint
    assert {(total, note) for _, total, note in listener.waited} == {(1.5, "starting, in seconds")}
    assert 0 < listener.waited[0][0] <= 1.5


def test_a_command_is_read_as_a_shell_reads_it() -> None:
    one = command_of(command="npx 'a b' c", variables=("A", "B"), folder="/f")
    assert one == ServerCommand(("npx", "a b", "c"), ("A", "B"), "/f")
    for wrong in ("", "a 'b"):
        with pytest.raises(ValueError, match=r"no command|quotation"):
            command_of(command=wrong)
