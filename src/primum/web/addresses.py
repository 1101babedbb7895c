"""Addresses of clients, each of which gets a fair share of a server."""

from __future__ import annotations

import ipaddress

from starlette.types import Scope

IPV6_PREFIX_BITS = 64  # a household or a machine has all addresses with the same prefix


def address_of(scope: Scope) -> str:
    """The address of the client that sent a request, or its network if that is IPv6.

    uvicorn replaces the address of a proxy on this machine by the one in the proxy's X-Forwarded-For header; of other
    clients it ignores that header.
    """
    client = scope.get("client")
    return "" if client is None else network_of(client[0])


def network_of(host: str) -> str:
    """The part of an address that its owner cannot change.

    >>> network_of("192.0.2.1"), network_of("::ffff:192.0.2.1"), network_of("2001:db8::1:2:3")
    ('192.0.2.1', '192.0.2.1', '2001:db8::/64')
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # a socket of Unix, or a test
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), IPV6_PREFIX_BITS), strict=False))
