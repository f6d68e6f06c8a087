"""An endpoint on this machine that notes what it was asked, and when each answer had left it."""

import hashlib
import json
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any, cast

TAKES = 0.02
"""Seconds that an answer takes."""

FILES = 3
"""So many files an agent writes before it answers."""


@dataclass(slots=True)
class Asked:
    """One request: what it asked, and when; `answered` is when its last byte had left, 0 if it never did."""

    what: str
    at: float
    answered: float = 0.0


@dataclass(slots=True)
class ExactEndpoint:
    """Answers what it is asked, the same whenever it is asked the same; `asked` has all requests so far."""

    asked: list[Asked] = field(default_factory=list[Asked])
    _listening: socket.socket = field(default_factory=socket.socket)

    def __post_init__(self) -> None:
        self._listening.bind(("127.0.0.1", 0))
        self._listening.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def base_url(self) -> str:
        """Where chat profiles find it."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        received = b""
        with connection:
            while True:
                try:
                    while b"\r\n\r\n" not in received:
                        received += _some(connection)
                    head, _, received = received.partition(b"\r\n\r\n")
                    size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                    while len(received) < size:
                        received += _some(connection)
                    body, received = received[:size], received[size:]
                    asked = Asked(hashlib.sha256(body).hexdigest(), time.monotonic())
                    self.asked.append(asked)
                    time.sleep(TAKES)
                    connection.sendall(_streamed(json.loads(body)))
                    asked.answered = time.monotonic()
                except OSError:
                    return


def _some(connection: socket.socket) -> bytes:
    received = connection.recv(65536)
    if not received:
        raise ConnectionResetError
    return received


def _streamed(body: dict[str, Any]) -> bytes:
    """The answer to a request as endpoints stream it, in one piece."""
    messages = cast("list[dict[str, Any]]", body["messages"])
    message = _called(messages) if body.get("tools") else _said(messages)
    reason = "tool_calls" if "tool_calls" in message else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    same = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "exact"}
    chunks: list[dict[str, Any]] = [
        {**same, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**same, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**same, "choices": [], "usage": usage},
    ]
    events = "".join(f"data: {json.dumps(one)}\n\n" for one in chunks).encode() + b"data: [DONE]\n\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(events), events)


def _said(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "assistant", "content": f"answer {_digest(messages)}"}


def _called(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A file to be written; after some of them words."""
    written = sum(one["role"] == "tool" for one in messages)
    if written >= FILES:
        return _said(messages)
    text = _digest(messages)
    function = {"name": "write_file", "arguments": json.dumps({"path": f"{text}.txt", "text": text})}
    call = {"index": 0, "id": f"call_{written}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _digest(messages: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(messages).encode()).hexdigest()[:12]
