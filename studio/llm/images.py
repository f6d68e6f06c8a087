"""Pictures in messages: what they are, how they are sent, and what of them the trace keeps.

The trace keeps the name and the hash; the bytes are kept beside the runs, once for all (`store/images.py`).
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

LARGEST = 10 << 20
"""Bytes that one picture may have; endpoints take 5 to 20 MB."""

MOST_TOGETHER = 32 << 20
"""Bytes that the pictures of one request may have together."""

KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""What files of the kinds begin with that all endpoints take; WebP is told apart by two places."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture by the file it came from and the hash of its bytes, which are left out where it is kept."""

    path: str
    media_type: str
    sha256: str
    data: bytes = field(default=b"", repr=False, compare=False)


def image_of(path: str, data: bytes) -> Image:
    """Make a picture of a file's bytes; raises `ValueError` in words for what no endpoint takes."""
    if len(data) > LARGEST:
        reason = f"`{path}` has {len(data) / (1 << 20):.1f} MiB; a picture may have {LARGEST >> 20}"
        raise ValueError(reason)
    media_type = media_type_of(data)
    if not media_type:
        reason = f"`{path}` is no picture that language models take: PNG, JPEG, GIF or WebP"
        raise ValueError(reason)
    return Image(path, media_type, hashlib.sha256(data).hexdigest(), data)


def media_type_of(data: bytes) -> str:
    """Tell by how a file begins what kind of picture it is; empty for none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in KINDS if data.startswith(start)), "")


def data_url(image: Image) -> str:
    """Give the picture as endpoints want it: in its own address."""
    return f"data:{image.media_type};base64,{base64.b64encode(image.data).decode('ascii')}"


def image_to_json(image: Image) -> dict[str, str]:
    """Give all of it but the bytes as plain JSON."""
    return {"path": image.path, "media_type": image.media_type, "sha256": image.sha256}


def image_from_json(plain: object) -> Image:
    """Read what `image_to_json` wrote; raises `ValueError` for anything else."""
    fields = cast("Mapping[object, object]", plain if isinstance(plain, Mapping) else {})
    found = [fields.get(name) for name in ("path", "media_type", "sha256")]
    if not all(isinstance(one, str) for one in found):
        reason = "a picture has `path`, `media_type` and `sha256`"
        raise ValueError(reason)
    path, media_type, sha256 = (str(one) for one in found)
    if media_type not in {kind for _, kind in KINDS} | {"image/webp"} or not _is_hash(sha256):
        reason = f"`{path}` is no picture that was looked at"
        raise ValueError(reason)
    return Image(path, media_type, sha256)


def _is_hash(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")
