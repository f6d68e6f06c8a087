"""A script says to type checkers what they cannot follow, and says it nowhere else."""

import ast

import pytest

from studio.export.structure.settled_names import may_be_unbound

SURE = {
    "both ways": "if a:\n    x = 1\nelse:\n    x = 2\nreturn x",
    "the other way ends": "if a:\n    return 0\nelse:\n    x = 2\nreturn x",
    "what fails ends": "try:\n    x = a\nexcept ValueError:\n    raise\nreturn x",
    "what fails sets it": "try:\n    x = a\nexcept ValueError as error:\n    x = error\nreturn x",
    "a loop that is left sets it": "for n in a:\n    x = n\n    break\nelse:\n    x = 0\nreturn x",
    "a loop without an end": "while True:\n    x = a\n    if x:\n        break\nreturn x",
    "within": "for n in a:\n    print(n)\nwith a as x:\n    pass\nreturn [y for y in x]",
    "a function of its own": "def one(x=a):\n    return x\nreturn one",
}
UNSURE = {
    "one way": "if a:\n    x = 1\nif a:\n    return x",
    "a failure that is looked at later": (
        "failed = None\ntry:\n    x = a\nexcept ValueError as error:\n    failed = error\n"
        "if failed is None:\n    return x"
    ),
    "a loop of no rounds": "for n in a:\n    x = n\nreturn x",
    "what is suppressed": "with suppress(ValueError):\n    x = a\nreturn x",
    "within a function": "def one():\n    if a:\n        x = 1\n    return x\nreturn one",
    "a type alone": "x: int\nreturn x",
}


def function(body: str) -> ast.AST:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return ast.parse(f"def f(a):\n{lines}\n")


@pytest.mark.parametrize("body", SURE.values(), ids=SURE)
def test_what_is_set_on_every_way_is_set(body: str) -> None:
    assert not may_be_unbound(function(body))


@pytest.mark.parametrize("body", UNSURE.values(), ids=UNSURE)
def test_what_is_set_on_one_way_may_not_be_set(body: str) -> None:
    assert may_be_unbound(function(body))
