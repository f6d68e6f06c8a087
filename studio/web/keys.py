"""Which key of the environment may be sent where: the user says so, never a flow."""

import re
from collections.abc import Mapping

from studio.errors import ToolError

TRUSTED_URLS = "STEPWIRE_TRUSTED_URLS"
"""Holds pairs `VARIABLE=URL`, separated by blanks: the key in that variable may be sent to that address."""

PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def with_keys(headers: Mapping[str, str], origin: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Fill the keys into headers that go to `origin`; raises `ToolError` for one that may not go there."""

    def key(found: re.Match[str]) -> str:
        """The key in one variable."""
        return key_for(found[1], origin, environ)

    return {name: PLACE.sub(key, text) for name, text in headers.items()}


def key_for(variable: str, origin: str, environ: Mapping[str, str]) -> str:
    """The key in `variable`, should it be allowed to go to `origin` (scheme, host and port)."""
    pairs = (pair.partition("=") for pair in environ.get(TRUSTED_URLS, "").split())
    allowed = {url for name, _, url in pairs if name == variable}
    if not any(url == origin or url.startswith(f"{origin}/") for url in allowed):
        message = f"The key in {variable} would be sent to `{origin}`, but only the flow says so."
        hint = f"If you trust that URL with the key, set {TRUSTED_URLS}={variable}={origin}"
        raise ToolError(message, hint=hint)
    key = environ.get(variable, "").strip()
    if not key or not (key.isascii() and key.isprintable()):
        raise ToolError(f"The environment variable {variable} contains no key.", hint=f"Set {variable}.")
    return key
