"""The memories of a run as lines for people, and as JSON."""

from collections.abc import Iterator

from studio.trace.events import Entry, MemoryOpened, MemoryUnsaved
from studio.trace.fold.state import RunState


def trouble_line(entry: Entry) -> str | None:
    """Give the line for an entry that tells what is wrong with a memory; None for others."""
    match entry.event:
        case MemoryOpened(memory=name, trouble=trouble) if trouble:
            return f"  memory   {name}: {trouble}"
        case MemoryUnsaved(memory=name, reason=reason):
            return f"  memory   {name}: {reason}"
        case _:
            return None


def memory_lines(state: RunState) -> Iterator[str]:
    """Say of each memory as what the run found it, and how much it changed."""
    for name, opened in state.memories.opened.items():
        found = f"{opened.items:,} item{'s' * (opened.items != 1)} of version {opened.version} in the project"
        lasts = found if opened.keep == "project" else "kept for the run"
        changed = len(state.memories.written.get(name, {}))
        yield f"  memory   {name}: {opened.sort}, {lasts}, {changed:,} changed"
        if opened.trouble:
            yield f"  trouble  {opened.trouble}"
    for memory, reason in dict.fromkeys((one.memory, one.reason) for one in state.memories.unsaved):
        yield f"  trouble  {memory}: {reason}"


def plain_memories(state: RunState) -> list[dict[str, object]]:
    """Give the same as objects."""
    return [
        {
            "memory": name,
            "kind": opened.sort,
            "keep": opened.keep,
            "version": opened.version,
            "items": opened.items,
            "changed": len(state.memories.written.get(name, {})),
            "trouble": opened.trouble,
            "unsaved": [one.reason for one in state.memories.unsaved if one.memory == name],
        }
        for name, opened in state.memories.opened.items()
    ]
