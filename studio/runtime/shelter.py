"""Which steps the engine shelters is told by the flow alone."""

from studio.flow.shelter import leading_only_into, sheltered

__all__ = ["leading_only_into", "sheltered"]
