"""The process in which runs of the window happen."""

import argparse
import asyncio
import gc
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from studio.errors import StepwireError
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.flow.structure import graph
from studio.host.protocol import StartRun
from studio.host.recorded_run import RunMaterials
from studio.host.server import HostServer
from studio.llm.endpoints import openai_client
from studio.past.host_requests import prepare_again
from studio.runtime.gates.faults import faults_from_json
from studio.sandbox.wasm import WasmBox
from studio.sdk.registry import Registry
from studio.store import migrations
from studio.workspace.catalog import builtin_registry, builtin_types
from studio.workspace.chats import keyring_urls, shared_queues
from studio.workspace.project import Project
from studio.workspace.runs import bound, prepare
from studio.workspace.secrets import HeldKeys, Secrets
from studio.workspace.user_folder import config_folder

GRACE = 10.0
"""Seconds in which runs that were stopped with their window have to come to an end."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the window at the other end of the inherited socket, and end with it."""
    parser = argparse.ArgumentParser(prog="stepwire-run-host", description=__doc__)
    parser.add_argument("--fd", type=int, required=True, help="the inherited, connected socket")
    arguments = parser.parse_args(argv)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the window
    window = socket.socket(fileno=arguments.fd)
    registry = builtin_registry()
    for work in (warm_up, partial(end_after, window)):
        threading.Thread(target=work, daemon=True).start()
    asyncio.run(_serve(window, registry))
    return 0


async def _serve(window: socket.socket, registry: Registry) -> None:
    async with WasmBox() as box:
        keys = HeldKeys(config_folder(os.environ))
        prepare = preparation(registry, os.environ, keys)
        await HostServer(prepare, box, keys_first(keys, os.environ), os.environ).serve(window)


def warm_up() -> None:
    """Load and make what the first run would otherwise wait for; it is never looked through for garbage."""
    builtin_types()
    openai_client.load()
    graph.load()
    migrations.empty_run_file()
    gc.collect()
    gc.freeze()


def end_after(window: socket.socket, grace: float = GRACE, end: Callable[[int], object] = os._exit) -> None:
    """Wait until the window is gone, and then end this process, should a node still keep it from ending."""
    poll = select.poll()
    poll.register(window.fileno(), getattr(select, "POLLRDHUP", select.POLLHUP))
    poll.poll()
    time.sleep(grace)
    end(1)


def preparation(
    registry: Registry, environ: Mapping[str, str], keys: Secrets | None = None
) -> Callable[[StartRun], RunMaterials]:
    """Give the function by which the host makes what it was asked to run ready."""
    queues = shared_queues(environ)

    def make_ready(start: StartRun) -> RunMaterials:
        if start.past is not None:
            return prepare_again(start, start.past, registry, environ, queues, keys)
        return prepare(
            Project.open(Path(start.project)),
            _flow(start.flow),
            bound(registry, {name: _flow(text) for name, text in start.flows.items()}),
            environ=environ,
            inputs=start.inputs,
            profile=start.answering.profile,
            offline=start.answering.offline,
            run=start.run,
            limits=start.limits,
            queues=queues,
            keys=keys,
            priority=start.answering.priority,
            pins=start.pins,
            faults=faults_from_json(start.faults),
            is_trusted=True,  # by the window, which asks
        )

    return make_ready


def keys_first(keys: HeldKeys, environ: Mapping[str, str]) -> Callable[[StartRun], Callable[[], None] | None]:
    """Give the function that tells what is read of the keyring before a run; it may ask the user."""

    def work(start: StartRun) -> Callable[[], None] | None:
        try:
            urls = keyring_urls(Project.open(Path(start.project)), environ)
        except StepwireError:  # it is said when the run is prepared
            return None
        return partial(keys.fetch, urls) if urls else None

    return work


@lru_cache(maxsize=64)
def _flow(text: str) -> Flow:
    """The flow of a text; what was prepared for an earlier run of the very same flow is used again."""
    return codec.loads(text).flow
