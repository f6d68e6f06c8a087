"""Where the user's own configuration lies: settings, allowances, prices, what endpoints can do."""

from collections.abc import Mapping
from pathlib import Path

import platformdirs

CONFIG_VARIABLE = "STEPWIRE_CONFIG"
"""Names another folder for the user's configuration; run hosts are told it so."""


def config_folder(environ: Mapping[str, str]) -> Path:
    """Name the folder of this user's configuration, by the customs of the system; it may not exist yet."""
    if chosen := environ.get(CONFIG_VARIABLE):
        return Path(chosen)
    return Path(platformdirs.user_config_dir("stepwire", appauthor=False))
