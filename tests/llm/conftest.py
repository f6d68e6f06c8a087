"""`openai` is loaded once, before any clock of a test runs."""

import asyncio

import pytest

from studio.llm.endpoints.openai_client import preload


@pytest.fixture(scope="session", autouse=True)
def loaded_client() -> None:
    """Load the library in an event loop of its own."""
    asyncio.run(preload())
