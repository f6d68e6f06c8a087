"""The documents that a window had open, as the settings keep them: each with its side and what it showed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

KINDS = ("flow", "script", "comparison", "experiments")


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A tab: a flow's canvas, or something of it."""

    flow: Path
    kind: str = "flow"
    side: int = 0
    """0 left, 1 right, where two documents stand beside one another."""
    is_shown: bool = False
    """Whether it was the one that was seen on its side."""
    is_front: bool = False
    """Whether the window spoke of it."""
    runs: tuple[str, ...] = ()
    """Of a comparison, the two runs."""


def documents_of(values: Mapping[str, object]) -> list[KeptDocument]:
    """Read the documents from the settings' values, as far as their flows still exist.

    Before two could stand beside one another, the settings had lists of paths: `open_flows`, of which the
    last names once more what was in front, and `open_scripts`.
    """
    if "documents" in values:
        found = [_document_of(one) for one in _list(values["documents"])]
        return [one for one in found if one is not None and one.flow.is_file()]
    flows = _paths(values.get("open_flows"))
    front = flows[-1] if flows else None
    scripts = _paths(values.get("open_scripts"))
    opened = [
        KeptDocument(path, is_shown=path == front, is_front=path == front) for path in dict.fromkeys(flows)
    ]
    return [*opened, *(KeptDocument(path, "script") for path in scripts)]


def kept_texts(documents: Sequence[KeptDocument]) -> list[dict[str, object]]:
    """What the settings keep of documents; what is as usual is left out."""
    return [
        {
            "flow": str(one.flow),
            "kind": one.kind,
            **({"side": one.side} if one.side else {}),
            **({"is_shown": True} if one.is_shown else {}),
            **({"is_front": True} if one.is_front else {}),
            **({"runs": list(one.runs)} if one.runs else {}),
        }
        for one in documents
    ]


def _document_of(found: object) -> KeptDocument | None:
    if not isinstance(found, dict):
        return None
    named = cast("dict[str, object]", found)
    flow, kind = named.get("flow"), named.get("kind")
    if not isinstance(flow, str) or kind not in KINDS:
        return None
    runs = tuple(one for one in _list(named.get("runs")) if isinstance(one, str))
    return KeptDocument(
        Path(flow),
        str(kind),
        1 if named.get("side") == 1 else 0,
        named.get("is_shown") is True,
        named.get("is_front") is True,
        runs,
    )


def _paths(found: object) -> list[Path]:
    paths = [Path(one) for one in _list(found) if isinstance(one, str)]
    return [path for path in paths if path.is_file()]


def _list(found: object) -> list[object]:
    return cast("list[object]", found) if isinstance(found, list) else []
