"""The process in which runs of the window happen: `python -m studio.app.run_host --fd N`."""

import argparse
import asyncio
import os
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from studio.app.catalog import builtin_registry
from studio.app.project import Project
from studio.app.runs import prepare
from studio.flow import codec
from studio.host.protocol import StartRun
from studio.host.recorded import RunMaterials
from studio.host.server import HostServer
from studio.sdk.registry import Registry


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the window at the other end of the inherited socket, and end with it."""
    parser = argparse.ArgumentParser(prog="stepwire-run-host", description=__doc__)
    parser.add_argument("--fd", type=int, required=True, help="the inherited, connected socket")
    arguments = parser.parse_args(argv)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the window
    server = HostServer(preparation(builtin_registry(), os.environ))
    asyncio.run(server.serve(socket.socket(fileno=arguments.fd)))
    return 0


def preparation(registry: Registry, environ: Mapping[str, str]) -> Callable[[StartRun], RunMaterials]:
    """Give the function by which the host makes what it was asked to run ready."""

    def make_ready(start: StartRun) -> RunMaterials:
        return prepare(
            Project.open(Path(start.project)),
            codec.loads(start.flow).flow,
            registry,
            environ=environ,
            inputs=start.inputs,
            profile=start.profile,
            offline=start.offline,
            run=start.run,
        )

    return make_ready


if __name__ == "__main__":
    raise SystemExit(main())
