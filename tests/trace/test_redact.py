import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha512
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.trace.events import (
    ChatRequested,
    Event,
    RunFinished,
    StepFailed,
    StepFinished,
    StepStarted,
    ToolAnswered,
)
from studio.trace.events.values import Shown
from studio.trace.redact import HIDDEN, Redactor, redactor

KEY = 'sk-"very\\secret'
LETTERS = "tsk/quite+a?secret>42~of-letters"
"""A key that is written otherwise in both kinds of base64, and in URLs."""


@pytest.mark.parametrize(
    "event",
    [
        StepFailed("ChatRefusedError", f"Wrong key {KEY}.", KEY),
        StepFinished({"reply": Shown({"text": [f"a {KEY} b", {KEY: 1}]}, ("chat",))}),
        ChatRequested("openai", {"messages": [{"role": "user", "content": f"my key is {KEY}"}]}),
        ToolAnswered("search", KEY, labels=("tool:search",)),
    ],
)
def test_a_key_stands_nowhere_in_an_event(event: Event) -> None:
    cleaned = redactor([KEY])(event)
    assert type(cleaned) is type(event)
    assert KEY not in repr(cleaned).replace("\\\\", "\\")
    assert HIDDEN in repr(cleaned)


def test_other_events_pass_as_they_are() -> None:
    event = StepFailed("ToolError", "Nothing secret.")
    assert redactor([KEY])(event) is event
    assert redactor([])(event) is event


def test_what_is_too_short_to_be_a_key_is_no_reason_to_hide_text() -> None:
    event = StepFailed("ToolError", "none of it")
    assert redactor(["none"])(event) is event


@pytest.mark.parametrize("key", ["sk-proj-AbCdEfGh1234567890_x", "ghp_" + "a1" * 18, "AKIA" + "A1B2" * 4])
def test_what_looks_like_a_key_is_hidden_though_nobody_knows_it(key: str) -> None:
    cleaned = redactor([])(ToolAnswered("files", f'token="{key}", and more'))
    assert cleaned == ToolAnswered("files", f'token="{HIDDEN}", and more')


def test_words_that_begin_like_a_key_stay() -> None:
    event = ToolAnswered(
        "files", "task-management-and-more, sk-learn, a desk-2, sk-of-words-without-any-number"
    )
    assert redactor([])(event) is event


def test_a_key_in_the_arguments_of_a_tool_call_is_hidden() -> None:
    request = {"messages": [{"tool_calls": [{"arguments": json.dumps({"text": f"use {KEY}"})}]}]}
    cleaned = redactor([KEY])(ChatRequested("openai", request))
    assert isinstance(cleaned, ChatRequested)
    assert json.loads(cleaned.request["messages"][0]["tool_calls"][0]["arguments"]) == {
        "text": f"use {HIDDEN}"
    }


def test_text_that_no_file_could_hold_is_searched_too() -> None:
    cleaned = redactor([KEY])(ToolAnswered("files", f"\ud800 {KEY} {10**30}"))
    assert cleaned == ToolAnswered("files", f"\ud800 {HIDDEN} {10**30}")


TEXTS = st.sampled_from(["", "word", KEY, f"a {KEY} b", "sk-proj-AbCdEfGh1234567890_x", "sk-learn"])
SHOWN = st.builds(
    Shown,
    st.one_of(TEXTS, st.integers(), st.none(), st.booleans(), st.lists(TEXTS)),
    st.lists(TEXTS, max_size=2).map(tuple),
)


@given(values=st.dictionaries(TEXTS, SHOWN, max_size=3))
def test_in_simple_values_and_their_names_as_little_is_left_as_anywhere_else(
    values: dict[str, Shown],
) -> None:
    redact = redactor([KEY])
    elsewhere = redact(RunFinished(values))
    assert isinstance(elsewhere, RunFinished)
    for _ in range(2):
        assert redact(StepStarted(values)) == StepStarted(elsewhere.outputs)
        assert redact(StepFinished(values)) == StepFinished(elsewhere.outputs)


def in_base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def in_base64_of_urls(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode()


def escaped(text: str) -> str:
    return "".join(f"%{one:02X}" for one in text.encode())


ENCODINGS: list[Callable[[str], str]] = [
    in_base64,
    lambda key: in_base64(f"x{key}"),
    lambda key: in_base64(f"Bearer {key} and more"),
    lambda key: in_base64(f"xy{key}\n"),
    lambda key: in_base64(key).rstrip("="),
    in_base64_of_urls,
    lambda key: in_base64_of_urls(f"x{key}!"),
    lambda key: in_base64_of_urls(f"xy{key}!!").rstrip("="),
    lambda key: quote(in_base64(key), ""),
    lambda key: key.encode().hex(),
    lambda key: f"0x{key.encode().hex().upper()}00",
    lambda key: key[::-1],
    quote,
    lambda key: quote(key, ""),
    quote_plus,
    lambda key: quote(key, "").lower(),
    escaped,
    lambda key: escaped(key).lower(),
    lambda key: in_base64(key).replace("/", "\\/"),
]


@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize("key", [LETTERS, KEY, "sk-proj-AbCdEfGh1234567890_x", "pässwörter & mehr"])
def test_a_key_is_hidden_however_it_is_encoded(encode: Callable[[str], str], key: str) -> None:
    written, around = encode(key), "an answer of some length, and:"
    middle = written[5:-5]  # what is beside a key in base64 shares its first and last character with it
    redact = Redactor([key])
    for one in (written, f"{around} {written}", f"{around}\n{written}\n"):
        assert middle not in redact.text(one)
        assert HIDDEN in redact.text(one)
        finished = redact.event(StepFinished({"reply": Shown(one)}))
        assert middle not in repr(finished)
        answered = redact.event(ToolAnswered("echo", json.dumps({"said": [one]}, ensure_ascii=False)))
        assert HIDDEN in repr(answered)


def test_of_two_keys_and_their_codes_in_one_text_nothing_is_left() -> None:
    other = "another-key-0815-of-the-user"
    text = f"{in_base64(LETTERS)} {other.encode().hex()} {other} {quote(LETTERS, '')}"
    assert Redactor([LETTERS, other]).text(text) == f"{HIDDEN}M= {HIDDEN} {HIDDEN} {HIDDEN}"


@given(st.binary(max_size=400))
def test_other_codes_are_left_as_they_are(data: bytes) -> None:
    redact = Redactor([LETTERS, KEY, "0123456789abcdef0123456789abcdef"])
    for text in (
        b64encode(data).decode(),
        urlsafe_b64encode(data).decode(),
        data.hex(),
        sha512(data).hexdigest(),
    ):
        assert redact.text(f"sha: {text}") == f"sha: {text}"


PEM = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
ROWS = "\n".join(["MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MaJt6Q+1lZ4cW2dV"] * 3)
TOKEN = ".".join(
    urlsafe_b64encode(one).decode().rstrip("=")
    for one in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","name":"Ann"}', b"\x07" * 32)
)


@pytest.mark.parametrize(
    "key",
    [
        TOKEN,
        PEM.format(ROWS),
        PEM.format(ROWS).replace("\n", "\\n"),
        PEM.format(f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n{ROWS}"),
        PEM.format(ROWS).replace("RSA ", "").replace("\n", "\r\n"),
        *(
            f"{mark}AbCdEfGh1234567890_x"
            for mark in ("sk-ant-api03-", "sk-or-v1-", "sk_live_", "gho_", "glpat-")
        ),
        *(
            f"{mark}AbCdEfGh1234567890-x"
            for mark in ("xoxp-12-", "tvly-", "pplx-", "nvapi-", "xapp-1-", "ya29.")
        ),
        *(f"{mark}{'Ab1Cd2' * 6}" for mark in ("hf_", "r8_", "npm_", "ghs_", "fc-")),
        "AIza" + "Sy0-_" * 7,
        "ASIA" + "A1B2" * 4,
        f"SG.{'aB3' * 7}.{'x_Y7' * 10}",
    ],
)
def test_keys_of_many_kinds_are_hidden_though_nobody_knows_them(key: str) -> None:
    redact = redactor([])
    assert redact(ToolAnswered("files", f"it is {key}, as said")) == ToolAnswered(
        "files", f"it is {HIDDEN}, as said"
    )
    nested = json.dumps({"text": f"so:\n{key}"})
    cleaned = redact(ToolAnswered("files", nested))
    assert isinstance(cleaned, ToolAnswered)
    assert json.loads(cleaned.text) == {"text": f"so:\n{HIDDEN}"}
    assert Redactor().text(f"https://example.com/?a=%20{key}") == f"https://example.com/?a=%20{HIDDEN}"


def test_a_private_key_that_is_cut_off_is_hidden_as_far_as_it_goes() -> None:
    cut = PEM.format(ROWS).partition("-----END")[0]
    assert ROWS[:40] not in Redactor().text(f"{cut[:-30]} … and so on")
    assert Redactor().text(f"{cut[:-30]} … and so on").endswith("… and so on")


@pytest.mark.parametrize(
    "text",
    [
        "It begins with -----BEGIN PRIVATE KEY----- and nobody says more.",
        "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\n-----END CERTIFICATE-----",
        "550e8400-e29b-41d4-a716-446655440000 and 20260102-030405-abcdef0",
        "studio.trace.key_forms.of_all_kinds_2.and_more_of_them",
        "hf_transformers_model_of_version_2_with_a_long_name",
        "task-management-for-teams-2024-edition desk-1234567890-abcdefghij",
        "eyJhbGciOiJIUzI1NiJ9 is what tokens begin with, eyJ.a.b",
        "npm_config_registry_of_the_company_2=https://example.com/some-long-path-2/with-more-3",
    ],
)
def test_what_only_resembles_a_key_stays(text: str) -> None:
    assert Redactor([LETTERS]).text(text) == text
    event = ToolAnswered("files", text)
    assert redactor([LETTERS])(event) is event


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece",
    [
        "sk-",
        "a-",
        "hf_",
        "_",
        ".",
        "a.",
        "eyJabcdefgh-",
        "-eyJabcdefghi.",
        "-----BEGIN PRIVATE KEY-----a",
        "%",
        "\\",
    ],
)
def test_no_text_of_many_beginnings_is_looked_at_for_long(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert Redactor([LETTERS]).text(text) is not None
