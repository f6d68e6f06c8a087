"""Items of memories as the events of a run tell of them."""

from collections.abc import Mapping
from typing import Any, cast

from studio.sdk.items import Item
from studio.trace.events.values import Shown


def item_of(shown: Shown, vector: bytes = b"") -> Item:
    """Read an item as events have it; what is damaged in it is left out."""
    plain = cast("Mapping[str, Any]", shown.data if isinstance(shown.data, Mapping) else {})
    data: Any = plain.get("data")
    return Item(
        str(plain.get("id", "")),
        str(plain.get("text", "")),
        cast("Mapping[str, Any]", data if isinstance(data, Mapping) else {}),
        str(plain.get("at", "")),
        str(plain.get("by", "")),
        vector,
        shown.labels,
    )
