"""What holds for every test: no network, no display, its cost measured, random examples as many as asked for.

Requests are as the strictest endpoints want them.
"""

import asyncio
import gc
import ipaddress
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.errors import BoxMissingError
from studio.garbage_collection import MANY
from studio.llm.client import ChatRequest
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.sandbox.image import image
from studio.ui.plain_imports import import_plainly
from studio.workspace.trust import TRUSTED_FOLDERS
from tests import examples, forked_workers
from tests.costs import Costs, mark_dear
from tests.hearing import tell_before
from tests.llm.strict_endpoint import complaint

examples.load_profile()

# What is made while tests are collected stays; to look for garbage among it takes a sixth of the time.
gc.disable()

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


# Projects that tests make were made here; tests/workspace/test_trust.py is about those that were not.
os.environ[TRUSTED_FOLDERS] = os.pathsep.join((tempfile.gettempdir(), "/dev/shm"))  # noqa: S108

# A shell that starts the tests in the background has them ignore Ctrl+C, and with them all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Know pytest-qt's settings also where it is not installed, or left out because Qt is refused."""
    parser.addoption("--costs", metavar="FILE", type=Path, help="write the seconds of CPU of each test here")
    forked_workers.add_options(parser)
    if not pluginmanager.has_plugin("pytest-qt"):
        parser.addini("qt_log_level_fail", "read by pytest-qt", default="")
        parser.addini("qt_log_ignore", "read by pytest-qt", type="linelist", default=[])


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Measure every test, and import what follows as the window does."""
    import_plainly()  # pytest-qt has Qt by now
    config.pluginmanager.register(Costs(config.getoption("--costs")))
    config.pluginmanager.register(forked_workers)


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what is dear before anybody asks for markers."""
    mark_dear(item)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let who looks for defects take all the time that it needs."""
    if examples.ARE_MANY:
        for item in items:
            item.add_marker(pytest.mark.timeout(0), append=False)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what was collected alone; make the box that runs code where set-up has not.

    Garbage is looked for as seldom as in a run; whoever is about what goes away says so.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(MANY, *gc.get_threshold()[1:])
    is_run = not session.config.option.collectonly
    if is_run and any(item.get_closest_marker("box") for item in session.items):
        with suppress(BoxMissingError):  # the tests say so
            asyncio.run(image(lambda _done, _total, _what: None))


def _refuse_to_reach(_socket: object, *data_and_address: Any) -> None:
    """Let sockets reach this machine only."""
    address = data_and_address[-1]
    if not isinstance(address, str | bytes):
        _refuse_to_look_up(address[0])


def _refuse_to_look_up(host: str | bytes | None, *_: object, **__: object) -> None:
    if isinstance(host, bytes):
        host = host.decode()
    if isinstance(host, str) and not _is_here(host):
        message = f"A test tried to reach `{host}`: tests speak to this machine only."
        raise ConnectionRefusedError(message)


def _is_here(host: str) -> bool:
    if host in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


for _name in ("connect", "connect_ex", "sendto"):
    tell_before(socket.socket, _name, _refuse_to_reach)
tell_before(socket, "getaddrinfo", _refuse_to_look_up)


@pytest.fixture(autouse=True, scope="session")
def _sockets_of_runs_are_apart() -> Generator[None]:
    """Keep what runs of these tests leave behind away from those that go on elsewhere, and the other way."""
    with tempfile.TemporaryDirectory(prefix="sw") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        yield


BY_ITS_USER = {"the user says nothing", "the assistant called tools, and none are offered"}
"""What only the text or the conversation that a user put into a request can bring about."""


@pytest.fixture(autouse=True, scope="session")
def _requests_are_as_published() -> Generator[None]:
    """Fail what sends a request that is not; whoever means to do so sends a body as it stands."""
    body_of = OpenAIClient.body_of

    def checked(client: OpenAIClient, request: ChatRequest) -> dict[str, object]:
        body = body_of(client, request)
        # Who begins the answer has the last word on purpose.
        wrong = complaint(body if not request.prefix else body_of(client, replace(request, prefix="")))
        assert not wrong or wrong in BY_ITS_USER, wrong
        return body

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenAIClient, "body_of", checked)
        yield
