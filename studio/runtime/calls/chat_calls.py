"""A chat as a child step: through budget, queue and recording, and on to whom its profile falls back on.

What a window left out of a conversation, and which of several agents asks, are told in `chat_requested`,
beside the messages that were sent, and in no event of their own: they are of that one request, and found
again with it.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import cast

from studio.errors import ChatError, ChatRefusedError, ChatUnreachableError
from studio.ids import StepId, step_parts
from studio.llm.client import (
    Caller,
    ChatAnswer,
    ChatRequest,
    FinishReason,
    Message,
    Usage,
    message_from_json,
    message_to_json,
    request_to_json,
)
from studio.llm.continuation import Continuation
from studio.llm.log_probabilities import tokens_from_json, tokens_to_json
from studio.llm.person import PersonClient, answer_of, form_of, question_of
from studio.runtime.calls.child_steps import ChildSteps
from studio.runtime.calls.held_calls import call_failed, chat_after, chat_before
from studio.runtime.failures import ENDS_THE_RUN
from studio.runtime.resources.request_images import with_images
from studio.runtime.services import FallsBack, KnowsAbilities
from studio.runtime.values import CHAT, said_by
from studio.sdk.context import Form
from studio.trace.events import ApprovalAsked, ApprovalGiven, ChatAnswered, ChatRequested, TextStreamed


@dataclass(slots=True)
class _Attempt:
    """One child step that asks one profile, and who is `left` to be asked where it fails."""

    step: StepId
    profile: str
    left: tuple[str, ...]
    request: ChatRequest


async def answer_chat(children: ChildSteps, request: ChatRequest, profile: str) -> ChatAnswer:
    """Ask a language model; the answer is on disk before it is returned.

    Where it can't be reached, or refuses before any text came, those that its profile falls back on are asked
    in turn, each as a child step of its own.
    """
    name, left, own = profile, None, request.messages
    while True:
        step = children.begin("chat")
        if left is None:
            left = _fallback(children, step, name)
        attempt = _Attempt(step, name, left, request)
        try:
            answer = await _answer(children, attempt)
            asked = attempt.request.messages
            return answer if asked is own else replace(answer, asked=asked)
        except (ChatUnreachableError, ChatRefusedError):
            if not attempt.left:
                raise
            name, left, request = attempt.left[0], attempt.left[1:], attempt.request


def _fallback(children: ChildSteps, step: StepId, profile: str) -> tuple[str, ...]:
    """Give whom else to ask; a replay, which asks nobody, is told by its recording."""
    chats, past = children.services.chats, children.services.past
    if isinstance(chats, FallsBack):
        return chats.fallback(profile)
    return past.recording.fallback(step) if past is not None else ()


async def _answer(children: ChildSteps, attempt: _Attempt) -> ChatAnswer:
    """Ask once, from gate to gate."""
    step = attempt.step
    attempt.request, given = await chat_before(children, step, attempt.request)
    asked = ChatRequested(attempt.profile, request_to_json(attempt.request), attempt.left)
    await children.request(asked, step)
    if given is not None:
        answer = _given(given)
    else:
        answer = await _asked(children, asked, attempt)
    await children.answered(_told(answer), step)
    children.recorder.spent[step] = answer.usage.total, answer.cost or 0.0
    await children.recorder.committed()
    return await chat_after(children, step, answer)


async def _asked(children: ChildSteps, asked: ChatRequested, attempt: _Attempt) -> ChatAnswer:
    """Take the answer of an earlier run, or buy one, or have a person give one where that fails."""
    step = attempt.step
    with children.failures(step):
        try:
            answer = await _got(children, asked, attempt)
        except ENDS_THE_RUN:
            raise
        except Exception as error:
            children.take_in(CHAT)  # an error of the endpoint is its words as well
            given = await call_failed(children, step, "chat", error)
            if given is None:
                raise
            return _given(cast("Message", given))
    children.take_in(said_by(answer.llm))
    return answer


async def _got(children: ChildSteps, asked: ChatRequested, attempt: _Attempt) -> ChatAnswer:
    try:
        answered = await children.earlier(attempt.step, asked)
    except ChatError:
        past = children.services.past
        attempt.left = past.recording.fallback(attempt.step) if past is not None else ()
        raise
    return _answer_told(answered) if isinstance(answered, ChatAnswered) else await _bought(children, attempt)


def _given(message: Message) -> ChatAnswer:
    """What a person answers in the place of a language model."""
    return ChatAnswer(message, "tool_calls" if message.tool_calls else "stop", cost=0.0)


async def _bought(children: ChildSteps, attempt: _Attempt) -> ChatAnswer:
    def stream(text: str) -> None:
        attempt.left = ()  # nobody may say again what was shown
        children.record(TextStreamed(text), attempt.step)

    begun = Continuation(attempt.request.prefix, stream)
    sent = await _with_images(children, attempt)
    await children.count_call()
    client, budget = children.services.chats(attempt.profile), children.budget
    if isinstance(client, PersonClient):
        return begun.whole(await _answered_by_hand(children, attempt))
    scope, _, call, _ = step_parts(attempt.step)
    within = "" if scope == children.scope else scope
    caller = Caller(children.node, children.scope, int(call.rpartition(".")[2]), within)
    answer = begun.whole(await client.answer(sent, on_text=begun.hear, caller=caller))
    if budget is not None:
        budget.spend(children.node, answer.usage.total, answer.cost or 0.0)
    return answer


async def _answered_by_hand(children: ChildSteps, attempt: _Attempt) -> ChatAnswer:
    """Have a person answer, by a form; raises `WaitingError` where nobody is there."""
    step, request = attempt.step, attempt.request
    form = Form(question_of(request), form_of(request))
    children.record(ApprovalAsked(form.question, dict(form.schema)), step)
    filled = await children.services.people.ask(step, form)
    children.record(ApprovalGiven(dict(filled)), step)
    return answer_of(filled, request)


async def _with_images(children: ChildSteps, attempt: _Attempt) -> ChatRequest:
    """Give the request with its pictures; raises `ChatRefusedError` where nobody would see them."""
    chats, request = children.services.chats, attempt.request
    if not any(message.images for message in request.messages):
        return request
    if isinstance(chats, KnowsAbilities) and chats.can(attempt.profile, "images") is False:
        profile = f"The chat profile `{attempt.profile}`" if attempt.profile else "The run's chat profile"
        message = f"{profile} does not accept pictures, as its test has shown."
        raise ChatRefusedError(message, 0, hint="Choose one whose model does, or test it again.")
    services = children.services  # megabytes are read and written: not where everything else waits
    return await asyncio.to_thread(with_images, request, services.images, services.root)


def _told(answer: ChatAnswer) -> ChatAnswered:
    return ChatAnswered(
        message_to_json(answer.message),
        answer.finish_reason,
        answer.usage.input_tokens,
        answer.usage.output_tokens,
        answer.usage.cached_tokens,
        answer.cost,
        answer.llm,
        tuple(message_to_json(other) for other in answer.others),
        answer.usage.reasoning_tokens,
        tuple(tokens_to_json(one) for one in answer.tokens),
    )


def _answer_told(answered: ChatAnswered) -> ChatAnswer:
    return ChatAnswer(
        message_from_json(answered.message),
        cast("FinishReason", answered.finish_reason),
        Usage(
            answered.input_tokens, answered.output_tokens, answered.cached_tokens, answered.reasoning_tokens
        ),
        answered.llm,
        answered.cost,
        tuple(message_from_json(other) for other in answered.others),
        tokens=tuple(map(tokens_from_json, answered.log_probabilities)),
    )
