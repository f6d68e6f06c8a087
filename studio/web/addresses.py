"""Which hosts and addresses a request may go to."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from studio.errors import ToolError

USUAL_PORTS = {"http": 80, "https": 443}

TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses that stand for those of IPv4 (RFC 6052)."""


def is_allowed(scheme: str, host: str, port: int, hosts: Iterable[str]) -> bool:
    """Tell whether an allow-list names a host; one without a port means the usual one of the scheme."""
    host = host.lower().rstrip(".")
    for entry in hosts:
        pattern, named = split_port(entry.strip().lower())
        if port != (named or USUAL_PORTS.get(scheme)):
            continue
        if pattern == host or (pattern.startswith("*.") and host.endswith(pattern[1:])):
            return True
    return False


def split_port(entry: str) -> tuple[str, int | None]:
    """Take `host:port` apart; an address of IPv6 stands in brackets."""
    if entry.startswith("["):
        host, _, rest = entry[1:].partition("]")
        entry_port = rest.removeprefix(":")
    elif entry.count(":") > 1:
        return entry, None
    else:
        host, _, entry_port = entry.partition(":")
    return host, int(entry_port) if entry_port.isascii() and entry_port.isdigit() else None


def refuse_address(text: str, host: str, *, is_private: bool) -> None:
    """Raise `ToolError` for an address that is not of the public network, unless private ones are allowed.

    Those of the link itself are never allowed: there, clouds tell their machines their keys.
    """
    address = meant_by(ip_address(text.partition("%")[0]))
    if address.is_link_local or address.is_multicast or address.is_unspecified:
        raise ToolError(f"`{host}` is at {text}, which no flow can reach.")
    is_site_local = isinstance(address, IPv6Address) and address.is_site_local
    is_public = address.is_global and not address.is_reserved and not is_site_local
    if not is_public and not is_private:
        message = f"`{host}` is at {text}, an address of this machine or a private network."
        raise ToolError(message, hint="If that is intended, allow private addresses in the settings.")


def meant_by(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Give the address of IPv4 that one of IPv6 stands for, where it does."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address
