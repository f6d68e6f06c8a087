"""What black makes of a text is kept in the cache of pytest: to make it takes most of an export."""

import hashlib
import os
from collections.abc import Generator
from importlib.metadata import version

import black
import pytest
from black.mode import Mode


@pytest.fixture(autouse=True, scope="session")
def formatted_texts_are_kept(pytestconfig: pytest.Config) -> Generator[None]:
    """Let the workers of all sessions format a text once; where pytest keeps nothing, each does."""
    if not pytestconfig.pluginmanager.has_plugin("cacheprovider"):
        yield
        return
    folder = pytestconfig.cache.mkdir(f"black-{version('black')}")
    format_str = black.format_str

    def kept(text: str, *, mode: Mode) -> str:
        told = f"{mode.get_cache_key()}\n{text}".encode("utf-8", "surrogatepass")
        place = folder / hashlib.sha256(told).hexdigest()
        if not place.is_file():
            beside = place.with_suffix(f".{os.getpid()}")
            beside.write_bytes(format_str(text, mode=mode).encode("utf-8", "surrogatepass"))
            beside.replace(place)
        return place.read_bytes().decode("utf-8", "surrogatepass")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(black, "format_str", kept)
        yield
