"""Texts as vectors."""

import array
import hashlib
import math
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.building_blocks.memories.embeddings import BATCH, as_bytes, embedded_vectors, made_by, vectors_of
from studio.places import vector_files
from studio.sdk.testing import ScriptedContext

KEY = "Where did we hide the spare key?"
SHED = "The second key hangs on a nail behind the shed door."
SOUP = "Simmer the lentils with cumin for half an hour."


def dot(one: bytes, other: bytes) -> float:
    pairs = zip(array.array("f", one), array.array("f", other), strict=True)
    return sum(left * right for left, right in pairs)


async def test_an_embedded_vector_is_256_numbers_of_length_1() -> None:
    [vector] = await vectors_of(ScriptedContext(), [KEY])
    assert len(vector) == 256 * 4
    assert dot(vector, vector) == pytest.approx(1, abs=1e-5)


async def test_texts_that_mean_much_the_same_are_near_each_other_without_sharing_words() -> None:
    asked, near, far = await vectors_of(ScriptedContext(), ["physician", "a doctor", "a bicycle"])
    assert dot(asked, near) > dot(asked, far) + 0.1
    key, shed, soup = await vectors_of(ScriptedContext(), [KEY, SHED, SOUP])
    assert dot(key, shed) > dot(key, soup) + 0.1


async def test_a_text_has_the_same_vector_whatever_it_is_embedded_with() -> None:
    context = ScriptedContext()
    together = await vectors_of(context, [KEY, SOUP * 400, SHED])
    assert together == [(await vectors_of(context, [one]))[0] for one in (KEY, SOUP * 400, SHED)]


@given(st.lists(st.text(st.characters(), max_size=12), max_size=6))
async def test_any_text_has_a_vector_unless_it_says_nothing(texts: list[str]) -> None:
    vectors = await vectors_of(ScriptedContext(), texts)
    assert [len(one) for one in vectors] == [1024 if text.strip() else 0 for text in texts]


async def test_a_profile_is_asked_for_each_text_once_and_so_many_at_a_time() -> None:
    context = ScriptedContext()
    texts = [f"text {number}" for number in range(BATCH + 1)]
    vectors = await vectors_of(context, [*texts, " ", texts[0]], "profile", "embedder")
    assert [len(one) for one in context.embedded] == [BATCH, 1]
    assert set(context.profiles) == {"embedder"}
    assert vectors[-2] == b""
    assert vectors[-1] == vectors[0] != vectors[1]


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=8))
def test_bytes_hold_the_direction_of_a_vector(vector: list[float]) -> None:
    made = array.array("f", as_bytes(vector))
    size = math.hypot(*vector)
    if not made:
        assert size < 1e-150
        return
    assert [one * size for one in made] == pytest.approx(vector, rel=1e-5, abs=size * 1e-6)


def test_who_made_vectors_is_told_apart() -> None:
    makers = [made_by("embedded", "x"), made_by("profile"), made_by("profile", "x")]
    assert all(one != other for one, other in pairwise([*makers, makers[0]]))


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        (KEY, [0.010983, 0.038497, -0.051431, 0.009429]),
        ("Ünï¢ode 東京 🦜 tokens\n\tand\u0000 spaces  ", [-0.023086, 0.042067, -0.006159, -0.038868]),
    ],
)
def test_a_text_has_the_vector_that_memories_were_stored_with(text: str, beginning: list[float]) -> None:
    """The numbers were made by `wordllama` 0.4.0.post1, when its package was still a dependency."""
    assert made_by() == "WordLlama 256"
    [made] = embedded_vectors([text])
    assert array.array("f", made)[: len(beginning)].tolist() == pytest.approx(beginning, abs=1e-6)


@pytest.mark.parametrize(
    ("file", "digest"),
    [
        (
            "weights/l2_supercat_256.safetensors",
            "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
        ),
        (
            "tokenizers/l2_supercat_tokenizer_config.json",
            "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
        ),
    ],
)
def test_vectors_are_read_from_the_files_that_stored_ones_were_made_with(file: str, digest: str) -> None:
    assert hashlib.sha256((vector_files() / file).read_bytes()).hexdigest() == digest


@pytest.mark.process
def test_what_is_embedded_sets_up_nothing_for_the_process() -> None:
    code = """
import logging, sys
from studio.building_blocks.memories.embeddings import embedded_vectors
assert embedded_vectors(["a"])
print(logging.getLogger().handlers, "wordllama" in sys.modules, "requests" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[] False False"
