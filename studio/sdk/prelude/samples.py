"""Several answers to one request, each from a call of its own or all from one."""

from dataclasses import replace
from functools import partial

from studio.sdk import ChatRequest, Context, Message


async def sampled(
    context: Context, request: ChatRequest, samples: int, *, together: bool, profile: str = ""
) -> list[Message]:
    """Ask for `samples` answers, `together` in one call or each in its own.

    An endpoint that gives fewer in one call is asked again for those that are missing.
    """
    if not together:
        calls = [partial(context.chat, request, profile=profile)] * samples
        return [answer.message for answer in await context.gather(calls)]
    found: list[Message] = []
    while len(found) < samples:
        answer = await context.chat(replace(request, samples=samples - len(found)), profile=profile)
        found += [answer.message, *answer.others]
    return found[:samples]
