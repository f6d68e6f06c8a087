"""The network of a run: what sends the requests of its tools, and the keys that it might send."""

from collections.abc import Mapping

from studio.web.keys import TRUSTED_URLS
from studio.web.request import WebAnswer, WebRequest


class LateBroker:
    """Implements `Web`; what it needs is loaded with the first request, for that takes its time."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Send a request; see `Web.fetch`."""
        from studio.web.broker import Broker

        return await Broker(self._environ).fetch(request)


def trusted_keys(environ: Mapping[str, str]) -> frozenset[str]:
    """The keys that the user lets go somewhere; they must appear nowhere."""
    names = {pair.partition("=")[0] for pair in environ.get(TRUSTED_URLS, "").split()}
    return frozenset(key for name in names if (key := environ.get(name, "").strip()))
