"""The chat clients of one run, each opened when it is first asked and closed with the run."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from studio.bounds.schemas import mismatch
from studio.errors import UsageError
from studio.llm.client import ChatClient, ChatProfile
from studio.llm.endpoints.answer_form import FormClient
from studio.llm.endpoints.probes import Capability
from studio.llm.endpoints.retry import RetryPlan
from studio.llm.prices import Priced, Prices
from studio.llm.profiles import open_client, url_of
from studio.llm.rate_limits.lines import Priority
from studio.llm.rate_limits.queue import ChatQueues, QueuedClient
from studio.workspace.abilities import Abilities
from studio.workspace.prices import load_prices
from studio.workspace.profiles import find_profile, missing_profile, script_of
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets
from studio.workspace.user_folder import config_folder

if TYPE_CHECKING:
    from studio.llm.scripted_answers.script_book import AnswerBook

TURNS = "turns.sqlite"
"""What is under way at profiles that bear only so much, beside the user's settings."""


class Chats:
    """Gives clients by the name of their profile; the empty name is the run's own profile."""

    def __init__(
        self,
        project: Project,
        profile: ChatProfile | None,
        environ: Mapping[str, str],
        *,
        offline: bool = False,
        pace: float = 1.0,
        queues: ChatQueues | None = None,
        keys: Secrets | None = None,
        priority: Priority = Priority.INTERACTIVE,
        client: ChatClient | None = None,
    ) -> None:
        """Make it; `queues` are those of all runs with which this one shares its profiles.

        A `client` answers in the place of every profile, and is closed by whoever made it.

        `keys` are the user's own, unless somebody holds them already.
        """
        self._priority = priority
        self._is_attended = False
        self._project = project
        self._profile = profile
        self._environ = environ
        self._offline = offline
        self._pace = pace
        self._given_queues = queues
        self._given_keys = keys
        self._clients: dict[str, ChatClient] = {}
        self._client = client
        self._prices: Prices | None = None

    @cached_property
    def _queues(self) -> ChatQueues:
        return self._given_queues or shared_queues(self._environ)

    @cached_property
    def _keys(self) -> Secrets:
        return self._given_keys or Secrets.of_user(self._environ)

    @property
    def name(self) -> str:
        """The name of the run's own profile; empty where it has none."""
        return "" if self._profile is None else self._profile.name

    @property
    def secrets(self) -> frozenset[str]:
        """The keys that any profile here could use; they must appear nowhere."""
        profiles = self._project.profiles.values()
        names = {"OPENAI_API_KEY", *(one.key_env for one in profiles)}
        urls = keyring_urls(self._project, self._environ)
        found = {self._environ.get(name, "") for name in names} | {self._kept_key(url) for url in urls}
        return frozenset(found - {""})

    def _kept_key(self, url: str) -> str:
        try:
            return self._keys.key_for(url)
        except UsageError:  # said when a client wants the key; a key that can't be had can't leak
            return ""

    def __call__(self, name: str) -> ChatClient:
        """Give the client of the profile `name`; connects nowhere yet.

        Raises `UsageError` for a profile that does not exist, lacks something, or is forbidden offline.
        """
        client = self._client or self._clients.get(name or self.name)
        if client is None:
            client = self._clients[name or self.name] = self._open(name)
        return client

    @property
    def priority(self) -> Priority:
        """How urgent the run's calls are just now; nobody who looks at a held run waits behind a batch."""
        return Priority.INTERACTIVE if self._is_attended else self._priority

    def attend(self, is_attended: bool, /) -> None:  # noqa: FBT001  # a callback of one flag
        """Note whether somebody holds the run and goes through it step by step."""
        self._is_attended = is_attended

    def fallback(self, profile: str, /) -> tuple[str, ...]:
        """Give the profiles to ask in turn where `profile` can't be reached or refuses."""
        found = self._project.profiles.get(profile or self.name)
        return () if found is None else found.fallback

    def can(self, profile: str, capability: str, /) -> bool | None:
        """Whether a test has found the endpoint of `profile` able to do something, such as `JSON schema`.

        None where no test has told.
        """
        found = self._profile if profile in ("", self.name) else find_profile(self._project, profile)
        if found is None:
            return None
        tested = Abilities.of_user(self._environ).of(found, self._environ)
        return None if tested is None else tested.can(Capability(capability))

    async def close(self) -> None:
        """Release every connection."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()

    def _open(self, name: str) -> ChatClient:
        profile = find_profile(self._project, name) if name else self._profile
        if profile is None:
            raise missing_profile(offline=self._offline)
        if profile.provider == "person":
            from studio.llm.person import PersonClient  # late: hardly any run has one

            return PersonClient()
        book = book_of(self._project, profile)
        if self._prices is None:
            self._prices = load_prices(self._environ)
        # What a book says of its prices counts, whatever the user's list says of a name.
        prices = book.prices() if isinstance(book, Priced) else self._prices
        queue = self._queues.of(profile)
        client = open_client(
            profile,
            environ=self._environ,
            book=book,
            keys=self._keys,
            prices=prices,
            offline=self._offline,
            pace=self._pace,
            retries=RetryPlan(on_retry=lambda notice: queue.heed(notice.error, notice.wait)),
            on_headers=queue.see,
        )
        tested = Abilities.of_user(self._environ).of(profile, self._environ)
        schema, beside = (
            None if tested is None else tested.can(one)
            for one in (Capability.JSON_SCHEMA, Capability.JSON_OBJECT)
        )
        asked = FormClient(client, takes_schema=schema, takes_object=beside)
        return QueuedClient(asked, queue, self, lambda: self.priority)


def book_of(project: Project, profile: ChatProfile) -> "AnswerBook | None":
    """Read what a profile of the project answers from in process; None where others do, or nobody.

    Raises `UsageError` for scripts, and for what is stated of solvers, where that is wrong.
    """
    if profile.provider == "simulated":
        from studio.llm.solvers.book import SolverBook  # late: as large as it is seldom asked for

        return SolverBook.load(project.root, profile.solver, profile.name)
    if profile.provider == "made-up":
        from studio.llm.made_up.book import MadeUpBook  # late, as the others

        return MadeUpBook(profile.seed, lambda value, schema: not mismatch(value, schema))
    script = script_of(project, profile) or project.scripts
    if profile.is_in_process and script is not None:
        from studio.llm.scripted_answers.script_book import ScriptBook  # late: it brings Jinja and YAML along

        return ScriptBook.load(script)
    return None


def shared_queues(environ: Mapping[str, str]) -> ChatQueues:
    """Give the queues that this user's runs in all processes share."""
    return ChatQueues(config_folder(environ) / TURNS)


def keyring_urls(project: Project, environ: Mapping[str, str]) -> frozenset[str]:
    """Name the base URLs whose keys a project's profiles take from the keyring."""
    return frozenset(url_of(one, environ) for one in project.profiles.values() if one.key_from == "keyring")
