"""How many items fit into a memory."""

from collections.abc import Sequence

from studio.sdk import Item, Items, KeptItems, Recalled, ToolError


def check_room(kept: KeptItems, item_id: str, most: int, called: str) -> None:
    """Raise `ToolError` where an item, unless it is there already, is one too many; what they are `called`.

    Items of a map that write at the same time do not see one another, so that there may be more after it.
    """

    def search(items: Items) -> Sequence[Recalled]:
        """Tell how many there are, where there is no room."""
        count = len(items)
        is_full = count >= most and items.get(item_id) is None
        return [Recalled(Item("", f"{count} {called}"), count, "as many as fit")] if is_full else []

    if kept.read("is there room for one more", search, purpose="upkeep"):
        raise ToolError(f"There are {most:,} {called}, and no more fit.", hint="Forget some first.")
