"""Every text of a flow with its place: what can be found in it, and what can be put in its place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias

from studio.flow.change import Change, difference
from studio.flow.records import Flow, Json, Node, Point
from studio.ids import NodeId

Owner: TypeAlias = Literal["flow", "node", "frame", "note"]


class Place(NamedTuple):
    """Where a text stands: `("node", "critic", ("settings", "instructions"))`."""

    owner: Owner
    name: str
    """The id of the node, frame or note; empty for the flow itself."""
    path: tuple[str | int, ...]
    """The field, and the way into its value."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text. Ids and kinds are found too, but have edits of their own."""

    place: Place
    text: str
    can_change: bool = True


def texts_of(flow: Flow) -> Iterator[Text]:
    """The texts of a flow: its own, then nodes from left to right, frames and notes."""
    yield Text(Place("flow", "", ("name",)), flow.name)
    yield Text(Place("flow", "", ("description",)), flow.description)
    places = flow.layout.nodes
    for name in sorted(flow.nodes, key=lambda one: (*_at(places.get(one)), one)):
        node = flow.nodes[name]
        yield Text(Place("node", name, ("title",)), node.title)
        yield Text(Place("node", name, ("id",)), name, can_change=False)
        yield Text(Place("node", name, ("kind",)), node.kind, can_change=False)
        for field, values in (("settings", node.settings), ("inputs", node.inputs)):
            for key, value in sorted(values.items(), key=itemgetter(0)):
                yield from _within(Place("node", name, (field, str(key))), value)
        yield from _within(Place("node", name, ("run", "default")), node.run.default)
    for name, frame in sorted(flow.layout.frames.items()):
        yield Text(Place("frame", name, ("title",)), frame.title)
    for name, note in sorted(flow.layout.notes.items()):
        yield Text(Place("note", name, ("text",)), note.text)


def with_texts(flow: Flow, texts: Mapping[Place, str], label: str) -> Change:
    """The change that puts these texts where they belong; places that are not there are passed over."""
    nodes, layout = dict(flow.nodes), flow.layout
    frames, notes = dict(layout.frames), dict(layout.notes)
    name, description = flow.name, flow.description
    for place, text in texts.items():
        match place:
            case ("flow", _, ("name",)):
                name = text
            case ("flow", _, ("description",)):
                description = text
            case ("node", node, path) if NodeId(node) in nodes:
                nodes[NodeId(node)] = _changed(nodes[NodeId(node)], path, text)
            case ("frame", frame, _) if frame in frames:
                frames[frame] = replace(frames[frame], title=text)
            case ("note", note, _) if note in notes:
                notes[note] = replace(notes[note], text=text)
            case _:
                pass
    after = replace(
        flow,
        name=name,
        description=description,
        nodes=nodes,
        layout=replace(layout, frames=frames, notes=notes),
    )
    return difference(flow, after, label)


def _changed(node: Node, path: tuple[str | int, ...], text: str) -> Node:
    field, *way = path
    if field == "title":
        return node.model_copy(update={"title": text})
    if field == "run":
        default = _put(node.run.default, way[1:], text)
        return node.model_copy(update={"run": node.run.model_copy(update={"default": default})})
    values = node.settings if field == "settings" else node.inputs
    before: dict[str, Json] = {str(key): value for key, value in values.items()}
    return node.model_copy(update={str(field): _put(before, way, text)})


def _put(value: Json, way: list[str | int], text: str) -> Json:
    """A value with `text` at the end of a way into it."""
    if not way:
        return text
    step, *rest = way
    if isinstance(value, dict) and isinstance(step, str) and step in value:
        return {**value, step: _put(value[step], rest, text)}
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return [*value[:step], _put(value[step], rest, text), *value[step + 1 :]]
    return value


def _within(place: Place, value: Json) -> Iterator[Text]:
    if isinstance(value, str):
        yield Text(place, value)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _within(place._replace(path=(*place.path, index)), one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _within(place._replace(path=(*place.path, key)), one)


def _at(place: Point | None) -> tuple[int, int]:
    return (place.x, place.y) if place is not None else (0, 0)
