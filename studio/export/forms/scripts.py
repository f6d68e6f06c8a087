"""A script with its engine beside it, or alone: its text, as each form has it, and what goes with it.

What the writer gives says nothing of how it is run; that is added here, and then the digest by which a later
export knows whether the script was edited.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio import __version__
from studio.export.forms.engine import Needs, engine_of, needs_of
from studio.export.forms.header import started, with_dependencies, with_paragraph
from studio.export.forms.requirements import bounded, extras_of
from studio.export.forms.signature import signed

OPTIONS: Final = "`--help` lists its arguments. Outputs go to standard output as JSON."
BESIDE: Final = (
    "Run it with `uv run FILE`, or with `python FILE` where its dependencies are installed. The folder "
    f"`stepwire_kit` has to lie beside it: it runs the steps. {OPTIONS}"
)
FROM_WHEEL: Final = (
    f"Run it with `uv run FILE`, or with `python FILE` where `stepwire-kit` is installed. {OPTIONS}"
)
WHEEL: Final = f"stepwire_kit-{__version__}-py3-none-any.whl"
INSTALLED: Final = (
    f"It needs `stepwire-kit` {__version__}, which is on no package index. `stepwire kit -o FOLDER` writes "
    f"it as a wheel; install that with `pip install 'FOLDER/{WHEEL}{{extras}}'` and run it with "
    f"`python FILE`. {OPTIONS}"
)


@dataclass(frozen=True, slots=True)
class Written:
    """A script as it is put on disk, and the engine that lies beside it."""

    text: str
    needs: Needs
    libraries: frozenset[str] = frozenset()
    """The distributions that it needs, directly or by its engine."""
    requirements: tuple[str, ...] = ()
    """What has to be installed, as an installer is told."""


def beside_engine(script: str, *, libraries: Iterable[str] = ()) -> Written:
    """Give a script for a folder with its engine; `vendored_files` has the files of that.

    `libraries` are further distributions, such as `keyring` where a chat profile has its key there.
    One that imports nothing of the kit is only signed.
    """
    engine = engine_of(needs_of(script))
    if engine.needs.is_empty:
        return Written(signed(script), engine.needs)
    needed = frozenset({*engine.libraries, *libraries})
    asked = tuple(bounded(needed))
    text = with_paragraph(with_dependencies(script, asked), BESIDE)
    return Written(signed(text), engine.needs, needed, asked)


def alone(script: str, *, libraries: Iterable[str] = (), wheel: Path | None = None) -> Written:
    """Give a script that is run where the kit is installed.

    Its header names the `wheel` of the kit as its source. Without one it names none: under the bare name an
    index may have something else.
    """
    engine = engine_of(needs_of(script))
    if engine.needs.is_empty:
        return Written(signed(script), engine.needs)
    needed = frozenset({*engine.libraries, *libraries})
    extras = extras_of(needed)
    extra = f"[{','.join(extras)}]" if extras else ""
    if wheel is None:
        text = with_paragraph(started(script), INSTALLED.format(extras=extra))
        return Written(signed(text), engine.needs, needed)
    asked = (f"stepwire-kit{extra} @ {wheel.resolve().as_uri()}",)
    text = with_paragraph(with_dependencies(script, asked), FROM_WHEEL)
    return Written(signed(text), engine.needs, needed, asked)
