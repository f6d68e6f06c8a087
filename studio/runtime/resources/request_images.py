"""The pictures of a request: kept when they are first sent, found again where only their hash is known."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from studio.errors import StepError, ToolError
from studio.llm.client import ChatRequest, Message
from studio.llm.images import MOST_TOGETHER, Image
from studio.runtime.resources.folder import ProjectFolder


class Images(Protocol):
    """Where the bytes of pictures are kept, by their hash."""

    def keep(self, sha256: str, data: bytes) -> None:
        """Keep a picture."""
        ...

    def read(self, sha256: str) -> bytes | None:
        """Give a picture; None where there is none."""
        ...


class MemoryImages:
    """Keeps pictures for as long as it lives; implements `Images`."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def keep(self, sha256: str, data: bytes) -> None:
        """Keep a picture."""
        self._kept[sha256] = data

    def read(self, sha256: str) -> bytes | None:
        """Give a picture."""
        return self._kept.get(sha256)


def with_images(request: ChatRequest, images: Images, root: Path) -> ChatRequest:
    """Give the request with the bytes of all its pictures; raises `StepError` where one is gone."""
    if not any(message.images for message in request.messages):
        return request
    messages = tuple(_filled(message, images, root) for message in request.messages)
    together = sum(len(image.data) for message in messages for image in message.images)
    if together > MOST_TOGETHER:
        message = f"The pictures of the conversation are {together / (1 << 20):.1f} MiB in total."
        raise StepError(message, hint=f"A request can contain {MOST_TOGETHER >> 20}; send fewer of them.")
    return replace(request, messages=messages)


def _filled(message: Message, images: Images, root: Path) -> Message:
    if not message.images:
        return message
    return replace(message, images=tuple(_found(image, images, root) for image in message.images))


def _found(image: Image, images: Images, root: Path) -> Image:
    data = image.data or images.read(image.sha256) or _of_file(image, root)
    if not data:
        what = f"The picture `{image.path}`" if image.path else "A picture of the conversation"
        message = f"{what} is missing or has changed."
        raise StepError(message, hint="Restore the file, or start a new conversation.")
    images.keep(image.sha256, data)  # for runs to come, wherever it was found
    return image if image.data else replace(image, data=data)


def _of_file(image: Image, root: Path) -> bytes | None:
    """The file that the picture came from, if it is still the same."""
    try:
        data = ProjectFolder(root).read_bytes(image.path)
    except ToolError:
        return None
    return data if hashlib.sha256(data).hexdigest() == image.sha256 else None
