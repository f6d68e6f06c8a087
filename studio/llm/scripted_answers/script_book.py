"""The script book: rules that answer chat requests without a language model."""

import hashlib
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from jinja2 import TemplateError

from studio.errors import ProjectError, ScriptedAnswerMissingError, ToolError, UsageError
from studio.llm.client import Caller, ToolCall, Usage
from studio.llm.scripted_answers.request import ScriptRequest
from studio.llm.scripted_answers.rules import CallRule, Rule, TemplateTree
from studio.llm.scripted_answers.script_file import load_rules
from studio.llm.scripted_answers.templates import ScriptTemplate, one_answer

SCRIPTED_LLM = "scripted"
"""The name under which scripted answers are given."""

UNKNOWN_HINT = "Choose a chat profile with a model, or answer as `person`."


@dataclass(frozen=True, slots=True)
class ScriptedError:
    """An HTTP error that a rule answers with."""

    status: int
    message: str


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """What a rule answers; `id` is made from the request, so that the same request gets the same."""

    id: str
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    error: ScriptedError | None = None
    usage: Usage = field(default_factory=Usage)
    tokens_per_second: float = 0.0
    delay: float = 0.0
    finish_reason: str | None = "stop"
    others: tuple["ScriptedReply", ...] = ()
    """The other samples, where several were asked for; `usage` counts them all."""
    llm: str = SCRIPTED_LLM
    probability: float | None = None
    """How likely each of its tokens was, from 0 to 1; None: as a draw from the request says."""


class AnswerBook(Protocol):
    """What an endpoint in process answers from."""

    def answer(self, body: Mapping[str, object], caller: Caller | None = None) -> ScriptedReply:
        """Answer a request of the Chat Completions protocol; raises as `ScriptBook.answer` does."""
        ...


class ScriptBook:
    """Rules in their order; the first that matches answers."""

    def __init__(self, rules: Sequence[Rule], place: str = "scripts/") -> None:
        self._rules = tuple(rules)
        self._place = place

    @classmethod
    def load(cls, *sources: Path) -> "ScriptBook":
        """Read script files, and all `*.yaml` of folders by name; raises `UsageError`."""
        files: list[Path] = []
        for source in sources:
            found = sorted((*source.glob("*.yaml"), *source.glob("*.yml"))) if source.is_dir() else [source]
            if not found:
                message = f"There are no scripted answers in {source}."
                raise ProjectError(message, hint="Put rules into a file `*.yaml` there.")
            files.extend(found)
        rules = [rule for file in files for rule in load_rules(file)]
        return cls(rules, " or ".join(f"`{source}`" for source in sources))

    def answer(self, body: Mapping[str, object], caller: Caller | None = None) -> ScriptedReply:
        """Answer a request of the Chat Completions protocol.

        Raises `ValueError` when `body` is no request, `ScriptedAnswerMissingError` when no rule matches or
        one says that it is unknown, `UsageError` when the rule's template fails.
        """
        return sampled(ScriptRequest(body, caller or Caller()), body, self._one)

    def ruled(
        self, request: ScriptRequest, body: Mapping[str, object], more: Mapping[str, object]
    ) -> ScriptedReply | None:
        """Answer by the first rule that matches, None where none does; its templates know `more`."""
        with one_answer():
            for rule in self._rules:
                with _faults_of(rule, "a pattern"):
                    groups = rule.when.match(request)
                if groups is None:
                    continue
                variables = {**request.variables(), **more, "match": dict(groups)}
                if _holds(rule, variables):
                    return _fill(rule, request, variables, body)
        return None

    def _one(self, request: ScriptRequest, body: Mapping[str, object]) -> ScriptedReply:
        found = self.ruled(request, body, {})
        if found is None:
            raise self._missing(request)
        return found

    def _missing(self, request: ScriptRequest) -> ScriptedAnswerMissingError:
        node, scope = request.caller.node, request.caller.scope
        who = f"the node `{scope}/{node}`" if scope else f"the node `{node}`" if node else "this request"
        start = " ".join(request.last.split())[:80]
        message = f"No rule of the scripted answers fits {who} (last message: “{start}”)."
        after = f", after_tool: {request.after_tool}" if request.after_tool else ""
        when = f"{{node: {node}{after}}}" if node else "{asked: …}"
        hint = f"Add a rule with `when: {when}` to the scripted answers in {self._place}."
        return ScriptedAnswerMissingError(message, hint=hint)


def sampled(
    request: ScriptRequest,
    body: Mapping[str, object],
    one: Callable[[ScriptRequest, Mapping[str, object]], ScriptedReply],
) -> ScriptedReply:
    """Answer by `one` as often as samples are asked for; an error stands for all of them.

    An answer that the request has begun goes on from there.
    """
    first = _gone_on(one(request, body), request.prefix)
    if request.samples == 1 or first.error is not None:
        return first
    others = tuple(
        _gone_on(one(ScriptRequest(body, request.caller, sample), body), request.prefix)
        for sample in range(request.sample + 1, request.sample + request.samples)
    )
    said = sum(each.usage.output_tokens for each in (first, *others))
    return replace(first, others=others, usage=replace(first.usage, output_tokens=said))


def _gone_on(reply: ScriptedReply, prefix: str) -> ScriptedReply:
    return replace(reply, text=reply.text.removeprefix(prefix)) if prefix else reply


def digest_of(body: Mapping[str, object]) -> str:
    """Name a request by what it asks."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, default=str).encode()).hexdigest()[:16]


def count_tokens(text: str) -> int:
    """Estimate tokens as words times 4/3, rounded up; a figure to show, not to bill."""
    return -(-len(text.split()) * 4 // 3)


def _holds(rule: Rule, variables: Mapping[str, object]) -> bool:
    with _faults_of(rule):
        return rule.when.holds is None or bool(rule.when.holds.render(variables))


@contextmanager
def _faults_of(rule: Rule, what: str = "the template") -> Generator[None]:
    """Templates and patterns run over whatever was asked and found: an error of any kind is the rule's."""
    try:
        yield
    except (TemplateError, ToolError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        reason = str(error).removesuffix(".")
    except (AttributeError, RecursionError) as error:
        reason = "a value is nested too deep" if isinstance(error, RecursionError) else str(error)
    else:
        return
    message = f"In the scripted answers {rule.place}, {what} failed: {reason}."
    raise UsageError(message, hint="Fix the rule; `script_rules.py` says how templates see the request.")


def _fill(
    rule: Rule, request: ScriptRequest, variables: Mapping[str, object], body: Mapping[str, object]
) -> ScriptedReply:
    digest = digest_of(body)
    with _faults_of(rule):
        if rule.error is not None:
            message = rule.error.message.render(variables)
            return ScriptedReply(digest, error=ScriptedError(rule.error.status, message), delay=rule.delay)
        if rule.unknown is not None:
            said = rule.unknown.render(variables)
            raise ScriptedAnswerMissingError(f"Unknown: {said}", hint=UNKNOWN_HINT)
        text = "" if rule.reply is None else _text(rule.reply, variables)
        calls = tuple(
            ToolCall(f"call_{digest}_{number}", call.name.render(variables), _arguments(call, variables))
            for number, call in enumerate(rule.calls, 1)
        )
    said = text + " ".join(call.arguments for call in calls)
    asked = " ".join(message.text for message in request.messages)
    return ScriptedReply(
        digest,
        text,
        calls,
        usage=Usage(count_tokens(asked), count_tokens(said)),
        tokens_per_second=rule.tokens_per_second,
        delay=rule.delay,
        finish_reason="tool_calls" if calls else "stop",
        probability=rule.probability,
    )


def _text(tree: TemplateTree, variables: Mapping[str, object]) -> str:
    if isinstance(tree, ScriptTemplate):
        return tree.render(variables)
    return json.dumps(_rendered(tree, variables), ensure_ascii=False)


def _arguments(call: CallRule, variables: Mapping[str, object]) -> str:
    if not isinstance(call.arguments, ScriptTemplate):
        return json.dumps(_rendered(call.arguments, variables), ensure_ascii=False)
    text = call.arguments.render(variables).strip()
    if not isinstance(json.loads(text), dict):
        reason = f"`arguments` gave `{text}`, which is not a JSON object"
        raise ValueError(reason)  # noqa: TRY004  # a wrong value in a file, not a wrong call
    return text


def _rendered(tree: TemplateTree, variables: Mapping[str, object]) -> object:
    if isinstance(tree, ScriptTemplate):
        return tree.render(variables)
    if isinstance(tree, Mapping):
        return {key: _rendered(value, variables) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_rendered(value, variables) for value in tree]
    return tree
