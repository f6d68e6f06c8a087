"""Say every chapter, and both ends at once.

Exported by Stepwire 0.1.0 from chapters.json (flow 0123456789ab).
"""

from typing import Any

from stepwire_kit import Flow, call, each, gather, region
from stepwire_kit.nodes import template

JOINED = """{
  "format": "stepwire.flow",
  "version": 1,
  "name": "Joined",
  "nodes": {
    "texts": {"kind": "io.flow_input", "settings": {"type": "text[]"}},
    "join": {"kind": "text.join", "settings": {"separator": "; "}},
    "joined": {"kind": "io.flow_output"}
  },
  "wires": ["texts.value -> join.parts[0]", "join.text -> joined.value"]
}"""

flow = Flow("Say every chapter")


async def said(name: str) -> str:
    """Say one chapter."""
    return await template("said", template="About {{ name }}.", name=name)


async def ends(names: list[str]) -> str:
    """Say the first and the last at once."""
    first, last = await gather(
        template("first", template="{{ name }}", name=names[0]),
        template("last", template="{{ name }}", name=names[-1]),
    )
    return f"{first} to {last}"


@flow
async def say_every_chapter(names: list[str]) -> dict[str, Any]:
    """A map, a call, lanes, and a part of a drawn flow."""
    found = await each("chapters", said, names)
    joined = await region(JOINED, texts=found)
    return {"text": joined.joined, "ends": await call("ends", ends, names)}


if __name__ == "__main__":
    flow.main()
