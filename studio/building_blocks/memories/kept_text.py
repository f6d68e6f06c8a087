"""A memory of one item, whose text is what somebody keeps from one call to the next."""

from collections.abc import Sequence

from studio.sdk import Items, KeptItems, Recalled


def text_kept(kept: KeptItems, name: str, why: str) -> str:
    """The text of the item with this id; empty where there is none yet."""

    def search(items: Items) -> Sequence[Recalled]:
        """Take the item, if it is there."""
        one = items.get(name)
        return [] if one is None else [Recalled(one)]

    found = kept.read(why, search, purpose="upkeep")
    return found[0].item.text if found else ""
