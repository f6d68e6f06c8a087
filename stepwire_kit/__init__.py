"""What scripts import of Stepwire: `from stepwire_kit import run`. See `studio/kit/README.md`."""

from typing import TYPE_CHECKING

from stepwire_kit.beside import use_engine

use_engine()

from studio import kit, script  # noqa: E402  # of the engine that was found

if TYPE_CHECKING:
    from studio.kit import *  # noqa: F403
    from studio.script import *  # noqa: F403

__all__ = kit.__all__ + script.__all__  # pyright: ignore[reportUnsupportedDunderAll]  # of their lists


def __getattr__(name: str) -> object:
    """Load a name when it is first asked for."""
    return getattr(script if name in script.__all__ else kit, name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
