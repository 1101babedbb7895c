"""The host names that requests may be addressed to, and the origins that changes may come from."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit


class Hosts:
    """The names and addresses of a server.

    A page of another site can reach a server on this machine or in this network under the site's own name (DNS
    rebinding), and then counts as the same origin; the Host header gives it away. Ports are not compared, because
    tunnels and containers change them.

    >>> hosts = Hosts("127.0.0.1", ["lab.example.org"])
    >>> [hosts.serves(host) for host in ("localhost:8000", "[::1]:8000", "lab.example.org", "other.example.org")]
    [True, True, True, False]
    >>> hosts.allows("https://lab.example.org", "127.0.0.1:8000"), hosts.allows("http://localhost:3", "localhost:8000")
    (True, False)
    """

    def __init__(self, bound: str, allowed: Iterable[str] = ()) -> None:
        self._allowed = {_name(name) for name in allowed}
        self._names = {"localhost", _name(bound)} | self._allowed
        address = _address(_name(bound))
        self.is_loopback = bound == "localhost" or (address is not None and address.is_loopback)
        if not self.is_loopback:
            own = socket.gethostname().lower()
            self._names |= {own, own.partition(".")[0], f"{own.partition('.')[0]}.local"}

    def serves(self, host: str) -> bool:
        """Whether a request with this Host header is addressed to this server."""
        name = _name(host)
        address = _address(name)
        if name in self._names:
            return True
        # DNS rebinding needs a name, so a server at a network address accepts any IP address
        return address is not None and (address.is_loopback or not self.is_loopback)

    def allows(self, origin: str, host: str) -> bool:
        """Whether a page of this origin may change something at a server addressed by this Host header."""
        try:
            place = urlsplit(origin).netloc
        except ValueError:  # brackets around something that is not an address
            return False
        return bool(place) and (place.lower() == host.lower() or _name(place) in self._allowed)


def _name(host: str) -> str:
    """A host without its port and brackets."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return (host if host.count(":") > 1 else host.partition(":")[0]).rstrip(".")


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
