"""What a strict endpoint would refuse of what is asked of it, without one."""

from collections.abc import Sequence

from studio.llm.client import ChatRequest
from studio.llm.request_body import request_body
from tests.llm.strict_endpoint import complaint


def refusals(requests: Sequence[ChatRequest]) -> list[str]:
    """Say for each request why it would be refused; empty where none would be."""
    return [wrong for request in requests if (wrong := complaint(request_body(request, "m")))]
