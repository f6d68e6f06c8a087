"""The names that conditions and lines of breakpoints may use, with their kinds, and what is wrong in them.

A condition sees inputs and outputs by name (these come before all other names), `round`, `item`, what the
step and the run have used, and of calls also the messages, the tool and its arguments.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from studio.bounds.patterns import PatternError, is_found
from studio.errors import ExpressionError
from studio.flow.records import CallingLibrary, Flow, Socket
from studio.ids import NodeId, PortName
from studio.runtime.gates.breakpoints import Breakpoint, place_parts
from studio.runtime.gates.log_line import pieces
from studio.runtime.gates.value_edits import HeldTypes
from studio.sdk.expression_kinds import Kind, kind_of, refuse_misfits
from studio.sdk.expressions import compile_expression


class Offered(NamedTuple):
    """A name: the kind of what stands behind it, and what that is."""

    kind: Kind
    help: str


ALWAYS: Final[Mapping[str, Offered]] = {
    "round": Offered("number", "the round of the innermost loop, from 1; None outside of loops"),
    "item": Offered("number", "the item of the innermost map, from 0; None outside of maps"),
    "tokens": Offered("number", "tokens that the step, or the call, has used so far"),
    "cost": Offered("number", "US dollars that the step, or the call, has cost so far"),
    "run_tokens": Offered("number", "tokens that the run has used so far"),
    "run_cost": Offered("number", "US dollars that the run has cost so far"),
    "node": Offered("text", "the node's id"),
    "step": Offered("text", "the step's name, such as rounds.2/critic"),
}

_CALLS: Final[Mapping[tuple[str, str], Mapping[str, Offered]]] = {
    ("chat", ""): {
        "messages": Offered("list", "what is asked, message by message"),
        "text": Offered("text", "the last of the messages"),
    },
    ("chat", "answer"): {
        "answer": Offered("object", "the message that answers"),
        "text": Offered("text", "what it says"),
    },
    ("tool", ""): {
        "tool": Offered("text", "the name of the tool"),
        "arguments": Offered("object", "what it is called with"),
    },
    ("tool", "answer"): {
        "tool": Offered("text", "the name of the tool"),
        "arguments": Offered("object", "what it was called with"),
        "answer": Offered("text", "what it answered"),
        "text": Offered("text", "what it answered"),
    },
}

_CATCHES: Final[Mapping[str, Mapping[str, Offered]]] = {
    "error": {
        "error": Offered("text", "the class of the error, such as ChatRefusedError"),
        "text": Offered("text", "what it says"),
        "inputs": Offered("object", "what the step read, by name"),
    },
    "tool": _CALLS["tool", ""],
    "policy": {
        "decision": Offered("text", "allow, ask or deny"),
        "rule": Offered("text", "what decided it"),
        "text": Offered("text", "what was asked for"),
    },
    "budget": {
        "limit": Offered("text", "tokens, cost, seconds, steps or calls"),
        "spent": Offered("number", "how much is used up"),
        "allowed": Offered("number", "the limit"),
    },
    "text": {
        "text": Offered("text", "the message"),
        "role": Offered("text", "whose it is: system, user, assistant or tool"),
    },
}


def names_at(
    one: Breakpoint, flow: Flow, library: CallingLibrary, types: HeldTypes | None = None
) -> dict[str, Offered]:
    """The names that a breakpoint of `flow` may use, those of its own place first.

    Who asks for many gives the `types` of the flow, which take long to find.
    """
    if one.on != "step":
        return {**_CATCHES[one.on], **ALWAYS}
    node, call, port = place_parts(one.place)
    if call:
        return {**_CALLS.get((call, port), {}), **ALWAYS}
    record = flow.nodes.get(NodeId(node))
    signature = None if record is None else library.signature(record)
    if signature is None:
        return dict(ALWAYS)
    if signature.is_binding:
        return {**_CALLS["tool", ""], **ALWAYS}
    names: dict[str, Offered] = {}
    types = types or HeldTypes(flow, library)
    if signature.output(port) is not None:
        for out in signature.outputs:
            kind = types.at(Socket(NodeId(node), out.name), "after")
            if kind is not None:
                names[out.name] = Offered(kind_of(kind), out.help or out.label or "an output")
        names["outputs"] = Offered("object", "what the step gave, by name")
    for given in signature.inputs:
        kind = types.at(Socket(NodeId(node), PortName(given.name)), "before")
        if kind is not None and given.name not in names:
            names[given.name] = Offered(kind_of(kind), given.help or given.label or "an input")
    names["inputs"] = Offered("object", "what the step reads, by name")
    return {**names, **{name: offered for name, offered in ALWAYS.items() if name not in names}}


class Fault(NamedTuple):
    """What is wrong with a breakpoint: in which field, what, and there from which column (from 1)."""

    field: str
    message: str
    column: int
    remedy: str


def faults_of(
    one: Breakpoint, flow: Flow, library: CallingLibrary, types: HeldTypes | None = None
) -> list[Fault]:
    """Find what is wrong with the condition, the line and the text of a breakpoint of `flow`.

    Who asks for many gives the `types` of the flow, which take long to find.
    """
    names = names_at(one, flow, library, types) if one.condition or one.log else ALWAYS
    return list(_faults(one, names))


def _faults(one: Breakpoint, names: Mapping[str, Offered]) -> Iterator[Fault]:
    if one.condition.strip() and (error := _wrong(one.condition, names)) is not None:
        remedy = error.hint or "Correct the condition, or remove it to pause every time."
        yield Fault("condition", error.message, error.column, remedy)
    for piece in pieces(one.log):
        if piece.is_expression and (error := _wrong(piece.text, names)) is not None:
            column = piece.start + max(1, error.column)
            yield Fault("log", error.message, column, "Correct the text in braces.")
    if one.hits < 0:
        yield Fault("hits", "It cannot pause before the first hit.", 0, "Count from 1, or 0 for every hit.")
    if one.on == "text" and not one.text:
        yield Fault("text", "There is no text to look for.", 0, "Enter the text that a message must contain.")
    elif one.on == "text" and one.is_pattern:
        try:
            is_found(one.text, "")
        except PatternError as error:
            yield Fault("text", error.message, 0, "Correct the pattern, or turn off regular expressions.")


def _wrong(text: str, names: Mapping[str, Offered]) -> ExpressionError | None:
    try:
        expression = compile_expression(text, frozenset(names))
        refuse_misfits(expression, {name: offered.kind for name, offered in names.items()})
    except ExpressionError as error:
        return error
    return None
