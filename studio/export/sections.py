"""What is lifted into a script, section by section, each definition after what it needs when it is made."""

from collections.abc import Iterator, Sequence

from studio.export.python.folding import folded
from studio.export.python.formatting import formatted
from studio.export.python.lifter import TRACE as TRACE_MODULE
from studio.export.python.lifter import Lifter
from studio.export.python.pieces import Origin
from studio.export.writing.parts import Part

FOLLOWED, STEPS, USED, ERRORS, OUTSIDE, TRACE = (
    "How `--trace` follows a step",
    "The steps",
    "What the steps use",
    "Errors",
    "Talking to the language model, the terminal and the disk",
    "What `--trace` tells",
)
SECTIONS: Sequence[tuple[str, tuple[str, ...]]] = (
    (FOLLOWED, ()),
    (STEPS, ("nodes.",)),
    (USED, ("studio.sdk.", "studio.ids", "studio.export.lifted.steps", "studio.export.lifted.schemas")),
    (ERRORS, ("studio.errors", "studio.export.lifted.errors")),
    (OUTSIDE, ("studio.",)),
    (TRACE, ("studio.export.lifted.trace",)),
)
"""The sections, with the modules that each takes; a module of others is a step's."""

FOLLOWING = frozenset(Origin(TRACE_MODULE, name) for name in ("traced", "traced_at_once"))
"""What stands before the steps, because they are made with it; the rest of its module stands at the end."""


def lifted_parts(lifter: Lifter) -> Iterator[Part]:
    """The definitions that were collected, in the order of the sections."""
    modules = lifter.modules()
    texts = folded({origin: text for found in modules.values() for origin, text in found}, lifter.said)
    written: set[Origin] = set()
    sections: list[tuple[str, list[Origin]]] = [(title, []) for title, _ in SECTIONS]
    for module, found in modules.items():
        fitting = [at for at, (_, starts) in enumerate(SECTIONS) if module.startswith(starts)]
        place = len(SECTIONS) - 1 if module == TRACE_MODULE else min(fitting, default=1)
        for origin, _ in found:
            sections[0 if origin in FOLLOWING else place][1].append(origin)
    for title, origins in sections:
        for origin in origins:
            for one in _with_what_it_needs(origin, lifter, written):
                if one not in texts:
                    continue
                yield Part(title, formatted(f"{texts[one]}\n"), origin=one)


def _with_what_it_needs(origin: Origin, lifter: Lifter, written: set[Origin]) -> Iterator[Origin]:
    if origin in written:
        return
    written.add(origin)
    for before in sorted(lifter.eager(origin), key=lambda one: (one.module, one.name)):
        yield from _with_what_it_needs(before, lifter, written)
    yield origin
