"""What projects are exported as is formatted once."""

from tests.export.formatting import formatted_texts_are_kept
from tests.export.playing_forked import players_are_forked

__all__ = ["formatted_texts_are_kept", "players_are_forked"]
