"""Templates of scripted answers: Jinja's language, of which sizes, rounds and time have bounds.

Whatever a template makes is weighed: results of operators, filters and calls, lists and objects that it
writes, and what it says. All that the templates of one answer make together has one bound.
"""

import inspect
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import Any, Final, cast

from jinja2 import StrictUndefined, TemplateError, nodes, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from studio.bounds.weights import WHOLES, Room, weigh
from studio.llm.scripted_answers.filters import FILTERS

ROUNDS: Final = 100_000
"""How many rounds all loops for one answer may take together."""

SECONDS: Final = 2.0
"""How long finding one answer may take, waiting for the processor left out."""

MAX_BITS: Final = 4_096
"""Size of any whole number that a template makes."""

_GROWING: Final = frozenset(
    {
        *(
            "center",
            "ljust",
            "rjust",
            "zfill",
            "expandtabs",
            "indent",
            "tojson",
            "wordwrap",
            "batch",
            "slice",
        ),
        *(
            "truncate",
            "truncate_words",
            "format",
            "format_map",
            "replace",
            "join",
            "translate",
            "range",
            "sum",
        ),
    }
)
"""Methods and filters whose result can be many times as large as what they are given."""

_LEFT_OUT: Final = frozenset({"urlize", "striptags", "xmlattr", "pprint"})
"""Filters of Jinja's that can take long, and that an answer has no use for."""


class _Limits:
    """What finding one answer may still use up."""

    def __init__(self) -> None:
        self.room = Room()
        self.rounds = 0
        self._until = time.thread_time() + SECONDS

    def made(self, value: Any) -> Any:
        """Count a value that was made."""
        self.room.take(weigh(value, self.room.left))
        return value

    def go_on(self) -> None:
        """Raise `TemplateError` where it takes too long."""
        if time.thread_time() > self._until:
            message = f"it takes longer than {SECONDS:g} s"
            raise TemplateError(message)

    def counted(self, items: Iterable[Any], said: int) -> Iterator[Any]:
        """Go through a list, as long as rounds are left; each says at least `said` characters."""
        for item in items:
            self.rounds += 1
            if self.rounds > ROUNDS:
                message = f"its loops take more than {ROUNDS} rounds"
                raise TemplateError(message)
            self.room.take(said)
            self.go_on()
            yield item

    def called(self, name: str, function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        """Call what a template may call, within what is left."""
        self.go_on()
        owner = getattr(inspect.unwrap(function), "__self__", None)
        given = [*([owner] if type(owner) in {str, *WHOLES} else []), *args, *named.values()]
        if name in _GROWING:
            self.room.take(_most(name, given))
        return self.made(function(*args, **named))


def _most(name: str, given: list[Any]) -> int:
    """The most that a call of something that grows can make of what it is given."""
    weight = sum(weigh(one) for one in given)
    texts = [one for one in given if isinstance(one, str)]
    numbers = sum(abs(one) for one in given if isinstance(one, int))
    match name:
        case "range":
            return numbers
        case "join":
            return weight + weight * max(map(len, texts), default=0)
        case "replace" if len(texts) > 2:
            return weight + texts[0].count(texts[1]) * len(texts[2])
        case "sum":
            return weight * max(1, *map(_length, given)) if any(map(_length, given[1:])) else weight
        case "format" | "format_map":
            widths = sum(int(one) for text in texts for one in re.findall(r"[0-9]+", text[:10_000]))
            gaps = max((text.count("{") + text.count("%") for text in texts), default=0)
            return (weight + numbers + widths) * (1 + gaps)
        case _:
            return weight * max(1, numbers)


def _length(value: Any) -> int:
    return len(value) if type(value) in WHOLES else 0


class _Names(Namespace):
    """What `namespace()` gives; it says nothing of what it holds."""

    def __repr__(self) -> str:
        return "<namespace>"


_ANSWER: ContextVar[_Limits] = ContextVar("_ANSWER")


@contextmanager
def one_answer() -> Generator[None]:
    """Let all templates that are filled inside have one bound together."""
    token = _ANSWER.set(_Limits())
    try:
        yield
    finally:
        _ANSWER.reset(token)


def go_on() -> None:
    """Raise `TemplateError` where finding an answer takes too long."""
    _ANSWER.get().go_on()


class _Environment(ImmutableSandboxedEnvironment):
    """Jinja, of which every operator, filter and call is led through the limits of an answer."""

    intercepted_binops = frozenset(ImmutableSandboxedEnvironment.default_binop_table)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        limits = _ANSWER.get()
        limits.go_on()
        if operator == "*":
            for many, times in ((left, right), (right, left)):
                if not isinstance(many, int | float) and isinstance(times, int) and times > 0:
                    limits.room.take(times * (weigh(many, limits.room.left) - 1))
        elif operator == "%" and isinstance(left, str):
            return limits.called("format", left.__mod__, right)
        elif operator == "**" and _is_large_power(left, right):
            raise _TOO_LARGE
        result = super().call_binop(context, operator, left, right)
        if isinstance(result, int) and result.bit_length() > MAX_BITS:
            raise _TOO_LARGE
        return result if operator == "*" or isinstance(result, int | float) else limits.made(result)

    def call(self, context: Context, called: Any, /, *args: Any, **named: Any) -> Any:
        def inside(*args: Any, **named: Any) -> Any:
            return super(_Environment, self).call(context, called, *args, **named)

        inside.__wrapped__ = called  # pyright: ignore[reportFunctionMemberAccess]
        return _ANSWER.get().called(getattr(called, "__name__", ""), inside, *args, **named)


_TOO_LARGE: Final = TemplateError("the number grows too large")


def _is_large_power(base: Any, power: Any) -> bool:
    is_whole = isinstance(base, int) and isinstance(power, int)
    return is_whole and abs(power) * base.bit_length() > MAX_BITS


def _limited(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that is led through the limits, and that Jinja never computes beforehand."""
    passed: Any = getattr(function, "jinja_pass_arg", None)

    @pass_context
    def filtered(context: Context, /, *args: Any, **named: Any) -> Any:
        known = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}
        before = [known[passed.name]] if passed is not None else []
        return _ANSWER.get().called(name, partial(function, *before), *args, **named)

    return filtered


def _environment() -> _Environment:
    # Answers are plain text, and a line that holds only `{% … %}` leaves no empty line behind.
    made = _Environment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, finalize=_said
    )
    known: dict[str, Any] = {"range": range, "dict": dict, "namespace": _Names}
    made.globals.clear()
    made.globals.update(known)
    filters = {**made.filters, **FILTERS}
    made.filters = {name: _limited(name, one) for name, one in filters.items() if name not in _LEFT_OUT}
    # No template can put something of its own in the place of a filter, as it could in that of a name.
    made.filters |= {"_made": pass_context(_made), "_counted": pass_context(_counted)}
    return made


def _made(_: Context, value: Any) -> Any:
    return _ANSWER.get().made(value)


def _counted(_: Context, items: Iterable[Any], said: int) -> Iterator[Any]:
    return _ANSWER.get().counted(items, said)


@pass_context
def _said(_: Context, value: Any) -> str:
    """Count what a template says."""
    limits = _ANSWER.get()
    return limits.made(value if type(value) is str else str(limits.made(value)))


def _led(one: Any) -> Any:
    """Lead loops, and lists and objects that are written out, through the limits."""
    if not isinstance(one, nodes.Node):
        return one
    for name, value in list(one.iter_fields()):
        if isinstance(value, nodes.Node):
            setattr(one, name, _led(value))
        elif isinstance(value, list):
            setattr(one, name, [_led(part) for part in cast("list[Any]", value)])
    match one:
        case nodes.For(recursive=True):
            message = f"line {one.lineno}: a loop cannot be recursive here"
            raise TemplateError(message)
        case nodes.For():
            said = sum(len(part.data) for part in one.find_all(nodes.TemplateData))
            one.iter = _filtered(one.iter, "_counted", nodes.Const(said))
            return one
        case nodes.List() | nodes.Dict() | nodes.Concat() | nodes.Tuple(ctx="load"):
            return _filtered(one, "_made")
        case _:
            return one


def _filtered(one: Any, name: str, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(one, name, list(args), [], None, None, lineno=one.lineno)


ENVIRONMENT: Final = _environment()


class ScriptTemplate:
    """One template of a script; it is filled inside `one_answer`."""

    def __init__(self, text: str) -> None:
        """Read it; raises `TemplateError`."""
        self._template = _read(text)

    def render(self, variables: Mapping[str, object]) -> str:
        """Fill it; raises what a template can raise, also where it makes too much or takes too long."""
        return self._template.render(variables)


@lru_cache(500)
def _read(text: str) -> Any:
    tree = _led(ENVIRONMENT.parse(text))
    tree.set_environment(ENVIRONMENT)
    tree.set_lineno(1)
    return ENVIRONMENT.from_string(tree)
