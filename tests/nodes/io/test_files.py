import pytest

from nodes.io.read_file import read_file
from nodes.io.write_file import write_file
from studio.sdk import ToolError
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench
from studio.sdk.tool import Effect


async def test_what_is_written_ends_with_one_line_break() -> None:
    context = ScriptedContext()
    await run_bench(write_file, {"text": "one"}, {"path": "out/a.md"}, context)
    await run_bench(write_file, {"text": "two\n"}, {"path": "out/a.md", "append": True}, context)
    assert context.files == {"out/a.md": "one\ntwo\n"}


async def test_writing_replaces_unless_it_appends() -> None:
    context = ScriptedContext(files={"a": "old\n"})
    await run_bench(write_file, {"text": "new"}, {"path": "a"}, context)
    assert context.files == {"a": "new\n"}


def test_writing_is_a_side_effect() -> None:
    assert node_type_of(write_file).effect is Effect.SIDE_EFFECT


async def test_a_path_that_arrives_comes_before_the_setting() -> None:
    context = ScriptedContext(files={"a": "A", "b": "B"})
    assert await run_bench(read_file, {}, {"file": "a"}, context) == {"text": "A"}
    assert await run_bench(read_file, {"path": "b"}, {"file": "a"}, context) == {"text": "B"}


async def test_a_missing_file_is_named() -> None:
    with pytest.raises(ToolError, match=r"gone\.txt"):
        await run_bench(read_file, {"path": "gone.txt"})
