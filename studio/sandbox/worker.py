"""A process that runs code in boxes, one at a time: `worker IMAGE`. Home of wasmtime.

It has no environment, no standard streams of its own, and ends with whoever started it. The box inside sees
no files, no network, no environment and no processes; this process around it is what can be killed when the
box can't be, as while it sleeps.
"""

import os
import queue
import resource
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from wasmtime import Config, Engine, Store, WasiConfig, WasmtimeError
from wasmtime.component import Component, Linker, Variant

from studio.sandbox.frames import Frame, read_frame, to_bytes

MOST_PRINTED = 2_000_000
"""Characters that one call may print; what is more is dropped."""

STACK = 2 * 2**20
"""Bytes of WebAssembly stack: enough for a thousand nested calls of Python, which it ends by itself."""


def engine() -> Engine:
    """Give an engine whose code can be cut at any time."""
    config = Config()
    config.epoch_interruption = True
    config.max_wasm_stack = STACK
    return Engine(config)


class _Clock:
    """Cuts the box when it has worked as long as it may; what it waits for is not counted."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        self._left = 0.0
        self._since: float | None = None
        self.has_cut = False
        threading.Thread(target=self._watch, daemon=True).start()

    def start(self, seconds: float) -> None:
        with self._changed:
            self._left, self._since, self.has_cut = seconds, time.monotonic(), False
            self._changed.notify()

    def pause(self) -> None:
        with self._changed:
            if self._since is not None:
                self._left -= time.monotonic() - self._since
                self._since = None

    def go_on(self) -> None:
        with self._changed:
            self._since = time.monotonic()
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while True:
                if self._since is None:
                    self._changed.wait()
                    continue
                left = self._left - (time.monotonic() - self._since)
                if left > 0:
                    self._changed.wait(left)
                    continue
                self.has_cut, self._since = True, None
                self._engine.increment_epoch()


class Worker:
    """Answers calls with fresh boxes."""

    def __init__(self, image: str, speak: int) -> None:
        self._engine = engine()
        self._component = Component.deserialize_file(self._engine, image)
        self._clock = _Clock(self._engine)
        self._speak = speak
        self._printable = 0
        self._asked: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._linker = Linker(self._engine)
        self._linker.add_wasip2()
        with self._linker.root() as root:
            root.add_func("call-tool", self._call_tool)
            root.add_func("write-line", self._write_line)

    def listen(self) -> None:
        """Take in what is said to this process; ends the process when nobody is there any more."""
        with os.fdopen(0, "rb", closefd=False) as stream:
            while (frame := read_frame(stream)) is not None:
                self._asked.put(frame)
        os._exit(0)

    def serve(self) -> None:
        """Answer calls, one after the other."""
        self._say({"said": "ready"})
        while True:
            self._say(self._answer(self._asked.get()))

    def _answer(self, call: Frame) -> Frame:
        store = Store(self._engine)
        store.set_limits(memory_size=call["memory"])
        store.set_wasi(WasiConfig())
        store.set_epoch_deadline(1)
        self._printable = MOST_PRINTED
        self._clock.start(call["seconds"])
        try:
            run = self._linker.instantiate(store, self._component).get_func(store, "run")
            if run is None:
                return {"said": "broken", "message": "the box has no door"}
            given: Any = run(store, call["code"], call["function"], call["arguments"])
        except WasmtimeError as error:
            if self._clock.has_cut:
                return {"said": "cut"}
            return {"said": "crashed", "message": _cause(error)}
        finally:
            self._clock.pause()
        return {"said": "gave" if given.tag == "ok" else "raised", "json": given.payload}

    def _call_tool(self, _store: object, name: str, arguments: str) -> Variant:
        self._clock.pause()
        self._say({"said": "tool", "name": name, "arguments": arguments})
        answer = self._asked.get()
        self._clock.go_on()
        return Variant("err" if answer["is_error"] else "ok", answer["text"])

    def _write_line(self, _store: object, text: str) -> None:
        kept = text[: self._printable]
        self._printable -= len(kept) + 1
        if kept or self._printable > 0:
            self._say({"said": "line", "text": kept})

    def _say(self, frame: Frame) -> None:
        try:
            written = to_bytes(frame)
        except (ValueError, TypeError) as error:
            written = to_bytes({"said": "crashed", "message": str(error)})
        view = memoryview(written)
        while view:
            view = view[os.write(self._speak, view) :]


def _cause(error: WasmtimeError) -> str:
    """The last line of what wasmtime says, which is the reason; the rest is its stack."""
    return str(error).strip().rpartition("\n")[2].strip() or "the box broke"


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until whoever started this process is gone."""
    (image,) = argv or sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Whatever a library prints must not look like an answer.
    speak = os.dup(1)
    os.dup2(2, 1)
    worker = Worker(image, speak)
    threading.Thread(target=worker.listen, daemon=True).start()
    worker.serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
