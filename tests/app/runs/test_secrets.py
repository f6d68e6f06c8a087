"""A key that is used leaves no trace: not in a file, a frame, an entry or an error."""

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from studio.app.compose import compose
from studio.errors import StepwireError
from studio.trace.events import Entry, entry_to_json
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.trusted import HERE

KEY = "my-very-own-key-4711-which-looks-like-nothing"


def encoded(key: str) -> tuple[str, ...]:
    data = key.encode()
    return b64encode(data).decode(), b64encode(b"x" + data).decode()[2:], data.hex(), key[::-1]


class Parrot(BaseHTTPRequestHandler):
    """An endpoint that says back what it was sent, key and all."""

    status: ClassVar[int] = 200

    def do_POST(self) -> None:
        sent = self.headers["Authorization"]
        forms = (sent, json.dumps(sent), *encoded(sent.removeprefix("Bearer ")))
        message = {"role": "assistant", "content": f"You sent {' and '.join(forms)}."}
        answer = {"choices": [{"message": message, "finish_reason": "stop"}]}
        body = (
            answer
            if self.status == 200
            else {"error": {"message": f"Wrong key: {', '.join(forms)}", "code": sent}}
        )
        data = json.dumps(body).encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        """Say nothing."""


@pytest.fixture(params=[200, 401])
def parrot(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Parrot, "status", request.param)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Parrot)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def project_and_environ(root: Path, url: str) -> tuple[Path, dict[str, str]]:
    chat = {"default": "parrot", "profiles": {"parrot": {"base_url": url, "llm": "m", "key_env": "MY_KEY"}}}
    environ = {**HERE, "MY_KEY": KEY, "STEPWIRE_TRUSTED_URLS": f"MY_KEY={url}"}
    return write_project(root, flow=chain(), chat=chat), environ


def assert_no_key(written: bytes) -> None:
    for form in (KEY, *encoded(KEY)):
        assert form[:-3].encode() not in written


def assert_clean(root: Path) -> None:
    files = [path for path in root.rglob("*") if path.is_file()]
    assert any(path.suffix == ".db" for path in files)
    for path in files:
        assert_no_key(path.read_bytes())


async def test_a_key_that_an_endpoint_says_back_is_kept_nowhere(parrot: str, tmp_path: Path) -> None:
    root, environ = project_and_environ(tmp_path / "trial", parrot)
    project, registry = Project.open(root), builtin_registry()
    flow = read_flow(project.main_flow).flow
    seen: list[Entry] = []
    materials = prepare(project, flow, registry, environ=environ, inputs={"question": "?"})
    state = await run_here(materials, listener=lambda entries, _: seen.extend(entries))
    written = b"".join(entry_to_json(entry) for entry in seen)
    assert (b"[hidden]" in written) or (b"[key]" in written)
    assert_no_key(written)
    assert_no_key(repr(state).encode())
    assert_clean(tmp_path)


@pytest.mark.process
def test_nor_does_the_window_see_it(parrot: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root, environ = project_and_environ(tmp_path / "trial", parrot)
    application = compose({**environ, "PYTHONPATH": str(Path(__file__).parents[3])}, tmp_path / "config")
    told: list[StepwireError] = []
    application.on_notice(told.append)
    run = application.runs.start(application.open(root), {"question": "?"})
    seen: list[Entry] = []
    run.on_entries(seen.extend)
    for _ in range(3000):
        application.runs.pump()
        if run.is_over:
            break
        threading.Event().wait(0.01)
    application.close()
    assert run.status.is_final
    assert seen
    assert_no_key(b"".join(entry_to_json(entry) for entry in seen))
    assert_no_key("".join(str(one) for one in told).encode())
    assert_no_key("".join(capfd.readouterr()).encode())
    assert_clean(tmp_path)
