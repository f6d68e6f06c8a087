"""The book of simulated solvers: answers chat requests by what is stated of those who are asked."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from studio.errors import ScriptedAnswerMissingError, UsageError
from studio.llm.client import Caller, ToolCall, Usage
from studio.llm.prices import Price, Prices
from studio.llm.scripted_answers.request import ScriptRequest
from studio.llm.scripted_answers.script_book import (
    ScriptBook,
    ScriptedReply,
    count_tokens,
    digest_of,
    sampled,
)
from studio.llm.scripted_answers.wanted_form import must_call, schema_wanted, tool_named, tools_offered
from studio.llm.solvers.forms import filled
from studio.llm.solvers.opinion import Opinion
from studio.llm.solvers.problems import Problem, Problems
from studio.llm.solvers.solver import Solver, SolverProfile

SIMULATED_LLM = "simulated"
"""The name under which simulated solvers answer; those with another price have it in their name."""

Body = Mapping[str, object]


class SolverBook:
    """Implements `AnswerBook`; `trial` names what all chance hangs on.

    The problem is that whose question stands in the request; where none does, that which was asked before.
    """

    def __init__(
        self,
        profile: SolverProfile,
        problems: Problems,
        rules: ScriptBook | None = None,
        *,
        trial: str = "",
        problem: Problem | None = None,
    ) -> None:
        self.profile = profile
        self.problems = problems
        self._rules = rules
        self._trial = trial or str(profile.seed)
        self._problem = problem

    @classmethod
    def load(cls, root: Path, plain: Mapping[str, object], name: str) -> "SolverBook":
        """Read what a profile of the project at `root` states; raises `UsageError`."""
        profile = SolverProfile.read(plain, name)
        problems = Problems.load(_inside(root, profile.problems, name))
        files = [_inside(root, one, name) for one in profile.rules]
        return cls(profile, problems, ScriptBook.load(*files) if files else None)

    def on_trial(self, trial: str, problem: Problem | None = None) -> "SolverBook":
        """Give the same solvers with luck of their own, who know what they are asked, and that alone.

        Where nobody knows that `problem`, they look for it in what they are asked.
        """
        problems = self.problems if problem is None else Problems((problem,), self.problems.place)
        return SolverBook(self.profile, problems, self._rules, trial=trial, problem=problem)

    def prices(self) -> Prices:
        """What the solvers cost, by the name under which they answer."""
        varied = [self.profile, *(self.profile.varied(one) for one in self.profile.agents)]
        pairs = {
            (i, o) for i in {one.input_price for one in varied} for o in {one.output_price for one in varied}
        }
        return Prices(tuple(Price((self._name(i, o),), i, o, i) for i, o in sorted(pairs)))

    def answer(self, body: Body, caller: Caller | None = None) -> ScriptedReply:
        """Answer a request of the Chat Completions protocol.

        Raises `ValueError` when `body` is no request, `ScriptedAnswerMissingError` when it asks no problem.
        """
        return sampled(ScriptRequest(body, caller or Caller()), body, self._one)

    def _one(self, request: ScriptRequest, body: Body) -> ScriptedReply:
        problem = self._asked(request)
        solver = self.profile.of(request.system, request.question, problem.topic)
        opinion = Opinion(solver, problem, request, self._trial)
        reply = None
        if self._rules is not None:
            reply = self._rules.ruled(request, body, {"solver": opinion})
        if reply is None:
            reply = _answered(request, body, opinion)
        if reply.probability is None:  # it knows how good it is, and not when it is wrong
            reply = replace(reply, probability=max(solver.accuracy_at(problem.difficulty), 0.01))
        return self._spent(reply, solver)

    def _asked(self, request: ScriptRequest) -> Problem:
        found = self.problems.asked_in("\n".join(one.text for one in request.messages))
        if found is not None:
            self._problem = found
        if self._problem is None:
            start = " ".join(request.last.split())[:80]
            raise ScriptedAnswerMissingError(
                f"The request contains no problem of {self.problems.place} (last message: “{start}”).",
                hint="Simulated solvers know only the problems of their file; quote one of them literally.",
            )
        return self._problem

    def _spent(self, reply: ScriptedReply, solver: Solver) -> ScriptedReply:
        """Say what an answer took; what a rule says of time counts before."""
        tokens = max(solver.tokens, reply.usage.output_tokens)
        seconds = reply.delay
        if not reply.delay and not reply.tokens_per_second:
            seconds = solver.seconds + tokens / solver.tokens_per_second
        usage = Usage(reply.usage.input_tokens, tokens)
        return replace(
            reply, usage=usage, delay=seconds, llm=self._name(solver.input_price, solver.output_price)
        )

    def _name(self, input_price: float, output_price: float) -> str:
        if (input_price, output_price) == (self.profile.input_price, self.profile.output_price):
            return SIMULATED_LLM
        return f"{SIMULATED_LLM} (${input_price:g}, ${output_price:g})"


def _answered(request: ScriptRequest, body: Body, opinion: Opinion) -> ScriptedReply:
    """Answer as the request wants it: by a tool that has to be called, as JSON, or in words."""
    digest = digest_of(body)
    asked = sum(count_tokens(message.text) for message in request.messages)
    called = _must_call(body)
    if called is not None:
        name, parameters = called
        arguments = json.dumps(filled(parameters, opinion), ensure_ascii=False)
        calls = (ToolCall(f"call_{digest}_1", name, arguments),)
        usage = Usage(asked, count_tokens(arguments))
        return ScriptedReply(digest, tool_calls=calls, usage=usage, finish_reason="tool_calls")
    schema = schema_wanted(request, body)
    said = opinion.words
    if schema is not None:
        said = json.dumps(filled(schema, opinion), ensure_ascii=False)
    return ScriptedReply(digest, said, usage=Usage(asked, count_tokens(said)))


def _must_call(body: Body) -> tuple[str, Body] | None:
    """Give the tool that has to be called, with its parameters; None where the answer may be words."""
    if not must_call(body):
        return None
    wanted = tool_named(body)
    found = (one for name, one in tools_offered(body).items() if wanted in ("", name))
    tool = next(found, None)
    return None if tool is None else (str(tool["name"]), _mapping(tool.get("parameters")))


def _inside(root: Path, name: str, profile: str) -> Path:
    """Give a file of the project; raises `UsageError` for one outside of it."""
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()) or re.match(r"[a-zA-Z]:|[/\\]", name):
        message = f"The chat profile `{profile}` names `{name}`, which is outside the project."
        raise UsageError(message, hint="Name a file by its path within the project.")
    return path


def _mapping(value: object) -> Body:
    return cast("Body", value) if isinstance(value, Mapping) else {}
