"""Chat profiles become chat clients here; keys come from the environment or the keyring and stay in memory.

A profile comes with a project, which may be anybody's, so it cannot aim a key: `OPENAI_API_KEY` goes to
`OPENAI_BASE_URL` (without it, to OpenAI), and any key to where `STEPWIRE_TRUSTED_URLS` or the user's settings
say that it may. A key in the keyring is kept under its base URL, and goes nowhere else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlsplit

from studio.errors import ProfileError, UsageError
from studio.ids import MADE_UP, PERSON
from studio.llm.client import ChatProfile
from studio.llm.endpoints.body_options import BodyOptions
from studio.llm.endpoints.refusals import NO_KEY, Endpoint
from studio.llm.endpoints.retry import RetryPlan
from studio.llm.limits import TimeLimits
from studio.llm.prices import Prices

if TYPE_CHECKING:
    from studio.llm.endpoints.openai_client import HttpClient, OpenAIClient
    from studio.llm.scripted_answers.script_book import AnswerBook

OPENAI_URL = "https://api.openai.com/v1"
SCRIPTED_URL = "http://scripted.invalid/v1"
"""Reached in process only; `.invalid` never resolves (RFC 2606)."""

KEY_VARIABLE = "OPENAI_API_KEY"
TRUSTED_VARIABLE = "STEPWIRE_TRUSTED_URLS"
"""Holds pairs `VARIABLE=URL`, separated by blanks: the key in that variable may be sent to that base URL."""

BUILT_IN = {
    "openai": ChatProfile("openai", "openai"),
    "scripted": ChatProfile("scripted", "scripted"),
    MADE_UP: ChatProfile(MADE_UP, "made-up"),
    PERSON: ChatProfile(PERSON, "person"),
}
"""The profiles that every project has."""


class Keys(Protocol):
    """What the user keeps outside of projects: keys by base URL, and which may go where."""

    @property
    def pairs(self) -> frozenset[str]:
        """Texts `VARIABLE=URL`: the key in that variable may be sent to that base URL."""
        ...

    def key_for(self, url: str, /) -> str:
        """Give the key that was entered for a base URL; empty where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class NoKeys:
    """A user who keeps nothing; implements `Keys`."""

    pairs: frozenset[str] = frozenset()

    def key_for(self, url: str, /) -> str:
        """Give none."""
        del url
        return ""


def open_client(
    profile: ChatProfile,
    *,
    environ: Mapping[str, str],
    book: "AnswerBook | None",
    keys: Keys | None = None,
    prices: Prices | None = None,
    offline: bool = False,
    pace: float = 1.0,
    retries: RetryPlan | None = None,
    on_headers: Callable[[Mapping[str, str]], None] | None = None,
) -> "OpenAIClient":
    """Build the client of a profile; connects nowhere yet. `on_headers` is told those of each answer.

    Raises `UsageError` when something is missing (key, language model, script), or when `offline` forbids it.
    """
    limits = TimeLimits.from_mapping(profile.time_limits)
    if profile.provider == "person":
        message = f"The chat profile `{profile.name}` is answered by a person during a run."
        raise UsageError(message, hint="There is no endpoint to test.")
    if profile.provider != "openai":
        return _scripted(
            profile, book, limits, prices=prices, pace=pace, retries=retries, on_headers=on_headers
        )
    if offline:
        message = f"The chat profile `{profile.name}` needs the network, and this run is offline."
        raise ProfileError(message, hint="Use the profile `scripted`, or drop `--offline`.")
    base_url = url_of(profile, environ)
    llm = profile.llm or environ.get("OPENAI_MODEL") or ""
    if urlsplit(base_url).scheme not in {"http", "https"} or not urlsplit(base_url).hostname:
        message = f"The base URL of the chat profile `{profile.name}` is `{base_url}`."
        raise UsageError(message, hint="It must start with `https://` or `http://`; most end with `/v1`.")
    if not llm:
        message = f"The chat profile `{profile.name}` does not name a model."
        hint = "Set OPENAI_MODEL, or set `llm` in the profile."
        raise ProfileError(message, hint=hint)
    key = _key(profile, base_url, environ, keys or NoKeys())
    api = _api(profile, base_url)
    from studio.llm.endpoints.openai_client import OpenAIClient  # late: most that knows profiles asks nobody

    return OpenAIClient(
        base_url,
        key,
        llm,
        time_limits=limits,
        prices=prices,
        retries=retries,
        api=api,
        on_headers=on_headers,
        azure_version=profile.api_version,
        options=BodyOptions.of(profile, base_url),
    )


def _api(profile: ChatProfile, base_url: str) -> Literal["chat", "responses"]:
    if profile.api_version:
        if profile.api == "responses":
            message = (
                f"The chat profile `{profile.name}` has a dated API version, which does not "
                "support the Responses API."
            )
            raise UsageError(message, hint="Choose Chat Completions, or remove the version.")
        return "chat"
    if profile.api == "auto":
        return "responses" if Endpoint(base_url, "").is_openai else "chat"
    return profile.api


def url_of(profile: ChatProfile, environ: Mapping[str, str]) -> str:
    """Give the base URL that a profile speaks to."""
    return profile.base_url or environ.get("OPENAI_BASE_URL") or OPENAI_URL


def may_send(variable: str, base_url: str, environ: Mapping[str, str], keys: Keys) -> bool:
    """Whether the user, not the project, has paired the key with the base URL.

    URLs are compared as they are written: who takes them apart may do so differently from who connects.
    """
    own = f"{KEY_VARIABLE}={environ.get('OPENAI_BASE_URL') or OPENAI_URL}"
    pairs = (own, *environ.get(TRUSTED_VARIABLE, "").split(), *keys.pairs)
    return f"{variable}={base_url}".rstrip("/") in {pair.rstrip("/") for pair in pairs}


def _key(profile: ChatProfile, base_url: str, environ: Mapping[str, str], keys: Keys) -> str:
    """Find the key that may be sent to `base_url`; raises `UsageError` when it has to have one."""
    if profile.key_from == "keyring":
        return _ring_key(profile, base_url, keys)
    key = _sendable(environ.get(profile.key_env, ""), f"The key in {profile.key_env}")
    if key and may_send(profile.key_env, base_url, environ, keys):
        return key
    if is_loopback(base_url):
        return NO_KEY
    if not key:
        message = f"The chat profile `{profile.name}` needs a key, and {profile.key_env} is not set."
        raise ProfileError(message, hint=f"Set {profile.key_env}, or enter the key in the window.")
    message = (
        f"The chat profile `{profile.name}` would send the key in {profile.key_env} to "
        f"`{base_url}`, but only the project says so."
    )
    hint = f"If you trust that URL with the key, set {TRUSTED_VARIABLE}={profile.key_env}={base_url}"
    raise UsageError(message, hint=hint)


def _ring_key(profile: ChatProfile, base_url: str, keys: Keys) -> str:
    key = _sendable(keys.key_for(base_url), "The key in the keyring")
    if not key and not is_loopback(base_url):
        message = f"The keyring has no key for `{base_url}`, which the chat profile `{profile.name}` uses."
        raise ProfileError(message, hint="Enter the key in the window, under File → Chat profiles….")
    return key or NO_KEY


def _sendable(key: str, name: str) -> str:
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        message = f"{name} contains characters that no key has, so it cannot be sent."
        raise UsageError(message, hint="Copy it again: letters, digits and symbols, on one line.")
    return key


def _scripted(
    profile: ChatProfile,
    book: "AnswerBook | None",
    limits: TimeLimits,
    *,
    prices: Prices | None,
    pace: float,
    retries: RetryPlan | None,
    on_headers: Callable[[Mapping[str, str]], None] | None,
) -> "OpenAIClient":
    """Build a client for the book, or for an answer server on this machine when the profile has its URL."""
    if profile.provider == "simulated" and (book is None or profile.base_url):
        message = f"The chat profile `{profile.name}` is simulated, and no solvers are defined for it."
        raise UsageError(message, hint="It answers in a project, from its `solver`, and has no base URL.")
    if profile.provider == "made-up" and (book is None or profile.base_url):
        message = (
            f"The answers of the chat profile `{profile.name}` are made up and do not come from an endpoint."
        )
        raise UsageError(message, hint="Remove its base URL.")
    if profile.base_url and not is_loopback(profile.base_url):
        message = f"The scripted chat profile `{profile.name}` has the base URL `{profile.base_url}`."
        raise UsageError(message, hint="Scripted answers are served on this machine only; use 127.0.0.1.")
    if book is None and not profile.base_url:
        message = f"The chat profile `{profile.name}` gives scripted answers, and there are none."
        raise ProfileError(message, hint="Add `scripts/*.yaml` to the project, or choose another profile.")

    # Late, as in `open_client`; scripted answers bring Jinja and YAML along.
    from studio.llm.endpoints.openai_client import OpenAIClient
    from studio.llm.scripted_answers.script_book import SCRIPTED_LLM, ScriptBook

    llm = MADE_UP if profile.provider == "made-up" else SCRIPTED_LLM

    def connect() -> "HttpClient":
        # Late, because httpx2 comes with openai, which takes its time.
        from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
        from studio.llm.scripted_answers.transport import scripted_http_client

        return scripted_http_client(ScriptedEndpoint(book or ScriptBook(()), pace=pace, llm=llm))

    return OpenAIClient(
        profile.base_url or SCRIPTED_URL,
        NO_KEY,
        profile.llm or llm,
        time_limits=limits,
        http_client=None if profile.base_url else connect,
        prices=prices,
        retries=retries,
        send_caller=True,
        api="responses" if profile.api == "responses" else "chat",
        label="" if profile.base_url else _LABELS[profile.provider],
        on_headers=on_headers,
        options=BodyOptions.of(profile, SCRIPTED_URL),
    )


_LABELS = {
    "scripted": "The project's script",
    "simulated": "The simulated solver",
    "made-up": "What makes answers up",
}


def is_loopback(url: str) -> bool:
    """Whether a URL stays on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
