import json
from typing import Any

import pytest

from nodes.tools.text_search import text_search
from studio.llm.client import ToolCall
from studio.sdk import ToolError
from studio.sdk.testing import ScriptedContext, call_tools

FILES = {
    "notes/april.txt": "3 April: A wren sang.\n\n\n5 April: Frost on the pond,\nand two siskins, pump.\n",
    "notes/may.txt": "4 May: A dunnock sings.\n\n6 May: \"Quoted\" AND 'odd' (words*) NEAR: frost.",
    "notes/deep/june.txt": "2 June: Siskins, many siskins, at the alders.",
    "notes/other.md": "A wren that is not searched.",
}


async def search(query: str, settings: dict[str, Any] | None = None, **arguments: object) -> dict[str, Any]:
    call = ToolCall("1", "text_search", json.dumps({"query": query, **arguments}))
    context = ScriptedContext(files=FILES)
    [answer] = await call_tools(text_search, {"folder": "notes", **(settings or {})}, [call], context)
    assert context.lines == ["5 passages in notes"]
    return json.loads(answer)


def places(answer: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(passage["file"], passage["line"], passage["last_line"]) for passage in answer["passages"]]


async def test_a_passage_is_found_with_its_file_and_lines() -> None:
    answer = await search("pump")
    assert places(answer) == [("april.txt", 4, 5)]
    assert answer["passages"][0]["text"] == "5 April: Frost on the pond, and two siskins, pump."
    assert answer["found"] == 1


async def test_the_passage_that_says_most_comes_first() -> None:
    assert places(await search("siskins"))[0] == ("deep/june.txt", 1, 1)
    assert places(await search("siskins on the pond"))[0] == ("april.txt", 4, 5)


async def test_words_are_found_in_other_forms() -> None:
    assert places(await search("singing")) == [("may.txt", 1, 1)]


async def test_the_words_of_every_question_are_ignored() -> None:
    assert places(await search("Which of the wren was it, and where is that?")) == [("april.txt", 1, 1)]
    assert (await search("what is in it"))["found"] == 0
    assert (await search("wren", {"ignored": "wren"}))["found"] == 0


@pytest.mark.parametrize(
    "query", ["", "  ", '"', "AND", "OR NOT", "NEAR(", "*", "a:b", "text:frost", "^", "'", "-", "\x00"]
)
async def test_no_query_is_an_error(query: str) -> None:
    assert isinstance((await search(query))["found"], int)


async def test_operators_of_the_index_are_plain_words() -> None:
    assert places(await search("wren AND dunnock")) == [("april.txt", 1, 1), ("may.txt", 1, 1)]


async def test_the_limit_is_the_smaller_of_setting_and_argument() -> None:
    assert len(places(await search("frost siskins wren"))) == 4
    assert len(places(await search("frost siskins wren", limit=2))) == 2
    assert len(places(await search("frost siskins wren", {"limit": 1}, limit=3))) == 1
    assert len(places(await search("frost siskins wren", limit=-1))) == 4


async def test_a_folder_without_such_files_is_an_error_with_a_hint() -> None:
    with pytest.raises(ToolError, match=r"\*\.csv"):
        await call_tools(text_search, {"files": "*.csv"}, [], ScriptedContext(files=FILES))
