"""What a chat profile adds to every request, and how its endpoint takes an answer that is begun.

Endpoints differ in how they go on from the beginning of an answer. Most take a last message of the assistant
for it (llama.cpp, Ollama, OpenRouter, LiteLLM); Mistral and DeepSeek want that message marked by `prefix`,
vLLM wants `continue_final_message`; OpenAI and Azure have no such thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from studio.errors import ChatRefusedError
from studio.llm.client import ChatProfile, ChatRequest, Continues, Effort, ServiceTier
from studio.llm.endpoints.refusals import Endpoint

_BY_HOST: Mapping[str, Continues] = {
    "api.openai.com": "no",
    "openai.azure.com": "no",
    "api.mistral.ai": "prefix",
    "api.deepseek.com": "prefix",
}

_NAMES = {
    "effort": ("reasoning_effort", "reasoning.effort", "reasoning effort", "thinking"),
    "log_probabilities": ("logprob",),
    "prefix": ("prefix", "prefill", "continue_final_message", "last message", "final message", "assistant"),
    "service_tier": ("service_tier", "service tier"),
    "cache_marks": ("cache_control",),
}
"""By which words endpoints speak of each in a refusal."""

SAYS_NO = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses by which endpoints refuse what they do not know; some fall over instead."""

BLIND = (
    "There are pictures in the request, which not every model accepts; *Test connection* shows "
    "whether this one does."
)

_HINTS = {
    "effort": "This model or endpoint does not take this reasoning effort: clear it, or choose another one.",
    "log_probabilities": "This model or endpoint gives no log-probabilities: turn them off.",
    "prefix": "This model or endpoint does not continue an answer that is begun: clear *Reply begins with*, "
    "or set in the chat profile how it takes one.",
    "service_tier": "Clear the service tier of the chat profile.",
    "cache_marks": "Turn off the cache marks of the chat profile.",
}


@dataclass(frozen=True, slots=True)
class BodyOptions:
    """What of a chat profile stands in every body; see the fields of `ChatProfile`."""

    effort: Effort = ""
    service_tier: ServiceTier = ""
    continues: Continues = "message"
    cache_marks: bool = False

    @classmethod
    def of(cls, profile: ChatProfile, base_url: str) -> "BodyOptions":
        """Give those of a profile that speaks to `base_url`."""
        continues = _usual(base_url) if profile.continues == "auto" else profile.continues
        return cls(profile.effort, profile.service_tier, continues, profile.cache_marks)

    def refuse(self, request: ChatRequest, endpoint: Endpoint) -> None:
        """Raise `ChatRefusedError` for what the endpoint is known not to do, before it is asked."""
        if request.prefix and self.continues == "no":
            message = f"{endpoint.name} does not continue an answer that is begun."
            raise ChatRefusedError(message, 0, hint=_HINTS["prefix"])

    def hint(self, request: ChatRequest, error: ChatRefusedError) -> str:
        """Say what to do about a refusal of something that was asked for; empty for any other."""
        if error.status not in SAYS_NO:
            return ""
        if any(message.images for message in request.messages):
            return BLIND
        asked = {
            "effort": request.effort or self.effort,
            "log_probabilities": request.log_probabilities is not None,
            "prefix": request.prefix,
            "service_tier": self.service_tier,
            "cache_marks": self.cache_marks,
        }
        said = error.message.casefold()
        found = (
            name for name, is_asked in asked.items() if is_asked and any(w in said for w in _NAMES[name])
        )
        return next((_HINTS[name] for name in found), "")


NO_OPTIONS = BodyOptions()


def _usual(base_url: str) -> Continues:
    """How an endpoint at this URL takes the beginning of an answer; most as a last message."""
    host = urlsplit(base_url).hostname or ""
    for name, how in _BY_HOST.items():
        if host == name or host.endswith(f".{name}"):
            return how
    return "message"
