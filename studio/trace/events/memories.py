"""What happens with memories in a run."""

from typing import Literal

from studio.trace.events.values import Shown, frequent


@frequent
class MemoryOpened:
    """A memory is used for the first time in the run, as it was in this `version` of the project's.

    `sort` is the kind of node that keeps it, `items` how many it has. `trouble` says what was wrong with its
    file, and what is done about it.
    """

    memory: str
    sort: str
    keep: Literal["run", "project"] = "run"
    version: int = 0
    items: int = 0
    trouble: str = ""
    kind: Literal["memory_opened"] = "memory_opened"


@frequent
class MemoryRead:
    """The step looked into a memory; `query` says for what, in words, and `found` what it was given.

    Each that was found is an object of `id`, `text`, `data`, `at`, `by`, `score` and `why`. `fault` says what
    was changed of that on purpose.
    """

    memory: str
    query: str
    purpose: Literal["recall", "upkeep"] = "recall"
    found: tuple[Shown, ...] = ()
    fault: str = ""
    kind: Literal["memory_read"] = "memory_read"


@frequent
class MemoryWritten:
    """The step changes an item of a memory, which takes effect when it finishes.

    `item` is an object of `id`, `text`, `data`, `at` and `by`, of one that is removed the id. One that was of
    `use` has `id` and `at`: that is counted, and the item stays as it is. `vector` is base64 of float32.
    `scope` is the item of a map at whose end it takes effect outside.
    """

    memory: str
    operation: Literal["put", "remove", "use"]
    item: Shown
    vector: str = ""
    why: str = ""
    scope: str = ""
    kind: Literal["memory_written"] = "memory_written"


@frequent
class MemoryUnsaved:
    """What took effect in a memory could not be kept in the project; it is kept in the run all the same."""

    memory: str
    reason: str
    kind: Literal["memory_unsaved"] = "memory_unsaved"
