"""A script played against a recording, in a process of its own: nothing outside is reached or changed.

The process is given the script's path and, on standard input, a playbook; it gives the first difference.
"""

import asyncio
import builtins
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from studio.export.playing.answers import Answers
from studio.export.playing.context import plain, played_context, stand_in
from studio.export.playing.memories import played_memories
from studio.export.playing.module import is_own, load_script
from studio.export.playing.playbook import (
    Broken,
    Playbook,
    Played,
    Unlike,
    playbook_from_json,
    played_to_json,
)
from studio.export.playing.time import PlayedPolicy
from studio.export.playing.unlike import first_difference, other_outputs

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OUTSIDE = {
    "socket.connect": "connects to",
    "socket.getaddrinfo": "looks up",
    "socket.bind": "listens at",
    "subprocess.Popen": "starts",
    "os.system": "starts",
    "os.exec": "starts",
    "os.posix_spawn": "starts",
    "os.remove": "removes",
    "os.rename": "renames",
    "os.rmdir": "removes",
    "os.mkdir": "makes",
    "os.link": "makes",
    "os.symlink": "makes",
    "os.truncate": "writes",
    "os.chmod": "changes",
    "os.kill": "ends the process",
}
"""What a script that is played does not do, by Python's names for it."""

WORDED = frozenset({"ValueTypeError", "ExpressionError"})
"""Errors that scripts say in words of their own; those of expressions are Python's own there."""


def main(argv: Sequence[str]) -> int:
    """Play the script that is named."""
    playbook = playbook_from_json(sys.stdin.buffer.read())
    _Playing(playbook, Path(argv[0])).play()
    return 0


class _Playing:
    def __init__(self, playbook: Playbook, path: Path) -> None:
        self._playbook = playbook
        self._path = path
        self._told = os.dup(1)
        self._answers = Answers(playbook, self._report)
        self._error: BaseException | None = None

    def play(self) -> None:
        """Run the script, and tell how it went; the process ends here."""
        sys.dont_write_bytecode = True
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
        module = self._loaded()
        self._stand_in(module)
        asyncio.set_event_loop_policy(PlayedPolicy(self._stuck))  # pyright: ignore[reportDeprecated]
        sys.argv = [str(self._path), *self._playbook.arguments]
        sys.addaudithook(self._watch)
        try:
            code = module.main()
        except SystemExit as ended:
            code = ended.code
        except BaseException as error:  # noqa: BLE001  # however a script ends, it is told
            self._error, code = self._error or error, 1
        self._compare(code)

    def _loaded(self) -> ModuleType:
        try:
            return load_script(self._path)
        except BaseException as error:  # noqa: BLE001  # a script may do anything when it is read
            sentence = f"The script cannot be read: {type(error).__name__}: {error}"
            self._report(Unlike("failure", sentence))

    def _stand_in(self, module: ModuleType) -> None:
        """Put what answers in the place of what reaches outside."""
        for name in module.run.__code__.co_names:
            found = getattr(module, name, None)
            if isinstance(found, type) and is_own(found, module):
                is_memories = hasattr(found, "of_step")
                made = played_memories(found, self._answers) if is_memories else None
                setattr(module, name, made or played_context(found, module, self._answers))
        for one in self._playbook.functions:
            for name in (one.name, f"{one.module.rpartition('.')[2]}_{one.name}"):
                function = getattr(module, name, None)
                if callable(function) and is_own(function, module):
                    setattr(module, name, stand_in(function, one.kind, module, self._answers))
                    break
        module.run = self._heard(module.run)  # pyright: ignore[reportAttributeAccessIssue]

    def _heard(self, run: Callable[..., Any]) -> Callable[..., Any]:
        async def heard(arguments: Any) -> Any:
            try:
                return await run(arguments)
            except BaseException as error:
                self._error = error
                raise

        return heard

    def _compare(self, code: object) -> None:
        error, recorded = self._error, self._playbook.broken
        told = None
        if error is not None:
            told = Broken(type(error).__name__, str(getattr(error, "message", "") or error))
        elif code != 0:
            self._report(Unlike("failure", f"The script ended with {code}: {_said(sys.stderr)}", script=code))
        if told is not None and not _is_alike(told, recorded):
            self._report(_other_end(told, recorded))
        missing = self._answers.missing()
        if missing is not None:
            self._report(missing)
        if told is None:
            self._compare_outputs()
        elif recorded is not None and recorded.error not in WORDED and told.message != recorded.message:
            self._report(_other_end(told, recorded))
        self._tell(Played(self._answers.used))

    def _compare_outputs(self) -> None:
        if self._playbook.broken is not None:
            self._report(_other_end(None, self._playbook.broken))
        try:
            outputs = json.loads(_said(sys.stdout))
        except ValueError:
            self._report(Unlike("output", f"The script prints no JSON, but: {_said(sys.stdout)}"))
        if first_difference(outputs, self._playbook.outputs) is not None:
            self._report(other_outputs(outputs, self._playbook.outputs))

    def _watch(self, event: str, given: Sequence[Any]) -> None:
        """Keep the script from all that lies outside."""
        does = OUTSIDE.get(event)
        named = given[1] if event in {"socket.connect", "socket.bind"} else given[0] if given else ""
        if event == "open" and isinstance(given[2], int) and given[2] & WRITES and named != os.devnull:
            does = "writes"
        if event == "sqlite3.connect" and named != ":memory:":
            does = "opens"
        if does is not None:
            sentence = f"The script {does} `{named}`, past its context."
            self._report(Unlike("outside", sentence, script=str(named)))

    def _stuck(self) -> None:
        waiting = self._answers.waiting[0] if self._answers.waiting else None
        if waiting is None:
            self._report(Unlike("stuck", "The script waits for something that never happens."))
        sentence = f"{waiting.title}: the script waits for an answer that the run did not get either."
        self._report(Unlike("stuck", sentence, waiting.step, waiting.title))

    def _report(self, unlike: Unlike) -> NoReturn:
        self._tell(Played(self._answers.used, unlike))

    def _tell(self, played: Played) -> NoReturn:
        """Say what was found, and end at once: nothing that the script would still do counts."""
        text = played_to_json(played)
        while text:
            text = text[os.write(self._told, text) :]
        os._exit(0)


def _is_alike(script: Broken, recording: Broken | None) -> bool:
    if recording is None:
        return False
    is_pythons = recording.error == "ExpressionError" and hasattr(builtins, script.error)
    return is_pythons or script.error == recording.error


def _other_end(script: Broken | None, recording: Broken | None) -> Unlike:
    one, other = (
        "returns its outputs" if side is None else f"fails with {side.error}: {side.message}"
        for side in (script, recording)
    )
    sentence = f"The script {one.rstrip('.')}; the recording {other.rstrip('.')}."
    return Unlike("failure", sentence, script=plain(script), recording=plain(recording))


def _said(stream: Any) -> str:
    return stream.getvalue().strip()
