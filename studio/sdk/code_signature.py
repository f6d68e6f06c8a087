"""Which ports a piece of Python source asks for, read from its text; nothing of it is run.

The source defines a function `main`, or one public function. Its parameters are inputs, what it returns is
the output; a dataclass, `TypedDict` or `NamedTuple` that the source defines for it gives one output a field.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.errors import SettingsError
from studio.flow.ports import Port, PortType
from studio.ids import PortName, is_identifier
from studio.sdk.ports import Json
from studio.sdk.tool import lendable_name

LONGEST = 200_000
"""Characters of source that are read."""

MAIN = "main"
RESULT = PortName("result")
_JSON = PortType("json")
_NAMED = {
    "str": "text",
    "int": "number",
    "float": "number",
    "bool": "flag",
}
_SCHEMA: Mapping[str, Mapping[str, Json]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
}
_LISTS = {"list", "List", "Sequence", "tuple", "set", "frozenset", "Iterable"}
_RECORDS = {"TypedDict", "NamedTuple"}


@dataclass(frozen=True, slots=True)
class CodeSignature:
    """The function that is called, its inputs and outputs; with `has_fields` the outputs are a record's."""

    function: str
    summary: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    has_fields: bool = False

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as a JSON Schema, as tools describe what they are called with."""
        return parameters_of(self.inputs)


def read_signature(code: str, *, setting: str = "Code") -> CodeSignature:
    """Read the ports from the source; raises `SettingsError` that names the line."""
    tree = read_tree(code, setting)
    function = _chosen(tree, setting)
    records = {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}
    inputs = inputs_of(function, setting)
    outputs, has_fields = _outputs(function.returns, records)
    summary = (ast.get_docstring(function) or "").partition("\n")[0]
    return CodeSignature(function.name, summary, inputs, outputs, has_fields)


def read_tree(code: str, setting: str) -> ast.Module:
    """Parse the source; raises `SettingsError` that names the line."""
    if len(code) > LONGEST:
        raise refused(setting, f"it has more than {LONGEST:,} characters")
    try:
        return ast.parse(code)
    except SyntaxError as error:
        raise refused(setting, f"{error.msg}", error.lineno) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise refused(setting, "it cannot be read") from error


def inputs_of(function: ast.FunctionDef, setting: str) -> tuple[Port, ...]:
    """What a function takes; raises `SettingsError` for parameters that nobody can name."""
    taken = function.args
    if taken.posonlyargs or taken.vararg or taken.kwarg:
        raise refused(setting, f"`{function.name}` may take plain parameters only", function.lineno)
    return (*_required_and_not(taken, setting), *_keyword_only(taken, setting))


def parameters_of(inputs: Sequence[Port]) -> dict[str, object]:
    """The inputs as a JSON Schema, as tools describe what they are called with."""
    return {
        "type": "object",
        "properties": {str(port.name): _schema(port.type) for port in inputs},
        "required": [str(port.name) for port in inputs if port.required],
        "additionalProperties": False,
    }


def lendable_code(code: str) -> str:
    """Validate code whose function agents are to call; raises `ValueError` with the line and the remedy."""
    try:
        lendable_name(read_signature(code).function)
    except SettingsError as error:
        raise ValueError(error.details[0].removeprefix("Code: ")) from error
    return code


def _chosen(tree: ast.Module, setting: str) -> ast.FunctionDef:
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    public = [one for one in functions if not one.name.startswith("_")]
    named = [one for one in public if one.name == MAIN] or public
    if not named:
        raise refused(setting, f"it defines no function; write `def {MAIN}(text: str) -> str:`")
    if len(named) > 1 and named[-1].name != MAIN:
        raise refused(
            setting,
            f"it defines several functions; name one `{MAIN}`, or start the names of the others with `_`",
        )
    chosen = named[-1]
    if isinstance(chosen, ast.AsyncFunctionDef):
        raise refused(setting, f"`{chosen.name}` is `async`; there is nothing to wait for", chosen.lineno)
    return chosen


def _required_and_not(taken: ast.arguments, setting: str) -> Sequence[Port]:
    first_default = len(taken.args) - len(taken.defaults)
    return [_input(one, setting, required=place < first_default) for place, one in enumerate(taken.args)]


def _keyword_only(taken: ast.arguments, setting: str) -> Sequence[Port]:
    pairs = zip(taken.kwonlyargs, taken.kw_defaults, strict=True)
    return [_input(one, setting, required=default is None) for one, default in pairs]


def _input(one: ast.arg, setting: str, *, required: bool) -> Port:
    if not is_identifier(one.arg):
        raise refused(
            setting, f"`{one.arg}` cannot be an input: use lowercase letters, digits and _", one.lineno
        )
    help_ = f"The parameter `{one.arg}`"
    return Port(PortName(one.arg), _type(one.annotation), one.arg, help_, required=required)


def _outputs(returns: ast.expr | None, records: Mapping[str, ast.ClassDef]) -> tuple[tuple[Port, ...], bool]:
    if isinstance(returns, ast.Constant) and isinstance(returns.value, str):
        returns = ast.Name(returns.value)
    record = records.get(returns.id) if isinstance(returns, ast.Name) else None
    if record is not None and _is_record(record):
        fields = [
            _field(one.target.id, one.annotation)
            for one in record.body
            if isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and is_identifier(one.target.id)
        ]
        if fields:
            return tuple(fields), True
    return (Port(RESULT, _type(returns), "result", "What the function returned"),), False


def _field(name: str, annotation: ast.expr) -> Port:
    return Port(PortName(name), _type(annotation), name, f"The field `{name}`")


def _is_record(made: ast.ClassDef) -> bool:
    bases = {base.id for base in made.bases if isinstance(base, ast.Name)}
    marks = (one.func if isinstance(one, ast.Call) else one for one in made.decorator_list)
    names = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in marks}
    return bool(bases & _RECORDS) or "dataclass" in names


def _type(annotation: ast.expr | None) -> PortType:
    """The port type that an annotation means; what is not known is JSON."""
    match annotation:
        case ast.Name(id=name) if name in _NAMED:
            return PortType(_NAMED[name])
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _LISTS:
            element = inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
            return _type(element).listed
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            sides = [one for one in (left, right) if not _is_none(one)]
            return _type(sides[0]) if len(sides) == 1 else _JSON
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return _type(inner)
        case _:
            return _JSON


def _is_none(one: ast.expr) -> bool:
    return isinstance(one, ast.Constant) and one.value is None


def _schema(kind: PortType) -> dict[str, object]:
    if kind.depth:
        return {"type": "array", "items": _schema(PortType(kind.base, kind.depth - 1))}
    return dict(_SCHEMA.get(kind.base, {}))


def refused(setting: str, reason: str, line: int | None = None) -> SettingsError:
    """The error of code that cannot be used, with the setting and the line."""
    where = f"line {line}: " if line else ""
    return SettingsError("The code cannot be used.", [f"{setting}: {where}{reason}"])
