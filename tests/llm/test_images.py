"""Pictures in messages: what is one, how both protocols carry it, and what the trace keeps of it."""

import base64
import json
from typing import Literal

import pytest

from studio.errors import ChatRefusedError
from studio.llm.client import ChatRequest, Message, message_from_json, message_to_json, request_to_json
from studio.llm.endpoints.body_options import BLIND
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.images import LARGEST, Image, image_of, media_type_of
from studio.llm.rate_limits.rates import guess_tokens
from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.transport import scripted_http_client
from tests.llm.builders import ONCE, book_of

GIF = b"GIF89a" + bytes(range(256))
SEES = """
rules:
  - when: {images: true, last: what}
    reply: "{{ images | join(', ') }} for {{ last }}"
  - when: {last: blind}
    error: {status: 400, message: "no pictures here"}
  - reply: nothing to see
"""


def client(api: Literal["chat", "responses"] = "chat") -> OpenAIClient:
    endpoint = ScriptedEndpoint(book_of(SEES), pace=0)
    return OpenAIClient(
        "http://scripted.invalid/v1",
        "sk-x",
        "scripted",
        api=api,
        retries=ONCE,
        http_client=lambda: scripted_http_client(endpoint),
    )


def seen(text: str = "what is it?") -> ChatRequest:
    images = (image_of("data/a.gif", GIF), image_of("data/b.png", b"\x89PNG\r\n\x1a\nrest"))
    return ChatRequest((Message("user", text, images=images),))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", ""),
        (b"<svg xmlns=", ""),
        (b"", ""),
    ],
)
def test_a_picture_is_known_by_how_it_begins(data: bytes, kind: str) -> None:
    assert media_type_of(data) == kind


def test_what_no_endpoint_takes_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"`a\.svg` is no picture"):
        image_of("a.svg", b"<svg>")
    with pytest.raises(ValueError, match=r"`a\.gif` has 10\.0 MiB"):
        image_of("a.gif", GIF + bytes(LARGEST))


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_both_protocols_carry_pictures(api: Literal["chat", "responses"]) -> None:
    answer = await client(api).answer(seen())
    assert answer.message.content == "image/gif, image/png for what is it?"
    body = json.dumps(client(api).body_of(seen()))
    assert f"data:image/gif;base64,{base64.b64encode(GIF).decode()}" in body


async def test_a_refusal_of_a_request_with_pictures_says_what_may_be_wrong() -> None:
    with pytest.raises(ChatRefusedError, match="no pictures here") as caught:
        await client().answer(seen("blind"))
    assert caught.value.hint == BLIND
    with pytest.raises(ChatRefusedError) as caught:
        await client().answer(ChatRequest((Message("user", "blind"),)))
    assert caught.value.hint != BLIND


def test_the_trace_keeps_name_and_hash_and_no_bytes() -> None:
    (message,) = seen().messages
    plain = message_to_json(message)
    assert len(json.dumps(request_to_json(seen()))) < 600
    again = message_from_json(json.loads(json.dumps(plain)))
    assert again == message
    assert [image.data for image in again.images] == [b"", b""]
    assert guess_tokens(seen()) > 2000


@pytest.mark.parametrize(
    "plain",
    [
        {"role": "assistant", "images": [{"path": "a", "media_type": "image/gif", "sha256": "0" * 64}]},
        {"role": "user", "images": [{"path": "a", "media_type": "text/html", "sha256": "0" * 64}]},
        {"role": "user", "images": [{"path": "a", "media_type": "image/gif", "sha256": "../../key"}]},
        {"role": "user", "images": [{"path": "a"}]},
        {"role": "user", "images": "a"},
    ],
)
def test_what_is_no_picture_is_not_read_as_one(plain: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"picture|images"):
        message_from_json(plain)


def test_two_pictures_of_the_same_bytes_are_the_same() -> None:
    assert Image("a", "image/gif", "0" * 64, b"x") == Image("a", "image/gif", "0" * 64)


async def test_the_scripted_endpoint_takes_no_picture_that_is_not_what_it_says() -> None:
    body = client().body_of(seen())
    spoiled = json.loads(json.dumps(body).replace("data:image/gif", "data:image/webp"))
    with pytest.raises(ChatRefusedError, match="no `image/webp`"):
        await client().send(spoiled)
