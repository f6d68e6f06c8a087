"""One box for all tests of a process; the image is made once for all."""

from collections.abc import AsyncGenerator

import pytest_asyncio

from studio.sandbox.wasm import WasmBox


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def box() -> AsyncGenerator[WasmBox]:
    async with WasmBox() as box:
        yield box
