"""What a chat's request says beside its messages: who of several agents asks, and what was left out."""

from dataclasses import dataclass
from typing import cast

from studio.trace.events.values import Plain


@dataclass(frozen=True, slots=True)
class Account:
    """What of a conversation was sent, where a window holds `tokens`, of which about `taken` are.

    `dropped` has how each message began that was left out, `shortened` is how many answers of tools were
    cut, `is_summed_up` says whether a summary stands for what was left out.
    """

    tokens: int
    taken: int
    dropped: tuple[str, ...] = ()
    shortened: int = 0
    is_summed_up: bool = False


def account_of(request: Plain) -> Account | None:
    """Read the account of a window; None where there is none."""
    window = _get(request, "window")
    if window is None:
        return None
    dropped = _get(window, "dropped")
    left = cast("list[object]", dropped) if isinstance(dropped, list) else []
    return Account(
        _number(_get(window, "tokens")),
        _number(_get(window, "taken")),
        tuple(str(one) for one in left),
        _number(_get(window, "shortened")),
        bool(_get(window, "summary")),
    )


def speaker_of(request: Plain) -> str:
    """The name of who asks, of several agents; empty where there are not several."""
    name = _get(request, "speaker")
    return name if isinstance(name, str) else ""


def _get(value: object, key: str) -> object:
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
