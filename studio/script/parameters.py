"""How the parameters of a script's function are called as inputs of its flow."""

import keyword

from studio.ids import NodeId


def input_of(parameter: str) -> NodeId:
    """Name the input that a parameter is: as it is called, but for `_` behind a word of Python's."""
    plain = parameter.removesuffix("_")
    return NodeId(plain if keyword.iskeyword(plain) else parameter)
