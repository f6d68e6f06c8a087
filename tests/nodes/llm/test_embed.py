from typing import cast

import pytest

from nodes.llm.embed import embed
from studio.sdk import StepError
from studio.sdk.testing import ScriptedContext, run_bench


async def test_each_text_is_sent_once_and_so_many_at_a_time() -> None:
    context = ScriptedContext()
    texts = ["moss", "bark", "moss", "wren", "bark"]
    outputs = await run_bench(
        embed, {"texts": texts}, {"batch": 2, "dimensions": 8, "profile": "vectors"}, context
    )
    assert context.embedded == [("moss", "bark"), ("wren",)]
    assert context.profiles == ["vectors", "vectors"]
    vectors = cast("list[list[float]]", outputs["vectors"])
    assert vectors[0] == vectors[2] != vectors[1] == vectors[4]
    assert {len(vector) for vector in vectors} == {8}


async def test_for_no_texts_nobody_is_asked() -> None:
    context = ScriptedContext()
    assert await run_bench(embed, {"texts": []}, context=context) == {"vectors": []}
    assert context.embedded == []


async def test_an_empty_text_is_refused_by_its_place() -> None:
    with pytest.raises(StepError, match="text at 1"):
        await run_bench(embed, {"texts": ["moss", " \n"]}, context=ScriptedContext())
