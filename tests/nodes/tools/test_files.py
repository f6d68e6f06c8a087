import json
from pathlib import Path

from nodes.tools.files import LIMIT, LONGEST, files, find_lines
from studio.llm.client import ToolCall
from studio.runtime.resources.folder import ProjectFolder
from studio.sdk.testing import ScriptedContext, call_tools
from studio.sdk.tool import Effect

FILES = {"data/a.txt": "one\nTwo", "data/b.md": "three", "secret.txt": "no"}


async def ask(tool: str, context: ScriptedContext | None = None, **arguments: object) -> str:
    call = ToolCall("1", tool, json.dumps(arguments))
    [answer] = await call_tools(files, {"write": True}, [call], context or ScriptedContext(files=FILES))
    return answer


async def test_it_lists_reads_and_finds_in_its_folder_only() -> None:
    assert await ask("list_files") == "a.txt\nb.md"
    assert await ask("list_files", pattern="*.md") == "b.md"
    assert await ask("read_file", path="a.txt") == "one\nTwo"
    assert await ask("find_lines", text="TWO") == "a.txt:2: Two"
    assert await ask("find_lines", text="no") == "No line says that."


async def test_what_leads_out_of_the_folder_is_answered_in_words() -> None:
    assert "leads out" in await ask("read_file", path="../secret.txt")
    assert "no file" in await ask("read_file", path="c.txt")


async def test_it_writes_where_that_is_allowed() -> None:
    context = ScriptedContext(files=FILES)
    assert await ask("write_file", context, path="c.txt", text="new") == "Written: data/c.txt"
    assert context.files["data/c.txt"] == "new"


async def test_without_leave_there_is_no_tool_that_writes() -> None:
    async for tools in files(ScriptedContext(files=FILES), folder="data", write=False):
        assert [tool.name for tool in tools] == ["list_files", "read_file", "find_lines"]
    async for tools in files(ScriptedContext(files=FILES), folder="data", write=True):
        assert {tool.name: tool.effect for tool in tools}["write_file"] is Effect.SIDE_EFFECT


async def test_a_long_answer_is_cut_and_says_so() -> None:
    context = ScriptedContext(files={f"data/{number:04}": "x" for number in range(LIMIT + 7)})
    assert (await ask("list_files", context)).endswith("… and 7 more")


async def test_a_file_that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\xff wren")
    (tmp_path / "b.txt").write_text("A wren.")
    assert await find_lines(ProjectFolder(tmp_path)).run({"text": "wren"}) == "b.txt:1: A wren."


async def test_of_a_long_file_the_beginning_is_read() -> None:
    context = ScriptedContext(files={"data/a.txt": "a" * (LONGEST + 1), "data/b.txt": "b" * LONGEST})
    assert (
        await ask("read_file", context, path="a.txt") == f"{'a' * LONGEST}\n… cut after {LONGEST} characters"
    )
    assert await ask("read_file", context, path="b.txt") == "b" * LONGEST


async def test_a_prefix_tells_the_tools_of_two_folders_apart() -> None:
    async for tools in files(ScriptedContext(files=FILES), folder="data", write=True, prefix="notes_"):
        assert [tool.name for tool in tools] == [
            f"notes_{name}" for name in ("list_files", "read_file", "find_lines", "write_file")
        ]
