"""The window's side of a run host: a process, a connection, and what it said since the last look."""

import contextlib
import os
import socket
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from studio.errors import HostError
from studio.host.protocol import LARGEST_FRAME, LENGTH, Asked, HostLost, HostReady, Said, frame, read_said
from studio.process_tree import end_tree
from studio.sandbox.process import command

HOST_MODULE = "studio.app.runs.run_host"
"""What is started: the composition root of hosts."""

MOST_UNREAD = 64
"""Frames of a host that may lie here unread; more wait there, and in the end its steps do."""


class HostClient:
    """Speaks to one run host. All methods return at once; `drain` is called once a frame."""

    def __init__(self, process: "subprocess.Popen[bytes] | None", connection: socket.socket) -> None:
        self._process = process
        self._connection = connection
        self._inbox: deque[Said] = deque()
        self._room = threading.Condition()
        self._is_ready = threading.Event()
        self._is_lost = False
        self._is_closing = False
        self._reader = threading.Thread(target=self._read, name="stepwire-host-reader", daemon=True)
        self._reader.start()

    @classmethod
    def spawn(cls, environ: Mapping[str, str] | None = None, module: str = HOST_MODULE) -> "HostClient":
        """Start a host process; it is ready some time later (`is_ready`). Raises `HostError`."""
        ours, theirs = socket.socketpair()
        try:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter, our own module
                command(module, "--fd", str(theirs.fileno())),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                env=dict(os.environ if environ is None else environ),
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            message = f"The run host cannot be started: {error.strerror}."
            raise HostError(message) from error
        finally:
            theirs.close()
        return cls(process, ours)

    @property
    def pid(self) -> int | None:
        """The process id of the host, None where it runs in this process."""
        return self._process.pid if self._process is not None else None

    @property
    def is_ready(self) -> bool:
        """Whether the host has loaded everything."""
        return self._is_ready.is_set()

    @property
    def is_lost(self) -> bool:
        """Whether the host is gone."""
        return self._is_lost

    @property
    def has_unread(self) -> bool:
        """Whether it said anything that `drain` has not given yet."""
        return bool(self._inbox)

    def wait_until_ready(self, seconds: float = 30.0) -> bool:
        """Wait for the host to be ready; for the command line and tests, never for the window."""
        return self._is_ready.wait(seconds)

    def ask(self, asked: Asked) -> None:
        """Send a request; raises `HostError` when the host is gone."""
        try:
            if self._is_lost:
                raise ConnectionResetError
            self._connection.sendall(frame(asked))
        except OSError as error:
            raise HostError(
                "The run host does not answer.", hint="A new one is started with the next run."
            ) from error

    def drain(self) -> Sequence[Said]:
        """Everything the host said since the last call, in order."""
        said: list[Said] = []
        while self._inbox:
            said.append(self._inbox.popleft())
        if said:
            with self._room:
                self._room.notify()
        return said

    def kill(self) -> None:
        """End the host with all that it started; its runs are interrupted, and stay in the store as such."""
        if self._process is not None and self._process.poll() is None:
            end_tree(self._process.pid)

    def close(self) -> None:
        """End the connection, and with it the host."""
        self._is_closing = True
        with self._room:
            self._room.notify()
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()
        if self._process is not None:
            try:
                self._process.wait(2)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(2)

    def _read(self) -> None:
        reason = "The run host ended."
        try:
            while True:
                (length,) = LENGTH.unpack(self._exactly(LENGTH.size))
                if length > LARGEST_FRAME:
                    reason = "The run host sent something invalid."
                    break
                said = read_said(self._exactly(length))
                if isinstance(said, HostReady):
                    self._is_ready.set()
                else:
                    self._inbox.append(said)
                    with self._room:
                        self._room.wait_for(lambda: len(self._inbox) < MOST_UNREAD or self._is_closing)
        except (OSError, EOFError):
            pass
        except ValidationError as error:
            reason = f"The run host sent something that cannot be read: {error.errors()[0]['msg']}."
        self._is_lost = True
        if not self._is_closing:
            if self._process is not None:
                with contextlib.suppress(
                    subprocess.TimeoutExpired
                ):  # whose runs are interrupted when it is over
                    self._process.wait(2)
            self._inbox.append(HostLost(reason))

    def _exactly(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = self._connection.recv(min(count - len(parts), 1 << 20))
            if not part:
                raise EOFError
            parts += part
        return bytes(parts)
