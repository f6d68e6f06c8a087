"""The composition root: makes what lives as long as the application, and ends it."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.app.commands import Commands
from studio.app.documents.breakpoints import Breakpoints
from studio.app.documents.journal_writer import JournalWriter
from studio.app.documents.session import Session
from studio.app.key_map import KeyMap
from studio.app.listeners import Listeners
from studio.app.runs.live_runs import LiveRuns
from studio.app.scripts.script_writer import ScriptWriter
from studio.app.settings import Settings
from studio.errors import StepwireError, UsageError
from studio.flow.change import Change
from studio.flow.records import Flow
from studio.host.client import HostClient
from studio.ids import RunId
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import save_flow
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets
from studio.workspace.trust import Trust
from studio.workspace.user_folder import CONFIG_VARIABLE, config_folder

if TYPE_CHECKING:
    from studio.app.experiments.attendance import Link, Say
    from studio.app.runs.debugger import Debugger


class Application:
    """All that the window needs and that is not Qt. `close` ends it."""

    def __init__(
        self,
        config: Path,
        environ: Mapping[str, str],
        registry: Registry,
        spawn: Callable[[], HostClient],
        *,
        is_warmed: bool = True,
    ) -> None:
        self._notices: Listeners[StepwireError] = Listeners()
        self.environ = environ
        self.registry = registry
        self.settings = Settings(config, self.notify)
        self.secrets = Secrets(config)
        self.trust = Trust(environ)
        self.trust.take_over(self.settings.recent)
        self.commands = Commands(KeyMap(self.settings))
        self.runs = LiveRuns(spawn, environ=environ, is_warmed=is_warmed)
        self.runs.on_notice(self.notify)
        self.scripts = ScriptWriter()
        self.journals = JournalWriter()
        self.sessions: list[Session] = []
        self._debuggers: dict[int, Debugger] = {}

    def on_notice(self, listener: Callable[[StepwireError], None]) -> Callable[[], None]:
        """Hear what went wrong without anybody waiting for it; returns the function that ends it."""
        return self._notices.subscribe(listener)

    def notify(self, error: StepwireError) -> None:
        """Tell the user of something that went wrong, wherever the window shows such things."""
        self._notices.tell(error)

    def open(self, path: Path) -> Session:
        """Open a flow or a project's main flow, once each; raises `ProjectError`, `FlowFileError`."""
        from studio.app.runs.debugger import Debugger

        session = Session.open(path, self.registry, self.notify, self._edited)
        for known in self.sessions:
            if known.path == session.path:
                session.close()
                return known
        session.keep_journal(self.journals)
        self.sessions.append(session)
        self._debuggers[id(session)] = Debugger(session)
        session.history.on_change(partial(self._follow, session))
        session.breakpoints.on_change(partial(self._send_breakpoints, session))
        if not session.project.is_bundle:  # its folder is no place of a person
            self.settings.remember(session.project.root if session.project.is_folder else session.path)
        return session

    def create(self, path: Path) -> Session:
        """Make an empty flow file and open it; raises `UsageError` where there is a file, or `SaveError`."""
        if path.exists():
            raise UsageError(f"The file `{path}` already exists.", hint="Choose another name.")
        save_flow(path, Flow(name=path.stem.replace("_", " ").capitalize()))
        session = self.open(path)
        self.note_made_here(session)
        return session

    def note_made_here(self, session: Session) -> None:
        """Keep that a flow on its own was made here; one of a project is what the project is."""
        if not session.project.is_folder:
            self.trust.note_made_here(session.path)

    def debugger(self, session: Session) -> "Debugger":
        """Give the debugger of an open session."""
        return self._debuggers[id(session)]

    def session_of(self, run: RunId) -> Session | None:
        """Give the open session in which a run goes on and is debugged; None where it is in no such one."""
        sessions = (one for one in self.sessions if any(live.run == run for live in self.debugger(one).runs))
        return next(sessions, None)

    def breakpoints(self, session: Session, flow: str) -> Breakpoints:
        """Give the breakpoints of a flow of the session's project, be it open or not."""
        found = next((one for one in self._of_project(session) if one.name == flow), None)
        return session.breakpoints.of_flow(flow) if found is None else found.breakpoints

    def take_profiles(self, project: Project) -> None:
        """Have the open flows of a project know its chat profiles as they are now."""
        for session in self.sessions:
            if session.project.root == project.root:
                session.take_project(project)

    def close_session(self, session: Session) -> None:
        """Close one flow; edits that are neither saved nor discarded are there when it is opened again."""
        self.sessions.remove(session)
        self._debuggers.pop(id(session)).close()
        session.close()

    def _edited(self, path: Path) -> Flow | None:
        """The flow of a file as it is edited just now."""
        return next((one.flow for one in self.sessions if one.path == path), None)

    def _follow(self, session: Session, change: Change) -> None:
        """Tell the flows that call an edited one."""
        if change.touches_logic and not change.is_empty:
            for one in self._of_project(session):
                one.called_flows_changed((session.name,))

    def _send_breakpoints(self, session: Session) -> None:
        """Have runs of other flows hold where this one, which they may call, has breakpoints now."""
        for one in self._of_project(session):
            if one is not session:
                self._debuggers[id(one)].send_breakpoints()

    def _of_project(self, session: Session) -> list[Session]:
        return [one for one in self.sessions if one.project.root == session.project.root]

    def attend(self, say: "Say") -> "Link":
        """Begin the process that runs one experiment for the window; `say` is told what it says."""
        from studio.app.experiments.attendance import AttendantProcess

        return AttendantProcess(say, self.environ)

    def close(self) -> None:
        """Close everything, hosts included."""
        for session in tuple(self.sessions):
            self.close_session(session)
        self.journals.close()
        self.scripts.close()
        self.runs.close()


def compose(
    environ: Mapping[str, str],
    config: Path | None = None,
    *,
    is_warmed: bool = True,
    spawn: Callable[[Mapping[str, str]], HostClient] = HostClient.spawn,
) -> Application:
    """Make the application; the folder of its settings is the user's own unless given.

    Unless it `is_warmed`, it starts no run host before a run needs one.
    """
    folder = config or config_folder(environ)
    environ = {**environ, CONFIG_VARIABLE: str(folder)}
    return Application(folder, environ, builtin_registry(), partial(spawn, environ), is_warmed=is_warmed)
