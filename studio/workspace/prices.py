"""What tokens cost: the studio's own list, and before it the user's, which is a file to be edited."""

from collections.abc import Mapping
from pathlib import Path

from studio import places
from studio.llm.prices import Prices
from studio.workspace.user_folder import config_folder

FILE = "prices.toml"


def user_file(environ: Mapping[str, str]) -> Path:
    """Name the file in which a user keeps prices; it need not exist."""
    return config_folder(environ) / FILE


def shipped_prices() -> Prices:
    """Give the list that comes with the studio."""
    return Prices.load(places.resources() / FILE)


def user_prices(environ: Mapping[str, str]) -> Prices:
    """Give the user's own list, empty where there is none; raises `UsageError` where it can't be read."""
    path = user_file(environ)
    return Prices.load(path) if path.exists() else Prices()


def load_prices(environ: Mapping[str, str]) -> Prices:
    """Give the list by which runs are priced; where both name a language model, the user's counts."""
    return user_prices(environ).over(shipped_prices())
