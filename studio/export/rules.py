"""Rules of branches and loops, and formulas, as functions: their expressions stand as they are."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from studio.export.lifter import Lifter
from studio.export.literals import doc_literal, text_literal
from studio.sdk.cases import Case, case_ports
from studio.sdk.expressions import Expression, compile_expression, free_names

WORDS = "studio.sdk.prelude.words"
IN_WORDS = frozenset({"lower", "upper", "startswith", "endswith", "matches"})
"""Functions of the expression language that Python has only as methods, or in `re`."""


@dataclass(frozen=True, slots=True)
class Made:
    """A function of a script: its name, the names that it wants to be given, its text."""

    name: str
    parameters: tuple[str, ...]
    source: str


def rule_function(title: str, node: str, cases: Sequence[Case], lifter: Lifter) -> Made:
    """Write the rules of a branch as a function that names the case that holds."""
    names = ("value", "facts")
    ports = case_ports(cases)
    rules = [compile_expression(case.when, names) if case.when else None for case in cases]
    used = [rule for rule in rules if rule is not None]
    parameters = tuple(name for name in names if any(name in rule.names for rule in used))
    lines: list[str] = []
    for port, rule in zip(ports, rules, strict=True):
        answer = f"return {text_literal(port)}"
        lines += [answer] if rule is None else [f"if {_expression(rule, lifter)}:", f"    {answer}"]
        if rule is None:
            break
    is_open = all(rule is not None for rule in rules)
    answers = [*ports, *([""] if is_open else [])]
    if is_open:
        lines.append('return ""')
    literal = lifter.use("typing", "Literal")
    returned = f"{literal}[{', '.join(text_literal(answer) for answer in answers)}]"
    summary = f"{title}: name the case that holds" + (", if any does." if is_open else ".")
    return _function(f"choose_{node}", parameters, returned, summary, lines, lifter)


def stop_function(title: str, node: str, rule: str, lifter: Lifter) -> Made:
    """Write the stop rule of a loop as a function."""
    names = ("value", "again", "round")
    read = compile_expression(rule, names)
    parameters = tuple(name for name in names if name in read.names)
    lines = [f"return bool({_expression(read, lifter)})"]
    return _function(f"stop_{node}", parameters, "bool", f"{title}: whether the loop ends.", lines, lifter)


def formula_function(title: str, node: str, formula: str, lifter: Lifter) -> Made:
    """Write a formula as a function of the names in it."""
    read = compile_expression(formula, free_names(formula))
    anything = lifter.use("typing", "Any")
    lines = [f"return {_expression(read, lifter)}"]
    return _function(f"compute_{node}", free_names(formula), anything, f"{title}.", lines, lifter)


def setting_function(title: str, node: str, setting: str, rule: str, lifter: Lifter) -> Made:
    """Write a rule that a setting holds as a function; it is given all facts by name."""
    names = free_names(rule)
    lines = [f"return bool({_expression(compile_expression(rule, names), lifter)})"]
    parameters = (*(["*", *names] if names else []), "**_")
    return _function(f"{setting}_{node}", parameters, "bool", f"{title}: a rule.", lines, lifter)


def _function(
    name: str, parameters: tuple[str, ...], returned: str, summary: str, lines: list[str], lifter: Lifter
) -> Made:
    called = lifter.names.take(name)
    anything = lifter.use("typing", "Any") if parameters else ""
    given = ", ".join(one if one == "*" else f"{one}: {anything}" for one in parameters)
    body = "\n".join(f"    {line}" for line in [doc_literal(summary), *lines])
    return Made(called, parameters, f"def {called}({given}) -> {returned}:\n{body}\n")


def _expression(rule: Expression, lifter: Lifter) -> str:
    for name in sorted(rule.functions & IN_WORDS):
        lifter.use(WORDS, name)
    if "round" in rule.names and "round" in rule.functions:
        tree = _Builtin(lifter.use("builtins", "")).visit(rule.tree)
        return ast.unparse(tree)
    source = rule.source
    stands = source.isascii() and source.isprintable() and "#" not in source
    return source if stands else ast.unparse(rule.tree)


class _Builtin(ast.NodeTransformer):
    """Calls Python's `round` by its full name where a value of that name hides it."""

    def __init__(self, module: str) -> None:
        self._module = module

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "round":
            module = ast.Name(self._module, ast.Load())
            return ast.Call(ast.Attribute(module, "round", ast.Load()), node.args, [])
        return node
