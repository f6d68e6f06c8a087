"""Who answers in this process: solvers, each trial with luck of its own, and scripts that all share."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from studio.llm.client import ChatClient, ChatProfile
from studio.llm.profiles import open_client
from studio.llm.solvers.book import SolverBook
from studio.llm.solvers.client import SolverClient
from studio.llm.solvers.problems import Problem
from studio.runtime.services import FallsBack
from studio.workspace.chats import book_of
from studio.workspace.profiles import find_profile
from studio.workspace.project import Project


class SolverChats:
    """The clients of many trials; use as an async context manager."""

    def __init__(self, project: Project, environ: Mapping[str, str]) -> None:
        self._project = project
        self._environ = environ
        self._books: dict[str, SolverBook] = {}
        self._problems: dict[tuple[str, str], Problem | None] = {}
        self._scripted: dict[str, ChatClient] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._scripted.values():
            await client.close()

    def on_row(
        self,
        luck: str,
        row: str,
        text: str,
        profile: ChatProfile | None,
        others: Callable[[str], ChatClient] | None = None,
        asked: Problem | None = None,
    ) -> "TrialChats":
        """Give the clients of one trial on a row, which asks a problem, or that which stands in `text`.

        `profile` answers where none is named, `others` gives those that do not answer in this process.
        """

        def problem(book: SolverBook) -> Problem | None:
            if asked is not None:
                return asked
            key = book.problems.place, row
            if key not in self._problems:
                self._problems[key] = book.problems.asked_in(text)
            return self._problems[key]

        return TrialChats(self, luck, problem, profile, others)

    def solver(self, profile: ChatProfile) -> SolverBook:
        """Give the solvers that a profile states, read once."""
        book = self._books.get(profile.name)
        if book is None:
            book = SolverBook.load(self._project.root, profile.solver, profile.name)
            self._books[profile.name] = book
        return book

    def profile(self, name: str) -> ChatProfile:
        """Give a profile of the project by its name; raises `UsageError`."""
        return find_profile(self._project, name)

    def shared(self, profile: ChatProfile) -> ChatClient:
        """Give the client of scripts, or of what makes answers up, which all trials share."""
        if profile.name not in self._scripted:
            book = book_of(self._project, profile)
            self._scripted[profile.name] = open_client(profile, environ=self._environ, book=book, pace=0)
        return self._scripted[profile.name]


class TrialChats(FallsBack):
    """Gives the clients of one trial by the names of their profiles, each once."""

    def __init__(
        self,
        chats: SolverChats,
        luck: str,
        problem: Callable[[SolverBook], Problem | None],
        profile: ChatProfile | None,
        others: Callable[[str], ChatClient] | None = None,
    ) -> None:
        self._chats = chats
        self._luck = luck
        self._problem = problem
        self._profile = profile
        self._others = others
        self._clients: dict[str, ChatClient] = {}

    def __call__(self, name: str) -> ChatClient:
        """Give the client of a profile; the empty name is the trial's own."""
        if name not in self._clients:
            self._clients[name] = self._opened(name)
        return self._clients[name]

    def fallback(self, profile: str, /) -> tuple[str, ...]:
        """Give the profiles to ask in turn where `profile` can't be reached or refuses."""
        found = self._chats.profile(profile) if profile or self._profile is None else self._profile
        return found.fallback

    def _opened(self, name: str) -> ChatClient:
        profile = self._chats.profile(name) if name or self._profile is None else self._profile
        if profile.provider == "simulated":
            book = self._chats.solver(profile)
            return SolverClient(book.on_trial(self._luck, self._problem(book)))
        if self._others is not None and not profile.is_in_process:
            return self._others(name)
        return self._chats.shared(profile)
