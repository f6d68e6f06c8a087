"""YAML from elsewhere: read as plain values, and refused where its aliases make many of few."""

from typing import Any, Final

import yaml

MOST_REPEATED: Final = 100_000
"""How many values aliases may stand for beyond those that are written."""


def plain_of(text: str) -> object:
    """Read one document; raises `ValueError`, and `RecursionError` for what is nested too deep."""
    loader: Any = yaml.SafeLoader(text)  # without types for what it makes
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        sizes: dict[int, int] = {}
        if _size(root, sizes) > len(sizes) + MOST_REPEATED:
            message = f"its aliases stand for more than {MOST_REPEATED} values"
            raise ValueError(message)
        return loader.construct_document(root)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    finally:
        loader.dispose()


def _size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """How many values stand below a node, those of aliases as often as they are named."""
    known = sizes.get(id(node))
    if known == 0:
        message = "a value holds itself"
        raise ValueError(message)
    if known is not None:
        return known
    sizes[id(node)] = 0
    parts: list[Any] = node.value if isinstance(node, yaml.CollectionNode) else []
    if isinstance(node, yaml.MappingNode):
        parts = [one for pair in parts for one in pair]
    sizes[id(node)] = size = 1 + sum(_size(one, sizes) for one in parts)
    return size
