"""An endpoint on this machine that counts what it is asked, and can keep some of it waiting."""

import json
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from tests.patience import patience


class Counting:
    """Answers `seen SYSTEM`; requests whose system message has the text `held` wait while it is not empty."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()
        self.held = ""
        self.status = 200
        self.refused: tuple[str, ...] = ()
        """Texts of questions that are refused as if the key were wrong."""
        self.is_waiting = threading.Event()
        self.free = threading.Condition()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def wait_for(self, requests: int) -> None:
        """Wait until it has been asked so many times."""
        with self.free:
            assert self.free.wait_for(lambda: sum(self.asked.values()) >= requests, patience())

    def let_go(self) -> None:
        with self.free:
            self.held = ""
            self.free.notify_all()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the library's name
        counting = cast("_Server", self.server).counting
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        system, user = (one["content"] for one in body["messages"][:2])
        with counting.free:
            counting.asked[system, user] += 1
            counting.free.notify_all()
            if counting.held and counting.held in system:
                counting.is_waiting.set()
                counting.free.wait_for(lambda: not counting.held)
        try:
            refused = any(one in user for one in counting.refused)
            self._answer(body, system, 401 if refused else counting.status)
        except OSError:
            self.close_connection = True

    def _answer(self, body: dict[str, Any], system: str, status: int) -> None:
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        if status != 200:
            told, kind = json.dumps({"error": {"message": "Not now."}}), "application/json"
        elif body.get("stream"):
            delta = {"role": "assistant", "content": f"seen {system}"}
            one = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
            said = {**one, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
            end = {**one, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
            chunks = [said, end, {**one, "choices": [], "usage": usage}]
            told = "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            message = {"role": "assistant", "content": f"seen {system}"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            whole = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
            told, kind = json.dumps({**whole, "choices": [choice], "usage": usage}), "application/json"
        data = told.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    counting: Counting

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is no error."""


@contextmanager
def counting_endpoint() -> Generator[Counting]:
    """Serve until the end of the block."""
    counting = Counting()
    server = _Server(("127.0.0.1", 0), _Handler)
    server.counting = counting
    counting.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield counting
    finally:
        counting.let_go()
        server.shutdown()
        thread.join()
        server.server_close()
