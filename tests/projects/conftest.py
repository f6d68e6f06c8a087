"""What projects are exported as is formatted once."""

from tests.export.formatting import formatted_texts_are_kept

__all__ = ["formatted_texts_are_kept"]
