"""Keys of chat profiles in the user's keyring, and the URLs that the user lets keys go to.

A project names where a key comes from, never where it goes: a key in the keyring is kept under the one base
URL that it was entered for, and a key in the environment goes where a pair in the user's settings says.
"""

import secrets
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Protocol, cast

from studio.errors import StepwireError, UsageError
from studio.workspace.stored_documents import Kept
from studio.workspace.user_folder import config_folder

SERVICE = "stepwire"
"""The name under which a keyring shows what is kept here."""

FILE = "trusted_urls.json"
PAIRS = "pairs"
REAL_LENGTH = 200
"""Characters of the value that a keyring is tried with: some take short ones only."""


class SecretsError(UsageError):
    """The keyring cannot be used, or the pairs could not be written."""


class Ring(Protocol):
    """What is used of the library `keyring`."""

    def get_password(self, service: str, username: str, /) -> str | None:
        """Give what is kept."""
        ...

    def set_password(self, service: str, username: str, password: str, /) -> None:
        """Keep something."""
        ...

    def delete_password(self, service: str, username: str, /) -> None:
        """Keep it no longer."""
        ...


class Secrets:
    """The keys and pairs of one user; `folder` is that of the user's settings."""

    def __init__(self, folder: Path, ring: Callable[[], Ring] | None = None) -> None:
        """Make it; `ring` gives the keyring when it is first needed."""
        self._trouble: list[StepwireError] = []
        self._kept = Kept(folder / FILE, self._trouble.append)
        self._ring = ring or _system_ring

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> "Secrets":
        """Those of the user whose environment it is."""
        return cls(config_folder(environ))

    @property
    def pairs(self) -> frozenset[str]:
        """What the user lets go where: texts `VARIABLE=URL`."""
        found = self._kept.read().get(PAIRS)
        texts = cast("list[object]", found) if isinstance(found, list) else []
        return frozenset(text for text in texts if isinstance(text, str))

    def trust(self, variable: str, url: str) -> None:
        """Let the key in an environment variable go to a base URL; raises `SecretsError`."""
        self._write(self.pairs | {f"{variable}={_plain(url)}"})

    def distrust(self, variable: str, url: str) -> None:
        """Let it go there no longer."""
        self._write(self.pairs - {f"{variable}={_plain(url)}"})

    def is_trusted(self, variable: str, url: str) -> bool:
        """Whether the user has let the key in that variable go to that URL here."""
        return f"{variable}={_plain(url)}" in self.pairs

    def key_for(self, url: str) -> str:
        """Give the key that was entered for a base URL; empty where there is none. Raises `SecretsError`."""
        return self._ask(lambda ring: ring.get_password(SERVICE, _plain(url))) or ""

    def keep(self, url: str, key: str) -> None:
        """Put a key into the keyring, for this base URL alone; raises `SecretsError`."""
        self.check()
        self._ask(lambda ring: ring.set_password(SERVICE, _plain(url), key))
        if self.key_for(url) != key:
            message = "The keyring did not store the key correctly."
            raise SecretsError(message, hint="Put the key in an environment variable instead.")

    def forget(self, url: str) -> None:
        """Take a key out of the keyring, if it is there; raises `SecretsError`."""
        if self.key_for(url):
            self._ask(lambda ring: ring.delete_password(SERVICE, _plain(url)))

    def check(self) -> None:
        """Try the keyring with a value as long as keys are; raises `SecretsError` where it is of no use."""
        name, value = f"probe-{secrets.token_hex(4)}", secrets.token_hex(REAL_LENGTH // 2)
        self._ask(lambda ring: ring.set_password(SERVICE, name, value))
        try:
            is_kept = self._ask(lambda ring: ring.get_password(SERVICE, name)) == value
        finally:
            self._ask(lambda ring: ring.delete_password(SERVICE, name))
        if not is_kept:
            message = "The keyring of this system does not accept values as long as this key."
            raise SecretsError(message, hint="Put the key in an environment variable instead.")

    def _ask(self, act: Callable[[Ring], str | None]) -> str | None:
        try:
            return act(self._ring())
        # Each of the many keyrings raises what its own library raises.
        except Exception as error:
            said = " ".join(str(error).split()).partition(". ")[0][:200] or type(error).__name__
            message = f"The keyring of this system can't be used: {said.rstrip('.')}."
            raise SecretsError(message, hint="Put the key in an environment variable instead.") from error

    def _write(self, pairs: frozenset[str]) -> None:
        if not self._kept.write({PAIRS: sorted(pairs)}):
            message = f"`{self._kept.path}` could not be written, so nothing was changed."
            raise SecretsError(message, hint="Check whether the disk is full and who owns the folder.")


class HeldKeys(Secrets):
    """Keys that were read beforehand, on a thread: a keyring may ask the user, and that takes its time."""

    def __init__(self, folder: Path, ring: Callable[[], Ring] | None = None) -> None:
        super().__init__(folder, ring)
        self._held: dict[str, str | SecretsError] = {}

    def fetch(self, urls: Collection[str]) -> None:
        """Read the keys of these base URLs anew; what can't be read is told to whoever wants the key."""
        for url in sorted(urls):
            try:
                self._held[_plain(url)] = super().key_for(url)
            except SecretsError as error:
                self._held[_plain(url)] = error

    def key_for(self, url: str) -> str:
        """Give the key as it was last read, or read it; raises `SecretsError`."""
        held = self._held.get(_plain(url))
        if isinstance(held, SecretsError):
            raise SecretsError(held.message, hint=held.hint)
        return super().key_for(url) if held is None else held


def _plain(url: str) -> str:
    return url.strip().rstrip("/")


def _system_ring() -> Ring:
    import keyring  # late: it looks through everything that is installed

    return cast("Ring", keyring.get_keyring())
