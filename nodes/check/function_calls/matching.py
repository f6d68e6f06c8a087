"""Whether calls of functions are those that count as right, by the rules of BFCL's checker of syntax trees.

The rules are those of `bfcl_eval/eval_checker/ast_eval/ast_checker.py` for Python (Patil et al. 2025): each
argument has a list of values that count as right, in which an empty text says that it may be left out. Texts
are compared without regard to case, spaces and `,./-_*^`; a whole number will do for a `float`.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from studio.building_blocks.agents.made_calls import Called, calls_in
from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.llm.wire_names import sendable_name
from studio.sdk import StepError

NO_CALLS = "irrelevance"
SOME_CALLS = "relevance"
IN_ANY_ORDER = ("parallel", "parallel_multiple")
KINDS = ("simple", "multiple", *IN_ANY_ORDER, NO_CALLS, SOME_CALLS)

KIND_OF: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "number": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "object": dict,
    "any": str,
}
PASSED_OVER = re.compile(r"[ ,./\-_*^]")
OPTIONAL = ""


def calls_made(value: Any) -> list[Called]:
    """The calls in messages or a list of calls, or in a text that is Python: `[f(a=1), g(b="x")]`.

    A text that is no such calls has none.
    """
    if not isinstance(value, str):
        return calls_in(value)
    text = value.strip().removeprefix("```python").removeprefix("```").removesuffix("```").strip()
    text = text if text.startswith("[") else f"[{text}]"
    try:
        tree = ast.parse(text, mode="eval").body
        return [_called(one) for one in cast("ast.List", tree).elts]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _called(node: ast.expr) -> Called:
    if not isinstance(node, ast.Call) or node.args or any(one.arg is None for one in node.keywords):
        raise ValueError(node)
    return Called(
        ast.unparse(node.func), {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
    )


def function_fault(made: Sequence[Called], wanted: Any) -> str:
    """Tell why calls are not what is wanted; empty where they are. Raises `StepError` for a broken `wanted`.

    `wanted` has `kind`, `functions` (as declared) and `answers`, each `{function: {argument: [value, …]}}`.
    """
    if not is_object(wanted) or wanted.get("kind") not in KINDS:
        kinds = ", ".join(KINDS)
        raise StepError(f"What is wanted has no `kind`: one of {kinds}.", hint="Wire the column `wanted`.")
    kind = wanted["kind"]
    if kind == NO_CALLS:
        return f"`{made[0].name}` was called, and no function fits." if made else ""
    if kind == SOME_CALLS:
        return "" if made else "No function was called."
    functions = {_sent(str(one.get("name"))): one for one in _objects(wanted.get("functions"), "functions")}
    answers = [_answer(one) for one in _objects(wanted.get("answers"), "answers")]
    if len(made) != len(answers):
        were, are = ("call was" if len(made) == 1 else "calls were"), ("is" if len(answers) == 1 else "are")
        return f"{len(made)} {were} made, and {len(answers)} {are} expected."
    left = [*made]
    for name, arguments in answers:
        function = functions.get(_sent(name))
        if function is None:
            raise StepError(f"The expected function `{name}` is not among those declared.")
        faults = [call_fault(one, function, arguments) for one in left]
        fitting = next((place for place, one in enumerate(faults) if not one), None)
        if fitting is None:
            return faults[0] if len(faults) == 1 else f"No call is the expected one of `{name}`."
        del left[fitting]
    return ""


def call_fault(made: Called, function: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """Tell why a call is not the expected one of a function; empty where it is."""
    name, given = str(function.get("name")), made.arguments or {}
    if _sent(made.name) != _sent(name):
        return f"`{made.name}` was called, not `{name}`."
    schema: Mapping[str, Any] = function.get("parameters") or {}
    known: Mapping[str, Any] = schema.get("properties") or {}
    for one in schema.get("required") or ():
        if one not in given:
            return f"`{name}` was called without `{one}`."
    for one, value in given.items():
        if one not in known or one not in answer:
            return f"`{name}` was called with `{one}`, which is not expected."
        if not _is_right(value, known[one], answer[one]):
            return f"`{one}` of `{name}` is {value!r:.80}, not one of {answer[one]!r:.80}."
    missing = [one for one, values in answer.items() if one not in given and OPTIONAL not in values]
    return f"`{name}` was called without `{missing[0]}`." if missing else ""


def _is_right(value: Any, declared: Mapping[str, Any], right: Sequence[Any]) -> bool:
    """Whether a value is of the declared type, or of that of the right ones, and one of these."""
    named = str(declared.get("type"))
    wanted = KIND_OF.get(named, str)
    inner: type | None = None
    if wanted is list:
        items: Mapping[str, Any] = declared.get("items") or {}
        inner = KIND_OF.get(str(items.get("type")), str)
    if isinstance(value, tuple):
        value = list(cast("tuple[Any, ...]", value))
    if wanted is float and type(value) is int:
        value = float(value)
    if not _is_typed(value, wanted, inner, right):
        return False
    stated = _type_of(right)
    is_variable = stated is not None and stated is not wanted  # such as the name of a variable for its value
    if is_variable:
        return value in right
    if wanted is dict:
        return _is_right_object(value, right)
    if wanted is list and inner is dict:
        return any(
            is_list(one)
            and len(one) == len(value)
            and all(_is_right_object(mine, [wished]) for mine, wished in zip(value, one, strict=True))
            for one in right
        )
    if wanted is str:
        return _plain(value) in [_plain(one) for one in right if isinstance(one, str)]
    if wanted is list:
        lists = [_listed(one) if one != OPTIONAL else [] for one in right]
        return [_plain(one) for one in value] in [[_plain(one) for one in each] for each in lists]
    return value in right


def _is_typed(value: object, wanted: type, inner: type | None, right: Sequence[Any]) -> bool:
    if type(value) is wanted:
        if inner is None:
            return True
        lists = [one for one in right if is_list(one)]
        if len(lists) < len(right):  # one of them is no list, and asks nothing of what is in this one
            return True
        each = cast("list[Any]", value)
        return any(all(_is_typed(mine, inner, None, one) for mine in each) for one in lists)
    return type(value) is _type_of(right)


def _is_right_object(value: Any, right: Sequence[Any]) -> bool:
    """Whether an object has the fields of one of these, each with a list of its right values."""
    if not is_object(value):
        return False
    for one in right:
        if not is_object(one):
            continue
        given = all(
            key in one and _plain(each) in [_plain(wished) for wished in _listed(one[key])]
            for key, each in value.items()
        )
        if given and all(key in value or OPTIONAL in _listed(wished) for key, wished in one.items()):
            return True
    return False


def _type_of(right: Sequence[Any]) -> type | None:
    stated: object = next((one for one in right if one != OPTIONAL), None)
    return None if stated is None else type(stated)


def _plain(value: Any) -> Any:
    return PASSED_OVER.sub("", value).lower().replace("'", '"') if isinstance(value, str) else value


def _listed(value: Any) -> list[Any]:
    return cast("list[Any]", value) if is_list(value) else [value]


def _sent(name: str) -> str:
    return sendable_name(name)


def _objects(value: Any, what: str) -> list[Mapping[str, Any]]:
    if not is_list(value) or not all(is_object(one) for one in value):
        raise StepError(f"`{what}` of what is wanted is not a list of objects.")
    return cast("list[Mapping[str, Any]]", value)


def _answer(plain: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    name = next(iter(plain), "")
    arguments: Any = plain.get(name)
    if not is_object(arguments):
        raise StepError(f"The answer for `{name}` has no arguments with their right values.")
    return name, cast("Mapping[str, Any]", arguments)
