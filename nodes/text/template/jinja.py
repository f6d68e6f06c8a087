"""Templates with conditions and loops: as much of Jinja as can neither reach out nor run away."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from jinja2 import StrictUndefined, Template, TemplateError, nodes
from jinja2.meta import find_undeclared_variables
from jinja2.runtime import LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from studio.llm.client import Message
from studio.sdk import ToolError
from studio.sdk.templates import as_text

ROUNDS = 100_000
"""How many rounds all loops of a template may take together."""

LONGEST = 10_000_000
"""How many characters a template may grow to."""

KEPT = 20_000
"""Characters of templates that stay in memory once they were read."""

LANGUAGE = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Filter, nodes.Test),
    *(nodes.Name, nodes.Const, nodes.List, nodes.Tuple, nodes.Getattr, nodes.Getitem, nodes.Compare),
    *(nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.CondExpr, nodes.Neg, nodes.Keyword),
)
"""What a template is made of: no assignments, macros, calls or arithmetic, with which texts grow."""

LOOP = frozenset({"index", "index0", "first", "last", "length", "revindex", "previtem", "nextitem"})
"""The fields of `loop`."""

FILTERS = frozenset(
    {
        *("upper", "lower", "trim", "capitalize", "title", "length", "first", "last", "default"),
        *("sort", "reverse", "unique", "list", "round", "int", "float", "abs", "items"),
    }
)
"""Those of Jinja's filters that make nothing larger."""


def render(text: str, values: Mapping[str, object]) -> str:
    """Fill a template with `values`; raises `ToolError`."""
    rounds = 0

    def counted(items: Iterable[Any]) -> Iterator[Any]:
        """Go through a list, as long as rounds are left."""
        nonlocal rounds
        for item in items:
            rounds += 1
            if rounds > ROUNDS:
                message = f"The loops of the template run more than {ROUNDS} rounds."
                raise ToolError(message)
            yield item

    given = {name: value.content if isinstance(value, Message) else value for name, value in values.items()}
    length, parts = 0, list[str]()
    try:
        for part in template_of(text).generate(**given, _counted=counted, _field=field_of):
            length += len(part)
            if length > LONGEST:
                message = f"The template becomes longer than {LONGEST} characters."
                raise ToolError(message)
            parts.append(part)
    except (TemplateError, TypeError, ValueError, RecursionError) as error:
        message = f"The template cannot be rendered: {str(error).removesuffix('.')}."
        raise ToolError(
            message, hint="Use `{% if name is defined %}` for values that may be missing."
        ) from error
    return "".join(parts)


def template_of(text: str) -> Template:
    """Read a template, once as long as it is of usual size; raises `TemplateError`."""
    return (read if len(text) <= KEPT else read.__wrapped__)(text)


@lru_cache(200)
def read(text: str) -> Template:
    """Read a template; raises `TemplateError`."""
    made = environment()
    return made.from_string(checked(text, made))


def asked_for(text: str) -> tuple[str, ...]:
    """Name what a template asks for, in order of appearance; raises `ValueError` where it cannot be read."""
    return (names_in if len(text) <= KEPT else names_in.__wrapped__)(text)


@lru_cache(200)
def names_in(text: str) -> tuple[str, ...]:
    """Name what a template asks for, as `asked_for` does."""
    try:
        made = environment()
        checked(text, made)
        tree = made.parse(text)
        free = find_undeclared_variables(tree)
    except (TemplateError, RecursionError) as error:
        raise ValueError(str(error)) from error
    found = (one.name for one in tree.find_all(nodes.Name))
    return tuple(dict.fromkeys(name for name in found if name in free))


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Jinja with the filters of templates, and nothing else."""
    made = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, finalize=as_text, trim_blocks=True, lstrip_blocks=True
    )
    made.globals.clear()
    known = {name: one for name, one in made.filters.items() if name in FILTERS}
    made.filters.clear()
    made.filters.update({**known, "json": as_json, "join": joined})
    return made


def checked(text: str, made: ImmutableSandboxedEnvironment) -> nodes.Template:
    """Read a template, its loops and fields led through what bounds them; raises `TemplateError`."""
    tree = made.parse(text)
    for one in tree.find_all(nodes.Node):
        if not isinstance(one, LANGUAGE) or (isinstance(one, nodes.For) and one.recursive):
            message = f"line {one.lineno}: `{type(one).__name__.lower()}` is not part of templates here"
            raise TemplateError(message)
    led(tree)
    tree.set_environment(made)
    tree.set_lineno(1)
    return tree


def led(one: Any) -> Any:
    """Put calls of `_field` for what reads fields, and of `_counted` around what loops go through."""
    if not isinstance(one, nodes.Node):
        return one
    for name, value in list(one.iter_fields()):
        if isinstance(value, nodes.Node):
            setattr(one, name, led(value))
        elif isinstance(value, list):
            setattr(one, name, [led(part) for part in cast("list[Any]", value)])
    match one:
        case nodes.Getattr():
            return nodes.Call(nodes.Name("_field", "load"), [one.node, nodes.Const(one.attr)], [], None, None)
        case nodes.Getitem():
            return nodes.Call(nodes.Name("_field", "load"), [one.node, one.arg], [], None, None)
        case nodes.For():
            one.iter = nodes.Call(nodes.Name("_counted", "load"), [one.iter], [], None, None)
            return one
        case _:
            return one


def field_of(whole: Any, name: Any) -> Any:
    """Take a field of an object, an element of a list, or what a loop says of itself."""
    if isinstance(whole, LoopContext):
        return getattr(whole, name) if name in LOOP else StrictUndefined(name=f"loop.{name}")
    if isinstance(whole, Undefined):
        return as_text(whole)
    try:
        return whole[int(name) if isinstance(whole, list | str) else name]
    except (LookupError, TypeError, ValueError):
        return StrictUndefined(f"there is no `{name}`")


def as_json(value: Any) -> str:
    """Say a value as JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)


def joined(values: Sequence[Any], between: str = "") -> str:
    """Put texts together; raises `ValueError` where they grow too long."""
    texts = [as_text(value) for value in values]
    if len(between) * len(texts) + sum(map(len, texts)) > LONGEST:
        message = f"it grows longer than {LONGEST} characters"
        raise ValueError(message)
    return between.join(texts)
