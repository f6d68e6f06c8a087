"""Nothing that code in the box does has an effect outside it."""

import socket
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from studio.errors import CodeError
from studio.flow.records import Json
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeCall, CodeLimits
from tests.sandbox.escapes import HEADS

pytestmark = [pytest.mark.box, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="session")]

CANARY = "canary-7f3a91"


@pytest.fixture
def ear() -> Generator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


def names_in(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


async def echo(arguments: object) -> str:
    return str(arguments)


@pytest.mark.parametrize("name", HEADS)
async def test_a_program_that_wants_out_changes_and_learns_nothing(
    name: str, box: WasmBox, ear: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPWIRE_TEST_SECRET", CANARY)
    secret = tmp_path / "secret.txt"
    secret.write_text(CANARY, encoding="utf-8")
    port = ear.getsockname()[1]
    head = f"SECRET_FILE, FOLDER, PORT = {str(secret)!r}, {str(tmp_path)!r}, {port}\n"
    told: list[str] = []
    given: Json = None
    try:
        call = CodeCall(head + HEADS[name], "run", {}, CodeLimits(0.3, 64 * 2**20))
        given = await box.run(call, tools={"echo": echo}, on_line=told.append)
    except CodeError as error:
        told.append(str(error))
    assert CANARY not in str(given)
    assert not any(CANARY in line for line in told)
    assert names_in(tmp_path) == ["secret.txt"]
    assert secret.read_text(encoding="utf-8") == CANARY
    with pytest.raises(BlockingIOError):
        ear.accept()
    assert await box.run(CodeCall("def f(x): return x + 1", "f", {"x": 1})) == 2


async def test_nothing_stays_behind_for_the_next_call(box: WasmBox) -> None:
    spoil = "import builtins, json\ndef f():\n builtins.len = json.dumps = None\n json.left = 'here'"
    with suppress(CodeError):  # the guest may stumble over what is gone
        await box.run(CodeCall(spoil, "f"))
    look = "import json\ndef f(): return [len('abc'), hasattr(json, 'left'), json.dumps(1)]"
    assert await box.run(CodeCall(look, "f")) == [3, False, "1"]
