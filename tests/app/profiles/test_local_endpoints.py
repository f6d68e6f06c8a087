"""Endpoints of this machine are found by what they answer; nothing else is taken for one."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from studio.app.profiles.local_endpoints import find_endpoints, usual_places
from studio.app.profiles.new_profiles import add_profile, profile_of_endpoint, profile_with_key
from studio.llm.presets import ALL, Preset
from studio.llm.profiles import is_loopback
from studio.workspace.project import Project
from tests.app.flows import chain
from tests.app.written_projects import write_flow


@contextmanager
def serving(body: bytes, status: int = 200) -> Generator[Preset]:
    """Something that answers each request with `body`, as an endpoint of this kind."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/v1/models" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002  # the library's name
            del format

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield replace(ALL["ollama"], base_url=f"http://127.0.0.1:{server.server_port}/v1")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_an_endpoint_is_found_with_its_language_models() -> None:
    with serving(
        json.dumps({"data": [{"id": "qwen3:8b"}, {"id": ""}, {}, 3, {"id": "tiny"}]}).encode()
    ) as place:
        (found,) = find_endpoints([place])
    assert found.llms == ("qwen3:8b", "tiny")
    assert profile_of_endpoint(found, "tiny").base_url == place.base_url


def test_whatever_else_answers_there_is_no_endpoint() -> None:
    for body, status in ((b"<html>", 200), (b"[1]", 200), (b'{"data": {}}', 200), (b'{"data": []}', 500)):
        with serving(body, status) as place:
            assert find_endpoints([place]) == []


def test_only_this_machine_is_asked() -> None:
    assert all(is_loopback(one.base_url) for one in usual_places())
    elsewhere = Preset("other", "Other", "http://192.0.2.1:9/v1")
    assert find_endpoints([elsewhere]) == []


def test_a_profile_is_added_beside_the_others_once(tmp_path: Path) -> None:
    project = Project.open(write_flow(tmp_path / "flow.json", chain()))
    profile = profile_with_key("openrouter", "https://openrouter.ai/api/v1", "m")
    first, name = add_profile(project, profile)
    assert (name, first.default_profile) == ("openrouter", "openrouter")
    again, same = add_profile(first, profile)
    assert (same, again) == ("openrouter", first)
    _, other = add_profile(first, replace(profile, llm="n"))
    assert other == "openrouter 2"
