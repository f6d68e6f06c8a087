"""What a flow wants to be given: its flow inputs as fields of a form, and what was given, checked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from studio.errors import UsageError, ValueTypeError
from studio.flow.flow_cache import Known
from studio.flow.ports import PortType, Structure
from studio.flow.records import Flow, Json
from studio.ids import NodeId
from studio.sdk.registry import Registry
from studio.sdk.values import from_plain


@dataclass(frozen=True, slots=True)
class InputField:
    """One flow input. `value` is what stands in the field: what was given last, or else the default."""

    node: NodeId
    label: str
    type: PortType
    help: str = ""
    default: Json = None
    example: Json = None
    value: Json = None

    @property
    def is_required(self) -> bool:
        """Whether it has no default, so that something must be given."""
        return self.default is None

    def read(self, text: str) -> Json:
        """Read what a person typed: a text as it stands, anything else as JSON.

        Raises `UsageError` that names the input.
        """
        if self._is_text:
            return text
        try:
            plain: Json = json.loads(text)
        except ValueError:
            plain = text  # a bare word is a text, where a text will do
        self.check(plain)
        return plain

    def written(self, plain: Json) -> Json:
        """Give what `read` reads as this very value, where that is a text; all else as it is."""
        if not isinstance(plain, str) or self._is_text:
            return plain
        return json.dumps(plain, ensure_ascii=False)

    @property
    def _is_text(self) -> bool:
        """Whether what is typed stands as it is."""
        return self.type == PortType("text") or (self.type.base in {"file", "image"} and not self.type.depth)

    def check(self, plain: Json) -> None:
        """Raise `UsageError`, naming the input, where the value does not fit its type."""
        try:
            from_plain(plain, self.type)
        except ValueTypeError as error:
            raise UsageError(
                f"The input `{self.node}` does not fit: {error.message}",
                hint=f"Pass a value of type `{self.type}`, written as JSON.",
            ) from error


class InputsMissingError(UsageError):
    """A run was not given all that its flow needs; `first` is the first such input."""

    def __init__(self, message: str, *, hint: str, first: NodeId) -> None:
        super().__init__(message, hint=hint)
        self.first = first


def input_fields(flow: Flow, registry: Registry, last: Mapping[str, Json] | None = None) -> list[InputField]:
    """List the flow inputs from the top of the canvas down; `last` has what was given the last time."""
    fields: list[InputField] = []
    for node, record in flow.nodes.items():
        signature = registry.signature(record)
        if signature is None or signature.structure is not Structure.FLOW_INPUT:
            continue
        settings = registry.settings(record)
        field = InputField(
            node,
            str(settings.get("label") or record.title or node),
            signature.outputs[0].type,
            str(settings.get("help") or ""),
            settings.get("default"),
            settings.get("example"),
        )
        fields.append(_filled(field, last or {}))
    places = flow.layout.nodes
    return sorted(fields, key=lambda one: (place.y, place.x) if (place := places.get(one.node)) else (0, 0))


def check_inputs(flow: Flow, registry: Registry, given: Mapping[str, Json]) -> dict[str, Json]:
    """Give the inputs of a run, every one of them known and of its type.

    What is not given and has a default is left out: the run takes the default. Raises `UsageError` that
    names what is missing, unknown or wrong.
    """
    fields = _FIELDS.of(flow, registry)
    for name, value in given.items():
        if name not in fields:
            known = ", ".join(f"`{one}`" for one in fields) or "none"
            raise UsageError(f"The flow has no input `{name}`.", hint=f"Its inputs are: {known}.")
        fields[name].check(value)
    missing = [one for name, one in fields.items() if name not in given and one.is_required]
    if missing:
        names = " and ".join(f"`{one.node}`" for one in missing)
        example = missing[0].example if isinstance(missing[0].example, str) else "…"
        raise InputsMissingError(
            f"The flow input{'s' if len(missing) > 1 else ''} {names} "
            f"{'are' if len(missing) > 1 else 'is'} missing and "
            f"{'have' if len(missing) > 1 else 'has'} no default.",
            hint=f'Give it with `--input {missing[0].node}="{example}"`, or set a default in the flow.',
            first=missing[0].node,
        )
    return dict(given)


def _by_name(flow: Flow, registry: Registry) -> Mapping[str, InputField]:
    return {str(one.node): one for one in input_fields(flow, registry)}


_FIELDS = Known(_by_name)


def _filled(field: InputField, last: Mapping[str, Json]) -> InputField:
    value = last.get(str(field.node), field.default)
    try:
        if value is not None:
            field.check(value)
    except UsageError:
        value = field.default
    return InputField(field.node, field.label, field.type, field.help, field.default, field.example, value)
