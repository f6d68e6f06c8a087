import pytest

from studio.errors import UsageError
from studio.flow.ports import parse_type
from studio.flow.records import Flow, Json, Layout, Node, Point
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.inputs import InputField, check_inputs, input_fields

REGISTRY = builtin_registry()


def _flow(**settings: dict[str, Json]) -> Flow:
    nodes = {NodeId(name): Node(kind="io.flow_input", settings=one) for name, one in settings.items()}
    places = {name: Point(0, -100 * number) for number, name in enumerate(nodes)}
    return Flow(nodes=nodes, layout=Layout(nodes=places))


def test_fields_stand_as_they_do_on_the_canvas() -> None:
    fields = input_fields(_flow(first={}, second={"label": "The second", "type": "number"}), REGISTRY)
    assert [(one.label, str(one.type)) for one in fields] == [("The second", "number"), ("first", "text")]


def test_all_that_is_missing_is_named_at_once() -> None:
    flow = _flow(one={}, two={"example": "a bird"}, three={"default": "given"})
    with pytest.raises(UsageError, match=r"(?s)`two` and `one` are missing.*two=\"a bird\""):
        check_inputs(flow, REGISTRY, {})
    assert check_inputs(flow, REGISTRY, {"one": "1", "two": "2"}) == {"one": "1", "two": "2"}


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match=r"no input `three`.*`one`"):
        check_inputs(_flow(one={"default": ""}), REGISTRY, {"three": 1})


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("text", "41", "41"),
        ("text", '"quoted"', '"quoted"'),
        ("file", "data/a.txt", "data/a.txt"),
        ("number", "4.5", 4.5),
        ("flag", "true", True),
        ("text[]", '["a", "b"]', ["a", "b"]),
        ("json", "bare words", "bare words"),
        ("any", '{"a": 1}', {"a": 1}),
    ],
)
def test_what_is_typed_is_read_by_the_inputs_type(kind: str, text: str, value: object) -> None:
    assert InputField(NodeId("one"), "One", parse_type(kind)).read(text) == value


@pytest.mark.parametrize(
    ("kind", "text"), [("number", "many"), ("flag", "1"), ("text[]", '"a"'), ("file[]", "a")]
)
def test_what_does_not_fit_is_refused_in_the_inputs_name(kind: str, text: str) -> None:
    with pytest.raises(UsageError, match=r"`one` does not fit.*" + kind.replace("[", r"\[")):
        InputField(NodeId("one"), "One", parse_type(kind)).read(text)
