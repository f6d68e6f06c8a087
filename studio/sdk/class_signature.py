"""What can be done with a class in Python source, read from its text; nothing of it is run.

The source defines one public class. Its public methods are what can be done with its objects.
"""

import ast
from dataclasses import dataclass, replace

from studio.errors import SettingsError
from studio.flow.ports import Port
from studio.sdk.code_signature import inputs_of, parameters_of, read_tree, refused
from studio.sdk.tool import NAME

ACTOR = "actor"
"""The parameter that is given who calls."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method: its name, the first line of its docstring, and what it takes."""

    name: str
    summary: str
    inputs: tuple[Port, ...] = ()

    @property
    def parameters(self) -> dict[str, object]:
        """What it takes as a JSON Schema."""
        return parameters_of(self.inputs)

    @property
    def caller(self) -> str:
        """Its parameter for who calls; empty where it has none."""
        return ACTOR if any(port.name == ACTOR for port in self.inputs) else ""


@dataclass(frozen=True, slots=True)
class ClassSignature:
    """The class, and its public methods in the order in which they stand."""

    name: str
    summary: str
    methods: tuple[Method, ...]


def read_class(code: str, *, setting: str = "Code") -> ClassSignature:
    """Read the class from the source; raises `SettingsError` that names the line."""
    classes = [one for one in read_tree(code, setting).body if isinstance(one, ast.ClassDef)]
    public = [one for one in classes if not one.name.startswith("_")]
    if not public:
        raise refused(setting, "it defines no class; write `class World:`")
    if len(public) > 1:
        raise refused(setting, "it has several classes; begin the names of others with `_`", public[1].lineno)
    [made] = public
    functions = [one for one in made.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    # A property is no action, and a static method knows no state.
    chosen = [one for one in functions if not one.name.startswith("_") and not one.decorator_list]
    methods = tuple(_method(one, setting) for one in chosen)
    if not methods:
        raise refused(setting, f"nothing can be done with `{made.name}`; write a method", made.lineno)
    return ClassSignature(made.name, _summary(made), methods)


def classed_code(code: str) -> str:
    """Validate code with a class; raises `ValueError` with the line and the remedy."""
    try:
        read_class(code)
    except SettingsError as error:
        raise ValueError(error.details[0].removeprefix("Code: ")) from error
    return code


def _method(one: ast.FunctionDef | ast.AsyncFunctionDef, setting: str) -> Method:
    if isinstance(one, ast.AsyncFunctionDef):
        raise refused(setting, f"`{one.name}` is `async`; there is nothing to wait for", one.lineno)
    if NAME.fullmatch(one.name) is None:
        raise refused(setting, f"agents can't call `{one.name}`: use a-z, A-Z, 0-9 and _", one.lineno)
    if not one.args.args:
        raise refused(setting, f"`{one.name}` takes no `self`", one.lineno)
    inputs = inputs_of(one, setting)[1:]
    said = [replace(port, help="Who does it") if port.name == ACTOR else port for port in inputs]
    return Method(one.name, _summary(one), tuple(said))


def _summary(one: ast.ClassDef | ast.FunctionDef) -> str:
    return (ast.get_docstring(one) or "").partition("\n")[0]
