"""No request leaves for a private network unless a setting says so, whatever a name, a page or a redirect names.

A host is resolved once, every address of it is checked, and the connection goes to the address that was checked: a name
that means something else a moment later changes nothing. Proxies of the environment are not used: they would resolve
names themselves.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import httpx2

_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address
_UNICAST = IPv6Network("2000::/3")  # all that IANA gave out as public: other forms of IPv4 and old local ones are not


class RefusedAddressError(httpx2.TransportError):
    """A host has an address that may not be reached; nothing was sent."""


def is_allowed(address: str, networks: Sequence[str]) -> bool:
    """Return whether an address is public, or lies in one of the networks."""
    plain = _embedded(ip_address(address.partition("%")[0]))
    if plain.is_global and not plain.is_multicast and (plain.version == 4 or plain in _UNICAST):
        return True
    return any(plain in ip_network(network) for network in networks)


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


async def allowed_addresses(host: str, port: int, networks: Sequence[str]) -> list[str]:
    """Return the addresses of a host, all of which may be reached (RefusedAddressError)."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx2.ConnectError(f"{host} is not known ({getattr(error, 'strerror', None) or error})") from error
    addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
    if refused := [address for address in addresses if not is_allowed(address, networks)]:
        raise RefusedAddressError(
            f"{host} is at {refused[0]}, which is no public address; allow_networks of the source can allow its network"
        )
    return addresses


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Connects to addresses that were checked; certificates are those of the name, as always."""

    def __init__(self, networks: Sequence[str]) -> None:
        self._networks = networks
        self._by_host: dict[str, httpx2.AsyncHTTPTransport] = {}  # names with one address share no connection
        self.requests = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to an address of its host."""
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = await allowed_addresses(url.host, port, self._networks)
        if url.host not in self._by_host:
            self._by_host[url.host] = httpx2.AsyncHTTPTransport()
        transport = self._by_host[url.host]
        self.requests += 1
        for last, address in enumerate(addresses, 1 - len(addresses)):
            sent = httpx2.Request(
                request.method,
                url.copy_with(host=address.partition("%")[0]),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": url.host},
            )
            try:
                return await transport.handle_async_request(sent)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if last == 0:
                    raise
        raise httpx2.ConnectError(f"{url.host} has no address")

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in self._by_host.values():
            await transport.aclose()
