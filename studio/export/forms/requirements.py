"""What has to be installed for the kit, or a part of it, in the versions that the studio allows."""

import re
from collections.abc import Collection, Iterable, Mapping
from importlib import metadata
from typing import Final

LIBRARIES: Final[Mapping[str, str]] = {
    "apsw": "",
    "h11": "",
    "httpx2": "",
    "jinja2": "",
    "jmespath": "",
    "jsonschema": "",
    "keyring": "",
    "mcp": "mcp",
    "networkx": "",
    "numpy": "vectors",
    "openai": "",
    "orjson": "",
    "platformdirs": "",
    "pydantic": "",
    "pyyaml": "",
    "regex": "",
    "safetensors": "vectors",
    "sqlite-utils": "",
    "sqlite-vec": "",
    "tokenizers": "vectors",
    "wasmtime": "box",
}
"""The distributions that the kit's modules import, each with its extra; none where every kit needs it."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def bounded(libraries: Iterable[str]) -> list[str]:
    """Give distributions as an installer is told of them: with the versions that the studio allows."""
    asked = [one.partition(";")[0].strip() for one in metadata.requires("stepwire") or ()]
    named = {found[0].lower(): _in_order(one) for one in asked if (found := _NAME.match(one))}
    return [named[one] for one in sorted(libraries)]


def extras_of(libraries: Collection[str]) -> list[str]:
    """Name the extras of the kit that bring these distributions."""
    return sorted({LIBRARIES.get(one, "") for one in libraries} - {""})


def licence() -> str:
    """Give the licence of the studio, which goes with every copy of its modules."""
    return metadata.distribution("stepwire").read_text("licenses/LICENSE") or ""


def _in_order(requirement: str) -> str:
    """A requirement with the oldest version before the newest, as people write it."""
    name = _NAME.match(requirement)
    assert name is not None  # noqa: S101  # it was found by its name
    bounds = requirement[name.end() :].split(",")
    return name[0] + ",".join(sorted(bounds, key=lambda one: not one.startswith(">")))
