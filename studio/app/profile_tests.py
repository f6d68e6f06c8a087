"""Tries what the endpoint of a chat profile can do, with tiny requests, from anywhere and cancellable."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager

from studio.app.project import Project
from studio.llm.client import ChatProfile
from studio.llm.openai_client import OpenAIClient
from studio.llm.probing import Finding, probe
from studio.llm.profiles import Keys, open_client
from studio.llm.retry import RetryLimits, RetryPlan
from studio.llm.scripted import ScriptBook

ONCE = RetryPlan(RetryLimits(attempts=1))
"""Who watches a test asks again himself."""


async def try_profile(
    profile: ChatProfile, project: Project, environ: Mapping[str, str], keys: Keys
) -> AsyncGenerator[Finding]:
    """Give what is found out, one thing after the other.

    Raises `UsageError` where the profile lacks something, before anything is sent.
    """
    async with _opened(profile, project, environ, keys) as client, aclosing(probe(client)) as findings:
        async for finding in findings:
            yield finding


@asynccontextmanager
async def _opened(
    profile: ChatProfile, project: Project, environ: Mapping[str, str], keys: Keys
) -> AsyncGenerator[OpenAIClient]:
    is_scripted = profile.provider == "scripted" and not profile.base_url
    book = ScriptBook.load(project.scripts) if is_scripted and project.scripts is not None else None
    client = open_client(profile, environ=environ, book=book, keys=keys, pace=0.0, retries=ONCE)
    try:
        yield client
    finally:
        await client.close()
