"""The book of made-up answers: whatever is asked, it has one that fits, and says nothing that is known."""

import json
import re
from collections.abc import Mapping
from typing import cast

from studio.errors import ScriptedAnswerMissingError
from studio.ids import MADE_UP
from studio.llm.client import Caller, ToolCall, Usage
from studio.llm.made_up.choices import NoFitError
from studio.llm.made_up.values import Fits, Values, Verdicts
from studio.llm.made_up.words import Words
from studio.llm.prices import Price, Prices
from studio.llm.scripted_answers.filters import keywords
from studio.llm.scripted_answers.request import ScriptRequest
from studio.llm.scripted_answers.script_book import ScriptedReply, count_tokens, digest_of, sampled
from studio.llm.scripted_answers.wanted_form import Body, must_call, schema_wanted, tool_named, tools_offered

TOKENS_PER_SECOND = 150.0
"""How fast answers are spoken."""

FREE = Prices((Price((MADE_UP,), 0.0, 0.0, 0.0),))

ENDS = re.compile(r"finish|submit|final|done|answer|complete|conclude|report|stop|end\b", re.IGNORECASE)
"""Tools by which one says that all is done."""

CHANGES = re.compile(r"write|delete|remove|send|save|create|update|run|exec|shell|move|pay", re.IGNORECASE)
"""Tools that something else is called before."""


class MadeUpBook:
    """Implements `AnswerBook`: the same `seed` and request give the same answer.

    Text is made of the words of the prompt, JSON by its schema; who is lent tools calls one of them once for
    each question, and then answers with what it gave. Verdicts turn good by the second round of a loop.
    """

    def __init__(self, seed: int, fits: Fits) -> None:
        self._seed = seed
        self._fits = fits

    def prices(self) -> Prices:
        """Made-up answers cost nothing."""
        return FREE

    def answer(self, body: Body, caller: Caller | None = None) -> ScriptedReply:
        """Answer a request of the Chat Completions protocol.

        Raises `ValueError` when `body` is no request, `ScriptedAnswerMissingError` where nothing was found
        that fits the schema it wants.
        """
        return sampled(ScriptRequest(body, caller or Caller()), body, self._one)

    def _one(self, request: ScriptRequest, body: Body) -> ScriptedReply:
        digest = digest_of(body)
        sample = request.sample if request.samples > 1 else 0
        words = Words(request, f"{self._seed} {digest} {sample}")
        values = Values(words, verdicts_of(request), request, self._fits)
        text, calls = "", tuple[ToolCall, ...]()
        try:
            tool = _tool_for(request, body)
            if tool is not None:
                arguments = values.made(_mapping(tool.get("parameters")) or {"type": "object"}, is_call=True)
                written = json.dumps(arguments, ensure_ascii=False)
                calls = (ToolCall(f"call_{digest}_1", str(tool["name"]), written),)
            elif (schema := schema_wanted(request, body)) is not None:
                text = json.dumps(values.made(schema), ensure_ascii=False)
            elif request.form == "json_object":
                text = json.dumps({"answer": words.prose()}, ensure_ascii=False)
            else:
                text = _shortened(words.prose(), body)
        except NoFitError as error:
            message = f"No answer that fits the schema could be made up: {error}."
            hint = "Answer it yourself with the profile `person`, or use a model."
            raise ScriptedAnswerMissingError(message, hint=hint) from error
        said = text + " ".join(call.arguments for call in calls)
        asked = sum(count_tokens(message.text) for message in request.messages)
        return ScriptedReply(
            digest,
            text,
            calls,
            usage=Usage(asked, count_tokens(said)),
            tokens_per_second=TOKENS_PER_SECOND,
            finish_reason="tool_calls" if calls else "stop",
            llm=MADE_UP,
        )


def verdicts_of(request: ScriptRequest) -> Verdicts:
    """Say what is said of others' work: it is found wanting in the first round of a loop, and good after it.

    Whether all is done is also said by the second chat of a step, so that what goes round within it ends.
    """
    rounds, call = request.rounds.values(), request.caller.call
    is_later = max(rounds, default=0) > 1
    is_first = 1 in rounds and not is_later and call < 3
    return Verdicts(is_good=not is_first, is_over=is_later or call > 1)


def _tool_for(request: ScriptRequest, body: Body) -> Body | None:
    """Give the tool to call now; None where the answer is to be words or JSON."""
    tools = tools_offered(body)
    if not tools:
        return None
    if named := tool_named(body):
        return tools.get(named)
    has_called = request.turn > 0
    if has_called and not must_call(body):
        return None
    ends = [one for name, one in tools.items() if ENDS.search(name)]
    if has_called and ends:
        return ends[0]
    asked = set(keywords(request.question))

    def place(name: str) -> tuple[bool, bool, int]:
        said = set(keywords(f"{name.replace('_', ' ')} {tools[name].get('description', '')}"))
        return bool(ENDS.search(name)), bool(CHANGES.search(name)), -len(said & asked)

    return tools[min(tools, key=place)]


def _shortened(text: str, body: Body) -> str:
    """Keep to the most tokens that are wanted."""
    most = body.get("max_completion_tokens", body.get("max_tokens"))
    if not isinstance(most, int) or count_tokens(text) <= most:
        return text
    return " ".join(text.split()[: max(most * 3 // 4, 1)])


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
