"""What is wrong with a flow or its file, in words: what, where, and what to do about it."""

import difflib
from pathlib import Path

from studio.errors import FlowFileError, FlowProblemsError
from studio.flow.checks.check import Problem, check, errors_of
from studio.flow.files.codec import Loaded
from studio.flow.files.source import line_of_node
from studio.flow.flow_cache import Known
from studio.flow.records import Flow
from studio.sdk.registry import Registry
from studio.workspace.files import load_flow, versions_of

BY_HAND = {
    "settings": "Correct this node's settings.",
    "called-flow": "Choose one of the project's flows in its settings, or fix the flow it names.",
    "missing-input": "Draw a wire to it.",
    "not-wired": "Wire it, or remove it.",
    "no-output": "Add a flow output and wire to it what the flow should return.",
    "loop-without-return": "Wire something to its `again` or `done`.",
}
"""What to do about problems that no edit of the studio's own can mend."""


def read_flow(path: Path) -> Loaded:
    """Read a flow file as `load_flow` does; the error, if any, says how the file can be mended."""
    try:
        return load_flow(path)
    except FlowFileError as error:
        hint = error.hint or "Fix the file in a text editor; nothing in it was changed."
        if kept := versions_of(path):
            hint = f"{hint} An earlier version is kept as `{kept[0]}`."
        raise FlowFileError(error.message, error.details, hint=hint) from error


def remedy_of(problem: Problem, flow: Flow, registry: Registry) -> str:
    """Say in one sentence how the problem can be mended; empty where nobody knows."""
    if problem.remedies:
        return " Or: ".join(f"{remedy.label}." for remedy in problem.remedies)
    if problem.code == "unknown-kind" and problem.node is not None:
        kind = flow.nodes[problem.node].kind
        near = difflib.get_close_matches(kind, [one.kind for one in registry], 1, 0.6)
        if near:
            return (
                f"Did you mean `{near[0]}`? Otherwise install the package that brings it, or remove the node."
            )
        return "Install the package that provides it, or remove the node."
    if problem.code == "settings" and problem.node is not None:
        found = registry.get(flow.nodes[problem.node].kind)
        if found is not None and found.unavailable:
            return "Remove the node; no setting fixes this."
    return BY_HAND.get(problem.code, "")


def problem_text(problem: Problem, flow: Flow, registry: Registry) -> str:
    """Write the problem with its node and its remedy, on two lines at most."""
    place = f"`{problem.node}`: " if problem.node is not None else ""
    remedy = remedy_of(problem, flow, registry)
    return f"{place}{problem.message}" + (f"\n  remedy: {remedy}" if remedy else "")


def errors_by_line(path: Path, registry: Registry) -> list[str]:
    """Say what forbids to run the flow in a file, each with the line on which its node stands.

    Raises `FlowFileError`, which tells lines too, for what is no flow.
    """
    flow, text = read_flow(path).flow, path.read_text("utf-8")
    found: list[str] = []
    for one in errors_of(check(flow, registry)):
        line = line_of_node(text, one.node) if one.node is not None else 0
        found.append((f"line {line}: " if line else "") + problem_text(one, flow, registry))
    return found


def refuse_errors(flow: Flow, registry: Registry) -> None:
    """Raise `FlowProblemsError` with every error that `check` finds; warnings pass.

    That the very same flow has none is remembered, for its next run. A project may have other flows by then,
    but one that calls any is looked at with a registry that is bound to them.
    """
    _CHECKED.of(flow, registry)


def _refuse_errors(flow: Flow, registry: Registry) -> None:
    errors = errors_of(check(flow, registry))
    if errors:
        count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
        raise FlowProblemsError(
            f"The flow “{flow.name}” has {count} and cannot run.",
            [problem_text(problem, flow, registry) for problem in errors],
        )


_CHECKED = Known(_refuse_errors)
