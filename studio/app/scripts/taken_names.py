"""Names by which a script would be imported in the place of what it needs."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

REQUIRED = re.compile(r"[\w.-]+")


def is_taken(name: str, imported: Iterable[str]) -> bool:
    """Whether a module of this name is imported by what is `imported`, as far as that is installed here."""
    if PathFinder.find_spec(name) is None:
        return False  # nothing installed has this name, and who owns which takes a look at all that is
    owners = _owners()
    needed: set[str] = set()
    waiting = [owner for one in imported for owner in owners.get(one, ())]
    while waiting:
        owner = _plain(waiting.pop())
        if owner not in needed:
            needed.add(owner)
            waiting += _required(owner)
    return any(_plain(owner) in needed for owner in owners.get(name, ()))


@cache
def _owners() -> Mapping[str, list[str]]:
    """What each module that is installed came with; to look takes half a second."""
    return packages_distributions()


def _required(distribution: str) -> list[str]:
    """What a distribution always needs; nothing where it is not installed."""
    try:
        lines = requires(distribution) or []
    except PackageNotFoundError:
        return []
    return [found[0] for one in lines if "extra ==" not in one and (found := REQUIRED.match(one))]


def _plain(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()
