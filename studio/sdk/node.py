"""Declaring a node type: one typed function, or a declaration for the few that shape a flow.

From the one signature come the ports, the inspector form, the validation, the catalogue page and the
function that scripts call.
"""

import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from studio.flow.ports import Port, PortType, Structure
from studio.ids import PortName
from studio.sdk.node_type import REQUIRED, Access, NodeType, Ports, SettingSpec, Variant
from studio.sdk.signatures import read_function, settings_of_class, split_doc
from studio.sdk.tool import Effect

__all__ = [
    "REQUIRED",
    "NodeType",
    "SettingSpec",
    "Yields",
    "binding",
    "dynamic_inputs",
    "dynamic_outputs",
    "node",
    "node_type_of",
    "node_types_in",
    "structural",
    "variant",
]

F = TypeVar("F", bound=Callable[..., Any])

MARK = "__node_type__"
NO_ACCESS: Mapping[Access, str] = {}

Yields = AsyncIterator
"""The return annotation of a binding: `async def text_search(...) -> Yields[Tool]`."""


def node(
    kind: str,
    *,
    title: str,
    structure: Structure | None = None,
    effect: Effect = Effect.PURE,
    version: int = 1,
    keywords: tuple[str, ...] = (),
    heavy: bool = False,
    variable: Literal["", "reads", "writes"] = "",
    named_by: str = "name",
    only_reads: bool = False,
    accesses: Mapping[Access, str] = NO_ACCESS,
) -> Callable[[F], F]:
    """Make the decorated function a node type; it stays an ordinary function.

    One that may work for more than a few ms without waiting is `heavy`: a run calls it on a thread, where it
    may use the folder, log and progress of its context, and nothing else of it.
    `variable` says what is done with the run variable that the setting `named_by` names, `only_reads` that
    nothing of the memories is changed that are lent to it, `accesses` what it executes or reaches outside.
    Raises `TypeError` at import for a signature that says too little or too much.
    """

    def register(function: F) -> F:
        read = read_function(kind, title, function)
        made = replace(
            read,
            structure=structure,
            effect=effect,
            version=version,
            keywords=keywords,
            heavy=heavy,
            variable=variable,
            named_by=named_by,
            only_reads=only_reads,
            accesses=accesses,
            form="structural" if structure else "function",
        )
        setattr(function, MARK, made)
        return function

    return register


def binding(
    kind: str,
    *,
    title: str,
    lends: str = "tool",
    effect: Effect = Effect.PURE,
    version: int = 1,
    keywords: tuple[str, ...] = (),
    unavailable: str = "",
    keeps_items: bool = False,
    accesses: Mapping[Access, str] = NO_ACCESS,
) -> Callable[[F], F]:
    """Make the decorated async generator a node type that lends what it yields once.

    With `keeps_items` its tools read and write the items of a memory that is called after it. Whatever stands
    after the `yield` runs when the binding is closed. With `unavailable`, a sentence that
    says why, flows with a node of the kind are refused. `accesses` is what it executes or reaches outside.
    """

    def register(function: F) -> F:
        read = read_function(kind, title, function, is_binding=True)
        port = Port(PortName(lends), PortType(lends), lends, f"Provides this {lends}", required=False)
        made = replace(
            read,
            form="binding",
            outputs=(port,),
            effect=effect,
            version=version,
            keywords=keywords,
            unavailable=unavailable,
            keeps_items=keeps_items,
            accesses=accesses,
        )
        setattr(function, MARK, made)
        return function

    return register


def structural(
    kind: str,
    structure: Structure,
    *,
    title: str,
    inputs: Sequence[Port] = (),
    outputs: Sequence[Port] = (),
    settings: type | None = None,
    inputs_of: Ports | None = None,
    outputs_of: Ports | None = None,
    keywords: tuple[str, ...] = (),
) -> NodeType:
    """Declare a kind that shapes execution and computes nothing; help is its module's docstring.

    `settings` is a class whose annotated attributes, with defaults, are the settings.
    """
    summary, help_text = split_doc(_caller_doc())
    return NodeType(
        kind,
        title,
        summary,
        help_text,
        "structural",
        tuple(inputs),
        tuple(outputs),
        settings_of_class(settings) if settings is not None else (),
        structure=structure,
        inputs_of=inputs_of,
        outputs_of=outputs_of,
        keywords=keywords,
    )


def dynamic_inputs(function: Callable[..., Any]) -> Callable[[Ports], Ports]:
    """Register, on a node's function, the function that tells its dynamic inputs from its settings."""

    def register(tell: Ports) -> Ports:
        setattr(function, MARK, replace(node_type_of(function), inputs_of=tell))
        return tell

    return register


def dynamic_outputs(function: Callable[..., Any]) -> Callable[[Ports], Ports]:
    """Register the function that tells dynamic outputs; the node then returns a mapping by name."""

    def register(tell: Ports) -> Ports:
        made = replace(node_type_of(function), outputs_of=tell, outputs=(), returns_fields=True)
        setattr(function, MARK, made)
        return tell

    return register


def variant(function: Callable[..., Any], *, heavy: bool = False, **settings: str) -> Callable[[F], F]:
    """Register what stands in for a node's function where its settings are so: `variant(score, by="number")`.

    It takes those inputs and settings of the function that it has a use for. A plain function that may work
    for more than a few ms is `heavy`.
    """

    def register(stand_in: F) -> F:
        base = node_type_of(function)
        taken = frozenset(inspect.signature(stand_in).parameters)
        made = Variant(settings, stand_in, taken, heavy)
        setattr(function, MARK, replace(base, variants=(*base.variants, made)))
        return stand_in

    return register


def node_type_of(thing: object) -> NodeType:
    """The node type that `thing` declares; raises `TypeError` when it declares none."""
    found = thing if isinstance(thing, NodeType) else getattr(thing, MARK, None)
    if not isinstance(found, NodeType):
        reason = f"`{thing}` is no node type"
        raise TypeError(reason)
    return found


def node_types_in(module: object) -> list[NodeType]:
    """The node types that a module itself declares (not those it imports)."""
    name = getattr(module, "__name__", "")
    return [
        node_type_of(thing)
        for thing in vars(module).values()
        if isinstance(thing, NodeType) or (hasattr(thing, MARK) and getattr(thing, "__module__", "") == name)
    ]


def _caller_doc() -> str:
    """The docstring of the module that calls the function that calls this."""
    frame = inspect.currentframe()
    caller = frame.f_back.f_back if frame is not None and frame.f_back is not None else None
    return str(caller.f_globals.get("__doc__") or "") if caller is not None else ""
