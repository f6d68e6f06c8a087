"""What scripts import of Stepwire: `from stepwire_kit import run`. See `studio/kit/README.md`."""

from typing import TYPE_CHECKING

from studio import kit

if TYPE_CHECKING:
    from studio.kit import *  # noqa: F403

__all__ = kit.__all__  # pyright: ignore[reportUnsupportedDunderAll]  # one list, in one place


def __getattr__(name: str) -> object:
    """Load a name when it is first asked for."""
    return getattr(kit, name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return dir(kit)
