"""Keyrings that behave as those of real systems do."""


class MemoryRing:
    """Keeps passwords as long as it lives, of at most `longest` characters, as some keyrings do."""

    def __init__(self, longest: int = 10_000) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self._longest = longest

    def get_password(self, service: str, username: str, /) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str, /) -> None:
        self.kept[service, username] = password[: self._longest]

    def delete_password(self, service: str, username: str, /) -> None:
        del self.kept[service, username]


class LockedRing(MemoryRing):
    """Refuses whatever it is asked."""

    def get_password(self, service: str, username: str, /) -> str | None:
        del service, username
        message = "The collection is locked."
        raise RuntimeError(message)

    def set_password(self, service: str, username: str, password: str, /) -> None:
        del password
        self.get_password(service, username)
