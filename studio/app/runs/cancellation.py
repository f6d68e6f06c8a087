"""Stopping a run of another process, from a terminal."""

from collections.abc import Mapping

from studio.errors import HostError, UsageError
from studio.host.protocol import CancelRun, frame
from studio.host.sockets import connect, find_socket
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus

PATIENCE = 10.0
"""Seconds in which a run that is asked to stop has to do so."""


def stop_run(
    store: RunStore, run: RunId, environ: Mapping[str, str], patience: float = PATIENCE
) -> RunStatus:
    """Ask the process of a run to stop it, and wait until it has; gives how the run ended.

    Raises `UsageError` for a run that is over, and `HostError` where its process can't be reached or goes on.
    """
    if store.summary(run).status.is_final:
        raise UsageError(
            f"The run `{run}` has already ended.", hint="`stepwire runs list` shows which runs are active."
        )
    path = find_socket(store.path(run), environ)
    if path is None:
        raise HostError(
            f"The run `{run}` is in a process that cannot be reached from here.",
            hint="Stop it where it was started: in its window, or with Ctrl+C in its terminal.",
        )
    with connect(path) as connection:
        connection.settimeout(patience)
        connection.sendall(frame(CancelRun(run)))
        try:
            while connection.recv(1 << 16):
                pass
        except TimeoutError:
            pass
        except OSError as error:
            raise HostError(
                f"The process of the run `{run}` closed the connection: {error.strerror or error}."
            ) from error
    status = store.summary(run).status
    if not status.is_final:
        raise HostError(
            f"The run `{run}` was told to stop, but has not stopped within {patience:g} seconds.",
            hint="A step may be blocking its process; end that process, and the run can be resumed.",
        )
    return status
