"""Rules of branches and loops, and formulas, as functions: their expressions stand as they are."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from studio.export.python.lifter import Lifter
from studio.export.python.literals import doc_literal, text_literal
from studio.sdk.cases import Case, case_ports
from studio.sdk.expressions import Expression, compile_expression, free_names

WORDS = "studio.sdk.prelude.words"
FACTS = ("value", "facts")
"""What the rules of a branch may speak of."""

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
    ports = case_ports(cases)
    rules = [compile_expression(case.when, FACTS) if case.when else None for case in cases]
    parameters = names_in_rules(cases)
    if is_question(cases) and rules[0] is not None:
        lines = [f"return bool({expression_of(rules[0], lifter)})"]
        return _function(f"decide_{node}", parameters, "bool", f"Answer “{title}”.", lines, lifter)
    lines = list[str]()
    for port, rule in zip(ports, rules, strict=True):
        answer = f"return {text_literal(port)}"
        lines += [answer] if rule is None else [f"if {expression_of(rule, lifter)}:", f"    {answer}"]
        if rule is None:
            break
    is_open = all(rule is not None for rule in rules)
    answers = [*ports, *([""] if is_open else [])]
    if is_open:
        lines.append('return ""')
    literal = lifter.use("typing", "Literal")
    returned = f"{literal}[{', '.join(text_literal(answer) for answer in answers)}]"
    summary = f"Choose the way of “{title}”" + ("; empty where no case holds." if is_open else ".")
    return _function(f"choose_{node}", parameters, returned, summary, lines, lifter)


def names_in_rules(cases: Sequence[Case]) -> tuple[str, ...]:
    """What the rules of a branch ask for."""
    used = [compile_expression(case.when, FACTS) for case in cases if case.when]
    return tuple(name for name in FACTS if any(name in rule.names for rule in used))


def is_question(cases: Sequence[Case]) -> bool:
    """Whether a branch has two ways, `yes` where its rule holds and `no` where not."""
    return has_one_rule(cases) and list(case_ports(cases)) == ["yes", "no"]


def has_one_rule(cases: Sequence[Case]) -> bool:
    """Whether a branch has two ways, the second of which is taken where the rule of the first fails."""
    return len(cases) == 2 and bool(cases[0].when) and not cases[1].when


def stop_function(title: str, node: str, rule: str, lifter: Lifter) -> Made:
    """Write the stop rule of a loop as a function."""
    names = ("value", "again", "round")
    read = compile_expression(rule, names)
    parameters = tuple(name for name in names if name in read.names)
    lines = [f"return bool({expression_of(read, lifter)})"]
    return _function(
        f"stop_{node}", parameters, "bool", f"Tell whether “{title}” ends with this round.", lines, lifter
    )


def formula_function(title: str, node: str, formula: str, lifter: Lifter) -> Made:
    """Write a formula as a function of the names in it."""
    read = compile_expression(formula, free_names(formula))
    anything = lifter.use("typing", "Any")
    lines = [f"return {_with_plain_lists(expression_of(read, lifter), lifter)}"]
    return _function(f"compute_{node}", free_names(formula), anything, f"Compute “{title}”.", lines, lifter)


def _with_plain_lists(text: str, lifter: Lifter) -> str:
    """Let a list that is picked from be anything: its overloads leave open what an index gives."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        match node:
            case ast.Subscript(value=ast.List() as picked, slice=index) if not isinstance(
                index, ast.Constant
            ):
                listed = ast.get_source_segment(text, picked) or ""
                anything = lifter.use("typing", "Any")
                return text.replace(listed, f'{lifter.use("typing", "cast")}("{anything}", {listed})', 1)
            case _:
                pass
    return text


def setting_function(title: str, node: str, setting: str, rule: str, lifter: Lifter) -> Made:
    """Write a rule that a setting holds as a function; it is given all facts by name."""
    names = free_names(rule)
    lines = [f"return bool({expression_of(compile_expression(rule, names), lifter)})"]
    parameters = (*(["*", *names] if names else []), "**_")
    return _function(
        f"{setting}_{node}", parameters, "bool", f"Tell whether the rule of “{title}” holds.", lines, lifter
    )


def _function(
    name: str, parameters: tuple[str, ...], returned: str, summary: str, lines: list[str], lifter: Lifter
) -> Made:
    called = lifter.names.take(name)
    anything = lifter.use("typing", "Any") if parameters else ""
    given = ", ".join(one if one == "*" else f"{one}: {anything}" for one in parameters)
    body = "\n".join(f"    {line}" for line in [doc_literal(summary), *lines])
    return Made(called, parameters, f"def {called}({given}) -> {returned}:\n{body}\n")


def expression_of(rule: Expression, lifter: Lifter) -> str:
    """A rule as Python; what it calls is lifted."""
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
