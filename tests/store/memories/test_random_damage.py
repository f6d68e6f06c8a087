from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from studio.sdk.item_layers import Write
from studio.sdk.items import Item
from tests.examples import examples
from tests.store.memories.kept import opened, path_of, put


def known() -> dict[str, str]:
    return {f"i{number}": f"{number} " * 100 for number in range(120)}


@cache
def sound() -> bytes:
    with TemporaryDirectory() as name:
        memory = opened(Path(name))
        for turn in ("earlier ", ""):
            memory.save(turn, [Write("put", Item(key, turn + text)) for key, text in known().items()])
        memory.close()
        return path_of(Path(name)).read_bytes()


holes = st.tuples(
    st.integers(0, 30 * 4096), st.integers(1, 6000), st.sampled_from([b"\0", b"\xff", b"\x0d7"])
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(holes, min_size=1, max_size=4), st.none() | st.integers(0, 30 * 4096))
def test_however_a_file_is_damaged_it_opens_with_nothing_that_was_not_there_and_takes_more(
    damage: Sequence[tuple[int, int, bytes]], end: int | None
) -> None:
    whole = bytearray(sound())
    for start, size, noise in damage:
        whole[start : start + size] = (noise * size)[: len(whole[start : start + size])]
    damaged = bytes(whole[:end])
    with TemporaryDirectory() as name:
        folder = Path(name)
        path_of(folder).write_bytes(damaged)
        memory = opened(folder)
        texts = known()
        for one in memory.root.items.all():
            assert one.text.removeprefix("earlier ") == texts[one.id]
        said = memory.save("more", put("a new"))
        memory.close()
        assert memory.trouble or damaged == sound() or memory.count == len(texts) or not damaged
        assert [one for one in folder.iterdir() if one.is_file() and one.read_bytes() == damaged] or not (
            memory.trouble
        )
        again = opened(folder)
        assert said or again.root.items.get("a") == Item(
            "a", "a new", {"said": "a new"}, at="2026-05-04T12:00:00+00:00"
        )
        assert bool(again.trouble) == bool(said)
        again.close()
