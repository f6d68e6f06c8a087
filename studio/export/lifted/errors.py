"""Errors of an exported script that say less than the studio's."""

from studio.errors import ChatError


class ChatRefusedError(ChatError):
    """The endpoint answered with an error."""
