"""How many items fit into a memory, and how long one may be."""

import json
from collections.abc import Mapping, Sequence

from studio.sdk import Item, Items, Json, KeptItems, Recalled, ToolError


def check_size(called: str, text: str, longest: int, fields: Mapping[str, Json] | None = None) -> None:
    """Raise `ToolError` where a text, or the fields with it, have more characters than one item may have."""
    written = json.dumps(fields, ensure_ascii=False) if fields else ""
    for what, size in ((called, len(text)), (f"{called}, its fields,", len(written))):
        if size > longest:
            raise ToolError(
                f"{what} has {size:,} characters; {longest:,} fit.",
                hint="Shorten it, or cut it into several.",
            )


def put_within(kept: KeptItems, made: Sequence[Item], most: int, called: str) -> None:
    """Put items in, or none of them: raises `ToolError` where there would be more than `most`.

    Steps that write at the same time do not see one another, so that there may be more after a map.
    """
    ids = {one.id for one in made}

    def search(items: Items) -> Sequence[Recalled]:
        """Tell how many there would be, where there is no room."""
        count = len(items) + sum(items.get(one) is None for one in ids)
        return [Recalled(Item("", f"{count} {called}"), count, "more than fit")] if count > most else []

    if made and kept.read("is there room for more", search, purpose="upkeep"):
        raise ToolError(f"More than {most:,} {called} do not fit.", hint="Forget some first.")
    for one in made:
        kept.put(one)
