"""What goes wrong with an endpoint, said so that a person can act on it, and never with the key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

from studio.errors import ChatError, ChatRefusedError, ChatUnreachableError, ScriptedAnswerMissingError
from studio.llm.clean_text import normalise
from studio.llm.waits import asked_wait

NO_KEY = "none"
"""What endpoints on this machine, which want no key, are given for one."""

ANSWER_MISSING = "scripted_answer_missing"
"""The error code by which the scripted endpoint says that no rule answers."""

OFTEN_PASSES = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""HTTP statuses that often pass by themselves."""

LONGEST_MESSAGE = 1000
KEY_PATTERN = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{6,}")
HINTS = {
    401: "Check the key that the chat profile uses.",
    403: "The key has no access to this model.",
    404: "Check the base URL (most end with `/v1`) and the name of the model.",
    429: "Wait a little, or check the limits and credit of the account.",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base URL and its key; only `name` is for people's eyes, `label` if there is one."""

    base_url: str
    key: str = field(repr=False)
    label: str = ""

    @property
    def name(self) -> str:
        """The URL without what may be secret in it: user, password, query."""
        if self.label:
            return self.label
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")

    @property
    def is_openai(self) -> bool:
        """Whether this is OpenAI's own endpoint."""
        host = urlsplit(self.base_url).hostname or ""
        return host == "api.openai.com" or host.endswith(".api.openai.com")

    def without_key(self, text: str) -> str:
        """Cut the key, and what looks like one, out of `text`."""
        if self.key and self.key != NO_KEY:
            text = text.replace(self.key, "[key]")
        return KEY_PATTERN.sub("[key]", text)


def refusal(endpoint: Endpoint, status: int, code: str | None, body: object, wait: float | None) -> ChatError:
    """Map an HTTP error to the studio's own; `wait` is as in `ChatRefusedError.retry_after`."""
    text = endpoint.without_key(normalise(provider_message(body)))
    if code == ANSWER_MISSING:
        sentence, _, hint = text.partition("\n")
        return ScriptedAnswerMissingError(sentence, hint=hint)
    end = "" if text.endswith((".", "!", "?")) else "."
    message = f"{endpoint.name} refused (HTTP {status})" + (f": {text}" if text else "") + end
    hint = HINTS.get(status, "The endpoint has a problem; try again later." if status >= 500 else "")
    return ChatRefusedError(message, status, hint=hint, retry_after=wait)


def provider_message(body: object) -> str:
    """Find the sentence for people in an error body: the protocol's `message`, or short plain text."""
    if isinstance(body, Mapping):
        fields = cast("Mapping[str, object]", body)
        text = fields.get("message") or fields.get("detail") or fields.get("error") or ""
        return str(text)[:LONGEST_MESSAGE]
    text = str(body or "").strip()
    if text.startswith("<"):
        title = re.search(r"<title>\s*([^<]{1,200}?)\s*</title>", text, re.IGNORECASE)
        return f"an HTML page, “{title[1]}”" if title else "an HTML page"
    return text[:LONGEST_MESSAGE]


def unreachable(endpoint: Endpoint, error: Exception) -> ChatUnreachableError:
    """Say that no connection came about, and what to look at."""
    cause = error.__cause__ or error
    reason = endpoint.without_key(str(cause).strip() or type(cause).__name__)
    message = f"{endpoint.name} could not be reached: {reason.rstrip('.')}."
    hint = "Check the base URL of the chat profile, the network, and whether the server is running."
    return ChatUnreachableError(message, hint=hint)


def retry_after(status: int, code: str | None, headers: Mapping[str, str]) -> float | None:
    """Tell how long to wait before asking again; None where that is of no use."""
    if status not in OFTEN_PASSES or code == "insufficient_quota":
        return None
    return asked_wait(headers) or 0.0
